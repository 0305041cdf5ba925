"""Capacity conditions: the sizes up to which a cache holds reused data, in symbols.

The working set of a reuse, the lines touched between the two uses, is a polynomial in the sizes as long as rows are
whole lines.  It is computed for several sizes of whole lines and fitted, the lowest degree first, with coefficients of
whole elements and within a small tolerance.  A reuse hits in a cache of ``C`` bytes while its working set is smaller
than ``C``; kerncraft calls this a layer condition (Hammer, Eitzinger, Hager, Wellein, *Kerncraft*, 2017), for stencils
with unit strides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, product
from math import gcd, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ir.index import Monomial, Poly
from ..ir.nodes import Array, Region
from ..ir.passes.substitute import bind
from .hierarchy import CacheLevel, Hierarchy
from .program.layout import lay_out
from .program.program import Affine, Leaf, NotNumeric, Reference, guarded_hull, span
from .results import Condition, Reuse
from .reuse.layers import working_sets
from .reuse.line_uses.pairs import Scope

_UNITS = (64, 32, 16, 8)  # sizes are multiples of the first with which no row of fixed length is overrun
_MULTIPLES = (3, 8, 5, 9, 4, 7, 6)  # of the unit; small, and in an order in which no two symbols grow together
_MOST_SYMBOLS = 4  # bounds the number of monomials, and so of samples
_SPARE = 2  # samples more than coefficients, which reject polynomials that only interpolate
_TOLERANCE, _TOLERANCE_BYTES = 0.004, 128  # how far a fit may miss: a share of the largest sample, and two lines
_LARGEST = 1 << 40  # of the sizes among which a threshold is searched

Sizes = Mapping[str, int]
Key = tuple[str, int, str, bool]
Floats = NDArray[Any]


def reuses(region: Region, hierarchy: Hierarchy) -> tuple[Reuse, ...]:
    """Return the reuses whose working set grows with the sizes, with the sizes up to which each cache holds them.

    Varied are the symbols without a value, or all where all have one.  Empty where the region cannot be laid out, and
    for more than four symbols.
    """
    known = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    names = [symbol.name for symbol in region.symbols if symbol.value is None] or list(known)
    if not names or len(names) > _MOST_SYMBOLS:
        return ()
    try:
        found = _fitted(_Sampled(region, known, names, hierarchy.levels[0].line_bytes), names)
    except NotNumeric:
        return ()
    return tuple(sorted((_described(key, size, hierarchy) for key, size in found.items()), key=_order))


def _fitted(sampled: _Sampled, names: Sequence[str]) -> dict[Key, Poly]:
    """Return the working sets in bytes that grow with the sizes, each of the lowest degree that fits its samples."""
    found: dict[Key, Poly] = {}
    sampled.extend(2)
    sampled.drop_constant()
    for degree in range(1, 4 if len(names) < 3 else 3):
        monomials = [m for k in range(degree + 1) for m in combinations_with_replacement(sorted(names), k)]
        sampled.extend(len(monomials) + _SPARE)
        for key in sampled.keys:
            size = _interpolated(sampled.bytes_of(key), sampled.points, monomials, sampled.unit_bytes)
            if size is not None:
                sampled.drop(key)
                if size.constant is None:
                    found[key] = size
        if not sampled.keys:
            break
    return found


class _Sampled:
    """Working sets of one region for several sizes, of those reuses that were found for all of them."""

    def __init__(self, region: Region, known: Sizes, names: Sequence[str], line_bytes: int) -> None:
        self.points: list[Sizes] = []
        self.unit_bytes = gcd(*(array.element_bytes for array in region.arrays)) or 1
        self._region = region
        self._known = known
        self._line = line_bytes
        self._names = names
        self._unit = next((unit for unit in _UNITS if self._fits(unit)), 0)
        self._lines: dict[Key, list[int]] = {}

    @property
    def keys(self) -> list[Key]:
        """Return the reuses that are still sampled."""
        return list(self._lines)

    def bytes_of(self, key: Key) -> list[int]:
        """Return the working set in bytes at each point."""
        return [lines * self._line for lines in self._lines[key]]

    def drop(self, key: Key) -> None:
        """Drop a reuse: it is not sampled any more."""
        del self._lines[key]

    def drop_constant(self) -> None:
        """Drop the reuses whose working set is the same for all sizes."""
        self._lines = {key: lines for key, lines in self._lines.items() if len(set(lines)) > 1}

    def extend(self, number: int) -> None:
        """Take samples until there are so many points; raises :class:`NotNumeric`."""
        while self._unit and len(self.points) < number and (self._lines or not self.points):
            sizes = _sizes(self._names, len(self.points), self._unit)
            program = lay_out(self._bound(sizes))
            found = {_key(array, scope): n for array, scope, n in working_sets(program, self._line, self._is_wanted)}
            self._lines = {key: [*self._lines.get(key, ()), lines] for key, lines in found.items()}
            self.points.append(sizes)

    def _bound(self, sizes: Sizes) -> Region:
        return bind(self._region, {**self._known, **sizes})

    def _fits(self, unit: int) -> bool:
        """Return whether rows of fixed length are long enough for the largest of the sizes."""
        region = self._bound(dict.fromkeys(self._names, unit * max(_MULTIPLES)))
        rows = {array.name: _row_bytes(array) for array in region.arrays}
        return not any(
            _overruns(reference, row, leaf)
            for leaf in lay_out(region).leaves
            for reference in leaf.references
            for row in rows.get(reference.array, ())
        )

    def _is_wanted(self, array: str, scope: Scope) -> bool:
        return not self.points or _key(array, scope) in self._lines


def _row_bytes(array: Array) -> list[int]:
    """Return the bytes of a row, a plane, ... as far as the extents from the last one on are numbers."""
    found = [array.element_bytes]
    for extent in reversed(array.extents):
        number = None if extent is None else extent.constant
        if not isinstance(number, int):
            break
        found.append(found[-1] * number)
    return found[1:]


def _overruns(reference: Reference, row_bytes: int, leaf: Leaf) -> bool:
    """Return whether the steps within a row lead beyond it."""
    ranges = guarded_hull(leaf.loops, leaf.tests)
    steps = tuple((depth, factor) for depth, factor in reference.address.terms if abs(factor) < row_bytes)
    if ranges is None or not steps:
        return False
    low, high = span(Affine(0, steps), ranges)
    return high - low >= row_bytes


def _sizes(names: Sequence[str], sample: int, unit: int) -> dict[str, int]:
    """Return sizes that differ from symbol to symbol and from sample to sample; no two symbols grow together."""
    cycle = len(_MULTIPLES)
    return {
        name: unit * _MULTIPLES[(sample * (index + 1) + 2 * index + sample // cycle) % cycle]
        for index, name in enumerate(names)
    }


def _key(array: str, scope: Scope) -> Key:
    line, name = (0, "") if scope.loop is None else (scope.loop.line, scope.loop.name)
    return array, line, name, scope.carried


def _described(key: Key, size: Poly, hierarchy: Hierarchy) -> Reuse:
    array, line, loop, carried = key
    conditions = tuple(_condition(level, key, size) for level in hierarchy.levels)
    return Reuse(array, loop, line, carried, size, conditions)


def _interpolated(
    values: Sequence[int], points: Sequence[Sizes], monomials: Sequence[Monomial], unit: int
) -> Poly | None:
    """Return the polynomial with few coefficients through the values, within a tolerance; None where there is none.

    Coefficients are multiples of ``unit``, the bytes of an element, else whole numbers.
    """
    values_at = np.array([[_value(monomial, sizes) for monomial in monomials] for sizes in points], dtype=float)
    scale = abs(values_at).max(axis=0)
    matrix = values_at / scale
    target = np.array(values, dtype=float)
    allowed = _TOLERANCE * target.max() + _TOLERANCE_BYTES
    weight = _least_squares(matrix, target)
    order = np.argsort(-abs(weight), kind="stable")
    for quantum, number in product(sorted({unit, 1}, reverse=True), range(1, len(order) + 1)):
        chosen = order[:number]
        whole = quantum * np.round(_least_squares(matrix[:, chosen], target) / scale[chosen] / quantum)
        if abs(matrix[:, chosen] @ (whole * scale[chosen]) - target).max() <= allowed:
            return Poly({monomials[index]: int(count) for index, count in zip(chosen, whole, strict=True) if count})
    return None


def _least_squares(matrix: Floats, target: Floats) -> Floats:
    found: Floats = np.linalg.lstsq(matrix, target, rcond=None)[0]
    return found


def _value(monomial: Monomial, sizes: Sizes) -> float:
    return prod((float(sizes[str(atom)]) for atom in monomial), start=1.0)


def _condition(level: CacheLevel, key: Key, size: Poly) -> Condition:
    array, _, loop, carried = key
    names = tuple(sorted(size.names()))
    room = level.lines * level.line_bytes - level.line_bytes
    return Condition(
        level=level.name,
        array=array,
        loop=loop,
        carried=carried,
        working_set=size,
        parameters=names,
        threshold=_largest(size, names[0], room) if len(names) == 1 else None,
        capacity_bytes=room,
    )


def _largest(size: Poly, name: str, room: int) -> int:
    """Return the largest value of a symbol for which the size fits; 0 where none does."""
    low, high = 0, _LARGEST
    while low < high:
        middle = (low + high + 1) // 2
        if size.evaluate({name: middle}) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _order(reuse: Reuse) -> tuple[int, str, int]:
    most = reuse.conditions[0].threshold
    return (_LARGEST if most is None else most, reuse.array, reuse.line)
