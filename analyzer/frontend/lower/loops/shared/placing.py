"""Where the iterations of loops that share a counter stand in those of the loop around.

With c > 0 each iteration of the outer loop has c of them.  With c = 0 all stand in its first one, or one in each where
the counter ends the outer loop too.  There subscripts are those of the counter at its slowest: an element further in
each iteration.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from .....given_values import trip_of_line
from .....ir.index import ONE, ZERO, Atom, Poly, Unknown, const, extremum, var
from .....ir.nodes import Compare, Comparison, DataDependent, Exit, Guard, Loop, Node, Range, Strided, Uncounted
from .....ir.passes.substitute import bind_nodes
from .....ir.traverse import map_accesses, map_bodies, map_statements
from .....ir.values import Access
from ...state import State
from ..bounds import ceil_div
from ..context import LoopContext, Recognized
from .tests_at_top import with_tests_in_header
from .together import Together, loops_together


def share(state: State, context: LoopContext, body: list[Node], found: Recognized) -> None:
    """Give loops inside of a loop the most iterations that they can have in all of its iterations together."""
    if isinstance(found.range, Strided | Uncounted):
        together = loops_together(context, body, found)
        if together:
            placing = _Placing(state, context, found, found.range, together)
            body[:] = placing.nodes(body)


class _Placing:
    """The loops that share counters, by their iterators, and the counters at their slowest, by their placeholders."""

    def __init__(
        self,
        state: State,
        context: LoopContext,
        found: Recognized,
        bounds: Strided | Uncounted,
        together: Sequence[Together],
    ) -> None:
        self._state, self._context, self._range = state, context, bounds
        self._together = {each.loop.iterator: each for each in together}
        self._number = f"{context.iterator}@"
        found.values[self._number] = var(context.iterator)
        self._entries = context.entries()
        self._takes_all = bool(found.used_up) and [each.takes_all for each in together] == [True]
        self._slowest = {name: place for root in found.used_up for name, place in self._at_its_slowest(root)}

    def _at_its_slowest(self, distance: Poly) -> list[tuple[str, Poly]]:
        """Return the counter that a distance has, and where it is where each outer iteration takes 1 of it."""
        moving = distance.names() & {item.name for item in self._context.moving}
        if len(moving) != 1:
            return []
        (name,) = moving
        slope = distance.coefficient(name).constant
        return [(name, self._entries[name] - var(self._number) * slope)] if slope in (1, -1) else []

    def nodes(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """Return the body of the outer loop with these loops in their places."""
        placed = tuple(node for each in nodes for node in self._node(each))
        return self._at_positions(placed, self._slowest) if self._slowest else placed

    def _node(self, node: Node) -> tuple[Node, ...]:
        if not isinstance(node, Loop):
            return (map_bodies(node, lambda body: tuple(each for inner in body for each in self._node(inner))),)
        together = self._together.get(node.iterator)
        if together is None:
            return (node,)
        return (self._placed(together),)

    def _placed(self, together: Together) -> Node:
        loop, first = together.loop, together.first
        if together.each:
            each = const(together.each)
            if not self._state.is_nonnegative(each - first):
                return loop
            self._report(together, self._trips() * together.each)
            return self._limited(loop, each, {})
        self._report(together, first)
        if self._state.is_nonnegative(self._trips() - first):
            positions = dict(self._at_its_slowest(together.root))
            return self._at_positions((self._limited(loop, ONE, positions),), positions)[0]
        start = loop.range.start if isinstance(loop.range, Strided) else ZERO
        is_first = Compare(
            Comparison.EQ, var(self._number), self._range.start if isinstance(self._range, Strided) else ZERO
        )
        limited = self._at_positions((self._limited(loop, first, self._entries),), self._entries)
        return Guard(is_first, limited, bind_nodes(loop.header, {loop.iterator: start}), loop.span)

    def _trips(self) -> Poly:
        """Return how many iterations the outer loop has, where it has any."""
        bounds = self._range
        if isinstance(bounds, Uncounted):
            return var(bounds.trip)
        length = bounds.stop - bounds.start
        return ceil_div(length, bounds.step) if bounds.step > 0 else ceil_div(-length, -bounds.step)

    def _limited(self, loop: Loop, most: Poly, positions: dict[str, Poly]) -> Loop:
        """Return a loop with at most so many iterations, the first of which data may leave."""
        bounds: Range = Strided(ZERO, most)
        if isinstance(loop.range, Strided):
            start = self._position(loop.range.start, positions)
            stop, end = start + most * loop.range.step, self._position(loop.range.stop, positions)
            if positions and most == ONE and not self._state.flow.loops and not end.unknowns():
                stop = extremum(loop.range.step < 0, (stop, end))
            bounds = Strided(start, stop, loop.range.step)
        left = DataDependent(f"L{loop.span.line}.left", "its share is used up")
        leaves = Guard(left, (Exit(loop.iterator, loop.span),), (), loop.span)
        loop = with_tests_in_header(loop)
        return replace(loop, range=bounds, body=(leaves, *loop.body), ends_early=True)

    def _at_positions(self, nodes: tuple[Node, ...], positions: dict[str, Poly]) -> tuple[Node, ...]:
        def moved(access: Access) -> Access:
            subscripts = tuple(self._position(each, positions) for each in access.subscripts)
            return access if subscripts == access.subscripts else replace(access, subscripts=subscripts)

        return map_statements(nodes, lambda statement: map_accesses(statement, moved))

    def _position(self, index: Poly, positions: dict[str, Poly]) -> Poly:
        """Return an index with counters at their positions, behind these loops too."""

        def before(atom: Atom) -> Poly:
            left = self._context.symbols.left_by.get(atom.label) if isinstance(atom, Unknown) else None
            if left is None or left.iterator not in self._together:
                return Poly({(atom,): 1})
            step = left.least if left.least is not None else left.most or 0
            return left.entry.map_atoms(before) + (step if self._takes_all else 0)

        return index.map_atoms(before).substitute(positions) if positions else index

    def _report(self, together: Together, most: Poly) -> None:
        """Report what bounds a loop, in place of what was reported of it alone, and what that assumes."""
        emitter, span = self._state.emitter, together.loop.span
        symbol = trip_of_line(span.line)
        for key, each in list(emitter.diagnostics.items()):
            of_loop = each.span.line == span.line and ("symbol", symbol) in each.fields
            if of_loop and each.code in ("AI203", "AI204") and each.form != "steps":
                del emitter.diagnostics[key]
        line = emitter.position(self._context.span).line
        emitter.report("AI204", span, "together", most=str(most), line=line, symbol=symbol)
        if together.assumed:
            emitter.assume("AI304", span, "within", most=str(most))
        for falling in self._context.symbols.falling.values():
            if falling.iterator == together.loop.iterator:
                emitter.assume("AI304", span, "chain", element=falling.element.partition("#")[0])
