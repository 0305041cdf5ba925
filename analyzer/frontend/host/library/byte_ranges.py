"""Functions that set or copy so many bytes: ``memset``, ``memcpy``, ``cudaMemcpy`` and the like.

The bytes decide which elements change: all of a block, a few of them one by one, or, where neither is clear, elements
that are not known any more.  Of a block to which nothing was stored yet, elements behind the bytes have no value that a
program may use, so that all of it is taken to change.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...surface import nodes as sx
from ...surface.layout import size_bytes
from ..state import HostState, LibraryFunction
from ..values import UNKNOWN, Reference, Value, element_of, shifted

COPIES = frozenset({"cudaMemcpy", "cudaMemcpyAsync", "hipMemcpy", "hipMemcpyAsync"})
_CLEARS = ("cudaMemset", "cudaMemsetAsync", "hipMemset", "hipMemsetAsync")
_TO_SYMBOL = ("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", "hipMemcpyToSymbol")
_FROM_DEVICE = (2, 3, 4)
_FEW = 256
"""Elements that are set or copied one by one, which bounds time."""


def _allocated_clear(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``calloc(count, bytes)``."""
    block = state.allocated(call)
    state.memory.fill((block.variable, block.path), 0)
    state.note_bytes(block, *values[:2])
    if state.summarized is None:
        state.memory.set_form(block.variable, (0, 0))
    return block


