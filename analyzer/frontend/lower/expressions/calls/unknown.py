"""Calls of functions that nothing is known of: opaque and reported; the integers that they may change are lost."""

from __future__ import annotations

from collections.abc import Sequence

from .....ir.types import UNKNOWN
from .....ir.values import Opaque, Value
from ....known_functions import table
from ....surface import nodes as sx
from ....surface.constructs import construct
from ...functions.handed import handed_containers
from ...layout import element_type
from ...names.bindings import Fresh, Result, Slot
from ...state import State
from ..containers.methods import lose_counts
from ..followed_elements import give_away
from ..pointers import as_value
from ..values.lost import lose_integers

_REST = "__rest_of_"  # by which our headers call what a function of a library does beyond the least that is counted


def is_end(state: State, call: sx.Call) -> bool:
    """Return whether a call ends the program: ``exit`` and its like, and under a condition what is named like them."""
    if call.function in state.inputs.unit.functions:
        return False
    return call.ends or table().is_end(call.name) or (bool(state.emitter.path) and table().may_be_end(call.name))


def unknown(state: State, call: sx.Call) -> Result:
    """Report a call of a function that neither the program nor the table has, and return it as opaque."""
    result = unknown_result(state, call, has_work=True)
    form = "rest" if call.name.startswith(_REST) else "body"
    state.emitter.report("AI201", call.span, form, function=call.name.removeprefix(_REST))
    return result


def unknown_result(state: State, call: sx.Call, *, has_work: bool) -> Result:
    """Return the result of a call that may change what its arguments give access to."""
    operands: list[Value] = []
    for container in handed_containers(call):
        lose_counts(state, container)
    for argument in call.arguments:
        match argument:
            case sx.Unary(operator="&") | sx.Unary(operator="*", operand=sx.Unary(operator="&")):
                clobber(state, argument)
            case _:
                with state.as_data():
                    result = state.evaluate(argument)
                give_away(state, result)
                operands.append(as_value(result))
    return opaque(state, call, operands, has_work=has_work)


def opaque(state: State, call: sx.Call, operands: Sequence[Value], *, has_work: bool = True) -> Result:
    """Return the result of a call whose work is not known; memory that it returns is fresh."""
    kind = UNKNOWN if isinstance(call.type, sx.StructT | sx.ArrayT) else element_type(state.inputs, call.type)
    form = "rest-of-a-function" if call.name.startswith(_REST) else "call"
    what = construct(form, function=call.name.removeprefix(_REST))
    result = Opaque(what, kind, tuple(operands), has_work=has_work)
    if not isinstance(call.type, sx.PointerT):
        return result
    state.emitter.emit(None, result, call.span)
    return Fresh()


def clobber(state: State, argument: sx.Unary) -> None:
    """Give a variable any value: a function that may write it has its address, or a reference (``*&x``)."""
    if argument.operator == "*" and isinstance(argument.operand, sx.Unary):
        argument = argument.operand
    location = state.lvalue(argument.operand)
    if isinstance(location, Slot) and isinstance(location.type, sx.ScalarT | sx.StructT):
        lose_integers(state, location)
    give_away(state, location)
