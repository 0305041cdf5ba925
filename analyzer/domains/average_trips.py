"""Trip counts that are averages: for which iterations products of them are the truth.

A loop inside others whose trip count is a symbol may run another number of times in each of their iterations; the
symbol is the average.  With ``n`` iterations around it, of ``t_p`` each, its body runs ``sum t_p = n*t`` times, and so
often runs what every iteration of it runs equally often.  ``sum t_p * c_p`` is not known where ``c`` depends on the
iterators around the loop, as in a triangle below it, and ``sum f(t_p)`` not where a condition reads its own iterator:
these are counted for the average, as an estimate.  They cannot exceed the product of the largest ranges of all loops,
where no range depends on an iterator whose loop has an average trip count.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from msgspec import Struct

from ..ir.nodes import Geometric, Loop, Strided, Uncounted, progression
from ..python.regex import regex
from .formula import FALSE, TRUE, Formula, NotAffine

_ITERATOR = regex(r"\bi(\d+)\b")
_AUXILIARY = regex(r"\bq\d+\b")


class AverageTrip(Struct, frozen=True):
    """A loop at ``depth`` with an average trip count: how many constraints and exits are outside of its body."""

    depth: int
    constraints: int
    exits: int


def average_of(
    loop: Loop, outer: Sequence[Loop], formula: Formula, constraints: int, exits: int
) -> tuple[AverageTrip, ...]:
    """Return a loop as one with an average trip count; () where its trip count does not vary.

    Around it are so many ``constraints``, not counting its own, and ``exits``.
    """
    return (AverageTrip(len(outer), constraints + 1, exits),) if _varies(loop, outer, formula) else ()


def _varies(loop: Loop, outer: Sequence[Loop], formula: Formula) -> bool:
    """Return whether a loop may run another number of times in each iteration of the loops around it."""
    if not outer:
        return False
    match loop.range:
        case Uncounted():
            return True
        case Geometric(start, stop):
            return progression(loop.range) is None and _is_varying(loop, outer, start.names() | stop.names())
        case Strided(start, stop):
            try:
                formula.affine(start), formula.affine(stop)
            except NotAffine:
                return _is_varying(loop, outer, start.names() | stop.names())
            return False


def is_product(inner: AverageTrip, constraints: Sequence[str], exits: int) -> bool:
    """Return whether what the constraints say runs equally often in each iteration of the loop.

    ``exits`` are how many are before it.
    """
    if exits > inner.exits:
        return False
    within = [text for text in constraints[inner.constraints :] if text not in (TRUE, FALSE)]
    return not any(reads_any(text, range(inner.depth + 1)) for text in within)


def reads_any(constraint: str, depths: Container[int]) -> bool:
    """Return whether a constraint may be about an iterator of one of the depths: a variable of its own may be too."""
    own = bool(_AUXILIARY.search(constraint))
    return own or any(int(number) in depths for number in _ITERATOR.findall(constraint))


def _is_varying(loop: Loop, outer: Sequence[Loop], names: frozenset[str] | set[str]) -> bool:
    bounds = (loop.range.start, loop.range.stop) if isinstance(loop.range, Strided | Geometric) else ()
    return any(bound.unknowns() for bound in bounds) or any(each.iterator in names for each in outer)
