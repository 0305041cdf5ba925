"""Reads through textures, and reads and writes of surfaces: of an array that is named after the texture.

``tex1Dfetch(t, i)`` reads element ``i``.  Where coordinates are real numbers, hardware filters elements around them and
lays out memory by neighbourhoods, as that of surfaces: a read is of one element, beside that of the thread before
(AI313), and what else it touches is open.  The filter is no operation of a thread: the texture unit has it, in fixed
point (CUDA C++ Programming Guide, "Linear Filtering"), and machine code one instruction for the fetch.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from .....ir.index import Poly, unknown
from .....ir.types import UNKNOWN
from .....ir.values import Counted, Load, Opaque, Value
from ....surface import nodes as sx
from ....surface.constructs import construct
from ....surface.designation import without_casts
from ....surface.types import type_of
from ...layout import access, declare_storage, size_bytes
from ...names.bindings import Aggregate, Location, Result
from ...state import State
from ..references import index
from ..updates import update

_BY_INDEX = "tex1Dfetch"
_SURFACE = "surf"  # nothing is filtered


def read_texture(state: State, call: sx.Call, operands: Sequence[Value]) -> Result | None:
    """Return what a texture or surface holds, or store it where the call says; None where it is no array of numbers."""
    first = without_casts(call.arguments[0]) if call.arguments else None
    if isinstance(first, sx.Unary) and first.operator == "&":
        kind, location = type_of(first.operand), state.lvalue(first.operand)
        found = read_texture(state, replace(call, type=kind, arguments=call.arguments[1:]), operands)
        return None if found is None or location is None else update(state, location, "", found, call.span)
    name = "" if first is None else _name_of(first)
    if not name or not isinstance(call.type, sx.ScalarT | sx.StructT):
        return None
    is_indexed = call.name == _BY_INDEX and len(call.arguments) > 1
    if not is_indexed:
        state.emitter.assume("AI313", call.span, "neighbours", function=call.name)
    if not is_indexed and not call.name.startswith(_SURFACE):
        what = construct("filter", function=call.name)
        filtered = Opaque(what, UNKNOWN, tuple(operands), counted=Counted())
        state.emitter.emit(None, filtered, call.span)
    declare_storage(state, name, sx.PointerT(call.type, restrict=True))
    position: Poly = index(state, call.arguments[1]) if is_indexed else _anywhere(state, name)
    location = Location(name, (position,), (size_bytes(state, call.type),), call.type)
    return Aggregate(location) if isinstance(call.type, sx.StructT) else Load(access(state, location))


def write_surface(state: State, call: sx.Call) -> bool:
    """Store what is written to a surface, and return True; False where that is no number, or no variable is written."""
    value, surface, *_ = call.arguments
    name, kind = _name_of(surface), type_of(value)
    if not name or not isinstance(kind, sx.ScalarT | sx.StructT):
        return False
    state.emitter.assume("AI313", call.span, "neighbours", function=call.name)
    declare_storage(state, name, sx.PointerT(kind, restrict=True))
    location = Location(name, (_anywhere(state, name),), (size_bytes(state, kind),), kind)
    update(state, location, "", state.evaluate(value), call.span)
    return True


def _anywhere(state: State, name: str) -> Poly:
    return unknown(f"{state.symbols.label(name)}[]", state.flow.iterators(), rises=1, array=name)


def _name_of(texture: sx.Expression) -> str:
    """Return the name of a texture, empty where it is no variable or member."""
    match without_casts(texture):
        case sx.Name(variable=variable):
            return variable.name
        case sx.Member(name=name):
            return name
        case _:
            return ""
