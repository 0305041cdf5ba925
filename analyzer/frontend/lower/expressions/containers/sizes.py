"""Numbers of elements of containers: an integer for each, which branches and loops follow like any other variable.

The integer belongs to the memory of the elements, so that it moves along where containers change places.  The rows of a
container of containers share one number, that of all of them, or have a symbol (``w[].size``: their average).
"""

from __future__ import annotations

from .....ir.index import ZERO, Poly, var
from .....ir.nodes import SymbolOrigin
from .....ir.types import ElementType, ScalarType
from .....source import NO_SPAN
from ....surface import nodes as sx
from ...names.bindings import Integer, Location, Lvalue, Pointer, Slot
from ...state import State
from ..pointers import forget_extent, pointed_at, slot_pointer

COUNTER = sx.ScalarT(ElementType(ScalarType.INT64))
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
    known = state.memory.counts.get(_rows(elements))
    if known is not None and known.names() <= {*state.symbols.known, *state.flow.iterators()}:
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
        _note_rows(state, elements, count)
    elif count is not None or not is_new:
        if count == ZERO:
            state.memory.rowless.add(elements.array)
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


def _note_rows(state: State, rows: Location, count: Poly | None) -> None:
    """Hold the number of elements of a row: that of all rows, if all have it."""
    counts, key = state.memory.counts, _rows(rows)
    is_first = key not in counts and rows.array.removesuffix("[]") in state.memory.rowless
    is_of_all = count is not None and count.names().isdisjoint(state.flow.iterators()) and _covers_rows(state, rows)
    if not (is_first or is_of_all or counts.get(key) == count):
        count = None
    counts[key] = count


def change_count(state: State, elements: Location, count: Poly | None, container: Lvalue) -> None:
    """Give a container another number of elements; where no loop around follows it, the number is not known later."""
    slots = size_slots(state, elements, container)
    for slot in slots:
        if state.flow.loops and state.environment.get(slot) is None:
            state.memory.unsettled.add(slot.variable)
            count = None
    _hold(state, elements, slots, count)


def _hold(state: State, elements: Location, slots: list[Slot], count: Poly | None) -> None:
    """Bind the number of elements; of one of several containers none is known then, unless all have this number."""
    known = [state.environment.get(slot) for slot in slots]
    if count is not None and len(slots) > 1 and set(known) != {Integer(count)}:
        count = None
    if count is None or any(bound not in (None, Integer(count)) for bound in known):
        for array in state.memory.members(elements.array):
            forget_extent(state.memory, array)
    for slot in slots:
        state.environment.bind(slot, Integer(state.lost(slot.variable.name) if count is None else count))


def note_empty_rows(state: State, elements: Location) -> None:
    """Note that the containers that are elements of a new container start without elements."""
    rows = elements_of(state, elements)
    if rows is not None and not size_slots(state, rows):
        counts, key = state.memory.counts, _rows(rows)
        counts[key] = ZERO if counts.get(key, ZERO) == ZERO else None


def _covers_rows(state: State, elements: Location) -> bool:
    """Return whether the loops around go through all rows of a container, where these are the rows' elements."""
    loops, outer = state.flow.loops, elements.subscripts[:-1]
    if len(loops) != len(outer) or state.emitter.path[state.flow.targets[-1].depth :]:
        return False
    array = elements.array.removesuffix("[]" * len(outer))
    for level, (loop, subscript) in enumerate(zip(loops, outer, strict=True)):
        count = _known_count(state, array + "[]" * level, level + 1)
        if not loop.dense or subscript != var(loop.iterator) or loop.lower != ZERO or loop.upper is None:
            return False
        if count is None or loop.upper + 1 != count:
            return False
    return True


def _known_count(state: State, array: str, dimensions: int) -> Poly | None:
    if dimensions > 1:
        return state.memory.counts.get((array, dimensions))
    variable = state.memory.sizes.get(array)
    bound = None if variable is None else state.environment.get(Slot(variable, COUNTER))
    return bound.value if isinstance(bound, Integer) else None


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


def _rows(elements: Location) -> tuple[str, int]:
    return elements.array, len(elements.subscripts)
