"""What decides how often a loop without a closed form runs, where that is a few whole numbers and nothing in memory.

``for (j = i; j <= n; j += j & -j)`` starts ``j`` at ``i`` and goes on while ``j <= n``: once sizes are known its
iterations can be counted (:mod:`analyzer.given_data.stepped`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....ir.arithmetic import is_unsigned
from ....ir.conditions import condition_indices, leaves, map_condition_indices
from ....ir.index import Poly, var
from ....ir.nodes import DataDependent, Exit, Node, Stepped, Steps
from ....ir.traverse import all_nodes
from .context import LoopContext
from .placeholders import Moving

_LEAST_BYTES = 4  # of an integer that is not assumed to wrap around
_LEAST = -(1 << 31)


def steps_of(context: LoopContext, body: Sequence[Node]) -> Steps | None:
    """Return what decides how often a loop runs; None where data do, or where it may be left elsewhere."""
    if any(isinstance(leaf, DataDependent) for leaf in leaves(context.condition)):
        return None
    if any(isinstance(node, Exit) for node in all_nodes(body)):
        return None
    moving = {item.name: item for item in context.moving}
    names = _needed(context, moving)
    local = {name: var(f"{context.iterator}.{number}") for number, name in enumerate(names)}
    variables = [_stepped(moving[name], context.ends[name], local) for name in names]
    condition = map_condition_indices(context.condition, lambda index: index.substitute(local))
    known = tuple(one for one in variables if one is not None)
    if not names or len(known) < len(names) or any(index.unknowns() for index in condition_indices(condition)):
        return None
    return Steps(known, condition, context.test_last)


def _needed(context: LoopContext, moving: Mapping[str, Moving]) -> list[str]:
    """Return the variables on which the condition depends, in this iteration or through later ones."""
    found: dict[str, None] = {}
    waiting = sorted({name for index in condition_indices(context.condition) for name in index.names()})
    while waiting:
        name = waiting.pop()
        if name in moving and name not in found:
            found[name] = None
            end = context.ends[name]
            waiting += sorted(end.names()) if end is not None else ()
    return list(found)


def _stepped(item: Moving, end: Poly | None, local: Mapping[str, Poly]) -> Stepped | None:
    scalar, name = item.scalar, local[item.name].as_name
    if end is None or item.entry is None or item.pointer is not None or name is None:
        return None
    if scalar is None or not scalar.is_integer or scalar.size_bytes < _LEAST_BYTES:
        return None
    after = end.substitute(local)
    if item.entry.unknowns() or after.unknowns():
        return None
    return Stepped(name, item.entry, after, 0 if is_unsigned(scalar) else _LEAST)
