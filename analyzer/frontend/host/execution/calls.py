"""Functions of host code: calls with their arguments, virtual methods, calls through values, recursion.

A call that launches nothing has a budget of its own; where it is spent, what the call may have changed is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...surface import nodes as sx
from ..library.functions import call_library, sum_of_texts
from ..library.streams import is_stream, stream_method
from ..library.trees import is_tree, tree_method
from ..memory import Parts
from ..program import ends_program
from ..state import SOFT_STEPS, STEPS, Frame, HostState, Leave, Spent
from ..values import UNKNOWN, Code, Fields, Reference, Unknown, Value, converted, depending
from .expressions import evaluate, location_of, passed

_DEPTH = 24
_CALL_STEPS = 40_000
_STANDARD = "c:@N@std@S@"


def enter(state: HostState, function: sx.Function, arguments: Sequence[Value]) -> Value:
    """Run a function; return its result."""
    if len(state.frames) > _DEPTH:
        return state.unknown(f"{function.name}()", "recursion", function.body)
    kept = _kept(state, function)
    for position, parameter in enumerate(function.parameters):
        value = arguments[position] if position < len(arguments) else UNKNOWN
        declare(state, parameter, value)
    state.frames.append(Frame(function.key))
    try:
        state.handlers.run(state, function.body)
    finally:
        frame = state.frames.pop()
    for variable, parts in kept.items():
        state.memory.put(variable, parts)
    return _result(state, function, frame)


def _result(state: HostState, function: sx.Function, frame: Frame) -> Value:
    """Return the result of a function: a choice where open conditions decide."""
    results = frame.results
    if not results:
        return UNKNOWN
    if all(result == results[0] for result in results):
        return results[0]
    if any(isinstance(result, Fields) for result in results):
        return UNKNOWN
    if frame.guards.keys() == set(range(len(results) - 1)):
        value = results[-1]
        for number in reversed(range(len(results) - 1)):
            given, is_then = frame.guards[number]
            arms = (results[number], value) if is_then else (value, results[number])
            value = depending("?:", (given, *arms))
        return value
    sources = [source for result in results if isinstance(result, Unknown) for source in result.sources]
    if sources:
        return Unknown(tuple(dict.fromkeys(sources))[:4])
    return state.unknown(f"{function.name}()", "dependent", function.body)


def _dispatched(state: HostState, call: sx.Call, function: sx.Function | None) -> sx.Function | None:
    """Return the body that runs for a virtual method: that of the class of the object, where it is known."""
    overrides = state.program.overrides(call.name)
    known = [item for item in overrides if len(item.parameters) == len(call.arguments)]
    if known == [function]:
        return function
    this = evaluate(state, call.arguments[0]) if call.arguments else UNKNOWN
    if not isinstance(this, Reference) or this.path not in ("", "[0]"):
        return None
    kind = this.variable.type
    owner = kind.name.rsplit("::", 1)[-1] if isinstance(kind, sx.StructT) else ""
    own = [item for item in known if item.name == f"{owner}::{call.name}"]
    return own[0] if own else None


def _enter_briefly(state: HostState, call: sx.Call, function: sx.Function, values: Sequence[Value]) -> Value:
    """Run a call that launches nothing; where it takes too long its effects are unknown."""
    depth, memory, summarized = len(state.frames), state.memory, state.summarized
    given = min(_CALL_STEPS, (STEPS - state.steps) // 3)
    state.limit, state.soft_limit = state.steps + given, min(SOFT_STEPS, state.steps + given // 2)
    try:
        return enter(state, function, values)
    except Spent:
        state.memory, state.summarized = memory, summarized
        del state.frames[depth:]
        for value in values:
            state.set_by(function.name, value, call)
        state.doubt_forms(values)
        return state.unknown(f"{function.name}()", "too-long", call)
    finally:
        state.limit, state.soft_limit = STEPS, SOFT_STEPS


def _kept(state: HostState, function: sx.Function) -> dict[sx.Variable, Parts | None]:
    """Return the variables of a function that is running already, which its new call must not change."""
    if not any(frame.function == function.key for frame in state.frames):
        return {}
    own = state.program.local_variables(function)
    return {item: dict(parts) if (parts := state.memory.of(item)) is not None else None for item in own}


def call_function(state: HostState, call: sx.Call) -> Value:
    """Return the result of a call, with its effects."""
    if ends_program(call, state.program.functions):
        for argument in call.arguments:
            evaluate(state, argument)
        if state.summarized is None:
            raise Leave
        return UNKNOWN
    if call.arguments and (found := _of_library(state, call)) is not None:
        return found
    function = state.program.functions.get(call.function)
    if function.is_virtual if function is not None else "@S@" in call.function:
        function = _dispatched(state, call, function)
        if function is None and call.function in state.program.functions:
            return state.unknown(f"{call.name}()", "class", call)
    if function is not None and function.kind is not sx.FunctionKind.KERNEL:
        values = arguments_of(state, function, call.arguments)
        state.note_order(call.name, values)
        if state.limit < STEPS or function.key in state.program.launching:
            return _enter_at(state, call, function, values)
        return _enter_briefly(state, call, function, values)
    if call.name == "append" and len(call.arguments) == 2:
        return _append_text(state, call)
    values = [_given(state, call, argument) for argument in call.arguments]
    state.note_order(call.name, values)
    return call_library(state, call, values)


def _of_library(state: HostState, call: sx.Call) -> Value | None:
    """Return the result of a method of a map, a set or a string stream of the C++ library; None for other calls."""
    owner = call.arguments[0]
    if call.function in state.program.functions and not call.function.startswith(_STANDARD):
        return None
    kind = state.program.type_of(owner)
    kind = kind.target if isinstance(kind, sx.PointerT) else kind
    if is_tree(kind):
        this = _object(state, owner)
        return tree_method(state, call, kind, [this, *(evaluate(state, argument) for argument in call.arguments[1:])])
    if is_stream(kind):
        this = _object(state, owner)
        return stream_method(state, call, this, [_given(state, call, argument) for argument in call.arguments[1:]])
    return None


def _object(state: HostState, owner: sx.Expression) -> Value:
    """Return the address of the object that a method is called for; its value where it has none."""
    if isinstance(state.program.type_of(owner), sx.PointerT):
        return evaluate(state, owner)
    location = location_of(state, owner)
    return evaluate(state, owner) if location is None else Reference(*location)


def _append_text(state: HostState, call: sx.Call) -> Value:
    """Run ``text.append(more)`` or ``text += more``."""
    location, more = location_of(state, call.arguments[0]), evaluate(state, call.arguments[1])
    before = evaluate(state, call.arguments[0])
    value = sum_of_texts(state, call, [before, more])
    if location is not None:
        state.store(location, value)
    return value


def _given(state: HostState, call: sx.Call, argument: sx.Expression) -> Value:
    """Return an argument of a library function: streams and ``swap`` take references."""
    if call.name in ("operator>>", "swap", "getline"):
        location = location_of(state, argument)
        if location is not None:
            return Reference(*location)
    return evaluate(state, argument)


def call_through_value(state: HostState, expression: sx.OpaqueExpression) -> Value | None:
    """Return the result of a call through a value that holds a function; None where it is not known which."""
    value = None if expression.called is None else evaluate(state, expression.called)
    if not isinstance(value, Code):
        return None
    function = state.program.functions.get(value.key)
    if function is None or function.kind is sx.FunctionKind.KERNEL:
        return None
    pairs = zip(expression.operands, function.parameters[len(value.bound) :], strict=False)
    given = [passed(state, parameter, argument) for argument, parameter in pairs]
    return _enter_at(state, expression, function, [*value.bound, *given])


def _enter_at(state: HostState, call: sx.Expression, function: sx.Function, values: Sequence[Value]) -> Value:
    """Enter a function that may launch: its launches are those of this call; a recursion is one call."""
    is_new = id(call) not in state.path
    if is_new:
        state.path.append(id(call))
    try:
        return enter(state, function, values)
    finally:
        if is_new:
            state.path.pop()


def arguments_of(state: HostState, function: sx.Function, arguments: Sequence[sx.Expression]) -> list[Value]:
    """Return the values, or for references the addresses, of the arguments of a call."""
    return [
        passed(state, parameter, argument) for argument, parameter in zip(arguments, function.parameters, strict=False)
    ]


def declare(state: HostState, variable: sx.Variable, value: Value | None) -> None:
    """Give a declared variable its first value: the one given from outside, else ``value`` where there is one."""
    given = state.program.defines.get(variable.name)
    if given is not None and isinstance(variable.type, sx.ScalarT) and not variable.reference:
        value = given
    if value is not None:
        first = value if variable.reference else converted(value, variable.type)
        state.memory.store((variable, ""), first)
