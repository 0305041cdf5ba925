"""Placeholders of the variables that a loop changes, and the values of these at the end of one iteration."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ....ir.index import Poly, minimum, var
from ....ir.nodes import Compare, Condition
from ....source import Span
from ...surface import nodes as sx
from ..effects import Effects
from ..emitter import Emitter
from ..expressions.pointers import slot_pointer
from ..flow import LoopFacts
from ..logic import conjuncts
from ..names.bindings import Bindings, Integer, Location, Pointer, Slot, with_last
from ..names.environment import Environment
from ..state import State
from .induction import bound_of
from .source import LoopSource, header_step


class Moving(Struct, frozen=True):
    """A variable that a loop may change: its placeholder, its value at entry, and the pointer it was at entry.

    ``exchanged`` pointers swap their targets in each iteration; they are followed by their names at entry.
    """

    slot: Slot
    name: str
    entry: Poly | None
    pointer: Pointer | None
    exchanged: bool = False


def changed_variables(environment: Environment, effects: Effects) -> list[sx.Variable]:
    """Return the variables that a loop may change, also through references and pointers to them."""
    found = dict(effects.variables)
    for (variable, _), bound in environment.bindings.items():
        through = variable in effects.variables or variable.name in effects.storage
        if through and isinstance(bound, Pointer) and isinstance(bound.target, Slot):
            found[bound.target.variable] = None
    return list(found)


def bind_placeholders(
    state: State, changed: Sequence[sx.Variable], guess: sx.Variable | None, iterator: str
) -> list[Moving]:
    """Bind the variables that a loop changes to placeholders; that of the guessed counter is the iterator."""
    moving: list[Moving] = []
    for variable in changed:
        known = state.environment.keys_of(variable)
        slots = [Slot(variable, variable.type)] if not known else []
        for key in known:
            bound = state.environment.bindings[key]
            slots.append(Slot(variable, variable.type if not key[1] else _field_type(bound), key[1]))
        for slot in slots:
            item = _placeholder(state, slot, iterator if variable is guess and not slot.path else None)
            if item is not None:
                moving.append(item)
    return moving


def _field_type(bound: object) -> sx.CType:
    if isinstance(bound, Pointer):
        return sx.PointerT(bound.target.type)
    return sx.INT if isinstance(bound, Integer) else sx.DOUBLE


def _placeholder(state: State, slot: Slot, name: str | None) -> Moving | None:
    if slot.variable.reference and isinstance(state.environment.get(slot), Pointer):
        return None
    match slot.type:
        case sx.ScalarT(element) if element.scalar.is_integer and element.lanes == 1:
            bound = state.environment.get(slot)
            local = slot.variable.storage in (sx.Storage.LOCAL, sx.Storage.UNDECLARED, sx.Storage.GLOBAL)
            entry = bound.value if isinstance(bound, Integer) else None if local else state.integer(slot).value
            placeholder = name or state.symbols.placeholder(slot.variable.name)
            state.environment.bind(slot, Integer(var(placeholder)))
            return Moving(slot, placeholder, entry, None)
        case sx.PointerT():
            pointer = slot_pointer(state, slot)
            location = pointer.target
            if isinstance(location, Slot) or not location.subscripts:
                return None
            placeholder = name or state.symbols.placeholder(slot.variable.name)
            state.environment.bind(slot, Pointer(with_last(location, var(placeholder))))
            return Moving(slot, placeholder, location.subscripts[-1], pointer)
    return None


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
        return LoopFacts(iterator, item.entry, minimum(stops) - 1 if stops else None)
    return LoopFacts(iterator, stops[0] + 1 if len(stops) == 1 else None, item.entry)


def with_exchanges(emitter: Emitter, moving: list[Moving], ended: Bindings, span: Span) -> list[Moving]:
    """Mark pointers that end an iteration at the target of another one: double buffering."""
    entries = {
        item.pointer.target.array for item in moving if item.pointer and isinstance(item.pointer.target, Location)
    }
    marked = []
    for item in moving:
        bound = ended.get(item.slot.key)
        if item.pointer and isinstance(bound, Pointer) and isinstance(bound.target, Location):
            entry = item.pointer.target
            assert isinstance(entry, Location)
            if bound.target.array != entry.array and bound.target.array in entries:
                item = replace(item, exchanged=True)
                emitter.assume("AI302", span, "exchanged", item.slot.variable.name, array=entry.array)
        marked.append(item)
    return marked


def end_value(item: Moving, environment: Bindings) -> Poly | None:
    """Return the value of an integer, or the last subscript of a pointer that moved within its array; else None."""
    bound = environment.get(item.slot.key)
    if item.pointer is None:
        return bound.value if isinstance(bound, Integer) else None
    entry = item.pointer.target
    if not isinstance(bound, Pointer) or not isinstance(bound.target, Location) or not isinstance(entry, Location):
        return None
    location = bound.target
    same = location.array == entry.array and location.subscripts[:-1] == entry.subscripts[:-1]
    same = same and location.strides == entry.strides and location.offset_bytes == entry.offset_bytes
    return location.subscripts[-1] if same else None
