"""Copies of arrays, of containers, and of classes that hold some: loops over the elements, as bytes move."""

from __future__ import annotations

from msgspec.structs import replace

from ....ir.index import Poly
from ....ir.nodes import SymbolOrigin
from ....ir.types import ElementType, ScalarType
from ....source import Span
from ...surface import nodes as sx
from ...surface.constructs import construct
from ...surface.designation import is_designator
from ...surface.types import type_of
from ..layout import extent
from ..names.bindings import Aggregate, Fresh, Integer, Location, Lvalue, Pointer, Result, Slot
from ..state import State

_SIZES = frozenset({"size", "length", "ssize"})
_COUNTER = sx.ScalarT(ElementType(ScalarType.INT64))


def as_own(state: State, expression: sx.Expression, result: Result, target: sx.CType) -> Result:
    """Return the value that an object of type ``target`` gets: of another object that owns memory, a copy of it."""
    if isinstance(expression, sx.InitializerList) and len(expression.items) == 1:
        expression = expression.items[0]
    if not is_designator(expression):
        return result
    match result:
        case Pointer() if _owns(target) and _owns(type_of(expression)):
            return Fresh(count=count_of(state, result.target, state.lvalue(expression)), copied=result)
        case Aggregate():
            return replace(result, copied=True)
        case _:
            return result


def _owns(kind: sx.CType) -> bool:
    return isinstance(kind, sx.PointerT) and kind.owns


def count_of(state: State, elements: Lvalue, container: Lvalue | None, name: str = "size") -> Poly:
    """Return the number of elements of a container: those that it was made with, else the symbol ``v.size``."""
    array = elements.array if isinstance(elements, Location) else ""
    known = None if state.inputs.resizes or name not in _SIZES else _known_count(state, elements, elements is container)
    if known is not None and known.names() <= {*state.symbols.known, *state.flow.iterators()}:
        return known
    return state.symbols.named(f"{_name(container) or array}.{name}", SymbolOrigin.VARIABLE)


def _known_count(state: State, elements: Lvalue, is_row: bool) -> Poly | None:
    """Return the number of elements that an array was made with, or each of those that a pointer may point at."""
    array, dimension = _rows(elements, is_row)
    if array not in state.memory.tables:
        return state.memory.counts.get((array, dimension))
    found = {state.memory.counts.get((member, dimension - 1)) for member in state.memory.members(array)}
    return found.pop() if len(found) == 1 else None


def _name(container: Lvalue | None) -> str:
    match container:
        case Slot(variable=variable, path=path):
            return variable.name + path
        case Location(array=array, member=member):
            return f"{array}->{member}" if member else f"{array}[]"
        case None:
            return ""


def _rows(elements: Lvalue, is_row: bool = False) -> tuple[str, int]:
    """Return the array and the dimension of some elements, or of those of a row that is an element of the array."""
    return (elements.array, len(elements.subscripts) + is_row) if isinstance(elements, Location) else ("", 0)


def note_count(state: State, elements: Location, count: Poly | None) -> None:
    """Hold the number of elements that an array is allocated with; another number than before makes it unknown."""
    counts, rows = state.memory.counts, _rows(elements)
    counts[rows] = count if counts.get(rows, count) == count else None


def copy_array(state: State, target: Pointer, source: Pointer, kind: sx.ArrayT, span: Span) -> None:
    """Copy the elements of an array of a fixed number of them."""
    count = extent(state, kind)
    if count is None:
        state.emitter.lose(construct("copied-array"), span)
    else:
        copy_elements(state, target, source, count, kind.element, span)


def copy_elements(state: State, target: Pointer, source: Pointer, count: Poly, element: sx.CType, span: Span) -> None:
    """Run ``for (k = 0; k < count; k++) to[k] = from[k]``."""
    to, origin = _bound(state, "to", target, element, span), _bound(state, "from", source, element, span)
    state.run(_loop(to, origin, _counted(state, count, span), element, span))


def fill_elements(
    state: State, target: Pointer, value: sx.Expression, count: Poly, element: sx.CType, span: Span
) -> None:
    """Run ``for (k = 0; k < count; k++) to[k] = value``; the value is computed once."""
    held = sx.Variable("filled", element, sx.Storage.LOCAL, span)
    state.run(sx.Declare(held, value, span))
    to = _bound(state, "to", target, element, span)
    state.run(_loop(to, None, _counted(state, count, span), element, span, sx.Name(held, span)))


def _counted(state: State, count: Poly, span: Span) -> sx.Expression:
    variable = sx.Variable("count", _COUNTER, sx.Storage.LOCAL, span)
    state.environment.bind(Slot(variable, _COUNTER), Integer(count))
    return sx.Name(variable, span)


def _bound(state: State, name: str, pointer: Pointer, element: sx.CType, span: Span) -> sx.Expression:
    variable = sx.Variable(name, sx.PointerT(element), sx.Storage.LOCAL, span)
    state.environment.bind(Slot(variable, variable.type), pointer)
    return sx.Name(variable, span)


def _loop(
    to: sx.Expression,
    origin: sx.Expression | None,
    count: sx.Expression,
    element: sx.CType,
    span: Span,
    value: sx.Expression | None = None,
) -> sx.For:
    """Return the loop that stores elements of ``origin``, or a value."""
    counter = sx.Variable("element", _COUNTER, sx.Storage.LOCAL, span)
    here = sx.Name(counter, span)
    target, source = sx.Index(to, here, span), None if origin is None else sx.Index(origin, here, span)
    if isinstance(element, sx.ArrayT) and element.extent is not None:
        body: sx.Statement = _loop(target, source, element.extent, element.element, span, value)
    else:
        stored = source if source is not None else value
        assert stored is not None
        body = sx.Evaluate(sx.Assign("", target, stored, span), span)
    return sx.For(
        initial=sx.Declare(counter, sx.Number(0, _COUNTER, span), span),
        condition=sx.Binary("<", here, count, span),
        advance=sx.Unary("++x", here, span),
        body=body,
        span=span,
    )
