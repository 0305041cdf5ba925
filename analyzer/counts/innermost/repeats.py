"""References of an innermost loop whose element other iterations of the nest meet again, which registers may hold.

Input: accesses and the loops around them.  Unrolling an outer loop and jamming the copies (Callahan, Carr, Kennedy,
*Improving register allocation for subscripted variables*, PLDI 1990) loads such an element once for several iterations:

* No subscript depends on a loop that is around, and others do: ``b[j]`` in loops over ``i`` and ``j``.  A loop that
  none depends on repeats all.
* Two loops move it alike: ``b[i + j]``, unless one of them moves it further than the other goes (``a[51*i + j]``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations

from ...ir.index import Poly, var
from ...ir.nodes import Loop, Strided
from ...ir.values import Access


def is_met_again(access: Access, loops: Sequence[Loop]) -> bool:
    """Return whether other iterations of the loops, outermost first, meet the element.

    Not where they are further apart than any known number of steps.
    """
    subscripts = [_from_starts(subscript, loops) for subscript in access.subscripts]
    used = {name for subscript in subscripts for name in _names(subscript)}
    if any(loop.iterator not in used for loop in loops):
        return True
    return any(_move_alike(subscripts, one, other) for one, other in combinations(loops, 2))


def depends_on(accesses: Iterable[Access], loops: Iterable[Loop]) -> list[Loop]:
    """Return the loops that an element of the accesses depends on: the others do the same again."""
    bounds = {name for loop in loops if isinstance(loop.range, Strided) for name in loop.range.start.names()}
    used = {name for access in accesses for subscript in access.subscripts for name in _names(subscript)}
    return [loop for loop in loops if loop.iterator in used | bounds]


def _from_starts(subscript: Poly, loops: Sequence[Loop]) -> Poly:
    """Return a subscript with iterators that count from where their loops start (``ii + i`` in tiles)."""
    for loop in reversed(loops):
        if isinstance(loop.range, Strided) and loop.iterator in subscript.names():
            subscript = subscript.substitute({loop.iterator: var(loop.iterator) + loop.range.start})
    return subscript


def _names(subscript: Poly) -> set[str]:
    """Return the names that a subscript depends on, also through data."""
    return set(subscript.names()).union(*(unknown.depends for unknown in subscript.unknowns()))


def _move_alike(subscripts: Iterable[Poly], one: Loop, other: Loop) -> bool:
    """Return whether steps of both loops may cancel out in every subscript."""
    ratios = set()
    for subscript in subscripts:
        if not _names(subscript) & {one.iterator, other.iterator}:
            continue
        by, against = (_step(subscript, loop) for loop in (one, other))
        if not by or not against:
            return False
        ratios.add(Fraction(by, against))
    if len(ratios) != 1:
        return False
    ratio = abs(ratios.pop())  # so many iterations of the other loop move as far as one does, in lowest terms
    return _goes(other, ratio.numerator) and _goes(one, ratio.denominator)


def _step(subscript: Poly, loop: Loop) -> int | None:
    """Return what an iteration adds to a subscript; None where that is no number."""
    if not isinstance(loop.range, Strided) or not subscript.is_linear_in(loop.iterator):
        return None
    by = subscript.coefficient(loop.iterator).constant
    return by * loop.range.step if isinstance(by, int) else None


def _goes(loop: Loop, iterations: int) -> bool:
    """Return whether a loop may have more iterations than so many."""
    if not isinstance(loop.range, Strided):
        return True
    whole = (loop.range.stop - loop.range.start).constant
    return whole is None or abs(whole) > iterations * abs(loop.range.step)
