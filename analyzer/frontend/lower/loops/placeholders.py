"""Placeholders of the variables that a loop changes, and the values of these at the end of one iteration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from ....ir.index import Poly, minimum, var
from ....ir.nodes import Compare, Condition
from ....ir.types import ScalarType
from ...surface import nodes as sx
from ..choices.at_entry import default_pointer, is_bound_at_entry, slot_of
from ..choices.tables import arrays_of, as_row, in_table, settled
from ..expressions.containers.copies import owns
from ..expressions.containers.sizes import containers_in, elements_of, size_slots
from ..expressions.followed_elements import owners_written
from ..expressions.pointers import slot_pointer
from ..expressions.unions import parts_in_union
from ..flow import LoopFacts
from ..functions.effects import Effects
from ..logic import conjuncts
from ..names.bindings import (
    UNKNOWN_VALIDITY,
    Binding,
    Bindings,
    Either,
    Integer,
    Key,
    Location,
    Lvalue,
    Pointer,
    Slot,
    fold,
    with_last,
)
from ..state import State
from .bounds import bound_of
from .written.source import LoopSource, header_step


class Target(Struct, frozen=True):
    """The arrays that a pointer may point at while a loop runs; one that ``stays`` is at one location in each.

    One that ``keeps_row`` stays in the array of a table that it has when the loop starts.
    """

    arrays: frozenset[str] = frozenset()
    stays: bool = False
    keeps_row: bool = False


Targets = Mapping[Key, Target]
"""What pointers may point at while a loop runs, by their variables."""


class Moving(Struct, frozen=True):
    """A variable that a loop may change: its placeholder, its value at entry, and the pointer it was at entry.

    A pointer into a table of arrays also changes the number of its array (``of_table``).  The ``register`` names it in
    reports, and no other variable of the region, also where the source gives several the same name.
    """

    slot: Slot
    name: str
    register: str
    entry: Poly | None
    pointer: Pointer | None
    of_table: bool = False

    @property
    def scalar(self) -> ScalarType | None:
        """Return the type of a number."""
        return self.slot.type.element.scalar if isinstance(self.slot.type, sx.ScalarT) else None


def changed_variables(state: State, effects: Effects) -> list[sx.Variable]:
    """Return the variables that a loop may change, also through references and pointers to them."""
    found = dict(effects.variables)
    for (variable, _), bound in state.environment.bindings.items():
        if isinstance(bound, Pointer) and isinstance(bound.target, Slot):
            is_stored = variable.name in effects.storage and not _is_view(bound.target.type)
            if variable in effects.variables or is_stored:
                found[bound.target.variable] = None
    found.update(dict.fromkeys(owners_written(state, effects)))
    stored = (variable for variable, _ in state.environment.bindings if variable.name in effects.storage)
    found.update(dict.fromkeys(variable for variable in stored if parts_in_union(state, variable)))
    for slot in state.memory.escaped.values():
        if _may_write(effects, slot.type):
            found[slot.variable] = None
    return list(found)


def _is_view(kind: sx.CType) -> bool:
    """Return whether an object is a pointer or a view, which a store in its elements leaves as it is."""
    return isinstance(kind, sx.PointerT) and not kind.owns


def _may_write(effects: Effects, kind: sx.CType) -> bool:
    """Return whether a loop writes a member of the structures of a type in whatever object, or numbers anywhere."""
    if isinstance(kind, sx.StructT):
        return not effects.members.isdisjoint(field.name for field in kind.fields)
    return bool(effects.storage)


def bind_placeholders(
    state: State,
    changed: Sequence[sx.Variable],
    guess: sx.Variable | None,
    iterator: str,
    targets: Targets,
    *,
    names: dict[Key, str],
    resizes: bool,
    members: Set[str] = frozenset(),
) -> list[Moving]:
    """Bind the variables that a loop changes to placeholders; that of the guessed counter is the iterator.

    A variable has the same placeholder, which ``names`` holds, each time that the loop is lowered.  A loop that
    ``resizes`` containers also changes their numbers of elements.  ``members`` are the names of those that
    it may change, also where nothing has given them a value yet.
    """
    moving: list[Moving] = []
    if resizes:
        sizes = dict.fromkeys(slot for variable in changed for slot in sizes_in(state, variable))
        moving += (item for slot in sizes for item in _placeholders(state, slot, None, Target(), names))
    for variable in changed:
        known = state.environment.keys_of(variable)
        slots = [Slot(variable, variable.type)] if not known else []
        for key in known:
            bound = state.environment.bindings[key]
            slots.append(Slot(variable, variable.type if not key[1] else _field_type(bound), key[1]))
        if not _is_bound(state, Slot(variable, variable.type)):
            slots += (slot for slot in _counters_of(variable, members) if slot.key not in known)
        for slot in slots:
            name = iterator if variable is guess and not slot.path else None
            moving.extend(_placeholders(state, slot, name, targets.get(slot.key, Target()), names))
    return moving


def _counters_of(variable: sx.Variable, members: Set[str]) -> Iterator[Slot]:
    """Yield the integers with these names among the members of an object, and of those of its members."""
    waiting = [Slot(variable, variable.type)]
    while waiting:
        slot = waiting.pop()
        for entry in slot.type.fields if isinstance(slot.type, sx.StructT) else ():
            inner = Slot(variable, entry.type, f"{slot.path}.{entry.name}")
            if isinstance(entry.type, sx.StructT):
                waiting.append(inner)
            elif entry.name in members and isinstance(entry.type, sx.ScalarT) and entry.type.element.scalar.is_integer:
                yield inner


def sizes_in(state: State, variable: sx.Variable) -> Iterator[Slot]:
    """Yield the numbers of elements of the containers in a variable."""
    for container in containers_in(variable):
        elements = elements_of(state, container)
        if elements is not None:
            yield from size_slots(state, elements, container)


def _field_type(bound: object) -> sx.CType:
    if isinstance(bound, Pointer):
        return sx.PointerT(bound.target.type)
    return sx.INT if isinstance(bound, Integer) else sx.DOUBLE


def _is_bound(state: State, slot: Slot) -> bool:
    return isinstance(state.environment.get(slot), Pointer | Either)


def _placeholders(state: State, slot: Slot, name: str | None, among: Target, names: dict[Key, str]) -> Iterator[Moving]:
    if slot.variable.reference and not slot.path and (owns(slot.type) or _is_bound(state, slot)):
        return
    register = state.memory.register_name(slot.variable) + slot.path
    match slot.type:
        case sx.ScalarT(element) if element.scalar.is_integer and element.lanes == 1:
            bound = state.environment.get(slot)
            local = slot.variable.storage in (sx.Storage.LOCAL, sx.Storage.UNDECLARED, sx.Storage.GLOBAL)
            entry = bound.value if isinstance(bound, Integer) else None if local else state.integer(slot).value
            placeholder = name or _name_of(state, slot, names)
            state.symbols.registers[placeholder] = register
            state.environment.bind(slot, Integer(var(placeholder)))
            yield Moving(slot, placeholder, register, entry, None)
        case sx.PointerT():
            pointer = slot_pointer(state, slot)
            if isinstance(pointer.target, Slot) and among.arrays:  # an object, and others in memory later
                pointer = default_pointer(state, slot)
            location = pointer.target
            if isinstance(location, Slot) or not location.subscripts:
                return
            if not among.arrays <= state.memory.members(location.array):
                pointer = Pointer(in_table(state, location, among.arrays))
                location = pointer.target
                assert isinstance(location, Location)
            moved = location
            if not among.stays:
                placeholder = name or _name_of(state, slot, names)
                moved = with_last(location, var(placeholder))
                yield Moving(slot, placeholder, register, location.subscripts[-1], pointer)
            if location.array in state.memory.tables and not among.keeps_row:
                row = state.symbols.placeholder(slot.variable.name)
                moved = replace(moved, subscripts=(var(row), *moved.subscripts[1:]))
                yield Moving(slot, row, register, location.subscripts[0], pointer, of_table=True)
            count = None if pointer.count is None else state.lost("size")
            state.environment.bind(slot, Pointer(moved, count, None if pointer.valid is None else UNKNOWN_VALIDITY))


def _name_of(state: State, slot: Slot, names: dict[Key, str]) -> str:
    if slot.key not in names:
        names[slot.key] = state.symbols.placeholder(slot.variable.name)
    return names[slot.key]


def iterator_facts(
    state: State, source: LoopSource, iterator: str, moving: list[Moving], condition: Condition
) -> LoopFacts:
    """Return bounds of the iterator that hold while the body is lowered, where the header alone decides them."""
    item = next((item for item in moving if item.name == iterator), None)
    if item is None or item.entry is None or source.test_last or item.entry.unknowns():
        return LoopFacts(iterator)
    step = header_step(source, item.slot.variable)
    if step == 0 or item.slot.variable in state.effects(source.body, source.condition).variables:
        return LoopFacts(iterator)
    names = {other.name for other in moving}
    stops = []
    for part in conjuncts(condition):
        bound = bound_of(part, iterator, step) if isinstance(part, Compare) else None
        if bound is None or bound.upper != (step > 0) or bound.stop.unknowns() or bound.stop.names() & names:
            continue
        stops.append(bound.stop)
    if step > 0:
        dense = len(stops) == 1 and _takes_all(state, source, condition)
        return LoopFacts(iterator, item.entry, minimum(stops) - 1 if stops else None, dense)
    return LoopFacts(iterator, stops[0] + 1 if len(stops) == 1 else None, item.entry)


def _takes_all(state: State, source: LoopSource, condition: Condition) -> bool:
    """Return whether a loop steps by one to its only bound, and nothing in it leaves it or ends an iteration."""
    steps = isinstance(source.advance, sx.Unary) and source.advance.operator in ("++x", "x++")
    effects = state.effects(source.condition, source.advance, source.body)
    return steps and isinstance(condition, Compare) and not effects.jumps


def retargeted(state: State, moving: Sequence[Moving], before: Bindings, ended: Bindings) -> dict[Key, Target]:
    """Return the pointers that end an iteration in other arrays than they start it, each with all arrays in question.

    Pointers that exchange their arrays have all of them in common.
    """
    followed = {item.slot.key: item.pointer for item in moving if item.pointer is not None}
    found: dict[Key, frozenset[str]] = {}
    for key, bound in ended.items():
        start = followed.get(key, before.get(key))
        if bound is start:
            continue
        if start is None and is_bound_at_entry(state, key) and isinstance(bound, Pointer | Either):
            start = default_pointer(state, slot_of(key, bound))
        if not isinstance(bound, Pointer | Either) or not isinstance(start, Pointer | Either):
            continue
        first, last = arrays_of(state.memory, start), arrays_of(state.memory, bound)
        last = frozenset(array for array in last if not state.memory.is_behind(array, first))
        if not last <= first or (key not in followed and bound != start):
            found[key] = first | last
    for key, arrays in found.items():
        for other, others in found.items():
            if len(others) > 1 and not arrays.isdisjoint(others):
                found[key] = found[other] = arrays = found[key] | found[other]
    staying = _staying(moving, ended)
    return {key: Target(arrays, key in staying) for key, arrays in found.items()}


def keeping_rows(state: State, moving: Sequence[Moving], tested: Set[sx.Variable], ended: Bindings) -> set[Key]:
    """Return the pointers in the test of a loop that end an iteration in the array in which they start it."""
    rows = (item for item in moving if item.of_table and item.slot.variable in tested)
    return {item.slot.key for item in rows if end_value(state, item, ended) == var(item.name)}


def has_moved(moving: Sequence[Moving], ended: Bindings, targets: Targets) -> bool:
    """Return whether a pointer assumed to stay at one location in each array is elsewhere after an iteration."""
    return not {key for key, target in targets.items() if target.stays} <= _staying(moving, ended)


def _staying(moving: Sequence[Moving], ended: Bindings) -> set[Key]:
    """Return the pointers at the same location in an array at both ends of an iteration, if others are, too."""
    starts = {item.slot.key: item.pointer.target for item in moving if item.pointer is not None}
    entries = [item for item in moving if item.pointer is not None and not item.of_table]
    found = set(starts)
    changed = True
    while changed:
        here = (item for item in entries if item.slot.key in found)
        values = {item.name: item.entry for item in here if item.entry is not None}
        kept = {key for key in found if _stays(starts[key], ended.get(key), values)}
        changed, found = kept != found, kept
    return found


def _stays(start: Lvalue, bound: Binding | None, values: Mapping[str, Poly]) -> bool:
    def is_there(pointer: Pointer) -> bool:
        end = pointer.target
        if not isinstance(end, Location) or not isinstance(start, Location) or not end.subscripts:
            return False
        return end.subscripts[-1].substitute(values) == start.subscripts[-1]

    return isinstance(bound, Pointer | Either) and fold(bound, is_there, lambda _, first, second: first and second)


def end_value(state: State, item: Moving, environment: Bindings) -> Poly | None:
    """Return the value of an integer, or where a pointer is that moved within its array or table; else None."""
    bound = environment.get(item.slot.key)
    if item.pointer is None:
        return bound.value if isinstance(bound, Integer) else None
    entry = item.pointer.target
    if isinstance(bound, Either):
        bound = settled(state, item.slot, bound)
    if not isinstance(bound, Pointer) or not isinstance(bound.target, Location) or not isinstance(entry, Location):
        return None
    location = bound.target
    if entry.array in state.memory.tables:
        if not arrays_of(state.memory, bound) <= state.memory.members(entry.array):
            return None
        location = as_row(state.memory, location, entry.array)
        same = location.strides == entry.strides
    else:
        same = location.array == entry.array and location.subscripts[:-1] == entry.subscripts[:-1]
        same = same and location.strides == entry.strides and location.offset_bytes == entry.offset_bytes
    if item.of_table:
        return location.subscripts[0]
    return location.subscripts[-1] if same else None
