"""Jumps: ``goto``, ``break``, ``continue`` and ``return``, each to a target that encloses it.

A jump to a target in the same loop is a *skip*: the statements between run under the opposite of the conditions under
which it jumps.  A jump out of loops ends them; the statements between their end and the target run if none was taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec.structs import replace

from ...given_values import trip_of_line
from ...ir.index import unknown
from ...ir.nodes import DataDependent
from ...ir.passes.drivers import outermost_loops
from ...ir.values import Apply, Load, Opaque, Register
from ...source import Span
from ..surface import nodes as sx
from ..surface.constructs import construct
from .choices.at_entry import null_pointer
from .choices.tables import chosen_from, is_null
from .emitter import Emitter
from .expressions.conversions import convert, index_of, type_of
from .expressions.updates import update
from .flow import Flow, Frame, Target
from .functions.instances import returned_object
from .layout import element_type
from .logic import ALWAYS, NEVER, conjunction, disjunction
from .names.bindings import Aggregate, Fresh, Location, Pointer, Result, Slot
from .state import State

END = "end of "
"""Prefix of the end of a repetition among labels, which have no blanks."""


def skip_to(state: State, target: Target) -> None:
    """Jump to a target: the rest of the blocks up to there runs only where this jump is not taken."""
    target.skips.append(tuple(state.emitter.path))
    target.environments.append(state.environment.copied())
    state.flow.terminated = True


def run_goto(state: State, statement: sx.Goto) -> None:
    """Jump to the end of a block before its label, or to the start or the end of a repetition."""
    label, ends = statement.label.removeprefix(END), statement.label.startswith(END)
    target = next((found for found in _in_function(state.flow) if found.label == label), None)
    if target is None:
        state.emitter.report("AI206", statement.span, "goto", label=label)
        state.emitter.emit(None, Opaque(construct("goto-statement"), sx.INT.element, has_work=True), statement.span)
    elif ends:
        _end_loop(state, target, statement.span)
    else:
        _go_to(state, target, statement.span)


def leave_loop(state: State, statement: sx.Break | sx.Continue) -> None:
    """Lower ``break`` or ``continue``."""
    breaks = isinstance(statement, sx.Break)
    kinds = ("loop", "once", "switch" if breaks else "iteration")
    target = next((found for found in _in_function(state.flow) if found.kind in kinds and not found.label), None)
    if target is None:
        state.emitter.report("AI206", statement.span, "outside-loop", word="break" if breaks else "continue")
    elif breaks and target.kind == "loop":
        _end_loop(state, target, statement.span)
    else:
        _go_to(state, target, statement.span)


def _in_function(flow: Flow) -> Iterator[Target]:
    """Return the targets of the function that is being lowered, innermost first."""
    return takewhile(lambda target: target.kind != "function", reversed(flow.targets))


def _end_loop(state: State, target: Target, span: Span) -> None:
    for left in _loops_within(state.flow, target):
        left.exits += 1
    target.exits += 1
    target.left.append(state.environment.copied())
    if state.emitter.since(target.depth).depends_on_data:
        state.emitter.report("AI204", span, "loop", symbol=trip_of_line(target.line))
    state.leave(target.iterator, span)


def _go_to(state: State, target: Target, span: Span) -> None:
    inner = _loops_within(state.flow, target)
    if not inner:
        skip_to(state, target)
        return
    if state.emitter.since(inner[0].depth).depends_on_data:
        state.emitter.report("AI204", span, "loop", symbol=trip_of_line(inner[0].line))
    _leave_loops(state, target, inner, "goto", span)


def _loops_within(flow: Flow, target: Target) -> list[Target]:
    """Return the loops inside of a target, outermost first."""
    position = next(n for n, found in enumerate(flow.targets) if found is target)
    return [found for found in flow.targets[position + 1 :] if found.kind == "loop"]


def _leave_loops(state: State, target: Target, inner: Sequence[Target], kind: str, span: Span) -> None:
    """Jump to a target outside of some loops, from within them."""
    for left in inner:
        left.exits += 1
    outside = tuple(state.emitter.path[: inner[0].depth])
    name = state.symbols.unique(f"{kind}.L{span.line}")
    target.skips.append((*outside, DataDependent(name, f"{kind} in line {span.line}")))
    inner[0].jumps.append(name)
    target.environments.append(state.environment.copied())
    state.leave(inner[0].iterator, span)


def run_throw(state: State, call: sx.Call, span: Span) -> None:
    """Lower a ``throw``: it leads to the handler around it, to which it gives its number, else out of everything.

    One that data decide is taken not to happen.
    """
    thrown = state.evaluate(call.arguments[0]) if call.arguments else None
    handlers = (found for found in reversed(state.flow.targets) if found.label.startswith(f"{sx.THROW} "))
    fitting = (found for found in handlers if found.caught is None or found.caught.type == call.type)
    target = next(fitting, None)
    if target is None or state.emitter.since(0).depends_on_data:
        end_program(state, span)
        return
    if thrown is not None and target.caught is not None:
        update(state, Slot(target.caught, target.caught.type), "", thrown, span)
    _go_to(state, target, span)


def end_program(state: State, span: Span) -> None:
    """Lower ``exit``: a return out of everything where the iterators decide it, else taken not to happen."""
    condition = state.emitter.since(0)
    decided = condition == ALWAYS or not condition.names <= state.symbols.known.keys()
    if condition.depends_on_data or not decided or state.flow.frames[0].function.kind is sx.FunctionKind.KERNEL:
        state.emitter.assume("AI311", span, "no-end")
        state.flow.terminated = state.flow.abandoned = True
    elif state.flow.loops:
        _end_region(state, span)
    else:
        skip_to(state, state.flow.frames[0].target)


def _end_region(state: State, span: Span) -> None:
    for target in state.flow.targets:
        target.exits += target.kind == "loop"
    state.leave(None, span)


def run_return(state: State, statement: sx.Return) -> None:
    """Lower ``return``: of an inlined function to its call, of the analyzed one out of everything."""
    frame = state.flow.frames[-1]
    if frame.tests and statement.value is not None:
        with state.as_index():
            found = conjunction((state.emitter.since(frame.target.depth), state.condition(statement.value)))
        frame.condition = found if frame.condition is None else disjunction((frame.condition, found))
        skip_to(state, frame.target)
        return
    result: Result | None = None if statement.value is None else state.evaluate(statement.value)
    inner = _loops_within(state.flow, frame.target)
    if len(state.flow.frames) == 1 and frame.function.kind is not sx.FunctionKind.KERNEL:
        _keep_unused(state.emitter, result, statement.span)
        if _gives_up(state.emitter, frame):
            end_program(state, statement.span)
            return
        if not inner:
            skip_to(state, frame.target)
            return
        if state.emitter.since(frame.target.depth).depends_on_data:
            state.emitter.report("AI204", statement.span, "function")
        _end_region(state, statement.span)
        return
    if inner:
        result = _outside_of_loops(state, result, len(state.flow.loops) - len(inner))
    frame.returns += 1
    conditional = len(state.emitter.path) > frame.target.depth or bool(inner)
    if result is not None:
        if isinstance(frame.function.result, sx.PointerT) and is_null(result):
            result = null_pointer(state, _held_slot(frame, frame.function.result.target, statement.span))
        frame.result = result
        if conditional or frame.returns > 1:
            _return_object(state, result, statement.span)
            _return_in_register(state, result, statement.span)
    if not inner:
        skip_to(state, frame.target)
        return
    _leave_loops(state, frame.target, inner, "return", statement.span)
    state.emitter.report("AI204", statement.span, "inlined", function=frame.function.name)


def _gives_up(emitter: Emitter, frame: Frame) -> bool:
    """Return whether ``main`` ends the program here before any loop of its branch, as ``exit`` does."""
    conditional = len(emitter.path) > frame.target.depth
    return frame.function.name == "main" and conditional and not any(outermost_loops(emitter.block))


def _outside_of_loops(state: State, result: Result | None, depth: int) -> Result | None:
    """Return a result whose subscripts are unknown where they name loops that the return leaves."""
    location = (
        result.target if isinstance(result, Pointer) else result.location if isinstance(result, Aggregate) else None
    )
    if not isinstance(location, Location):
        return result
    outside = frozenset(loop.iterator for loop in state.flow.loops[:depth]) | state.symbols.known.keys()
    known = tuple(
        subscript
        if subscript.names() <= outside
        else unknown(f"{location.array}.returned", outside - state.symbols.known.keys())
        for subscript in location.subscripts
    )
    moved = replace(location, subscripts=known)
    return replace(result, target=moved) if isinstance(result, Pointer) else Aggregate(moved)


def _keep_unused(emitter: Emitter, result: Result | None, span: Span) -> None:
    """Emit the returned expression of the analyzed function, which is work, too."""
    if isinstance(result, Apply | Load | Opaque):
        emitter.emit(None, result, span)


def _return_object(state: State, result: Result, span: Span) -> None:
    """Hold the address that one of several returns gives; objects in registers are copied to one for all."""
    if not isinstance(result, Pointer | Aggregate):
        return
    frame = state.flow.frames[-1]
    if isinstance(result, Aggregate) and isinstance(result.location, Slot) and returned_object(frame.function) is None:
        kind = result.location.type
        frame.given = frame.given or sx.Variable(f"{frame.function.name}.value", kind, sx.Storage.LOCAL, span)
        given = Slot(frame.given, kind)
        update(state, given, "", result, span)
        result = Aggregate(given)
    pointer = result if isinstance(result, Pointer) else Pointer(result.location)
    slot = _held_slot(frame, pointer.target.type, span)
    state.environment.bind(slot, pointer if pointer.valid == NEVER else chosen_from(state.memory, pointer))


def _held_slot(frame: Frame, target: sx.CType, span: Span) -> Slot:
    """Return the variable for the address that a function with several returns gives."""
    if frame.held is None:
        frame.held = sx.Variable(f"{frame.function.name}.result", sx.PointerT(target), sx.Storage.LOCAL, span)
    return Slot(frame.held, frame.held.type)


def _return_in_register(state: State, result: Result, span: Span) -> None:
    """Emit the store of one of several returns: each writes the same register."""
    frame = state.flow.frames[-1]
    if isinstance(result, Pointer | Aggregate | Fresh):
        return
    kind = element_type(state.inputs, frame.function.result)
    if isinstance(frame.function.result, sx.UnknownT):
        kind = type_of(result)
    name = f"{frame.function.name}.result"
    state.emitter.emit(Register(name, kind), convert(result, kind), span)
    frame.result = Register(name, kind)
    known = index_of(result)
    frame.values.append((tuple(state.emitter.path[frame.target.depth :]), known))
