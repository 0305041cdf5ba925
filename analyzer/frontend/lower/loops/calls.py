"""Sizes of the calls of a recursive function, where a whole number and the function's own tests of it decide them.

The loop over the calls (:mod:`..functions.recursion`) has a body in which each inner call is an operation on its
arguments.  Of one argument, the size, the inner calls and the conditions around them are expressions: a loop over
``n, n - 1, ...`` where there is one call of a size that is smaller by one, else the tree of the sizes of all calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ....ir.conditions import leaves, map_condition_indices
from ....ir.index import Poly, minimum, var
from ....ir.nodes import (
    Calls,
    Compare,
    Comparison,
    Condition,
    Guard,
    Loop,
    Node,
    Range,
    Statement,
    Strided,
    Uncounted,
)
from ....ir.passes.substitute import bind_nodes
from ....ir.values import Opaque, walk_values
from ...surface import nodes as sx
from ...surface.constructs import construct
from .. import logic
from ..expressions.conversions import index_of
from .placeholders import Moving

_TRIED = (64, 1000, 10**6 + 1)  # sizes of which the inner calls have to be smaller by a factor
_MOST = 0.8
_MOST_CALLS = 16
"""Inner calls that one loop makes: eight of a product by blocks, seven of Strassen's, nine of a multigrid in 2-D."""


def size_of_calls(
    function: sx.Function, body: Sequence[Node], moving: Sequence[Moving], iterator: str, trip: str
) -> tuple[Moving, Range] | None:
    """Return the variable that is the size of a call, and the range of the loop over the calls; None where none is."""
    scalars = [parameter for parameter in function.parameters if isinstance(parameter.type, sx.ScalarT)]
    what = construct("call", function=function.name)
    found = [*_calls(body, what, ())]
    if not found or any(call is None for call in found):
        return None
    for position, parameter in enumerate(scalars):
        item = next((each for each in moving if _is_held(each, parameter)), None)
        if item is None or item.entry is None or item.entry.unknowns():
            continue
        others = {each.name for each in moving if each is not item}
        inner: list[tuple[Condition, Poly]] = []
        for call in found:
            assert call is not None
            conditions, operand = call
            size = index_of(operand.operands[position]) if position < len(operand.operands) else None
            condition = logic.conjunction(conditions)
            if size is None or not _is_plain(size, others) or not _is_decided(condition, others):
                break
            own = {item.name: var(iterator)}
            inner.append((map_condition_indices(condition, partial(Poly.substitute, values=own)), size.substitute(own)))
        else:
            range_ = _range(item.entry, inner, iterator, trip)
            if range_ is not None:
                return item, range_
    return None


def _is_held(item: Moving, parameter: sx.Variable) -> bool:
    """Return whether a variable holds a parameter from call to call."""
    variable = item.slot.variable
    return variable.name == parameter.name and variable.span == parameter.span and not item.slot.path


def _calls(
    nodes: Sequence[Node], what: object, conditions: tuple[Condition, ...]
) -> Iterator[tuple[tuple[Condition, ...], Opaque] | None]:
    """Yield each inner call with the conditions around it, as often as a short loop makes it; None in another loop."""
    for node in nodes:
        match node:
            case Statement():
                for value in walk_values(node.value):
                    if isinstance(value, Opaque) and value.what == what and not value.has_work:
                        yield conditions, value
            case Guard():
                yield from _calls(node.body, what, (*conditions, node.condition))
                yield from _calls(node.orelse, what, (*conditions, logic.negate(node.condition)))
            case Loop():
                inside = (*node.header, *node.body)
                numbers = _numbers(node)
                if numbers is None:
                    yield from (None for _ in _calls(inside, what, conditions))
                for number in numbers or ():
                    yield from _calls(bind_nodes(inside, {node.iterator: number}), what, conditions)


def _numbers(loop: Loop) -> Sequence[int] | None:
    """Return the numbers that the counter of a short loop takes; None where they are not known."""
    if loop.ends_early or not isinstance(loop.range, Strided):
        return None
    start, stop = loop.range.start.constant, loop.range.stop.constant
    if not isinstance(start, int) or not isinstance(stop, int):
        return None
    found = range(start, stop, loop.range.step)
    return found if len(found) <= _MOST_CALLS else None


def _is_plain(index: Poly, others: set[str]) -> bool:
    return not index.unknowns() and index.names().isdisjoint(others)


def _is_decided(condition: Condition, others: set[str]) -> bool:
    return all(
        isinstance(leaf, Compare) and _is_plain(leaf.left, others) and _is_plain(leaf.right, others)
        for leaf in leaves(condition)
    )


def _range(start: Poly, inner: Sequence[tuple[Condition, Poly]], iterator: str, trip: str) -> Range | None:
    if len(inner) == 1 and inner[0][1] == var(iterator) - 1:
        last = _last(inner[0][0], iterator)
        return None if last is None else Strided(start, minimum([start, last]) - 1, -1)
    if not all(_shrinks(size, iterator) for _, size in inner):
        return None
    return Uncounted(trip, None, Calls(start, tuple(inner)))


def _last(condition: Condition, iterator: str) -> Poly | None:
    """Return the size of the last of the calls that become smaller by one: the first that makes no call."""
    if not isinstance(condition, Compare):
        return None
    difference = condition.left - condition.right
    rest = difference - var(iterator)
    match condition.comparison:
        case Comparison.NE if iterator not in rest.names():
            return -rest
        case Comparison.GT if iterator not in rest.names():
            return -rest
        case Comparison.GE if iterator not in rest.names():
            return -rest - 1
    return None


def _shrinks(size: Poly, iterator: str) -> bool:
    """Return whether an inner call is of a fraction of the size."""
    if size.names() != {iterator}:
        return False
    return all(0 <= size.evaluate({iterator: tried}) <= _MOST * tried for tried in _TRIED)
