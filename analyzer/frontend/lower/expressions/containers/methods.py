"""Methods that change containers: elements are stored, and the number of elements is another one afterwards.

What has no body here is unknown, with an unknown number of elements.  A container that was just made with so many
elements moves them where it gets one more; elsewhere it is assumed to have room.
"""

from __future__ import annotations

from msgspec.structs import replace

from .....ir.index import ZERO, Poly
from .....ir.nodes import Comparison, Condition, DataDependent
from .....ir.types import INT32, ScalarType
from .....ir.values import Constant
from .....source import Span
from ....known_functions import table
from ....surface import nodes as sx
from ....surface.types import type_of, zero_of
from ...logic import ALWAYS, compare
from ...names.bindings import Location, Lvalue, Pointer, Result, Slot
from ...state import State
from ..pointers import advanced
from .copies import bound_pointer, copy_elements, counted, fill_elements, list_elements, make_elements
from .rows import count_of_row
from .sizes import (
    change_count,
    containers_in,
    count_of,
    elements_of,
    note_count,
    note_new_rows,
    note_room,
    room_of,
    size_slots,
)

_WITHIN_ROOM = frozenset({"clear", "erase", "pop_back", "resize", "push_back", "emplace_back"})
_DONE = Constant(None, INT32)


def container_method(state: State, call: sx.Call) -> Result | None:
    """Return the result of a method that changes a container; None where the call is none that is followed."""
    if not call.arguments or call.name not in table().resizing | table().reserving:
        return None
    kind = type_of(call.arguments[0])
    if not isinstance(kind, sx.PointerT) or not kind.owns:
        return None
    owner, *given = call.arguments[0], *map(_as_given, call.arguments[1:])
    call = replace(call, arguments=(owner, *given))
    container = state.lvalue(owner)
    elements = None if container is None else elements_of(state, container)
    if container is None or elements is None:
        return None
    if call.name not in _WITHIN_ROOM:
        note_room(state, elements, None)
    if call.name in table().reserving:
        return _reserve(state, elements, given)
    result = _followed(state, call, container, elements)
    if result is None:
        _set_count(state, container, elements, None)
    return result


def _as_given(argument: sx.Expression) -> sx.Expression:
    """Return an object that a method takes by a constant reference: a copy of it is stored, and it stays as it is."""
    kind = type_of(argument)
    is_object = isinstance(kind, sx.StructT) or (isinstance(kind, sx.PointerT) and kind.owns)
    return argument.operand if is_object and isinstance(argument, sx.Cast) else argument


def _followed(state: State, call: sx.Call, container: Lvalue, elements: Location) -> Result | None:
    """Return the result of a method with a known effect, after that effect."""
    given = list(call.arguments[1:])
    match call.name, given:
        case "clear", []:
            return _set_count(state, container, elements, ZERO)
        case "pop_back", []:
            return _set_count(state, container, elements, count_of(state, container) - 1)
        case "resize", [number]:
            return _resize(state, container, elements, number, zero_of(elements.type, call.span))
        case "resize", [number, sx.Call(function=sx.EACH, arguments=[made])]:
            return _resize(state, container, elements, number, made)
        case "resize", [number, value]:
            return _resize_with(state, container, elements, number, value)
        case "assign", _:
            return _assign(state, call, container, elements)
        case "append", _ if is_text(elements.type):
            return _set_count(state, container, elements, None)
        case ("push_back", [_]) | ("emplace_back", [_] | []) if _takes(elements, given):
            return _append(state, call, container, elements)
        case ("erase" | "insert" | "replace", _) if is_text(elements.type):
            return None
        case ("erase", [_] | [_, _]):
            return _erase(state, call, container, elements)
        case ("insert", [_, value]) if _takes(elements, [value]) and not isinstance(value, sx.InitializerList):
            return _insert(state, call, container, elements)
        case ("insert", [_, first, _]) if isinstance(type_of(first), sx.PointerT):
            return _insert(state, call, container, elements)
        case _:
            return None


def _takes(elements: Location, given: list[sx.Expression]) -> bool:
    """Return whether an element is a copy of what is given: no constructor of a class makes it of other things."""
    if not isinstance(elements.type, sx.StructT) or not given:
        return True
    return type_of(given[0]) == elements.type


def _assume_room(state: State, elements: Location, span: Span) -> None:
    """Assume that a container does not move to larger memory, unless it reserved some."""
    if elements.array not in state.memory.roomy:
        state.emitter.assume("AI317", span, "room", elements.array)


