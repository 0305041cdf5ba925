"""A summary with fewer conditions: what any of them guards may run, as a whole, and is bounded by none and all of it.

Nodes of a summary -> nodes with at most one guard in each block.  What is certain stays so; counts of what is guarded
are an interval from 0 to those of all arms together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

from ....ir.conditions import leaves
from ....ir.nodes import Condition, DataDependent, Exit, Guard, Node, Truth
from ....ir.traverse import map_bodies
from ....ir.walk import exits_in

Chosen = Callable[[Condition], bool]


def is_open(condition: Condition) -> bool:
    """Return whether a condition depends on data, or on integers that are not known."""
    return any(
        isinstance(leaf, DataDependent)
        or (not isinstance(leaf, Truth) and bool(leaf.left.unknowns() or leaf.right.unknowns()))
        for leaf in leaves(condition)
    )


def is_any(_condition: Condition) -> bool:
    """Return whether a condition is one."""
    return True


def condensed(nodes: Sequence[Node], chosen: Chosen) -> tuple[Node, ...]:
    """Return nodes with one guard for all those of a block whose conditions are chosen; exits stay as they are."""
    return _Condenser(chosen).block(nodes)


class _Condenser:
    """Makes guards for several, each with a condition of its own."""

    def __init__(self, chosen: Chosen) -> None:
        self._chosen = chosen
        self._made = count()

    def block(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """Return a block with one guard between any two nodes that may leave it."""
        found: list[Node] = []
        waiting: list[Guard] = []
        for node in nodes:
            if isinstance(node, Exit) or any(True for _ in exits_in(node)):
                found += (*self._together(waiting), node)
                waiting = []
            elif isinstance(node, Guard) and self._chosen(node.condition):
                waiting.append(node)
            else:
                found.append(map_bodies(node, self.block))
        return (*found, *self._together(waiting))

    def _together(self, guards: Sequence[Guard]) -> Iterator[Guard]:
        """Yield one guard for several, none for none."""
        if guards:
            body = tuple(inner for guard in guards for inner in self._without((*guard.body, *guard.orelse)))
            yield Guard(DataDependent(f"some.{next(self._made)}"), body, (), guards[0].span)

    def _without(self, nodes: Sequence[Node]) -> Iterator[Node]:
        """Yield nodes with all of what conditions guard, also in the loops among them."""
        for node in nodes:
            if isinstance(node, Guard) and self._chosen(node.condition):
                yield from self._without((*node.body, *node.orelse))
            else:
                yield map_bodies(node, lambda body: tuple(self._without(body)))
