"""Loops over the tiles of a range and over the numbers of a tile, as one loop over the range.

The tiles of a range of E numbers, B in each, the last one cut off at the end, have all of its numbers ::

    sum(min(B, E - B*i) for i < floor((E + B - 1)/B)) = E,    B > 0

so that the two loops are one, where nothing asks for the tile or for the number in it alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ...ir.conditions import map_condition_indices
from ...ir.index import ZERO, Extremum, FloorDiv, Poly, minimum, single_atom, var
from ...ir.nodes import Loop, Strided
from ...ir.traverse import map_bounds
from .path import Doubt, Step, names_of


def without_tiles(path: Sequence[Step]) -> list[Step]:
    """Return a path with a loop over a range in place of each pair of loops over its tiles and inside of one."""
    steps = list(path)
    for inner in [step for step in path if isinstance(step, Loop)]:
        for outer in [step for step in path if isinstance(step, Loop)]:
            whole = _whole(outer, inner)
            fused = None if whole is None else _fused(outer, inner, *whole, steps)
            if fused is not None:
                steps = fused
                break
    return steps


def _whole(outer: Loop, inner: Loop) -> tuple[Poly, Poly] | None:
    """Return the numbers of the range, and the first of a tile; None of loops that are not over the tiles of one."""
    ranges = (outer.range, inner.range)
    if outer is inner or not all(isinstance(one, Strided) and one.start == ZERO and one.step == 1 for one in ranges):
        return None
    tiles, numbers = (one.stop for one in ranges if isinstance(one, Strided))
    quotient = single_atom(tiles)
    if not isinstance(quotient, FloorDiv):
        return None
    size = quotient.denominator
    whole, first = quotient.numerator - size + 1, size * var(outer.iterator)
    for atom in {atom for monomial in numbers.terms for atom in monomial if isinstance(atom, Extremum)}:
        end = Poly({(atom,): 1})
        start = end - numbers - first  # of the range
        if outer.iterator not in start.names() and end == minimum((start + first + size, start + whole)):
            return whole, first
    return None


def _fused(outer: Loop, inner: Loop, whole: Poly, first: Poly, steps: Sequence[Step]) -> list[Step] | None:
    """Return a path with one loop over the range; None where what is left asks for the tile."""
    name = f"{outer.iterator} {inner.iterator}"
    number = {inner.iterator: var(name) - first}
    found: list[Step] = []
    for step in steps:
        if step is inner:
            found.append(replace(inner, iterator=name, range=Strided(ZERO, whole)))
        elif step is not outer:
            found.append(_with(step, number))
    return None if any(outer.iterator in names_of(step) for step in found) else found


def _with(step: Step, number: Mapping[str, Poly]) -> Step:
    if names_of(step).isdisjoint(number):
        return step
    match step:
        case Doubt():
            return step
        case Loop():
            return replace(step, range=map_bounds(step.range, lambda bound: bound.substitute(number)))
        case _:
            return map_condition_indices(step, lambda index: index.substitute(number))
