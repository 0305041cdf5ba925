"""Loops that one jump leaves in the middle where its condition is known: whether it is taken, and with what.

``for (j = 0; j < m; j++) { if (j == i) goto next; ... }`` jumps where ``0 <= i < m``, with ``j = i``.  The condition
is one on the counter, with a factor of 1, and on what the loop leaves alone: it holds in an interval of iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from ....ir.conditions import map_condition_indices
from ....ir.index import Poly, maximum, minimum, var
from ....ir.nodes import Compare, Comparison, Condition, Exit, Guard, Node, Strided
from ....ir.traverse import all_nodes
from ..logic import ALWAYS, compare, conjunction, conjuncts, negate
from .context import Recognized

Known = Callable[[Poly], bool]
"""Whether a polynomial is known to be >= 0 around the loop."""


class Left(Struct, frozen=True):
    """A jump out of a loop: the condition that it is taken, and the values of placeholders there."""

    taken: Condition
    values: Mapping[str, Poly]


def only_exit(body: Sequence[Node], found: Recognized, iterator: str, is_nonnegative: Known) -> Left | None:
    """Return the jump out of a loop, given its body in terms of placeholders; None where that is not known."""
    bounds = found.range
    if not isinstance(bounds, Strided) or abs(bounds.step) != 1 or found.exits or found.takes_place != ALWAYS:
        return None
    path = _path_to_exit(body)
    if path is None or sum(isinstance(node, Exit) for node in all_nodes(body)) != 1:
        return None
    condition = map_condition_indices(conjunction(path), lambda index: index.substitute(found.values))
    if condition.depends_on_data or bounds.start.unknowns() or bounds.stop.unknowns():
        return None
    if bounds.step > 0:
        lows, highs = [bounds.start], [bounds.stop - 1]
    else:
        lows, highs = [bounds.stop + 1], [bounds.start]
    around: list[Condition] = [found.guard]
    for part in conjuncts(condition):
        if not _is_sorted(part, iterator, lows, highs, around):
            return None
    lows = _without(lows, lambda low, other: is_nonnegative(other - low))
    highs = _without(highs, lambda high, other: is_nonnegative(high - other))
    pairs = ((low, high) for low in lows for high in highs)
    fits = (compare(Comparison.LE, low, high) for low, high in pairs if not is_nonnegative(high - low))
    here = {iterator: maximum(lows) if bounds.step > 0 else minimum(highs)}
    values = {name: value.substitute(here) for name, value in found.values.items()}
    return Left(conjunction([*around, *fits]), {**values, **here})


def _without(bounds: list[Poly], is_implied: Callable[[Poly, Poly], bool]) -> list[Poly]:
    """Return bounds without those that another one implies."""
    kept = list(dict.fromkeys(bounds))
    for bound in list(kept):
        if any(other != bound and is_implied(bound, other) for other in kept):
            kept.remove(bound)
    return kept


def _path_to_exit(nodes: Sequence[Node]) -> list[Condition] | None:
    """Return the conditions under which nodes leave a loop; None where they do so in a loop inside, or not at all."""
    for node in nodes:
        if isinstance(node, Exit):
            return []
        if isinstance(node, Guard):
            for condition, inner in ((node.condition, node.body), (negate(node.condition), node.orelse)):
                found = _path_to_exit(inner)
                if found is not None:
                    return [condition, *found]
    return None


def _is_sorted(part: Condition, iterator: str, lows: list[Poly], highs: list[Poly], around: list[Condition]) -> bool:
    """Add a condition to the least and the greatest values of a counter, or to what is said of others."""
    if iterator not in part.names:
        around.append(part)
        return True
    if not isinstance(part, Compare):
        return False
    difference, kind = part.left - part.right, part.comparison
    slope = difference.coefficient(iterator).constant
    if slope not in (1, -1):
        return False
    rest = difference - var(iterator) * slope
    if slope == -1:
        rest, kind = -rest, kind.mirrored
    if iterator in rest.names() or kind is Comparison.NE:
        return False
    if kind in (Comparison.EQ, Comparison.LE, Comparison.LT):
        highs.append(-rest - (kind is Comparison.LT))
    if kind in (Comparison.EQ, Comparison.GE, Comparison.GT):
        lows.append(-rest + (kind is Comparison.GT))
    return True
