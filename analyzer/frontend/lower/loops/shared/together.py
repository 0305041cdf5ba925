"""How often loops inside of another run in all of its iterations together, where its iterations hand on their counter.

The distance D that the test of an inner loop keeps above 0 (``n - i`` of ``i < n``, ``top`` of ``top > 0``) is a
potential (Tarjan, "Amortized computational complexity", SIAM J. Alg. Disc. Meth. 6, 1985): each inner iteration takes
1 of it at least, and an iteration of the outer loop adds c at most, so that T iterations have at most
``D_0 + a + c*(T - 1)`` inner ones together, with a for what is added before the first of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from .....ir.index import ZERO, Poly, maximum, var
from .....ir.nodes import Condition, Geometric, Guard, Loop, Node, Strided, Uncounted
from .....ir.traverse import accesses_in
from ... import logic
from ..context import LoopContext, Recognized
from .paths import Path, contradict, facts_of, paths
from .potentials import after_iteration
from .tests_at_top import is_left_at_top

Facts = frozenset[Condition]


class Together(Struct, frozen=True, kw_only=True):
    """A loop inside, and how often it runs at most: ``first``, and ``each`` for every outer iteration behind the first.

    It takes from a distance that is ``root`` when an outer iteration starts; that data end it before nothing is left
    of that is ``assumed`` where it has no such test.  It ``takes_all`` where nothing else does on some way.
    """

    loop: Loop
    root: Poly
    first: Poly
    each: int
    takes_all: bool = False
    assumed: bool = False


def loops_together(context: LoopContext, body: Sequence[Node], found: Recognized) -> list[Together]:
    """Return the loops directly inside of a loop that take from a distance which its iterations hand on.

    Also those over what others have taken: ``for (k = first; k < i; k++)`` behind ``while (...) i++;``.
    """
    inside = [
        (loop, facts)
        for loop, facts in _inside(body, frozenset())
        if not _is_counted(loop, found) and not context.symbols.is_trip_count_given(loop.span.line)
    ]
    bounded = {loop.iterator: each for loop, facts in inside if (each := _bounded(context, loop, facts)) is not None}
    used_up = [(each, each.substitute(context.entries())) for each in found.used_up]
    handed = [*used_up, *((each.root, each.first) for each in bounded.values() if not each.each)]
    for loop, facts in inside:
        if loop.iterator not in bounded and isinstance(loop.range, Uncounted):
            roots = [*used_up, *_ends_of_array(context, loop, body, found)]
            other = _over_taken(context, loop, handed) or _ended_by_data(context, loop, facts, roots)
            if other is not None:
                bounded[loop.iterator] = other
    return list(bounded.values())


def _inside(nodes: Sequence[Node], facts: Facts) -> Iterator[tuple[Loop, Facts]]:
    """Yield the loops inside of no other among some nodes, each with the conditions around it."""
    for node in nodes:
        if isinstance(node, Loop):
            yield node, facts
        elif isinstance(node, Guard):
            yield from _inside(node.body, facts | facts_of(node.condition))
            yield from _inside(node.orelse, facts | facts_of(logic.negate(node.condition)))


def _is_counted(loop: Loop, found: Recognized) -> bool:
    """Return whether closed forms of the outer loop say how often a loop inside runs."""
    bounds = loop.range
    if not isinstance(bounds, Strided):
        return isinstance(bounds, Geometric)
    return not any(bound.substitute(found.values).unknowns() for bound in (bounds.start, bounds.stop))


def _bounded(context: LoopContext, loop: Loop, facts: Facts) -> Together | None:
    entries, moving = context.entries(), {item.name for item in context.moving}
    for distance in context.symbols.distances.get(loop.iterator, ()):
        starts = [] if distance.left and not is_left_at_top(loop) else paths(distance.length, context.symbols)
        root = starts[0].rest - starts[0].rest.terms.get((), 0) if starts else ZERO
        shared = root.names() & moving
        if not shared or not shared <= entries.keys() or not all(each.never_rises for each in starts):
            continue
        before = [_number(each.rest - root) for each in starts]
        after = after_iteration(root, context.ends)
        ways = [] if after is None else paths(after, context.symbols)
        added = [_added(way, root, loop.iterator, facts) for way in ways]
        if None in added and after is not None:
            added = _added_behind(context, distance.length, root, after, facts)
        if not added or None in added or None in before:
            continue
        first = root.substitute(entries) + max(number for number in before if number is not None)
        most = max(number for number in added if number is not None)
        return Together(loop=loop, root=root, first=first, each=max(0, most), takes_all=most == 0)
    return None


def _added_behind(context: LoopContext, start: Poly, root: Poly, after: Poly, facts: Facts) -> list[int | None]:
    """Return what an outer iteration adds to a distance on each way, where the loop inside may take all that is left.

    ``while (top > 0) top--;`` leaves 0 of ``top``, so that it has as many iterations as there were at its ``start``.
    """
    past = [way for way in paths(after - root, context.symbols) if contradict(facts, way.facts)]
    for trips in (maximum([ZERO, start]), start):
        through = [way for way in paths(trips + after - root, context.symbols) if not contradict(facts, way.facts)]
        added = [_number(way.rest) if way.never_rises else None for way in (*through, *past)]
        if through and None not in added:
            return added
    return [None]


def _over_taken(context: LoopContext, loop: Loop, handed: Sequence[tuple[Poly, Poly]]) -> Together | None:
    """Return a loop that has at most as many iterations as the outer iteration takes of one of some distances."""
    length = context.symbols.lengths.get(loop.range.trip) if isinstance(loop.range, Uncounted) else None
    if length is None:
        return None
    for root, most in handed:
        after = after_iteration(root, context.ends)
        ways = [] if after is None else paths(length + after - root, context.symbols)
        numbers = [_number(way.rest) for way in ways if way.never_rises]
        if ways and len(numbers) == len(ways) and all(number is not None and number <= 0 for number in numbers):
            return Together(loop=loop, root=root, first=most, each=0)
    return None


def _ended_by_data(
    context: LoopContext, loop: Loop, facts: Facts, roots: Sequence[tuple[Poly, Poly]]
) -> Together | None:
    """Return a loop without a test of its own that takes from one of some distances: ``while (a[i] < pivot) i++;``."""
    for root, most in roots:
        after = after_iteration(root, context.ends)
        ways = [] if after is None else paths(after, context.symbols)
        added = [_added(way, root, loop.iterator, facts) for way in ways]
        if added and all(number is not None and number <= 0 for number in added):
            return Together(loop=loop, root=root, first=most, each=0, assumed=True)
    return None


def _ends_of_array(
    context: LoopContext, loop: Loop, body: Sequence[Node], found: Recognized
) -> Iterator[tuple[Poly, Poly]]:
    """Yield how far counters are from the end of the array that the outer loop goes along, as a loop inside does.

    ``for (r = 0; r < n; r++) { sum += a[r]; while (sum > s) sum -= a[l++]; }``: from ``l`` to ``n``.
    """
    bounds, entries = found.range, context.entries()
    if not isinstance(bounds, Strided) or bounds.step != 1:
        return
    along = {name for name, value in found.values.items() if value == var(context.iterator)}
    touched = ((access.array, each.as_name) for access, _ in accesses_in(body) for each in access.subscripts)
    outer = {array for array, name in touched if name in along}
    for access, _ in accesses_in((loop,)):
        inner = (each - var(loop.iterator) for each in access.subscripts if loop.iterator in each.names())
        for counter in (each.as_name for each in inner) if access.array in outer else ():
            if counter in entries and not entries[counter].unknowns():
                yield bounds.stop - var(counter), bounds.stop - entries[counter]


def _added(way: Path, root: Poly, inner: str, facts: Facts) -> int | None:
    """Return what an outer iteration adds to a distance on one way; None where that is not all that it does to it.

    The loop inside takes its part on each way that leads through it.
    """
    taken = way.added.get(inner)
    is_taken = taken is not None and taken[1] is not None and taken[1] < 0
    if not way.never_rises or not (is_taken or contradict(facts, way.facts)):
        return None
    return _number(way.rest - root)


def _number(poly: Poly) -> int | None:
    number = poly.constant
    return number if isinstance(number, int) else None
