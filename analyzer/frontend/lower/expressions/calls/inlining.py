"""Inlining: the body of a called function in place of the call, its parameters bound to the arguments."""

from __future__ import annotations

from collections.abc import Mapping, Set
from pathlib import Path

from msgspec.structs import replace

from .....ir.index import ZERO, Poly
from .....ir.nodes import Condition
from .....ir.types import INT32, ElementType, ScalarType
from .....ir.values import Apply, Constant, IndexValue, Load, Opaque, Register, Value
from ....surface import nodes as sx
from ....surface.constructs import construct
from ...flow import Frame
from ...functions.device_libraries import library_of, runs_on_device
from ...functions.handed import handed_containers
from ...functions.instances import Renaming
from ...functions.passed_containers import is_container, keeps_sizes
from ...functions.passed_ranges import ranges_of
from ...layout import element_type
from ...logic import conjunction, negate, none_of
from ...merging import join_targets
from ...names.bindings import (
    Aggregate,
    Fresh,
    Integer,
    Key,
    Leaf,
    Location,
    Lvalue,
    Pointer,
    Result,
    Slot,
)
from ...state import State
from ..containers.copies import as_own
from ..containers.methods import lose_counts
from ..containers.rows import COUNTER
from ..containers.sizes import count_of
from ..conversions import convert, index_of, index_value
from ..followed_elements import lose_elements
from ..initialization import held_value
from ..pointers import as_value, bind_pointer, bind_target, decayed, slot_pointer
from ..updates import update
from ..values.lost import lose_integers
from ..values.truth import chosen_number
from .recursive import (
    calls_or_loop,
    counts_down,
    give_up,
    integer_argument,
    is_among,
    is_call_by_call,
    is_open,
    is_recursive,
)
from .summarized import instantiate
from .texts import note_text
from .unknown import opaque

_LIBRARY = str(Path(__file__).parents[3] / "headers")
_FOLLOWING = "following"
BOOL = sx.ScalarT(ElementType(ScalarType.BOOL))


def is_of_library(function: sx.Function) -> bool:
    """Return whether our own headers define a function."""
    return function.span.path.startswith(_LIBRARY)


def inlined_condition(state: State, call: sx.Call, function: sx.Function) -> Condition | None:
    """Return the condition that a function tests; None where its body is not followed."""
    frame = None if _is_refused(state, function) else _inlined(state, call, function, tests=True)
    return None if frame is None else frame.condition


def inline(state: State, call: sx.Call, function: sx.Function) -> Result:
    """Lower the body of a function in place of a call; a recursive call, or one beyond the limits, is opaque.

    A recursive function is the loop over its calls, whose inner calls do nothing more.
    """
    repeated = state.inputs.repeated.get(function.key)
    if repeated is not None and is_call_by_call(state, call, function):
        repeated = None
    within = repeated is not None and is_open(state, repeated)
    if is_recursive(state, function) and not (repeated is None and counts_down(state, call, function)):
        if within:
            return _counted_elsewhere(state, call, function)
        give_up(state, function)
        state.emitter.report("AI207", call.span, "recursion", function=function.name)
        operands = tuple(as_value(state.evaluate(argument)) for argument in call.arguments)
        return Opaque(
            construct("inner-call", function=function.name),
            element_type(state.inputs, function.result),
            operands,
            has_work=True,
            again=function.span,
        )
    state.flow.inlined += 1
    refusal = _refusal(state, function)
    around = [frame.function.key for frame in state.flow.frames]
    if refusal or _is_beyond(state, function):
        give_up(state, function)
        if refusal == _FOLLOWING and function.key not in state.inputs.costly:
            state.flow.following.refuse(around)
        state.inputs.apart.add(function.key)
        summarized = None if function.key in state.inputs.too_long else _summarized(state, call, function)
        if summarized is not None:
            return summarized
        if refusal:
            return _not_followed(state, call, function, refusal)
    used = state.inputs.meter.used
    if repeated is None or within or is_among(state, repeated):
        frame = _inlined(state, call, function)
    else:
        frame = calls_or_loop(state, call, function, repeated.loop, _inlined)
    state.flow.following.add(function.key, state.inputs.meter.used - used, around)
    return _result(state, frame, call)


