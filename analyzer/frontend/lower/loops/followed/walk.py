"""Loops that move to the ends of several ranges, the way that data say: a merge, the path back through a table.

``while (i > 0 && j > 0) if (...) { i--; j--; } else if (...) i--; else j--;``: as long as it runs the distances d_t of
all tests are above 0.  An iteration takes at most a_t of each, so that it ends after ``min_t ceil(d_t/a_t)`` iterations
at the earliest; it takes at least s of their sum over T tests, which is T or more before the last iteration, so that
there are at most ``floor((sum_t d_t - T)/s) + 1``, and at most ``ceil(d_t/b_t)`` where it takes at least b_t > 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .....ir.index import ZERO, Poly, floor_div, minimum, var
from .....ir.nodes import Compare, Comparison, Condition, DataDependent, Strided
from ....surface import nodes as sx
from ....surface.traverse import walk as nodes_of
from ... import logic
from ...state import State
from ..context import LoopContext, Recognized
from ..ranges.ways import Ends, distance, ways_through
from ..recognition import values_by_count
from ..written.source import LoopSource


def walk(state: State, source: LoopSource, context: LoopContext) -> Recognized | None:
    """Return the loop with a trip count between its shortest and its longest way; None where it is no such walk."""
    tests = [part for part in logic.conjuncts(context.condition) if isinstance(part, Compare)]
    if context.test_last or len(tests) < len(logic.conjuncts(context.condition)) or _has_loops(source):
        return None
    entries = {item.name: item.entry for item in context.moving if item.entry is not None and item.pointer is None}
    lengths = [length for test in tests if (length := distance(test)) is not None]
    moved = {name for length in lengths for name in length.names()} & {item.name for item in context.moving}
    if len(lengths) < len(tests) or not moved <= entries.keys():
        return None
    starts = [length.substitute(entries) for length in lengths]
    ways = () if any(start.unknowns() for start in starts) else ways_through(state, source, context.moving)
    taken = [[_taken(length, moved, way) for length in lengths] for way in ways]
    return _recognized(context, starts, taken) if taken else None


def _recognized(
    context: LoopContext, starts: Sequence[Poly], taken: Sequence[Sequence[int | None]]
) -> Recognized | None:
    """Return the loop by the distances at its start and what each way takes of each of them."""
    known = [[number for number in way if number is not None and number >= 0] for way in taken]
    if any(len(way) < len(starts) for way in known):
        return None
    most, least = ([choose(numbers) for numbers in zip(*known, strict=True)] for choose in (max, min))
    together = min(map(sum, known))
    if not together or not all(most):
        return None
    longest = [floor_div(start - 1, step) + 1 for start, step in zip(starts, least, strict=True) if step]
    trips = minimum((floor_div(sum(starts, ZERO) - len(starts), together) + 1, *longest))
    number = f"{context.iterator}@"
    certain = (
        logic.compare(Comparison.LT, var(number), floor_div(start + step - 1, step))
        for start, step in zip(starts, most, strict=True)
    )
    is_left = DataDependent(f"L{context.span.line}.left", "all ranges have something left")
    takes_place: Condition = logic.disjunction([logic.conjunction(certain), is_left])
    values = {number: var(context.iterator), **values_by_count(context)}
    return Recognized(Strided(ZERO, trips), values, takes_place=takes_place)


def _taken(length: Poly, moved: set[str], way: Ends) -> int | None:
    """Return by how much a way shortens a distance; None where that is no known number."""
    ends: Mapping[str, Poly] = {name: end for name in moved if (end := way.get(name)) is not None}
    if len(ends) < len(moved):
        return None
    return (length - length.substitute(ends)).constant


def _has_loops(source: LoopSource) -> bool:
    trees = [tree for tree in (source.advance, source.body) if tree is not None]
    kinds = sx.For | sx.While | sx.Repeated | sx.Skippable | sx.Switch
    return any(isinstance(node, kinds) for tree in trees for node in nodes_of(tree))
