"""The elements of an array that are read before anything writes them, by the order of execution."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ..counts.references import Direction
from ..domains.access_relations import schedule, wholly_before
from ..domains.domain import Schedule
from ..domains.isl.budget import Budget
from ..domains.isl.sets import Points, Relation, first_image, union
from ..domains.limits import OverBudget
from .bracket import Bracket, Touch, bracket_of

# In isl's operations: an ordinary nest takes a few thousand.
_ORDER_BUDGET = 100_000
# References whose sets are united one by one: neighbours become one piece, but each step looks at all pieces so far.
_TOGETHER = 16


def read_first(touches: Sequence[Touch]) -> Bracket:
    """Return the elements whose first use is a read."""
    reads = [touch for touch in touches if touch.direction is Direction.LOAD]
    writes = [touch for touch in touches if touch.direction is Direction.STORE]
    everything = bracket_of(reads)
    if not reads or all(_is_update(write, reads) for write in writes):
        return everything
    if any(touch.domain.summed is not None for touch in touches):  # which comes first is not known of the sets around
        return Bracket(everything.upper, None, Fraction(1))
    if everything.upper is not everything.lower:  # what is read at all depends on data
        return Bracket(everything.upper, None, everything.weight)
    try:
        with Budget(_ORDER_BUDGET):
            first = _first_reads(reads, writes)
    except OverBudget:
        return Bracket(everything.upper, None, Fraction(1))
    if all(write.domain.is_one_set for write in writes):
        return Bracket(first, first, Fraction(1))
    return Bracket(everything.upper, first, max(write.domain.weight for write in writes))


def _is_update(write: Touch, reads: Sequence[Touch]) -> bool:
    """Return whether an iteration reads every element that it writes, as ``x += ...`` and ``if (x < 0) x = 0`` do."""
    choice = write.statement.choice
    whole = write.domain if choice is None else choice.domain
    return any(
        read.access == write.access
        and (
            read.statement is write.statement
            or (read.domain is whole and _precedes(read.statement.schedule, write.statement.schedule))
        )
        for read in reads
    )


def _precedes(one: Schedule, other: Schedule) -> bool:
    """Return whether a statement comes before another one in each iteration of the loops around both."""
    first, second = next(((a, b) for a, b in zip(one, other, strict=False) if a != b), (None, None))
    return isinstance(first, int) and isinstance(second, int) and first < second


def _first_reads(reads: Sequence[Touch], writes: Sequence[Touch]) -> Points:
    """Return the elements read before every write, reference by reference, so that isl's sets stay convex."""
    length = max(len(touch.statement.schedule) for touch in (*reads, *writes))
    uses = [(touch.statement.schedule, _first_use(touch, length)) for touch in _earliest(writes)]
    written = [(time, use, use.domain) for time, use in uses]
    found: list[Points] = []
    for number, touch in enumerate(_earliest(reads)):
        read = _first_use(touch, length)
        early = used = read.domain
        for time, other, others in written:
            match wholly_before(time, touch.statement.schedule):
                case True:
                    early = early - others
                case None if used.meets(others):
                    early = early - other.where_before(read)
        if number % _TOGETHER:
            found[-1] = (found[-1] | early).coalesced()
        else:
            found.append(early)
    return union(tuple(found))


def _earliest(touches: Sequence[Touch]) -> Iterable[Touch]:
    """Return of equal references in the same iterations only the first in the text."""
    return {(touch.domain, touch.access): touch for touch in reversed(touches)}.values()


def _first_use(touch: Touch, length: int) -> Relation:
    """Return the map from an element to the time at which this reference first uses it."""
    times = schedule(touch.statement, length, write=touch.direction is Direction.STORE)
    return first_image(touch.relation, touch.domain.upper, times)