def _is_refused(state: State, function: sx.Function) -> bool:
    calls_itself = function.key in state.inputs.repeated or is_recursive(state, function)
    return calls_itself or bool(_refusal(state, function))


def _counted_elsewhere(state: State, call: sx.Call, function: sx.Function) -> Result:
    """Return the result of an inner call of a recursive function, which is one iteration of the loop over its calls."""
    named = replace(call, name=function.name)  # a call of an object names its operator
    functions = state.inputs.unit.functions
    sizes: dict[int, Value] = {}
    for end, start in ranges_of(function, functions).items():
        first, last = (call.arguments[function.parameters.index(each)] for each in (start, end))
        length = state.quietly(sx.Binary("-", last, first, call.span))
        known = state.lost(function.name) if length is None else length
        sizes[function.parameters.index(end)] = index_value(known, COUNTER.element)
    if keeps_sizes(function, functions):
        for position, parameter in enumerate(function.parameters):
            container = state.lvalue(call.arguments[position]) if is_container(parameter) else None
            if container is not None:
                sizes[position] = index_value(count_of(state, container), COUNTER.element)
    return opaque(state, named, _after_call(state, call, function, sizes), has_work=False)


def _refusal(state: State, function: sx.Function) -> str:
    """Return which limit the body of a function is beyond, if any."""
    limits = state.inputs.limits
    too_many = state.flow.inlined > limits.inlined_calls or state.emitter.emitted > limits.nodes
    if too_many or len(state.flow.frames) > limits.inline_depth:
        return "too-deep"
    is_full = state.emitter.emitted > limits.linked_nodes and not _is_short(state, function)
    if function.is_linked and (is_full or function.key in state.inputs.too_long):
        return "linked"
    is_used_up = state.inputs.meter.used > limits.until or function.key in state.inputs.costly
    return _FOLLOWING if is_used_up else ""


def _is_beyond(state: State, function: sx.Function) -> bool:
    """Return whether so much is inlined already that a function is summarized: not a few lines without a loop."""
    effects, limits = state.inputs.effects, state.inputs.limits
    if state.emitter.emitted <= limits.own_nodes or function.kind is not sx.FunctionKind.HOST:
        return False
    return effects.size(function.key) > limits.short_lines or effects.of(function.body).loops


def _inlined(state: State, call: sx.Call, function: sx.Function, *, tests: bool = False) -> Frame:
    """Lower the body of a function in place of a call."""
    with state.as_data():
        effects = state.inputs.effects.of(function.body)
        function, own = state.instances.of(call, function, state.own_variables())
        _bind_parameters(state, call, function, {new for old, new in own.items() if old in effects.variables})
        for pointer in effects.pointers:  # p = malloc(n) of this call is not that of an earlier one
            state.memory.storage.pop(own.get(pointer, pointer), None)
        frame = Frame(
            function, state.target("function"), own, tests=tests, on_device=_is_on_device(state, call, function)
        )
        outer = state.emitter.library_call
        state.emitter.library_call = (outer or call.span) if is_of_library(function) else None
        state.flow.frames.append(frame)
        with state.flow.inside(frame.target):
            state.run(function.body)
        state.emitter.library_call = outer
        state.flow.frames.pop()
        join_targets(state, frame.target, _ended(own))
        state.flow.resume()
    return frame


def _is_on_device(state: State, call: sx.Call, function: sx.Function) -> bool:
    """Return whether a call runs on a device: what the outermost call of the library says holds for those inside."""
    if state.emitter.library_call is not None:
        return state.flow.frames[-1].on_device
    return bool(runs_on_device(call, library_of(function)))


def _ended(own: Renaming) -> frozenset[Key]:
    """Return the numbers and pointers among the variables of a call, which end with it: a result has their values."""
    return frozenset((new, "") for new in own.values() if isinstance(new.type, sx.ScalarT | sx.PointerT))


def _is_short(state: State, function: sx.Function) -> bool:
    """Return whether a function of another file, with all that it calls, is short, or a few lines without a loop."""
    effects, limits = state.inputs.effects, state.inputs.limits
    if state.emitter.emitted <= limits.medium_nodes and effects.size(function.key) <= limits.medium_lines:
        return True
    if state.emitter.emitted > limits.short_nodes or effects.size(function.key) > limits.short_lines:
        return False
    return not effects.of(function.body).loops


