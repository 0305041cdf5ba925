"""Memory that functions of the library clear and copy: what so many bytes from an address on are.

Bytes decide.  Where they are whole elements of one array, by the types of the arguments, those change and no others;
where they are not, or their number is not known, nothing is known of the memory afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...surface import nodes as sx
from ...surface.designation import without_casts
from ...surface.layout import size_bytes
from ...surface.traverse import walk
from ...surface.types import CHAR
from ..memory import COUNT, Run
from ..state import HostState
from ..values import UNKNOWN, Reference, Value, derived, element_of

COPIES = frozenset({"cudaMemcpy", "cudaMemcpyAsync", "hipMemcpy", "hipMemcpyAsync"})
TO_SYMBOL = frozenset({"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync", "hipMemcpyToSymbol"})
_FROM_DEVICE = (2, 3, 4)


def clear_memory(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``memset`` or ``calloc``."""
    if call.name == "calloc":
        block = state.allocated(call)
        state.memory.fill((block.variable, block.path), 0)
        state.note_bytes(block, *values[:2])
        if state.summarized is None:
            state.memory.set_form(block.variable, (0, 0))
        return block
    if values and isinstance(values[0], Reference):
        is_zero = len(values) > 2 and values[1] == 0 and state.summarized is None
        kind = _target(state, call.arguments[0])
        kind = CHAR if kind is None or size_bytes(kind) is None else kind
        run = _run(state, values[0], kind, values[2]) if is_zero else None
        if run is None or not state.memory.fill_run(run, 0):
            _forget(state, values[0], call)
        elif is_whole_block(state, values):
            state.memory.set_form(values[0].variable, (0, 0))
    elif values:
        state.doubt_forms(None)
    return values[0] if values else UNKNOWN


