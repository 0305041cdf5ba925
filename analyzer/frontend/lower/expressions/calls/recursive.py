"""Recursive functions at their calls: which are loops over all calls, and which are followed call by call.

A call that counts its way down from a known number (``factorial(4)``, the levels of a V-cycle) has as many calls inside
as its tests of that number say.  It is followed where the loop over its calls leaves trip counts open.
"""

from __future__ import annotations

from collections.abc import Callable

from .....ir.index import Poly
from .....ir.nodes import Node
from ....surface import nodes as sx
from ....surface.constants import constant_value
from ...decided import has_uncounted
from ...flow import Frame
from ...functions.recursion import Repeated
from ...state import Checkpoint, State

_MOST_INNER = 16  # calls of a function in itself that are followed one by one
_MOST_CALLS, _MOST_NODES = 32, 2_000  # of a function that is followed where the loop over its calls is open
_MOST_IN_VAIN = 4_000  # nodes of a region that were lowered for calls which turned out to be open


def is_open(state: State, repeated: Repeated) -> bool:
    """Return whether the loop over the calls of a recursive function is being lowered."""
    return any(frame.function.key == repeated.loop.key for frame in state.flow.frames)


def is_among(state: State, repeated: Repeated) -> bool:
    """Return whether a function is being lowered through which a recursive one calls itself."""
    return any(frame.function.key in repeated.through for frame in state.flow.frames)


def is_recursive(state: State, function: sx.Function) -> bool:
    """Return whether a function is being lowered in place of a call of it."""
    return any(frame.function.key == function.key for frame in state.flow.frames)


def counts_down(state: State, call: sx.Call, function: sx.Function) -> bool:
    """Return whether a known whole number of an inner call ends the recursion soon: it is not that of the call around.

    A lambda that hands itself on is followed so; a function that names itself is the loop over its calls.
    """
    around = [frame for frame in state.flow.frames if frame.function.name == function.name]
    if len(around) > _MOST_INNER:
        return False
    numbers = [integer_argument(state, *each) for each in zip(function.parameters, call.arguments, strict=False)]
    return any(number is not None and number.constant is not None for number in numbers)


def is_of_numbers(state: State, call: sx.Call, function: sx.Function) -> bool:
    """Return whether a function makes a whole number of a few known ones: ``factorial(4)``, followed call by call."""
    kinds = [parameter.type for parameter in function.parameters]
    if not kinds or not all(
        isinstance(k, sx.ScalarT) and k.element.scalar.is_integer for k in (*kinds, function.result)
    ):
        return False
    is_inner = any(frame.function.key in state.inputs.repeated for frame in state.flow.frames)
    if not is_inner and any(constant_value(argument) is None for argument in call.arguments):
        return False  # a number that a loop which runs step by step gives
    given = [integer_argument(state, *each) for each in zip(function.parameters, call.arguments, strict=False)]
    numbers = [number.constant for number in given if number is not None]
    return len(numbers) == len(kinds) and all(number is not None and abs(number) <= _MOST_INNER for number in numbers)


def integer_argument(state: State, parameter: sx.Variable, argument: sx.Expression) -> Poly | None:
    """Return the value of an integer argument, emitting nothing; None for others, and where it needs data."""
    kind = parameter.type
    return state.quietly(argument) if isinstance(kind, sx.ScalarT) and kind.element.scalar.is_integer else None


def calls_or_loop(
    state: State,
    call: sx.Call,
    function: sx.Function,
    loop: sx.Function,
    inlined: Callable[[State, sx.Call, sx.Function], Frame],
) -> Frame:
    """Lower a recursive function as the ``loop`` over its calls, or call by call where only that gives trip counts.

    A call by call is one of a known number, and of few calls.
    """
    may_follow = counts_down(state, call, function) and state.flow.vain <= _MOST_IN_VAIN
    if not may_follow:
        return inlined(state, call, loop)
    before = state.checkpoint()
    frame, nodes = _tried(state, lambda: inlined(state, call, loop))
    if has_uncounted(nodes):
        _take_back(state, before)
        state.flow.followed[function.key] = _MOST_CALLS
        frame, nodes = _tried(state, lambda: inlined(state, call, function))
        if state.flow.followed.pop(function.key) < 0 or state.emitter.emitted - before.emitted > _MOST_NODES:
            _take_back(state, before)
            return inlined(state, call, loop)
    state.emitter.block.extend(nodes)
    return frame


def _tried(state: State, lower: Callable[[], Frame]) -> tuple[Frame, list[Node]]:
    with state.emitter.capture() as nodes:
        frame = lower()
    return frame, nodes


def _take_back(state: State, before: Checkpoint) -> None:
    state.flow.vain += state.emitter.emitted - before.emitted
    state.restore(before)
    state.flow.resume()


def is_call_by_call(state: State, call: sx.Call, function: sx.Function) -> bool:
    """Return whether a call of a recursive function is followed call by call, as known numbers decide.

    Each call within a function that :func:`calls_or_loop` follows is one of the few that it may have.
    """
    left = state.flow.followed.get(function.key)
    if left is None:
        return is_of_numbers(state, call, function)
    state.flow.followed[function.key] = left - 1
    return left > 0


def give_up(state: State, function: sx.Function) -> None:
    """Note that a function which is followed call by call cannot be, at least not within the limits."""
    if function.key in state.flow.followed:
        state.flow.followed[function.key] = -1
