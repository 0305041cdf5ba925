"""What operations lead to one of each outermost iteration by dependences, and from it: the iterator to iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl

from .budget import limited
from .sets import Points, Relation

_IN, _OUT, _SET = isl.dim_type.in_, isl.dim_type.out, isl.dim_type.set
_ROUNDS = 8  # of steps from operation to operation that are followed: bounds time

Edges = Mapping[tuple[int, int], Relation]
"""Where an operation (first number) needs the values of others (second number): iterations to iterations."""


@limited
def with_closures(edges: Edges) -> Edges:
    """Return the edges with those from a statement to itself followed any number of times where that is exact."""
    found = dict(edges)
    for (one, other), relation in edges.items():
        if one == other:
            closure, is_exact = relation._isl.transitive_closure()
            found[one, other] = Relation(closure) if is_exact else relation
    return found


@limited
def end_of_each(iterations: Points, time: Relation, *, last: bool) -> Relation:
    """Map each outermost iterator to the iteration that runs first in it, or last."""
    points = iterations._isl
    dimensions = points.dim(_SET)
    outermost = points.project_out(_SET, 1, dimensions - 1)
    within = isl.Map.from_domain_and_range(outermost, points).equate(_IN, 0, _OUT, 0)
    moments = within.apply_range(time._isl)
    moments = moments.lexmax() if last else moments.lexmin()
    return Relation(moments.apply_range(time._isl.reverse()).intersect_range(points).coalesce())


@limited
def reached(start: Relation, statement: int, edges: Edges, *, forwards: bool) -> Mapping[int, Relation]:
    """Return what the iterations of a statement need, or (``forwards``) what needs them, by the outermost iterator."""
    found, pending = {statement: start._isl}, [statement]
    for _ in range(_ROUNDS):
        following: list[int] = []
        for (reader, writer), relation in edges.items():
            one, other = (writer, reader) if forwards else (reader, writer)
            if one not in pending:
                continue
            step = relation._isl.reverse() if forwards else relation._isl
            made = found[one].apply_range(step)
            if other in found and made.is_subset(found[other]):
                continue
            found[other] = made.coalesce() if other not in found else found[other].union(made).coalesce()
            following.append(other)
        pending = following
        if not pending:
            break
    return {number: Relation(relation) for number, relation in found.items() if not relation.is_empty()}


@limited
def before_next(after: Relation, needed: Relation) -> Relation:
    """Return what is after an iterator, and needed in the next one."""
    following = isl.Map.read_from_str(isl.DEFAULT_CONTEXT, "{ [t] -> [t + 1] }")
    return Relation(after._isl.intersect(following.apply_range(needed._isl)).coalesce())


@limited
def along(paths: Sequence[Relation]) -> Relation | None:
    """Return the path that leads over some steps, each from a value to its use; None where two of them meet."""
    whole = paths[0]._isl.reverse()
    for path in paths[1:]:
        if not whole.is_injective():
            return None
        whole = whole.apply_range(path._isl.reverse())
    return None if whole.is_empty() or not whole.is_single_valued() else Relation(whole.coalesce())


@limited
def crossing(begins: Relation, path: Relation, ends: Relation) -> tuple[Points, Points] | None:
    """Return the paths by iterator, and the iterators; None where there are none, or gaps between these.

    A path begins and ends in iterations that an iterator is related to.
    """
    pairs = begins._isl.intersect(ends._isl.apply_range(path._isl.reverse()))
    iterators = pairs.domain().coalesce()
    if pairs.is_empty() or not iterators.is_equal(iterators.convex_hull()):
        return None
    return Points(pairs.wrap().flatten().coalesce()), Points(iterators)