def _not_followed(state: State, call: sx.Call, function: sx.Function, form: str) -> Result:
    """Return the result of an unknown function; integers that it may change may have any value afterwards."""
    state.emitter.report("AI208", call.span, form, function=function.name)
    return opaque(state, call, _after_call(state, call, function))


def _summarized(state: State, call: sx.Call, function: sx.Function) -> Result | None:
    """Lower a call as the summary of the function; None where it has none, or the region has too many of them."""
    limits = state.inputs.limits
    if state.flow.summarized > limits.summarized_nodes or state.emitter.library_call is not None:
        return None
    summary = state.inputs.summary(function, limits.until - state.inputs.meter.used)
    if summary is None:
        return None
    given = [integer_argument(state, *each) for each in zip(function.parameters, call.arguments, strict=False)]
    operands = _after_call(state, call, function)
    instantiate(state, summary, function.parameters, given)
    return opaque(state, call, operands, has_work=False)


def _after_call(
    state: State, call: sx.Call, function: sx.Function, sizes: Mapping[int, Value] | None = None
) -> list[Value]:
    """Return the arguments of a call that is not followed; integers that it may change may have any value now.

    Containers that keep their numbers of elements are given by these ``sizes``, by the positions of the arguments.
    """
    kept = sizes or {}
    with state.as_data():
        results = [kept[at] if at in kept else state.evaluate(each) for at, each in enumerate(call.arguments)]
    for parameter, argument in zip(function.parameters, call.arguments, strict=False):
        location = state.lvalue(argument) if parameter.reference else None
        if isinstance(location, Slot):
            lose_integers(state, location)
    for result in results:
        if isinstance(result, Pointer) and isinstance(result.target, Slot):
            lose_integers(state, result.target)
    lost = [each for at, each in enumerate(call.arguments) if at not in kept]
    for container in handed_containers(replace(call, arguments=tuple(lost))):
        lose_counts(state, container)
    lose_elements(state, state.effects_of_call(function.key))
    for variable in state.effects_of_call(function.key).variables:
        if variable.storage is sx.Storage.GLOBAL or state.environment.keys_of(variable):
            lose_integers(state, Slot(variable, variable.type))
    return [result for result in results if not isinstance(result, Pointer | Aggregate | Fresh)]


def _result(state: State, frame: Frame, call: sx.Call) -> Result:
    result = frame.result
    if result is None:
        return Constant(None, ElementType(ScalarType.VOID))
    kind = element_type(state.inputs, frame.function.result)
    if isinstance(result, Pointer | Aggregate) and frame.held is not None:
        return _joined_object(state, frame.held, result)
    if isinstance(result, Pointer | Aggregate | Fresh):
        return result
    if frame.returns > 1 or frame.values:
        return _joined_result(state, frame, result, kind)
    if isinstance(frame.function.result, sx.ScalarT) and kind.scalar is not ScalarType.VOID:
        result = convert(result, kind)
    if state.indexing and kind.scalar.is_integer and index_of(result) is None:
        if isinstance(result, Apply | Load | Opaque):
            state.emitter.temporary(result, kind, call.span)
        return IndexValue(state.lost(frame.function.name), kind)
    return result


def _joined_object(state: State, held: sx.Variable, result: Pointer | Aggregate) -> Pointer | Aggregate:
    """Return the object that several returns give, each its own one."""
    pointer = slot_pointer(state, Slot(held, held.type))
    return pointer if isinstance(result, Pointer) else Aggregate(pointer.target)


def _joined_result(state: State, frame: Frame, result: Value, kind: ElementType) -> Value:
    """Return the result of several returns: exact where it is one of several index expressions."""
    if kind.scalar.is_integer:
        chosen = _number_of_returns(state, frame)
        if chosen is not None:
            return index_value(chosen, kind)
        if state.indexing:
            return IndexValue(state.lost(frame.function.name), kind)
    return result


