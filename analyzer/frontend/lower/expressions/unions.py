"""Members of a union that are numbers in registers: what is stored to one of them is the value of the others, too."""

from __future__ import annotations

from collections.abc import Iterator

from ....ir.values import Apply, Operation, Register
from ....source import Span
from ...surface import nodes as sx
from ...surface.layout import overlap, size_bytes
from ..layout import element_type
from ..names.bindings import Integer, Slot
from ..state import State


def share_bytes(state: State, stored: Slot, span: Span) -> None:
    """Give the other members of a union the value that was stored to one of them.

    One of another type is the same bytes, and as an integer not known.
    """
    if not stored.path:
        return
    for other in _overlapping(stored):
        kind, of_other = element_type(state.inputs, stored.type), element_type(state.inputs, other.type)
        register = Register(state.memory.slot_name(stored), kind)
        changed = Register(state.memory.slot_name(other), of_other)
        bound = state.environment.get(stored)
        state.environment.note_assigned(other)
        state.environment.bindings.pop(other.key, None)
        if stored.type == other.type:
            state.emitter.emit(changed, register, span)
            if bound is not None:
                state.environment.bind(other, bound)
            continue
        kept = (changed,) if kind.size_bytes < of_other.size_bytes else ()
        state.emitter.emit(changed, Apply(Operation.SHUFFLE, of_other, (*kept, register)), span)
        if of_other.scalar.is_integer and of_other.lanes == 1:
            state.environment.bind(other, Integer(state.lost_by(other.variable, other.path)))


def _overlapping(slot: Slot) -> Iterator[Slot]:
    """Yield the other numbers of a variable that have bytes in common with one of them."""
    kind, path, start = slot.variable.type, "", 0
    beside: list[tuple[str, int, sx.FieldT]] = []
    for name in slot.path.split(".")[1:]:
        fields = kind.fields if isinstance(kind, sx.StructT) else ()
        own = next((field for field in fields if field.name == name), None)
        if own is None:
            return
        beside += [(path, start, field) for field in fields if field is not own and overlap(field, own)]
        kind, path, start = own.type, f"{path}.{name}", start + own.offset_bytes
    end = start + (size_bytes(kind) or 0)
    for around, offset, field in beside:
        yield from _numbers(slot.variable, around, offset, field, (start, end))


def _numbers(variable: sx.Variable, path: str, start: int, field: sx.FieldT, within: tuple[int, int]) -> Iterator[Slot]:
    """Yield the numbers of a member that have bytes within a range."""
    path, start, kind = f"{path}.{field.name}", start + field.offset_bytes, field.type
    if isinstance(kind, sx.StructT):
        for inner in kind.fields:
            yield from _numbers(variable, path, start, inner, within)
    elif isinstance(kind, sx.ScalarT) and start < within[1] and start + (size_bytes(kind) or 0) > within[0]:
        yield Slot(variable, kind, path)