def _may_move(state: State, elements: Location, old: Poly, new: Poly | None, span: Span) -> None:
    """Copy the elements of a container to larger memory where it has no room, or under a condition that is unknown."""
    growth = None if new is None else (new - old).constant
    if growth is not None and growth <= 0:
        return
    room = room_of(state, elements)
    note_room(state, elements, new if room == ZERO else None)
    if elements.array in state.memory.roomy or old == ZERO:
        return
    if _is_open(state, old):
        _assume_room(state, elements, span)
        return
    grows = _grows(state, room, new, span)
    with state.emitter.guarded(grows) as nodes:
        copy_elements(state, Pointer(elements), Pointer(elements), old, elements.type, span)
    state.emitter.append_guard(grows, nodes, [], span)


def _make_new(
    state: State, elements: Location, old: Poly, new: Poly | None, value: sx.Expression | None, span: Span
) -> None:
    """Store a value in each element that a container gets; where it is not known how many, in all of them or none."""
    if value is None or new is None or is_text(elements.type):
        return
    if not _is_open(state, old):
        make_elements(state, advanced(state, Pointer(elements), old), value, new - old, elements.type, span)
        return
    grows = DataDependent(state.emitter.temporary(Constant(None, INT32), INT32, span).name, "capacity")
    with state.emitter.guarded(grows) as nodes:
        make_elements(state, Pointer(elements), value, new, elements.type, span)
    state.emitter.append_guard(grows, nodes, [], span)


def _is_open(state: State, count: Poly) -> bool:
    """Return whether a number of elements is not known, or changes from one iteration to the next."""
    is_changing = any(name in state.symbols.wanted and name not in state.symbols.known for name in count.names())
    return bool(count.unknowns()) or is_changing


def _grows(state: State, room: Poly | None, new: Poly | None, span: Span) -> Condition:
    if room is None or new is None or new.unknowns():
        return DataDependent(state.emitter.temporary(Constant(None, INT32), INT32, span).name, "capacity")
    return compare(Comparison.GT, new, room)


def is_text(element: sx.CType) -> bool:
    """Return whether elements are characters: what is done to strings is no work that counts."""
    return isinstance(element, sx.ScalarT) and element.element.scalar is ScalarType.INT8


def _append(state: State, call: sx.Call, container: Lvalue, elements: Location) -> Result:
    owner, *given = call.arguments
    number = count_of(state, container)
    if not size_slots(state, elements, container) and count_of_row(state, elements) is None:
        number = state.lost(elements.array)  # of a row whose number of elements only stands for the average
    room = room_of(state, elements)
    left = None if room is None or room == ZERO or state.flow.loops else (room - number).constant
    if left == 0:
        _may_move(state, elements, number, number + 1, call.span)
    elif left is None or left < 0:
        note_room(state, elements, None)
        _assume_room(state, elements, call.span)
    position = sx.Index(owner, counted(state, number, call.span), call.span)
    if given:
        state.run(sx.Evaluate(sx.Assign("", position, given[0], call.span), call.span))
    _set_count(state, container, elements, number + 1)
    return Pointer(advanced(state, Pointer(elements), number).target) if call.name == "emplace_back" else _DONE


def _erase(state: State, call: sx.Call, container: Lvalue, elements: Location) -> Result | None:
    """Move what is behind the elements that go, if any, to the first of them: ``erase(first)``, ``erase(at, end)``."""
    owner, *ends = call.arguments
    to, *others = (state.evaluate(end) for end in ends)
    if not isinstance(to, Pointer):
        return None
    origin = others[0] if others else advanced(state, to, ZERO + 1)
    if not isinstance(origin, Pointer):
        return None
    number = count_of(state, container)
    before, behind = (_position(state, at, owner, elements, call.span) for at in (to, origin))
    gone = None if before is None or behind is None else behind - before
    some = ALWAYS if gone is None else compare(Comparison.GT, gone, ZERO)
    with state.emitter.guarded(some) as nodes:
        _move_some(state, to, origin, None if behind is None else number - behind, number, elements.type, call.span)
    state.emitter.append_guard(some, nodes, [], call.span)
    left = None if gone is None else number - gone
    _set_count(state, container, elements, left)
    return to


