"""Trees of frozen dataclasses as JSON and back: a table of nodes, each stored once, children first.

Only data are read: a class is looked up in the modules of the analysis that are loaded already, and must be a dataclass
with the stored fields or an enumeration; nothing that is stored can name code to run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

_PACKAGE = "analyzer."
_TUPLE, _SET, _MAPPING, _FRACTION, _FIRST_CLASS = range(5)


class CodecError(ValueError):
    """Data of another version, damaged data, or a value that cannot be stored."""


def encode(value: object) -> str:
    """JSON text of a tree; raises ``CodecError`` where it holds anything but plain data."""
    encoder = _Encoder()
    encoder.add(value)
    try:
        return json.dumps({"classes": encoder.classes, "nodes": encoder.nodes}, separators=(",", ":"))
    except ValueError as error:  # an integer with thousands of digits
        raise CodecError(str(error)) from error


def decode(text: str) -> Any:
    """The tree of :func:`encode`; raises ``CodecError``."""
    try:
        document = json.loads(text)
        makers = [_maker(name, names) for name, names in document["classes"]]
        built: list[Any] = []
        for node in document["nodes"]:
            built.append(_built(node, built, makers) if isinstance(node, list) else node)
        return built[-1]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, ZeroDivisionError) as error:
        raise CodecError(f"not the data of this version: {error}") from error


class _Encoder:
    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.classes: list[tuple[str, list[str]]] = []
        self._class_numbers: dict[type, int] = {}
        self._field_names: dict[type, list[str]] = {}
        self._scalars: dict[tuple[type, object], int] = {}
        self._objects: dict[int, int] = {}
        self._alive: list[object] = []

    def add(self, value: Any) -> int:
        """The index of the node of a value, which comes after those of its parts."""
        if value is None or (isinstance(value, (str, int, float)) and not isinstance(value, Enum)):
            key = (type(value), value)
            if key not in self._scalars:
                self._scalars[key] = self._append(value)
            return self._scalars[key]
        if id(value) not in self._objects:
            node = self._node(value)
            self._objects[id(value)] = self._append(node)
            self._alive.append(value)
        return self._objects[id(value)]

    def _append(self, node: object) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _node(self, value: Any) -> list[Any]:
        kind = type(value)
        match value:
            case tuple():
                return [_TUPLE, *map(self.add, value)]
            case frozenset():
                return [_SET, *map(self.add, sorted(value))]
            case Mapping():
                return [_MAPPING, *(self.add(part) for item in value.items() for part in item)]
            case Fraction():
                return [_FRACTION, value.numerator, value.denominator]
            case Enum():
                return [self._class_number(kind, []), value.value]
        if not is_dataclass(value):
            raise CodecError(f"{kind.__name__} is not plain data")
        if kind not in self._field_names:
            self._field_names[kind] = [field.name for field in fields(kind) if field.init]
        names = self._field_names[kind]
        parts = [self.add(getattr(value, name)) for name in names]
        return [self._class_number(kind, names), *parts]

    def _class_number(self, kind: type, names: list[str]) -> int:
        if kind not in self._class_numbers:
            if not kind.__module__.startswith(_PACKAGE):
                raise CodecError(f"{kind.__module__}.{kind.__name__} is not stored")
            self._class_numbers[kind] = len(self.classes) + _FIRST_CLASS
            self.classes.append((f"{kind.__module__}:{kind.__name__}", names))
        return self._class_numbers[kind]


def _maker(name: str, names: list[str]) -> Callable[[list[Any], list[Any]], Any]:
    """What makes a value of a class from a node and the nodes before it."""
    module, _, class_name = name.partition(":")
    if not module.startswith(_PACKAGE) or module not in sys.modules:
        raise CodecError(f"{module} is no module of the analysis")
    kind = getattr(sys.modules[module], class_name)
    if not isinstance(kind, type) or kind.__module__ != module:
        raise CodecError(f"{name} is no class")
    if issubclass(kind, Enum):
        return lambda node, built: kind(node[1])
    if not is_dataclass(kind) or [field.name for field in fields(kind) if field.init] != names:
        raise CodecError(f"{name} has other fields")
    return lambda node, built: kind(*(built[part] for part in node[1:]))


def _built(node: list[Any], built: list[Any], makers: list[Callable[[list[Any], list[Any]], Any]]) -> Any:
    kind = node[0]
    if kind >= _FIRST_CLASS:
        return makers[kind - _FIRST_CLASS](node, built)
    if kind == _FRACTION:
        return Fraction(node[1], node[2])
    parts: Iterable[Any] = (built[part] for part in node[1:])
    if kind == _TUPLE:
        return tuple(parts)
    if kind == _SET:
        return frozenset(parts)
    listed = list(parts)
    return dict(zip(listed[::2], listed[1::2], strict=True))
