"""Numbers of elements of containers: an integer for each, which branches and loops follow like any other variable.

The integer belongs to the memory of the elements, so that it moves along where containers change places.  The rows of a
container of containers share one number, that of all of them, or have a symbol (``w[].size``: their average).
"""

from __future__ import annotations

from .....ir.index import ZERO, Poly, const
from .....ir.nodes import SymbolOrigin
from .....source import NO_SPAN
from ....surface import nodes as sx
from ...names.bindings import Integer, Location, Lvalue, Pointer, Slot, with_last
from ...state import State
from ..pointers import forget_extent, measure_new, slot_pointer
from ..pointers_in_memory import pointed_at, pointers_in
from .rows import COUNTER, count_of_row, lose_rows, note_empty_rows, note_no_rows, note_row

_SIZES = frozenset({"size", "length", "ssize"})


def count_of(state: State, container: Lvalue | None, elements: Lvalue | None = None, name: str = "size") -> Poly:
    """Return the number of elements of a container, a symbol ``v.size`` where it is not known."""
    found = elements_of(state, container) if container is not None else elements
    if name not in _SIZES or not isinstance(found, Location):
        array = found.array if isinstance(found, Location) else ""
        return state.symbols.named(f"{_name(container) or array}.{name}", SymbolOrigin.VARIABLE)
    if isinstance(container, Slot) and (count := _count_of_view(state, container, found)) is not None:
        return count
    slots = size_slots(state, found, container)
    if not slots:
        return _count_of_rows(state, found, container, name)
    counts = {_count_in(state, slot) for slot in slots}
    return counts.pop() if len(counts) == 1 else state.lost(f"{_name(container) or found.array}.{name}")


def _count_of_view(state: State, view: Slot, elements: Location) -> Poly | None:
    """Return the number of elements that a view was made with; None for a container, or a view of the whole of one."""
    bound = state.environment.get(view)
    if isinstance(bound, Pointer) and bound.count is not None:
        return bound.count
    is_view = isinstance(view.type, sx.PointerT) and not view.type.owns
    if is_view and elements.subscripts[-1:] != (ZERO,):
        return state.lost(f"{_name(view)}.size")
    return None


def _count_in(state: State, slot: Slot) -> Poly:
    if slot.variable in state.memory.unsettled and state.environment.get(slot) is None:
        return state.lost(slot.variable.name)
    return state.integer(slot).value


def _count_of_rows(state: State, elements: Location, container: Lvalue | None, name: str) -> Poly:
    known = count_of_row(state, elements)
    if known is not None:
        return known
    return state.symbols.named(f"{_name(container) or elements.array}.{name}", SymbolOrigin.VARIABLE)


def elements_of(state: State, container: Lvalue) -> Location | None:
    """Return the first element of a container; None where that is not known."""
    if isinstance(container, Slot):
        pointer = slot_pointer(state, container)
    elif isinstance(container.type, sx.PointerT):
        pointer = pointed_at(state, container, NO_SPAN)
    else:
        return None
    return pointer.target if isinstance(pointer.target, Location) else None


def size_slots(state: State, elements: Location, container: Lvalue | None = None) -> list[Slot]:
    """Return the integer variables that hold the number of elements of a container: one for each that it may be.

    A row of another container has none.
    """
    arrays = state.memory.members(elements.array)
    if len(elements.subscripts) - (elements.array in state.memory.tables) > 1:
        return []
    return [_size_slot(state, array, _name(container) if len(arrays) == 1 else "") for array in sorted(arrays)]


def _size_slot(state: State, array: str, name: str) -> Slot:
    variable = state.memory.sizes.get(array)
    if variable is None:
        variable = sx.Variable(f"{name or array}.size", COUNTER, sx.Storage.PARAMETER, NO_SPAN)
        state.memory.sizes[array] = variable
    return Slot(variable, COUNTER)


def note_count(state: State, elements: Location, count: Poly | None, container: Lvalue | None = None) -> None:
    """Hold the number of elements of a container that is made or copied; None: it is not known."""
    is_new = elements.array not in state.memory.sizes
    slots = size_slots(state, elements, container)
    if not slots:
        note_row(state, elements, count)
    elif count is not None or not is_new:
        if count == ZERO:
            note_no_rows(state, elements)
        _hold(state, elements, slots, count)


def note_room(state: State, elements: Location, room: Poly | None) -> None:
    """Hold how many elements the memory of a container has room for; None: it is not known."""
    state.memory.rooms.pop(elements.array, None)
    if room is not None and len(elements.subscripts) == 1 and not room.unknowns():
        state.memory.rooms[elements.array] = tuple(state.flow.iterators()), room


def room_of(state: State, elements: Location) -> Poly | None:
    """Return how many elements the memory of a container has room for; None where that may have changed."""
    around, room = state.memory.rooms.get(elements.array, (None, None))
    return room if around == tuple(state.flow.iterators()) else None


def change_count(state: State, elements: Location, count: Poly | None, container: Lvalue) -> None:
    """Give a container another number of elements; where no loop around follows it, the number is not known later."""
    slots = size_slots(state, elements, container)
    for slot in slots:
        if state.flow.loops and state.environment.get(slot) is None:
            state.memory.unsettled.add(slot.variable)
            count = None
    if count == ZERO:
        note_no_rows(state, elements)
    elif count is None:
        lose_rows(state, elements)
    _hold(state, elements, slots, count)


def _hold(state: State, elements: Location, slots: list[Slot], count: Poly | None) -> None:
    """Bind the number of elements; of one of several containers none is known then, unless all have this number.

    One that has no elements yet, as a member before its constructor, has no memory of another size.
    """
    known = [state.environment.get(slot) for slot in slots]
    if count is not None and len(slots) > 1 and set(known) != {Integer(count)}:
        count = None
    if count is None or any(bound not in (None, Integer(ZERO), Integer(count)) for bound in known):
        for array in state.memory.members(elements.array):
            forget_extent(state.memory, array)
    number = None if count is None else count.constant
    if count is not None and number is None:
        state.memory.sized_by |= count.names()
    if number and known == [Integer(ZERO)]:
        measure_new(state.memory, elements.array, number)
    for slot in slots:
        state.environment.bind(slot, Integer(state.lost(slot.variable.name) if count is None else count))


def note_new_rows(state: State, elements: Location, *, are_new: bool = True) -> None:
    """Note that the containers that are elements of another one start without elements, where they ``are_new``."""
    rows = elements_of(state, elements)
    if rows is not None and not size_slots(state, rows):
        note_empty_rows(state, rows, are_new=are_new)
        return
    for number in range(pointers_in(state, elements) if are_new else 0):
        container = with_last(elements, const(number))
        followed = elements_of(state, container)
        if followed is not None:
            note_count(state, followed, ZERO, container)


def containers_in(variable: sx.Variable) -> list[Slot]:
    """Return the containers that a variable is or has as members."""
    found: list[Slot] = []
    waiting = [Slot(variable, variable.type)]
    while waiting:
        slot = waiting.pop()
        match slot.type:
            case sx.PointerT(owns=True):
                found.append(slot)
            case sx.StructT(fields=fields):
                waiting += [Slot(variable, entry.type, f"{slot.path}.{entry.name}") for entry in fields]
    return found


def _name(container: Lvalue | None) -> str:
    match container:
        case Slot(variable=variable, path=path):
            return variable.name + path
        case Location(array=array, member=member):
            return f"{array}->{member}" if member else f"{array}[]"
        case None:
            return ""
