"""Methods of containers and algorithms over them, as host code calls them.

A container is an array of as many elements as it has; what an algorithm stores is a source of its own, but for copies.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...surface import nodes as sx
from ..state import HostState, LibraryFunction
from ..values import (
    UNKNOWN,
    Reference,
    Strings,
    Value,
    as_number,
    binary,
    element_of,
    shifted,
)

_SHORT = 256  # elements of a range that are looked at one by one, which bounds time
_ASSIGNED = frozenset({"push_back", "emplace_back", "push", "emplace"})


def _size(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    if values and isinstance(values[0], Strings):
        return len(values[0].texts)
    return state.count(values[0], call) if values else UNKNOWN


def _append(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``push_back`` and its like."""
    if not values or not isinstance(values[0], Reference):
        return UNKNOWN
    count = state.count(values[0], call)
    base = element_of(values[0].path)
    if isinstance(count, int) and base is not None and len(values) == 2:
        state.store((values[0].variable, f"{base[0]}[{count}]"), values[1])
    state.set_count(values[0], binary("+", count, 1))
    return UNKNOWN


def _shrink(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    if values:
        state.set_count(values[0], binary("-", state.count(values[0], call), 1))
    return UNKNOWN


def _resize(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    if len(values) > 1:
        is_size = call.name != "assign" or as_number(values[1]) is not None
        state.set_count(values[0], values[1] if is_size else UNKNOWN)
    elif values and call.name == "clear":
        state.set_count(values[0], 0)
    return UNKNOWN


def _insert(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``v.insert(position, value)``, ``(position, count, value)`` or ``(position, first, last)``."""
    added: Value = 1
    if len(values) == 4:
        is_range = isinstance(values[2], Reference)
        added = binary("-", values[3], values[2]) if is_range else values[2]
        before = state.count(values[0], call)
        if is_range and before == 0 and isinstance(values[2], Reference) and isinstance(values[0], Reference):
            state.memory.moved(values[2], values[0])
        elif values:
            state.set_by(call.name, values[0], call)
        state.set_count(values[0], binary("+", before, added))
    elif len(values) > 2:
        before = state.count(values[0], call)
        if binary("-", values[1], values[0]) == before:
            state.put(values[1], values[2])
        else:
            state.set_by(call.name, values[0], call)
        state.set_count(values[0], binary("+", before, added))
    return UNKNOWN


def _nothing(state: HostState, _call: sx.Call, _values: Sequence[Value]) -> Value:
    return UNKNOWN


def _fill(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``std::fill(begin, end, value)`` and the like."""
    if values:
        state.set_by(call.name, values[0], call)
        if call.name == "fill" and len(values) == 3:
            for target in _range(state, values[0], values[1]):
                state.put(target, values[2])
    return UNKNOWN


def _copy_range(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``std::copy(first, last, to)``, or ``std::transform``, whose results are not known."""
    if len(values) < 3:
        return UNKNOWN
    held = _held(state, values[0], values[1]) if call.name == "copy" else []
    state.set_by(call.name, values[2], call)
    _put_all(state, values[2], held)
    return UNKNOWN


def _held(state: HostState, first: Value, last: Value) -> list[Value | None]:
    """Return what the elements of a short range hold."""
    return [state.at_address(address) for address in _range(state, first, last)]


def _put_all(state: HostState, first: Value, held: Sequence[Value | None]) -> None:
    for number, value in enumerate(held):
        if value is not None:
            state.put(binary("+", first, number), value)


def _range(state: HostState, first: Value, last: Value) -> list[Reference]:
    """Return the addresses of a short range."""
    count = binary("-", last, first)
    if not isinstance(first, Reference) or not isinstance(count, int) or not 0 <= count <= _SHORT:
        return []
    found = (shifted(first, number) for number in range(count))
    return [address for address in found if isinstance(address, Reference)]


def _copied(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Construct a container with copies of some elements, from the first of them on."""
    block = state.allocated(call)
    if values and isinstance(values[0], Reference) and values[0].variable in state.random:
        state.random.add(block.variable)
    if len(values) == 2 and isinstance(values[0], Strings) and isinstance(values[1], int):
        _put_all(state, block, values[0].texts[: values[1]])
        state.set_count(block, values[1])
    elif len(values) == 2:
        _put_all(state, block, _held(state, values[0], binary("+", values[0], values[1])))
        state.set_count(block, values[1])
    return block


def _swap(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    if len(values) == 2 and isinstance(values[0], Reference) and isinstance(values[1], Reference):
        first, second = state.at_address(values[0]), state.at_address(values[1])
        state.put(values[0], UNKNOWN if second is None else second)
        state.put(values[1], UNKNOWN if first is None else first)
    return UNKNOWN


CONTAINERS: dict[str, LibraryFunction] = {
    sx.COPY: _copied,
    "size": _size,
    **dict.fromkeys(_ASSIGNED, _append),
    "pop_back": _shrink,
    **dict.fromkeys(("resize", "clear", "assign"), _resize),
    "insert": _insert,
    "reserve": _nothing,
    **dict.fromkeys(("fill", "fill_n", "iota", "generate", "sort", "generate_n"), _fill),
    **dict.fromkeys(("copy", "transform"), _copy_range),
    "swap": _swap,
}
