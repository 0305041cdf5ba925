"""Loops that data end, and that something in their bodies bounds: a counter that is tested there, or an array's end.

Elements behind the end of an array are not touched, so that ``while (text[n]) n++;`` has at most as many iterations as
the array has elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from .....ir.index import ONE, ZERO, Poly, extremum, floor_div, minimum, var
from .....ir.nodes import Condition, Exit, Guard, Node, Statement, Strided
from .....ir.traverse import accesses, all_nodes
from .....ir.values import Access
from ... import logic
from ...names.bindings import Integer, Slot
from ...state import State
from ..context import LoopContext, Recognized
from ..leaving import Lowered
from ..ranges.ends import exit_conditions
from ..ranges.late_starts import at_earliest
from ..recognition import recognize, values_by_count


def ended_inside(state: State, context: LoopContext, lowered: Lowered) -> Recognized | None:
    """Return a loop that no counter in its header ends with the most iterations that it can have; None if that is open.

    Where the user or a run gives their number, that is taken.
    """
    if context.is_trip_count_given():
        return None
    return _by_counter(state, context, lowered.body) or _by_array(state, context, lowered)


def _by_counter(state: State, context: LoopContext, body: Sequence[Node]) -> Recognized | None:
    """Return a loop with ``if (k >= most) break;`` in the middle: it runs once more than if that were tested first."""
    for node in body:
        if not isinstance(node, Guard) or node.orelse or node.condition.depends_on_data:
            continue
        if not isinstance(node.body[-1], Exit):
            continue
        before = state.checkpoint()
        found = recognize(replace(context, condition=logic.negate(node.condition), test_last=False))
        if found is not None and isinstance(found.range, Strided) and not found.exits:
            start, stop, step = found.range.start, found.range.stop, found.range.step
            bounds = Strided(start, extremum(step > 0, (start, stop)) + step, step)
            return Recognized(bounds, found.values, exits=_exits(context, found.values))
        state.restore(before)
    return None


def _by_array(state: State, context: LoopContext, lowered: Lowered) -> Recognized | None:
    """Return a loop that goes along arrays of known sizes, of which each iteration touches another element."""
    if context.test_last:
        return None
    values = values_by_count(context)
    found = [
        most - 1 if in_header else most
        for access, in_header in _touched(lowered)
        if (most := _most(state, access, values, context.iterator)) is not None
    ]
    if not found:
        return None
    return Recognized(Strided(ZERO, minimum(found), 1), values, exits=_exits(context, values))


def _exits(context: LoopContext, values: Mapping[str, Poly]) -> list[Condition]:
    """Return where the test of the loop itself leaves it."""
    tests = [part for part in logic.conjuncts(context.condition) if part != logic.ALWAYS]
    return exit_conditions(context, tests, values)


def _touched(lowered: Lowered) -> Iterator[tuple[Access, bool]]:
    """Yield what each iteration touches, and whether its test does, which comes once more than the body."""
    for node in lowered.header:
        if isinstance(node, Statement):
            yield from ((access, True) for access, _ in accesses(node))
    for node in lowered.body:
        if isinstance(node, Statement):
            yield from ((access, False) for access, _ in accesses(node))
        elif any(isinstance(each, Exit) for each in all_nodes((node,))):
            return


def _most(state: State, access: Access, values: Mapping[str, Poly], iterator: str) -> Poly | None:
    """Return how many elements there are at most from the first one that is touched to the end of the array."""
    array = state.memory.arrays.get(access.array)
    for subscript, extent in zip(access.subscripts, array.extents if array is not None else (), strict=False):
        extent = _length(state, access) if extent is None else extent
        index = subscript.substitute(values)
        step, start = index.coefficient(iterator).constant, index.substitute({iterator: ZERO})
        if extent is None or not isinstance(step, int) or not step or start + var(iterator) * step != index:
            continue
        start = at_earliest(start, step, state.symbols)
        left = extent - 1 - start if step > 0 else start
        is_of_size = step == 1 and extent.constant is None
        is_known = not left.unknowns() and (is_of_size or state.is_nonnegative(left))
        if is_known and extent != ONE:  # a last member of one element may stand for any number
            return floor_div(left, abs(step)) + 1
    return None


def _length(state: State, access: Access) -> Poly | None:
    """Return the number of elements of an array in one dimension that was allocated once, or of a container."""
    if len(access.subscripts) != 1:
        return None
    size = state.memory.sizes.get(access.array)
    bound = None if size is None else state.environment.get(Slot(size, size.type))
    return bound.value if isinstance(bound, Integer) else state.memory.lengths.get(access.array)
