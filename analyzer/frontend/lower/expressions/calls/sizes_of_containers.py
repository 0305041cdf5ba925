"""Numbers of elements that ``v.size()`` gives: of a container that is named, and of a view that a function gives."""

from __future__ import annotations

from .....ir.index import Poly
from .....ir.types import INT32
from .....ir.values import Value
from ....known_functions import table
from ....surface import nodes as sx
from ...layout import element_type
from ...names.bindings import Lvalue, Pointer, Slot
from ...state import State
from ..containers.sizes import count_of
from ..conversions import index_value


def size_of_container(state: State, call: sx.Call, name: str) -> Value | None:
    """Return the symbol ``v.size`` for ``v.size()``; None where ``v`` is no container."""
    if name.rsplit(".", 1)[-1] not in table().accessors or len(call.arguments) != 1:
        return None
    kind = element_type(state.inputs, call.type) if isinstance(call.type, sx.ScalarT) else INT32
    if isinstance(call.arguments[0], sx.Call) and (count := _size_of_view(state, call.arguments[0])) is not None:
        return index_value(count, kind)
    location = _container(state, call.arguments[0])
    if location is None:
        return None
    return index_value(count_of(state, location, name=name), kind)


def _size_of_view(state: State, made: sx.Call) -> Poly | None:
    """Return the number of elements of a view that a function gives (``row(i).size()``); None of others."""
    if not isinstance(made.type, sx.PointerT) or made.type.owns:
        return None
    with state.emitter.capture() as nodes:
        view = state.evaluate(made)
    if not isinstance(view, Pointer) or view.count is None:
        return None
    state.emitter.block.extend(nodes)
    return view.count


def _container(state: State, expression: sx.Expression) -> Lvalue | None:
    """Return the container that is named, or to which a pointer is named."""
    match expression:
        case sx.Unary("*", sx.Name() as pointer):
            pointed = state.lvalue(expression)
            return pointed if isinstance(pointed, Slot) else state.lvalue(pointer)
        case sx.Unary("*" | "&", operand):
            return _container(state, operand)
        case _:
            return state.lvalue(expression)
