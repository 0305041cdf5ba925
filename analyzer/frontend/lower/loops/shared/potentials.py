"""Distances that the tests of a loop keep above 0, and of which each of its iterations takes 1 at least.

``n - i`` of ``while (i < n && s[i] == ' ') i++;``, ``top`` of ``while (top > 0 && h[st[top - 1]] >= h[i]) top--;``,
``r - l + 1`` of ``while (l <= r && sum > most) sum -= a[l++];``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from .....ir.index import Poly, Unknown, single_atom
from .....ir.nodes import Compare, Comparison, Condition
from ... import logic
from ...names.symbols import Distance
from ..context import LoopContext
from ..placeholders import Moving
from ..ranges.ways import Ends, distance
from .paths import change, left_by


def note_distances(context: LoopContext, used_up: Sequence[Poly], lefts: Sequence[Ends]) -> None:
    """Note what the tests of a loop inside of another say is left when it starts.

    Of those ``used_up`` each iteration is known to take 1; ``lefts`` are the values of its integers where it is left in
    the middle.
    """
    entries = context.entries()
    moving = {item.name for item in context.moving}
    found: list[Distance] = []
    for length in () if context.test_last else distances(context):
        is_taken = length in used_up or _falls(context, length, context.ends, 1)
        is_known = length.names() & moving <= entries.keys() and all(_falls(context, length, ends, 0) for ends in lefts)
        if is_taken and is_known:
            is_left = not all(_falls(context, length, ends, 1) for ends in lefts)
            found.append(Distance(length.substitute(entries), is_left))
    context.symbols.distances[context.iterator] = found


def distances(context: LoopContext) -> Iterator[Poly]:
    """Yield what is above 0 as long as a loop goes on; of ``p != end`` also what is where it comes to that from above.

    Such a loop is assumed to come to it.
    """
    moving = {item.name for item in context.moving if not item.of_table}
    for part in logic.conjuncts(context.condition):
        if part.names & moving:
            yield from distances_of(part)


def distances_of(test: Condition) -> tuple[Poly, ...]:
    """Return what may be above 0 as long as a test holds."""
    if not isinstance(test, Compare) or test.depends_on_data:
        return ()
    if test.comparison is Comparison.NE:
        return test.left - test.right, test.right - test.left
    length = distance(test)
    return () if length is None else (length,)


def after_iteration(length: Poly, ends: Ends) -> Poly | None:
    """Return a distance at the end of an iteration; None where it is not known."""
    known = {name: end for name, end in ends.items() if end is not None}
    return None if length.names() & (ends.keys() - known.keys()) else length.substitute(known)


def _falls(context: LoopContext, length: Poly, ends: Ends, least: int) -> bool:
    """Return whether an iteration with these ends takes so much of a distance at least."""
    after = after_iteration(length, ends)
    most = None if after is None else change([after], length, context.symbols)[1]
    return most is not None and most <= -least


def note_left(
    context: LoopContext, item: Moving, value: Poly, ends: Sequence[Poly | None], used_up: Sequence[Poly]
) -> None:
    """Note what a loop adds to an integer whose ``value`` behind it is lost, by those at the ``ends`` of iterations.

    Nothing where it begins with what it left the time before, which has the same name.
    """
    atom = single_atom(value)
    found = left_by(context, item, ends) if isinstance(atom, Unknown) else None
    if found is None or not isinstance(atom, Unknown):
        return
    if atom in found.entry.unknowns():
        context.symbols.left_by.pop(atom.label, None)
        return
    moving = {each.name for each in context.moving}
    slopes = [each.coefficient(item.name).constant for each in used_up if each.names() & moving == {item.name}]
    if -1 in slopes:
        found = replace(found, least=max(found.least or 0, 1))
    if 1 in slopes:
        found = replace(found, most=min(found.most or 0, -1))
    context.symbols.left_by[atom.label] = found