def _insert(state: State, call: sx.Call, container: Lvalue, elements: Location) -> Result | None:
    """Make room at a position, and store a value or copy a range there."""
    owner, at, *given = call.arguments
    to, number = state.evaluate(at), count_of(state, container)
    origin = state.evaluate(given[0]) if len(given) > 1 else None
    added = ZERO + 1 if origin is None else state.quietly(sx.Binary("-", given[1], given[0], call.span))
    if not isinstance(to, Pointer) or added is None or added.unknowns():
        return None
    _assume_room(state, elements, call.span)
    before = _position(state, to, owner, elements, call.span)
    moved = None if before is None else number - before
    _move_some(state, advanced(state, to, added), to, moved, number, elements.type, call.span)
    if isinstance(origin, Pointer):
        copy_elements(state, to, origin, added, elements.type, call.span)
    else:
        here = sx.Unary("*", bound_pointer(state, "at", to, elements.type, call.span), call.span)
        state.run(sx.Evaluate(sx.Assign("", here, given[0], call.span), call.span))
    _set_count(state, container, elements, number + added)
    return to


def _position(state: State, at: Pointer, owner: sx.Expression, elements: Location, span: Span) -> Poly | None:
    """Return the index of an element; None where data decide it."""
    index = state.quietly(sx.Binary("-", bound_pointer(state, "at", at, elements.type, span), owner, span))
    return None if index is None or index.unknowns() else index


def _move_some(
    state: State, to: Pointer, origin: Pointer, moved: Poly | None, most: Poly, element: sx.CType, span: Span
) -> None:
    """Copy elements within a container; where it is not known how many, all of them or none."""
    if moved is not None and not moved.unknowns():
        if moved != ZERO:
            copy_elements(state, to, origin, moved, element, span)
        return
    some = DataDependent(state.emitter.temporary(Constant(None, INT32), INT32, span).name, "position")
    with state.emitter.guarded(some) as nodes:
        copy_elements(state, to, origin, most, element, span)
    state.emitter.append_guard(some, nodes, [], span)


def lose_counts(state: State, expression: sx.Expression) -> None:
    """Let the containers in an object have any number of elements: a function without a body may change them."""
    location = state.lvalue(expression)
    inside: list[Lvalue] = []
    if isinstance(location, Slot):
        inside += [each for each in containers_in(location.variable) if each.path.startswith(location.path)]
    elif location is not None:
        inside.append(location)
    for container in inside:
        elements = elements_of(state, container)
        if elements is not None:
            note_room(state, elements, None)
            _set_count(state, container, elements, None)


def _resize(
    state: State, container: Lvalue, elements: Location, number: sx.Expression, made: sx.Expression | None
) -> Result:
    """Change the number of elements; each new one is made as the expression says."""
    old, new = count_of(state, container), state.quietly(number)
    _may_move(state, elements, old, new, number.span)
    _make_new(state, elements, old, new, made, number.span)
    _set_count(state, container, elements, new)
    if isinstance(elements.type, sx.PointerT) and elements.type.owns:
        note_new_rows(state, elements, are_new=old == ZERO)
    return _DONE


def _resize_with(
    state: State, container: Lvalue, elements: Location, number: sx.Expression, value: sx.Expression
) -> Result | None:
    old, new = count_of(state, container), state.quietly(number)
    if new is not None and not old.unknowns():
        _may_move(state, elements, old, new, number.span)
        start = advanced(state, Pointer(elements), old)
        _set_count(state, container, elements, new)  # first: rows of a few are followed apart
        fill_elements(state, start, value, new - old, elements.type, number.span)
        return _DONE
    return None


def _assign(state: State, call: sx.Call, container: Lvalue, elements: Location) -> Result | None:
    match call.arguments[1:]:
        case [sx.InitializerList(items=items) as listed]:
            list_elements(state, Pointer(elements), listed, elements.type, call.span)
            return _set_count(state, container, elements, ZERO + len(items))
        case [first, last] if isinstance(type_of(first), sx.PointerT) and isinstance(type_of(last), sx.PointerT):
            origin, number = state.evaluate(first), state.quietly(sx.Binary("-", last, first, call.span))
            if not isinstance(origin, Pointer) or number is None:
                return None
            copy_elements(state, Pointer(elements), origin, number, elements.type, call.span)
            return _set_count(state, container, elements, number)
        case [size, value]:
            number = state.quietly(size)
            if number is None:
                return None
            _set_count(state, container, elements, number)
            fill_elements(state, Pointer(elements), value, number, elements.type, call.span)
            return _DONE
        case _:
            return None


def _reserve(state: State, elements: Location, given: list[sx.Expression]) -> Result:
    for argument in given:
        state.quietly(argument)
        state.memory.roomy.add(elements.array)
    return _DONE


def _set_count(state: State, container: Lvalue, elements: Location, number: Poly | None) -> Result:
    if size_slots(state, elements, container):
        change_count(state, elements, number, container)
    else:
        note_count(state, elements, number, container)
    return _DONE
