"""Jumps: ``goto``, ``break``, ``continue`` and ``return``, each to a target that encloses it.

A jump to a target in the same loop is a *skip*: what follows up to there runs under the opposite of the conditions on
the way.  A jump out of loops ends them; what follows behind them up to the target runs if none was met.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec.structs import replace

from ...ir.conditions import names_of
from ...ir.drivers import outermost_loops
from ...ir.index import unknown
from ...ir.nodes import DataDependent
from ...ir.values import Apply, Load, Opaque, Register
from ...source import Span
from ..surface import nodes as sx
from .bindings import Aggregate, Frame, Fresh, Place, Pointer, Result, Target
from .expressions.conversions import convert, index_of, type_of
from .expressions.known_functions import table
from .layout import element_type
from .logic import ALWAYS, depends_on_data
from .state import State

END = "end of "
"""What names the end of a repetition among labels, which have no blanks."""


def skip_to(state: State, target: Target) -> None:
    """Go on at a target: what follows in the blocks up to there runs only if this was not reached."""
    target.skips.append(tuple(state.path))
    target.environments.append(dict(state.environment))
    state.terminated = True


def run_goto(state: State, statement: sx.Goto) -> None:
    """To the end of a block before its label, or to the start or the end of a repetition."""
    label, ends = statement.label.removeprefix(END), statement.label.startswith(END)
    target = next((found for found in _in_function(state) if found.label == label), None)
    if target is None:
        text = f"goto {label} is not understood: how often anything here runs is not known"
        state.report("AI206", statement.span, text)
        state.emit(None, Opaque("goto", sx.INT.element, has_work=True), statement.span)
    elif ends:
        _end_loop(state, target, statement.span)
    else:
        _go_to(state, target, statement.span)


def leave_loop(state: State, statement: sx.Break | sx.Continue) -> None:
    """``break`` or ``continue``."""
    breaks = isinstance(statement, sx.Break)
    kinds = ("loop", "once", "switch") if breaks else ("loop", "once")
    target = next((found for found in _in_function(state) if found.kind in kinds and not found.label), None)
    if target is None:
        state.report("AI206", statement.span, f"{'break' if breaks else 'continue'} outside of a loop")
    elif breaks and target.kind == "loop":
        _end_loop(state, target, statement.span)
    else:
        _go_to(state, target, statement.span)


def _in_function(state: State) -> Iterator[Target]:
    """The targets of the function that is being lowered, innermost first."""
    return takewhile(lambda target: target.kind != "function", reversed(state.targets))


def _end_loop(state: State, target: Target, span: Span) -> None:
    for left in _loops_within(state, target):
        left.exits += 1
    target.exits += 1
    if depends_on_data(state.since(target.depth)):
        state.report("AI204", span, "the loop may end early, depending on data")
    state.leave(target.iterator, span)


def _go_to(state: State, target: Target, span: Span) -> None:
    inner = _loops_within(state, target)
    if not inner:
        skip_to(state, target)
        return
    if depends_on_data(state.since(inner[0].depth)):
        state.report("AI204", span, "the loop may end early, depending on data")
    _leave_loops(state, target, inner, "goto", span)


def _loops_within(state: State, target: Target) -> list[Target]:
    """The loops inside of a target, outermost first."""
    position = next(n for n, found in enumerate(state.targets) if found is target)
    return [found for found in state.targets[position + 1 :] if found.kind == "loop"]


def _leave_loops(state: State, target: Target, inner: Sequence[Target], kind: str, span: Span) -> None:
    """Go on at a target that lies outside of some loops, from within them."""
    for left in inner:
        left.exits += 1
    outside = tuple(state.path[: inner[0].depth])
    name = state.unique(f"{kind}.L{span.line}")
    target.skips.append((*outside, DataDependent(name, f"{kind} in line {span.line}")))
    target.environments.append(dict(state.environment))
    state.leave(inner[0].iterator, span)


def is_end(state: State, call: sx.Call) -> bool:
    """Whether a call ends the program: ``exit`` and its like."""
    return call.function not in state.unit.functions and table().is_end(call.name)


def end_program(state: State, span: Span) -> None:
    """``exit``: a return out of everything where the iterators decide it, else taken not to happen."""
    condition = state.since(0)
    decided = condition == ALWAYS or not names_of(condition) <= state.symbols.keys()
    if depends_on_data(condition) or not decided or state.frames[0].function.kind is sx.FunctionKind.KERNEL:
        state.assume_that("AI311", span, "no-end")
        state.terminated = state.abandoned = True
    elif state.loops:
        _end_region(state, span)
    else:
        skip_to(state, state.frames[0].target)


def _end_region(state: State, span: Span) -> None:
    for target in state.targets:
        target.exits += target.kind == "loop"
    state.leave(None, span)


def run_return(state: State, statement: sx.Return) -> None:
    """``return``: of an inlined function to its call, of the analyzed one out of everything."""
    frame = state.frames[-1]
    result: Result | None = None if statement.value is None else state.evaluate(statement.value)
    inner = [target for target in state.targets if target.kind == "loop" and target.loops >= frame.target.loops]
    if len(state.frames) == 1 and frame.function.kind is not sx.FunctionKind.KERNEL:
        _keep_unused(state, result, statement.span)
        if _gives_up(state, frame):
            end_program(state, statement.span)
            return
        if not inner:
            skip_to(state, frame.target)
            return
        if depends_on_data(state.since(frame.target.depth)):
            state.report("AI204", statement.span, "the function may return early, depending on data")
        _end_region(state, statement.span)
        return
    if inner:
        result = _outside_of_loops(state, result, len(state.loops) - len(inner))
    frame.returns += 1
    conditional = len(state.path) > frame.target.depth or bool(inner)
    if result is not None:
        frame.result = result
        if conditional or frame.returns > 1:
            _return_in_register(state, result, statement.span)
    if not inner:
        skip_to(state, frame.target)
        return
    _leave_loops(state, frame.target, inner, "return", statement.span)
    state.report("AI204", statement.span, f"{frame.function.name} may return early")


def _gives_up(state: State, frame: Frame) -> bool:
    """Whether a return is one of ``main`` that ends the program before any loop of its branch, as ``exit`` does."""
    conditional = len(state.path) > frame.target.depth
    return frame.function.name == "main" and conditional and not any(outermost_loops(state.block))


def _outside_of_loops(state: State, result: Result | None, depth: int) -> Result | None:
    """A returned place whose subscripts only the loops that are left by the return can tell."""
    place = result.target if isinstance(result, Pointer) else result.place if isinstance(result, Aggregate) else None
    if not isinstance(place, Place):
        return result
    outside = frozenset(loop.iterator for loop in state.loops[:depth]) | state.symbols.keys()
    known = tuple(
        subscript
        if subscript.names() <= outside
        else unknown(f"{place.array}.returned", outside - state.symbols.keys())
        for subscript in place.subscripts
    )
    moved = replace(place, subscripts=known)
    return Pointer(moved) if isinstance(result, Pointer) else Aggregate(moved)


def _keep_unused(state: State, result: Result | None, span: Span) -> None:
    """The returned expression of the analyzed function is work too."""
    if isinstance(result, Apply | Load | Opaque):
        state.emit(None, result, span)


def _return_in_register(state: State, result: Result, span: Span) -> None:
    """Several returns: each writes the same register."""
    frame = state.frames[-1]
    if isinstance(result, Pointer | Aggregate | Fresh):
        return
    kind = element_type(state, frame.function.result)
    if isinstance(frame.function.result, sx.UnknownT):
        kind = type_of(result)
    name = f"{frame.function.name}.result"
    state.emit(Register(name, kind), convert(result, kind), span)
    frame.result = Register(name, kind)
    known = index_of(result)
    frame.values.append((tuple(state.path[frame.target.depth :]), known))