def _number_of_returns(state: State, frame: Frame) -> Poly | None:
    """Return the number that ``if (a) return x; if (b) return y; return z;`` is; None where data choose it."""
    if len(frame.values) < max(2, frame.returns):  # a return without a value that is held here
        return None
    *earlier, (rest, chosen) = frame.values
    passed = [conjunction(path[at:]) for at, (path, _) in enumerate(earlier)]
    starts = [path[:at] for at, (path, _) in enumerate(earlier)]
    is_last = conjunction(rest) == none_of([path for path, _ in earlier])  # of ``else if``
    if any(path != tuple(negate(c) for c in passed[: len(path)]) for path in (*starts, *(() if is_last else (rest,)))):
        return None
    for condition, (_, value) in zip(reversed(passed), reversed(earlier), strict=True):
        if value is None or chosen is None:
            return None
        extreme = state.extreme(condition, value, chosen)
        known = state.chosen_truth(condition, value, chosen) if extreme is None else extreme
        if known is None and not condition.depends_on_data:
            known = state.choice(frame.function.name, condition, value, chosen)
        chosen = known
    return chosen


def _bind_parameters(state: State, call: sx.Call, function: sx.Function, assigned: Set[sx.Variable]) -> None:
    bindings = []
    for parameter, argument in zip(function.parameters, call.arguments, strict=False):
        note_text(state, parameter, argument, assigned)
        if parameter.reference:
            bindings.append((parameter, _referenced(state, argument, parameter.type)))
        else:
            bindings.append((parameter, _argument(state, argument, parameter)))
    state.memory.extents.clear()
    for parameter, result in bindings:
        slot = Slot(parameter, parameter.type)
        state.environment.forget(parameter)
        if parameter.reference and isinstance(result, Pointer):
            bind_target(state, slot, result)
        elif isinstance(parameter.type, sx.PointerT | sx.ArrayT):
            if isinstance(result, Aggregate) and isinstance(result.location, Location):
                result = decayed(state, result.location)
            if isinstance(result, Fresh):
                update(state, slot, "", result, call.span)
            else:
                bind_pointer(state, slot, result, call.span)
        elif isinstance(result, Constant | Register) and parameter not in assigned:
            kind = element_type(state.inputs, parameter.type)
            if kind.scalar.is_integer and (index := index_of(result)) is not None:
                state.environment.bind(slot, Integer(index))
            else:
                _bind_leaf(state, slot, result, kind, call)
        else:
            update(state, slot, "", result, call.span)


def _referenced(state: State, argument: sx.Expression, kind: sx.CType) -> Result:
    """Return the address of what a reference is bound to, its value where it is none; a call is evaluated once."""
    if isinstance(argument, sx.Call):
        result = state.evaluate(argument)
        if isinstance(kind, sx.ArrayT) and isinstance(result, Pointer):
            return Pointer(_whole(result.target, kind))
        return Pointer(result.location) if isinstance(result, Aggregate) else held_value(state, argument, kind, result)
    location = state.lvalue(argument)
    return Pointer(location) if location is not None else held_value(state, argument, kind, state.evaluate(argument))


def _whole(first: Lvalue, kind: sx.ArrayT) -> Lvalue:
    """Return the array that an element is the first one of."""
    if not isinstance(first, Location) or first.subscripts[-1:] != (ZERO,):
        return first
    return replace(first, subscripts=first.subscripts[:-1], strides=first.strides[:-1], type=kind)


def _argument(state: State, argument: sx.Expression, parameter: sx.Variable) -> Result:
    """Return the value of an argument: of a number that conditions on counters choose, that choice."""
    result = as_own(state, argument, state.evaluate(argument), parameter.type)
    if isinstance(result, Register) and isinstance(parameter.type, sx.ScalarT) and not parameter.reference:
        kind = element_type(state.inputs, parameter.type)
        number = chosen_number(state, argument) if kind.scalar.is_integer else None
        if number is not None and kind.scalar.size_bytes >= INT32.scalar.size_bytes:
            return index_value(number, kind)
    return result


def _bind_leaf(state: State, slot: Slot, value: Constant | Register, kind: ElementType, call: sx.Call) -> None:
    converted = convert(value, kind)
    if isinstance(converted, Constant | Register) and not kind.scalar.is_integer:
        state.environment.bind(slot, Leaf(converted))
    else:
        update(state, slot, "", value, call.span)
