"""Capacity conditions: up to which sizes a cache keeps what is reused, in symbols.

The working set of a reuse, the lines touched between the two uses, is a polynomial in the sizes as long as rows are
whole lines.  It is found exactly: computed for several sizes that are multiples of 64, and interpolated.  A reuse
hits in a cache of ``C`` bytes while its working set is smaller than ``C``; kerncraft calls this a layer condition
(Hammer, Eitzinger, Hager, Wellein, *Kerncraft*, 2017), for stencils with unit strides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from ..ir.bind import bind
from ..ir.index import Monomial, Poly
from ..ir.nodes import Region
from .hierarchy import CacheLevel, Hierarchy
from .layout import lay_out
from .program import NotNumeric, Program
from .reuse import Scope
from .shapes import Condition, Reuse
from .strata import working_sets

_UNIT = 64
_MULTIPLES = (11, 5, 8, 4, 6, 9, 7, 10, 13, 12, 14, 3)
_MOST_SYMBOLS = 4
_SPARE = 3
_TOLERANCE = 0.004
_LARGEST = 1 << 40

Sizes = Mapping[str, int]
Key = tuple[str, int, str, bool]


def reuses(region: Region, hierarchy: Hierarchy) -> tuple[Reuse, ...]:
    """Reuses whose working set grows with the sizes, with the sizes up to which each cache keeps them.

    Varied are the symbols without a value, or all where all have one.  Empty where the region cannot be laid out, and
    for more than four symbols.
    """
    known = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    names = [symbol.name for symbol in region.symbols if symbol.value is None] or list(known)
    names = [name for name in names if _matters(region, name)]
    if not names or len(names) > _MOST_SYMBOLS:
        return ()
    degree = 3 if len(names) < 3 else 2
    monomials = [m for k in range(degree + 1) for m in combinations_with_replacement(sorted(names), k)]
    points: list[Sizes] = []
    found: dict[Key, list[int]] = {}
    for sizes in _sizes(names, len(monomials) + _SPARE):
        try:
            program = lay_out(bind(region, {**known, **sizes}))
        except NotNumeric:
            return ()
        sets = _working_sets(program, hierarchy, found if points else None)
        found = {key: [*found.get(key, []), lines] for key, lines in sets.items()}
        points.append(sizes)
    described = (_described(key, lines, points, monomials, hierarchy) for key, lines in found.items())
    return tuple(sorted((reuse for reuse in described if reuse is not None), key=_order))


def _matters(region: Region, name: str) -> bool:
    """Whether a symbol occurs anywhere."""
    return name in repr(region.body) or any(
        extent is not None and name in extent.names() for array in region.arrays for extent in array.extents
    )


def _sizes(names: Sequence[str], number: int) -> Iterator[Sizes]:
    """Different sizes for each symbol; no two symbols grow together."""
    cycle = len(_MULTIPLES)
    for turn in range(number):
        yield {
            name: _UNIT * (_MULTIPLES[(turn * (place + 1) + 5 * place + turn // cycle) % cycle])
            for place, name in enumerate(names)
        }


def _working_sets(program: Program, hierarchy: Hierarchy, wanted: Collection[Key] | None) -> dict[Key, int]:
    """Lines by array, loop and kind of reuse; of those wanted, where any are named."""

    def is_wanted(array: str, scope: Scope) -> bool:
        return wanted is None or _key(array, scope) in wanted

    line_bytes = hierarchy.levels[0].line_bytes
    return {_key(array, scope): lines for array, scope, lines in working_sets(program, line_bytes, is_wanted)}


def _key(array: str, scope: Scope) -> Key:
    line, name = (0, "") if scope.turn is None else (scope.turn.line, scope.turn.name)
    return array, line, name, scope.carried


def _described(
    key: Key, lines: Sequence[int], points: Sequence[Sizes], monomials: Sequence[Monomial], hierarchy: Hierarchy
) -> Reuse | None:
    """One reuse with its conditions; None where the working set does not grow or follows no polynomial."""
    line_bytes = hierarchy.levels[0].line_bytes
    size = _interpolated([number * line_bytes for number in lines], points, monomials)
    if size is None or size.constant is not None:
        return None
    array, line, loop, carried = key
    where = f"the next turn of {loop}" if carried else f"the next part of {loop}" if loop else "the next nest"
    conditions = tuple(_condition(level, array, where, size) for level in hierarchy.levels)
    return Reuse(array, loop, line, carried, size, conditions)


def _interpolated(values: Sequence[int], points: Sequence[Sizes], monomials: Sequence[Monomial]) -> Poly | None:
    """The polynomial with whole coefficients through the values, within a small part of them."""
    matrix = np.array([[_value(monomial, sizes) for monomial in monomials] for sizes in points])
    scale = abs(matrix).max(axis=0)
    target = np.array(values, dtype=float)
    solution: NDArray[np.float64] = np.linalg.lstsq(matrix / scale, target, rcond=None)[0]
    terms: dict[Monomial, int] = {}
    for monomial, number, size in zip(monomials, solution, scale, strict=True):
        coefficient = round(float(number / size))
        if coefficient and abs(number) > 1e-3 * target.max():
            terms[monomial] = coefficient
    poly = Poly(dict(terms))
    errors = [abs(float(poly.evaluate(sizes)) - value) for sizes, value in zip(points, values, strict=True)]
    return poly if max(errors) <= _TOLERANCE * max(values) + 128 else None


def _value(monomial: Monomial, sizes: Sizes) -> float:
    product = 1.0
    for atom in monomial:
        product *= sizes[str(atom)]
    return product


def _condition(level: CacheLevel, array: str, where: str, size: Poly) -> Condition:
    names = sorted(size.names())
    room = level.lines * level.line_bytes - level.line_bytes
    if len(names) == 1:
        most = _largest(size, names[0], room)
        limit = f"{names[0]} <= {most}"
    else:
        most, limit = None, f"{size} <= {room}"
    text = f"{level.name} keeps {array} for {where} ({size} bytes) while {limit}"
    return Condition(text, ", ".join(names), most, level.name)


def _largest(size: Poly, name: str, room: int) -> int:
    """The largest value of a symbol for which the size fits; 0 where none does."""
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
