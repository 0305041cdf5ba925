"""Trees of frozen structures as JSON and back: a table of nodes, each stored once, children first.

Only data are read: a class is looked up in the modules of the analysis that are loaded already, and must be a structure
with the stored fields or an enumeration; nothing that is stored can name code to run.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from types import NoneType
from typing import Any

from msgspec import Struct

from .typed import Shape, shape_of

_PACKAGE = "analyzer."
_TUPLE, _SET, _MAPPING, _FRACTION, _FIRST_CLASS = range(5)
_SCALARS = frozenset((str, int, float, bool, NoneType))
_DEEPEST = 200


class CodecError(ValueError):
    """Data of another version, damaged data, or a value that cannot be stored."""


def encode(value: object) -> str:
    """Return the JSON text of a tree; raises ``CodecError`` where it holds anything but plain data."""
    encoder = _Encoder()
    try:
        encoder.add(value)
        document = {"classes": encoder.classes, "nodes": encoder.nodes}
        return json.dumps(document, separators=(",", ":"), allow_nan=False)
    except (ValueError, RecursionError) as error:  # an integer with thousands of digits
        raise CodecError(str(error)) from error


def decode(text: str, *, trusted: bool = False) -> Any:
    """Return the tree of :func:`encode`; raises ``CodecError``.

    A text that this process wrote itself may be ``trusted``: its fields are not checked again.
    """
    try:
        document = json.loads(text)
        if document.keys() != {"classes", "nodes"}:
            raise CodecError("not the data of this version")
        return _Decoder(document["classes"], trusted=trusted).decode(document["nodes"])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, ArithmeticError, RecursionError) as error:
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
        """Return the index of the node of a value, which comes after those of its parts."""
        kind = type(value)
        if kind in _SCALARS or (isinstance(value, (str, int, float)) and not isinstance(value, Enum)):
            key = (kind, value)
            if key not in self._scalars:
                self._scalars[key] = self._append(value)
            return self._scalars[key]
        known = self._objects.get(id(value))
        if known is None:
            known = self._objects[id(value)] = self._append(self._node(value))
            self._alive.append(value)
        return known

    def _append(self, node: object) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _node(self, value: Any) -> list[Any]:
        kind = type(value)
        names = self._field_names.get(kind)
        if names is None and issubclass(kind, Struct):
            names = self._field_names[kind] = list(kind.__struct_fields__)
        if names is not None:
            parts = [self.add(getattr(value, name)) for name in names]
            return [self._class_number(kind, names), *parts]
        match value:
            case tuple():
                return [_TUPLE, *map(self.add, value)]
            case frozenset():
                return [_SET, *map(self.add, sorted(value, key=repr))]
            case dict() | Mapping():
                return [_MAPPING, *(self.add(part) for item in value.items() for part in item)]
            case Fraction():
                return [_FRACTION, value.numerator, value.denominator]
            case Enum():
                return [self._class_number(kind, []), value.value]
            case _:
                raise CodecError(f"{kind.__name__} is not plain data")

    def _class_number(self, kind: type, names: list[str]) -> int:
        if kind not in self._class_numbers:
            if not kind.__module__.startswith(_PACKAGE):
                raise CodecError(f"{kind.__module__}.{kind.__name__} is not stored")
            self._class_numbers[kind] = len(self.classes) + _FIRST_CLASS
            self.classes.append((f"{kind.__module__}:{kind.__name__}", names))
        return self._class_numbers[kind]


class _Decoder:
    """The values made so far, and how deep each is."""

    def __init__(self, classes: list[tuple[str, list[str]]], *, trusted: bool) -> None:
        self._classes = [_class(name, *names) for name, names in classes]
        self._trusted = trusted
        self._values: list[Any] = []
        self._depths: list[int] = []

    def decode(self, nodes: list[Any]) -> Any:
        """Return the value of the last node."""
        for node in nodes:
            kind = type(node)
            if kind is list:
                value, depth = self._compose(*node)
            elif kind in _SCALARS and (kind is not float or math.isfinite(node)):
                value, depth = node, 0
            else:
                raise CodecError(f"{node} is no value")
            if depth > _DEEPEST and not self._trusted:
                raise CodecError("nested too deeply")
            self._values.append(value)
            self._depths.append(depth)
        return self._values[-1]

    def _compose(self, number: int, *parts: Any) -> tuple[Any, int]:
        """Return the value of a node and its depth; ``parts`` are earlier nodes, or the numbers of a fraction."""
        if number == _FRACTION:
            return _fraction(*parts), 0
        shape = None
        if number >= _FIRST_CLASS:
            make, shape = self._classes[number - _FIRST_CLASS]
            if shape is None:
                (value,) = parts
                return make(value), 0
        values = list(map(self._values.__getitem__, parts))
        depth = 1 + (max(map(self._depths.__getitem__, parts)) if parts else 0)
        if shape is None:
            return _container(number, values), depth
        if not self._trusted and not shape.fits(values):
            raise CodecError("fields of other types")
        return make(*values), depth


@cache
def _class(name: str, *names: str) -> tuple[Callable[..., Any], Shape | None]:
    """Return what makes a value of this class of the analysis from its fields, and their shape; None for members."""
    module, _, class_name = name.partition(":")
    if not module.startswith(_PACKAGE) or module not in sys.modules:
        raise CodecError(f"{module} is no module of the analysis")
    kind = getattr(sys.modules[module], class_name)
    if not isinstance(kind, type) or kind.__module__ != module:
        raise CodecError(f"{name} is no class")
    if issubclass(kind, Enum) and not names:
        return kind, None
    if not issubclass(kind, Struct) or kind.__struct_fields__ != names:
        raise CodecError(f"{name} has other fields")
    return kind if kind.__match_args__ == names else _by_keyword(kind), shape_of(kind)


def _by_keyword(kind: type[Struct]) -> Callable[..., Any]:
    """Return the constructor of a class with fields that are given by keyword alone, taking all in their order."""
    return lambda *values: kind(**dict(zip(kind.__struct_fields__, values, strict=True)))


def _fraction(numerator: int, denominator: int) -> Fraction:
    return Fraction(numerator, denominator)


def _container(number: int, parts: list[Any]) -> Any:
    if number == _TUPLE:
        return tuple(parts)
    if number == _SET:
        return frozenset(parts)
    if number == _MAPPING:
        return dict(zip(parts[::2], parts[1::2], strict=True))
    raise CodecError(f"{number} is no kind of node")