def _cleared(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``memset(address, byte, bytes)``."""
    if values and isinstance(values[0], Reference):
        if len(values) > 2 and values[1] == 0 and state.summarized is None:
            _clear(state, call, values[0], values[2])
        else:
            state.set_by(call.name, values[0], call)
    elif values:
        state.doubt_forms(None)
    return values[0] if values else UNKNOWN


def _copied(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``memcpy(to, from, bytes)``, or ``cudaMemcpy`` where it does not copy from the device."""
    if len(values) > 2 and isinstance(values[0], Reference):
        from_device = call.name in COPIES and len(values) > 3 and values[3] in _FROM_DEVICE
        if isinstance(values[1], Reference) and not from_device and state.summarized is None:
            _copy(state, call, values[1], values[0], values[2])
            state.steps += 10
        else:
            state.set_by(call.name, values[0], call, "set-by-kernel" if from_device else "set")
    elif values:
        state.doubt_forms(None)
    return 0 if call.name in COPIES else values[0] if values else UNKNOWN


def _clear(state: HostState, call: sx.Call, target: Reference, size: Value) -> None:
    """Set so many bytes to zero."""
    elements = _elements(state, call.arguments[0], target, size)
    if _is_all(state, call.arguments[0], target, size):
        state.memory.fill((target.variable, target.path), 0)
        if _is_block(state, target, size):
            state.memory.set_form(target.variable, (0, 0))
    elif elements is not None:
        for element in elements:
            state.put(element, 0)
    else:
        state.set_by(call.name, target, call)


def _copy(state: HostState, call: sx.Call, source: Reference, target: Reference, size: Value) -> None:
    """Copy so many bytes."""
    elements = _elements(state, call.arguments[0], target, size)
    is_all = _is_all(state, call.arguments[0], target, size)
    if is_all and _starts(source) and _starts(target):
        form = state.memory.form_of(source.variable) if source.path == "[0]" else None
        state.memory.moved(source, target)
        if _is_block(state, target, size):
            state.memory.set_form(target.variable, form)
    elif elements is not None and _bytes_each(state, call.arguments[1]) == _bytes_each(state, call.arguments[0]):
        held = [state.load((each.variable, each.path), "not-known", call) for each in _following(source, len(elements))]
        for element, value in zip(elements, held, strict=True):
            state.put(element, value)
    else:
        state.set_by(call.name, target, call)
    if source.variable in state.random:
        state.random.add(target.variable)


def _starts(address: Reference) -> bool:
    """Return whether an address is that of an object, or of the first element of an array."""
    element = element_of(address.path)
    return element is None or element[1] == 0


def _is_block(state: HostState, address: Reference, size: Value) -> bool:
    """Return whether so many bytes are all that was allocated at an address."""
    return address.path == "[0]" and size == state.block_bytes.get(address.variable, UNKNOWN)


def _is_all(state: HostState, argument: sx.Expression, address: Reference, size: Value) -> bool:
    """Return whether so many bytes are all of an object, or of an array; those of a fresh block count as all."""
    variable = address.variable
    if variable.storage is sx.Storage.LOCAL and not state.memory.of(variable):
        return True
    if _is_block(state, address, size):
        return True
    kind = variable.type if address.path in ("", "[0]") else _pointed(state, argument, arrays=True)
    return _starts(address) and isinstance(size, int) and size == size_bytes(kind)


def _pointed(state: HostState, argument: sx.Expression, *, arrays: bool = False) -> sx.CType:
    """Return the type of the elements at an address, or of the array that it names, without conversions."""
    while isinstance(argument, sx.Cast):
        argument = argument.operand
    match state.program.type_of(argument):
        case sx.ArrayT() as kind:
            return kind if arrays else kind.element
        case sx.PointerT(target=target):
            return target
        case kind:
            return kind


def _bytes_each(state: HostState, argument: sx.Expression) -> int | None:
    kind = _pointed(state, argument)
    return size_bytes(kind) if isinstance(kind, sx.ScalarT | sx.PointerT) else None


def _elements(state: HostState, argument: sx.Expression, address: Reference, size: Value) -> Sequence[Reference] | None:
    """Return the few numbers or pointers that so many bytes hold; None where they are not known."""
    each = _bytes_each(state, argument)
    if not isinstance(size, int) or each is None or size % each or not 0 <= size // each <= _FEW:
        return None
    return _following(address, size // each)


def _following(address: Reference, count: int) -> Sequence[Reference]:
    """Return so many addresses from one on."""
    found = (shifted(address, number) for number in range(count))
    return [each for each in found if isinstance(each, Reference)]


def _cleared_on_device(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaMemset(address, byte, bytes)``."""
    state.doubt_forms(values)
    for value in values:
        state.set_by(call.name, value, call)
    is_zero = len(values) > 2 and values[1] == 0 and state.summarized is None
    if is_zero and isinstance(values[0], Reference) and _is_block(state, values[0], values[2]):
        state.memory.set_form(values[0].variable, (0, 0))
    return 0


def _to_symbol(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaMemcpyToSymbol(symbol, source, bytes, offset)``."""
    variable = _symbol(call.arguments[0]) if call.arguments else None
    if variable is None or len(values) < 3:
        return 0
    target = Reference(variable, "[0]" if isinstance(variable.type, sx.ArrayT) else "")
    state.static.add(variable)
    is_at_start = len(values) < 4 or values[3] == 0
    if is_at_start and isinstance(values[1], Reference) and state.summarized is None:
        _copy(state, call, values[1], target, values[2])
    else:
        state.set_by(call.name, target, call)
    return 0


def _symbol(argument: sx.Expression) -> sx.Variable | None:
    while isinstance(argument, sx.Cast | sx.Unary | sx.OpaqueExpression):
        if isinstance(argument, sx.OpaqueExpression):
            if len(argument.operands) != 1:
                return None
            argument = argument.operands[0]
        else:
            argument = argument.operand
    return argument.variable if isinstance(argument, sx.Name) else None


BYTE_RANGES: dict[str, LibraryFunction] = {
    "calloc": _allocated_clear,
    "memset": _cleared,
    **dict.fromkeys(("memcpy", "memmove", *COPIES), _copied),
    **dict.fromkeys(_CLEARS, _cleared_on_device),
    **dict.fromkeys(_TO_SYMBOL, _to_symbol),
}