def copy_memory(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``memcpy``, or ``cudaMemcpy`` where it does not copy from the device."""
    if len(values) > 2 and isinstance(values[0], Reference):
        from_device = call.name in COPIES and len(values) > 3 and values[3] in _FROM_DEVICE
        if isinstance(values[1], Reference) and not from_device and state.summarized is None:
            form = state.memory.form_of(values[1].variable) if values[1].path == "[0]" else None
            kinds = [_target(state, argument) for argument in call.arguments[:2]]
            is_copied = _copy(state, call, values[0], values[1], kinds, values[2])
            if is_copied and is_whole_block(state, values):
                state.memory.set_form(values[0].variable, form)
            if values[1].variable in state.random:
                state.random.add(values[0].variable)
            state.steps += 10
        else:
            state.set_by(call.name, values[0], call, "set-by-kernel" if from_device else "set")
    elif values:
        state.doubt_forms(None)
    return 0 if call.name in COPIES else values[0] if values else UNKNOWN


def copy_to_symbol(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaMemcpyToSymbol(symbol, source, bytes, offset)``."""
    variable = _symbol(call.arguments[0]) if call.arguments else None
    if variable is None or len(values) < 3:
        return 0
    is_array = isinstance(variable.type, sx.ArrayT)
    target = Reference(variable, "[0]" if is_array else "")
    kind = variable.type.element if isinstance(variable.type, sx.ArrayT) else variable.type
    is_at_start = all(value == 0 for value in values[3:4])
    if isinstance(values[1], Reference) and is_at_start and state.summarized is None:
        _copy(state, call, target, values[1], [kind, _target(state, call.arguments[1])], values[2])
    else:
        _forget(state, target, call)
    return 0


def is_whole_block(state: HostState, values: Sequence[Value]) -> bool:
    """Return whether ``memset`` or ``memcpy`` is of so many bytes as the block at the first address has."""
    block = values[0]
    size = state.block_bytes.get(block.variable) if isinstance(block, Reference) and block.path == "[0]" else None
    return size is not None and len(values) > 2 and values[2] == size


def _copy(
    state: HostState,
    call: sx.Call,
    target: Reference,
    source: Reference,
    kinds: Sequence[sx.CType | None],
    size: Value,
) -> bool:
    """Copy so many bytes; return whether the elements of the source are known at the target now."""
    into, out = kinds[0] or kinds[1], kinds[1] or kinds[0]
    run, given = _run(state, target, into, size), _run(state, source, out, size)
    missing = derived(state.unknown(target.variable.name, "set", call, function=f"{call.name}()"))
    is_alike = run is not None and given is not None and run.count == given.count and _are_alike(into, out)
    if run is None or given is None or not is_alike or not state.memory.copy_run(given, run, missing):
        _forget(state, target, call)
        return False
    if target.variable.storage is not sx.Storage.LOCAL:
        state.static.add(target.variable)
    return True


def _are_alike(into: sx.CType | None, out: sx.CType | None) -> bool:
    """Return whether the same bytes are the same value in two types of one size."""
    if isinstance(into, sx.StructT) and isinstance(out, sx.StructT):
        return into.name == out.name
    return into == out or (isinstance(into, sx.PointerT) and isinstance(out, sx.PointerT))


def _forget(state: HostState, address: Reference, call: sx.Call) -> None:
    """Make unknown what a function wrote somewhere from an address on: all of the array, of a struct all members."""
    element = element_of(address.path)
    if element is not None and not element[0]:
        state.set_by(call.name, address, call)
    else:
        state.set_by(call.name, Reference(address.variable, ""), call)


def _target(state: HostState, argument: sx.Expression) -> sx.CType | None:
    """Return the type of what lies at an address before it became ``void *``; None where that is not known."""
    argument = without_casts(argument)
    if any(isinstance(node, sx.Cast) and _is_other_unit(state, node) for node in walk(argument)):
        return sx.UnknownT("")
    kind = state.program.type_of(argument)
    target = kind.target if isinstance(kind, sx.PointerT) else kind.element if isinstance(kind, sx.ArrayT) else None
    return target if target is not None and size_bytes(target) else None


def _is_other_unit(state: HostState, cast: sx.Cast) -> bool:
    kinds = (cast.type, state.program.type_of(cast.operand))
    sizes = {size_bytes(kind.target) for kind in kinds if isinstance(kind, sx.PointerT)}
    return len(sizes - {None}) > 1


def _run(state: HostState, address: Reference, kind: sx.CType | None, size: Value) -> Run | None:
    """Return the elements of type ``kind`` that so many bytes from an address on are; None where they are not whole
    ones of one array.
    """
    each = None if kind is None else size_bytes(kind)
    if not each or not isinstance(size, int) or size < 0 or size % each:
        return None
    is_plain = isinstance(kind, sx.ScalarT | sx.PointerT)
    element = element_of(address.path)
    if element is None:
        own = _part(address.variable.type, address.path)
        is_it = own is not None and size_bytes(own) == each == size
        return Run(address.variable, address.path, None, 1, is_whole=True, is_plain=is_plain) if is_it else None
    array, first = element
    own = _part(address.variable.type, array)
    held = _held_bytes(state, address.variable, array, own, each)
    is_whole = held is not None and first == 0 and size == held
    run = Run(address.variable, array, first, size // each, is_whole=is_whole, is_plain=is_plain)
    if is_whole:
        return run
    # It is not known of bytes on the heap whether they are the elements.
    is_inside = size_bytes(own.element) == each if isinstance(own, sx.ArrayT) else not array and each > 1
    is_beyond = held is not None and first * each + size > held
    return run if is_inside and not is_beyond and first >= 0 else None


def _held_bytes(state: HostState, variable: sx.Variable, array: str, own: sx.CType | None, each: int) -> int | None:
    """Return the bytes of an array; None where they are not known."""
    if isinstance(own, sx.ArrayT):
        return size_bytes(own)
    if not array and variable in state.block_bytes:
        return state.block_bytes[variable]
    count = state.memory.exact((variable, array + COUNT))
    return count * each if isinstance(count, int) else None


def _part(kind: sx.CType, path: str) -> sx.CType | None:
    """Return the type of a part of an object; None where it has no such part."""
    while path:
        if path.startswith("["):
            path = path.partition("]")[2]
            kind = kind.element if isinstance(kind, sx.ArrayT) else sx.UnknownT("")
            continue
        name = path[1:].partition(".")[0].partition("[")[0]
        path = path[1 + len(name) :]
        fields = kind.fields if isinstance(kind, sx.StructT) else ()
        kind = next((item.type for item in fields if item.name == name), sx.UnknownT(""))
    return None if isinstance(kind, sx.UnknownT) else kind


def _symbol(argument: sx.Expression) -> sx.Variable | None:
    while isinstance(argument, sx.Cast | sx.Unary | sx.OpaqueExpression):
        if isinstance(argument, sx.OpaqueExpression):
            if len(argument.operands) != 1:
                return None
            argument = argument.operands[0]
        else:
            argument = argument.operand
    return argument.variable if isinstance(argument, sx.Name) else None
