"""Conditions on elements of given arrays as loops of at most one iteration.

``if (mask[i])`` runs ``min(1, max(-mask[i], mask[i]))`` times.  Their trip counts are then those that the arrays
give, as of other loops (:mod:`.lengths`), and the references inside are simulated in the iterations that make them.
"""

from __future__ import annotations

from itertools import count

from msgspec.structs import replace

from ..ir.conditions import indicator, leaves
from ..ir.index import ONE, Poly, is_given
from ..ir.nodes import Compare, Condition, Exit, Guard, Loop, Node, Region, Symbol, SymbolOrigin, Uncounted
from ..ir.traverse import all_nodes, map_bodies


def with_counted_guards(region: Region) -> Region:
    """Return the region with each condition in a loop that given arrays and iterators decide as such a loop.

    Not where one of its branches leaves a loop.
    """
    changed = _Changed()
    body = tuple(part for node in region.body for part in changed.node(node, in_loop=False))
    return replace(region, body=body, symbols=(*region.symbols, *changed.symbols)) if changed.symbols else region


class _Changed:
    """The loops that were made, by the symbols of their trip counts."""

    def __init__(self) -> None:
        self.symbols: list[Symbol] = []
        self._numbers = count(1)

    def node(self, node: Node, *, in_loop: bool) -> tuple[Node, ...]:
        """Return what takes the place of a node."""
        inside = in_loop or isinstance(node, Loop)
        node = map_bodies(node, lambda body: tuple(part for each in body for part in self.node(each, in_loop=inside)))
        if not isinstance(node, Guard) or not in_loop:
            return (node,)
        runs = _number_of(node.condition)
        if runs is None or any(isinstance(each, Exit) for each in all_nodes((node,))):
            return (node,)
        arms = ((node.body, runs, "if"), (node.orelse, ONE - runs, "else"))
        return tuple(self._loop(node, body, times, word) for body, times, word in arms if body)

    def _loop(self, guard: Guard, body: tuple[Node, ...], times: Poly, word: str) -> Loop:
        name = f"{word}{next(self._numbers)}_L{guard.span.line}"
        self.symbols.append(Symbol(f"trip_{name}", origin=SymbolOrigin.TRIP_COUNT))
        return Loop(name, Uncounted(f"trip_{name}", length=times), body, guard.span, is_condition=True)


def _number_of(condition: Condition) -> Poly | None:
    """Return how often what is under a condition runs, 0 or 1; None where data that are not given decide."""
    differences = [leaf.left - leaf.right for leaf in leaves(condition) if isinstance(leaf, Compare)]
    open_ones = [each for each in differences if each.unknowns() and not is_given(each)]
    return None if open_ones or not any(map(is_given, differences)) else indicator(condition)
