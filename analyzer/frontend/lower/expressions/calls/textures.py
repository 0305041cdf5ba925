"""Reads through textures: of an array named after the texture, at the index that the program gives, or near a thread.

``tex1Dfetch(t, i)`` reads element ``i``.  Where coordinates are real numbers, hardware filters elements around them and
lays out memory by neighbourhoods: a read is of one element, beside that of the thread before (AI313), and more is open.
"""

from __future__ import annotations

from collections.abc import Sequence

from .....ir.index import Poly, unknown
from .....ir.types import UNKNOWN
from .....ir.values import Load, Opaque, Value
from ....surface import nodes as sx
from ....surface.constructs import construct
from ...functions.instances import without_casts
from ...layout import access, declare_storage, size_bytes
from ...names.bindings import Aggregate, Location
from ...state import State
from ..references import index

_BY_INDEX = "tex1Dfetch"


def read_texture(state: State, call: sx.Call, operands: Sequence[Value]) -> Load | Aggregate | None:
    """Return what a texture holds; None where it is no array of numbers."""
    name = _name_of(call)
    if not name or not isinstance(call.type, sx.ScalarT | sx.StructT):
        return None
    is_indexed = call.name == _BY_INDEX and len(call.arguments) > 1
    if not is_indexed:
        state.emitter.assume("AI313", call.span, "neighbours", function=call.name)
        what = construct("filter", function=call.name)
        filtered = Opaque(what, UNKNOWN, tuple(operands), has_work=True)
        state.emitter.emit(None, filtered, call.span)
    declare_storage(state, name, sx.PointerT(call.type, restrict=True))
    position: Poly = index(state, call.arguments[1]) if is_indexed else _anywhere(state, name)
    location = Location(name, (position,), (size_bytes(state, call.type),), call.type)
    return Aggregate(location) if isinstance(call.type, sx.StructT) else Load(access(state, location))


def _anywhere(state: State, name: str) -> Poly:
    return unknown(f"{state.symbols.label(name)}[]", state.flow.iterators(), rises=1, array=name)


def _name_of(call: sx.Call) -> str:
    """Return the name of the texture that a call reads, empty where it is no variable or member."""
    found = without_casts(call.arguments[0]) if call.arguments else None
    match found:
        case sx.Name(variable=variable):
            return variable.name
        case sx.Member(name=name):
            return name
        case _:
            return ""
