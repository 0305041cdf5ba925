"""The admissible values of stored fields, from their annotations: exact types, bounded numbers, nothing else.

A value that is made bottom up from values that were checked is checked by looking at its own fields alone: the depth of
a check is that of the annotation, whatever the data are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from analyzer.diagnostics import Diagnostic, Phrase, catalog
from analyzer.ir.index import FloorDiv, Form, TruncDiv
from analyzer.ir.nodes import Assumption
from analyzer.profile import FileProfile
from analyzer.traffic.hierarchy import CacheLevel

_Check = Callable[[Any], bool]
_Kinds = Mapping[type, _Check | None]
"""The admissible exact types, and a further condition on a value of each (None: none)."""

_LARGEST = 2**63
_LARGEST_COEFFICIENT = 2**1000  # still a float
_SHAPES_OF_CACHES = ("banks", "capacity_bytes", "line_bytes", "sector_bytes", "shared_by", "units", "ways")
_POSITIVE = frozenset(
    (*_SHAPES_OF_CACHES, "blocks_per_unit", "distance", "size_bytes", "warp_threads", "warps_per_unit")
)
_OF_ANY_SIGN = frozenset(("step_bytes",))
_MORE: Mapping[tuple[type, str], _Check] = {
    (CacheLevel, "effective"): lambda share: bool(0 < share <= 1),
    (Diagnostic, "code"): lambda code: code in catalog(),
    (FileProfile, "frontend"): lambda name: name in ("clang", "fragment"),
    (FloorDiv, "denominator"): lambda poly: any(poly.terms.values()),
    (TruncDiv, "denominator"): lambda poly: any(poly.terms.values()),
}
"""Conditions on some fields instead of the bounds above."""


def _has_sentence(written: Callable[[Sequence[Any]], tuple[str, ...]]) -> _Check:
    """Return a check that the catalog has the sentences of a value, for the fields that it has."""

    def fits(values: Sequence[Any]) -> bool:
        try:
            return all(isinstance(text, str) for text in written(values))
        except (KeyError, ValueError):
            return False

    return fits


def _message_and_hint(values: Sequence[Any]) -> tuple[str, ...]:
    found = Diagnostic(*values)
    return found.message, found.hint


_WHOLE: Mapping[type, _Check] = {
    Assumption: _has_sentence(lambda values: (Assumption(*values).text,)),
    Diagnostic: _has_sentence(_message_and_hint),
    Phrase: _has_sentence(lambda values: (str(Phrase(*values)),)),
}
"""Conditions on all fields of a value together."""


class Shape:
    """The admissible rows of values; the checks for a row of types are worked out once."""

    __slots__ = ("_columns", "_known", "_whole")

    def __init__(self, columns: Sequence[_Kinds], whole: _Check | None = None) -> None:
        self._columns = columns
        self._whole = whole
        self._known: dict[tuple[type, ...], list[tuple[int, _Check]] | None] = {}

    def fits(self, values: Sequence[object]) -> bool:
        """Return whether values, whose parts were checked already, are such a row."""
        types = tuple(map(type, values))
        if types not in self._known:
            self._known[types] = self._checks(types)
        checks = self._known[types]
        if checks is None:
            return False
        if not all(check(values[position]) for position, check in checks):
            return False
        return self._whole is None or self._whole(values)

    def _checks(self, types: tuple[type, ...]) -> list[tuple[int, _Check]] | None:
        """Return the further checks, by position of their value; None where the types are wrong."""
        if len(types) != len(self._columns):
            return None
        if not all(kind in kinds for kinds, kind in zip(self._columns, types, strict=True)):
            return None
        checks = (kinds[kind] for kinds, kind in zip(self._columns, types, strict=True))
        return [(position, check) for position, check in enumerate(checks) if check is not None]


def shape_of(kind: type[Any]) -> Shape:
    """Return the admissible values of a structure's fields, in their order."""
    hints = get_type_hints(kind)
    columns = []
    for name in kind.__struct_fields__:
        kinds = _kinds(hints[name], name)
        columns.append(dict.fromkeys(kinds, _MORE[kind, name]) if (kind, name) in _MORE else kinds)
    return Shape(columns, _WHOLE.get(kind))


def _kinds(annotation: Any, name: str = "") -> _Kinds:
    """Return the types that an annotation allows; raises ``TypeError`` for one that no stored value has.

    ``name`` is the field where the value is that of a field: few have numbers below zero, some none below one.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        found = {kind: check for part in arguments for kind, check in _kinds(part, name).items()}
        return dict.fromkeys(found, _is_coefficient) if found.keys() == {int, Fraction} else found
    if origin is tuple:
        return {tuple: _each(arguments[0]) if arguments[-1] is Ellipsis else Shape(list(map(_kinds, arguments))).fits}
    if origin is frozenset:
        return {frozenset: _each(arguments[0])}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        keys, values = map(_each, arguments)
        return {dict: lambda found: keys(found) and values(found.values())}
    if annotation in (int, float):
        whole = _within(name, _LARGEST)
        return {int: whole} if annotation is int else {int: whole, float: _within(name, math.inf)}
    if annotation is Fraction:
        return {Fraction: _is_fraction}
    if annotation is Form:
        return dict.fromkeys(_kinds_of_form(Form))
    if annotation in (str, bool, NoneType) or issubclass(annotation, (Struct, Enum)):
        return {annotation: None}
    raise TypeError(f"{annotation} is not stored")


def _kinds_of_form(kind: type[Form]) -> list[type[Form]]:
    """Return the kinds of forms that there are."""
    return [kind, *(each for below in kind.__subclasses__() for each in _kinds_of_form(below))]


def _each(annotation: Any) -> _Check:
    """Check every part of a collection."""
    kinds = _kinds(annotation)

    def fits(found: Collection[object]) -> bool:
        for part in found:
            check = kinds.get(type(part), _never)
            if check is not None and not check(part):
                return False
        return True

    return fits


def _never(value: object) -> bool:
    return False


def _within(name: str, limit: float) -> _Check:
    """Check that a number is below a limit, and not below the least of the field."""
    if name in _POSITIVE:
        return lambda value: bool(0 < value < limit)
    least = 0 if name and name not in _OF_ANY_SIGN else -limit
    return lambda value: bool(least <= value < limit)


def _is_coefficient(value: int | Fraction) -> bool:
    return value != 0 and _is_fraction(value)


def _is_fraction(value: int | Fraction) -> bool:
    return -_LARGEST_COEFFICIENT < value.numerator < _LARGEST_COEFFICIENT and value.denominator < _LARGEST_COEFFICIENT
