"""Exact dataflow: which write made the value that a read finds (Feautrier, *Dataflow analysis of array and scalar
references*, IJPP 1991), and maps between iterations that come out of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import islpy as isl
from msgspec import Struct

from ..limits import check
from .budget import limited
from .sets import Points, Relation

_SET, _IN, _OUT = isl.dim_type.set, isl.dim_type.in_, isl.dim_type.out


class Touch(Struct, frozen=True, eq=False):
    """A reference: the iterations in which it is made, and what maps them to its element and to its time."""

    iterations: Points
    element: Relation
    time: Relation


class Writer(Struct, frozen=True, eq=False):
    """Iterations of a read that find a value of one of the writes (by its number), mapped to those that made it."""

    write: int
    made_by: Relation


class Found(Struct, frozen=True, eq=False):
    """What a read finds: values of writes, and in the iterations ``before`` what was there at the start."""

    writers: tuple[Writer, ...]
    before: Points


@limited
def sources(reads: Sequence[Touch], writes: Sequence[Touch]) -> tuple[Found, ...]:
    """Return for each read of an array which of its writes was the last one before; raises ``OverBudget``.

    The writes are all that are made to the array, each whenever its iteration runs.
    """
    check()
    sinks, times = _tagged(reads, "R")
    made, later = _tagged(writes, "W")
    if made is None or later is None:
        return tuple(Found((), each.iterations) for each in reads)
    if sinks is None or times is None:
        return ()
    flow = (
        isl.UnionAccessInfo.from_sink(sinks).set_must_source(made).set_schedule_map(times.union(later)).compute_flow()
    )
    writers: list[list[Writer]] = [[] for _ in reads]
    dependences = flow.get_must_dependence().get_map_list()
    for number in range(dependences.n_map()):
        found = dependences.get_at(number)
        write, read = (_number(found, kind) for kind in (_IN, _OUT))
        plain = found.reverse().reset_tuple_id(_IN).reset_tuple_id(_OUT)
        writers[read].append(Writer(write, Relation(plain)))
    return tuple(Found(tuple(some), _rest(each.iterations, some)) for each, some in zip(reads, writers, strict=True))


def _tagged(touches: Sequence[Touch], tag: str) -> tuple[Any, Any]:
    """Return the elements and the times of references, each named by the tag and its number; None without any."""
    elements, times = None, None
    for number, touch in enumerate(touches):
        element, time = (
            relation._isl.intersect_domain(touch.iterations._isl).set_tuple_name(_IN, f"{tag}{number}").to_union_map()
            for relation in (touch.element, touch.time)
        )
        elements = element if elements is None else elements.union(element)
        times = time if times is None else times.union(time)
    return elements, times


def _number(found: Any, kind: Any) -> int:
    return int(found.get_tuple_name(kind)[1:])


def _rest(iterations: Points, writers: Sequence[Writer]) -> Points:
    left = iterations._isl
    for writer in writers:
        left = left.subtract(writer.made_by._isl.domain())
    return Points(left.coalesce())


@limited
def constant_step(relation: Relation) -> tuple[int, ...] | None:
    """Return by which vector all that is related differs, domain less image; None where it is not one vector."""
    if relation._isl.dim(_IN) != relation._isl.dim(_OUT) or relation._isl.is_empty():
        return None
    apart = relation._isl.reverse().deltas()
    values = [apart.plain_get_val_if_fixed(_SET, position) for position in range(apart.dim(_SET))]
    return None if any(value.is_nan() for value in values) else tuple(int(value.to_python()) for value in values)


@limited
def keeps_leading(relation: Relation) -> bool:
    """Return whether each point is mapped to its own first entries."""
    kept = relation._isl.dim(_OUT)
    if kept > relation._isl.dim(_IN):
        return False
    same = isl.Map.universe(relation._isl.get_space())
    for position in range(kept):
        same = same.equate(_IN, position, _OUT, position)
    return bool(relation._isl.is_subset(same))


@limited
def holds_all_of(points: Points, other: Points) -> bool:
    """Return whether all points of the other set are in this one, for all values of the parameters."""
    return bool(other._isl.is_subset(points._isl))


@limited
def image_of(relation: Relation) -> Points:
    """Return everything that something is related to."""
    return Points(relation._isl.range())


@limited
def within(relation: Relation, iterations: Points) -> Relation:
    """Return the part of a relation that starts in a set."""
    return Relation(relation._isl.intersect_domain(iterations._isl))


@limited
def exchanged(points: Points, first: int, second: int) -> Points:
    """Return the points with two of their entries exchanged."""
    space = points._isl.get_space().map_from_set()
    swap = isl.Map.universe(space)
    for position in range(points._isl.dim(_SET)):
        other = {first: second, second: first}.get(position, position)
        swap = swap.equate(_IN, position, _OUT, other)
    return Points(points._isl.apply(swap))
