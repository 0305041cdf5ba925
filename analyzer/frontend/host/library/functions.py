"""Functions without a body that host code calls: numbers, texts, memory and the CUDA runtime.

The CUDA runtime and ``malloc`` succeed.  What a function writes through a pointer, and what a function returns that is
not listed here, is a source of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....diagnostics import Phrase
from ...known_functions import table
from ...surface import nodes as sx
from ...surface.types import CHAR
from ..getopt import SCANNERS
from ..state import DEVICE, MANAGED, PINNED, HostState, LibraryFunction
from ..values import (
    MATHEMATICS,
    UNKNOWN,
    Fields,
    Reference,
    Strings,
    Unknown,
    Value,
    array_of,
    binary,
    derived,
    element_of,
    mathematical,
)
from .containers import CONTAINERS
from .copies import COPIES, TO_SYMBOL, clear_memory, copy_memory, copy_to_symbol, is_whole_block
from .devices import ATTRIBUTE, COUNT, PROPERTIES, device_attribute, device_count, device_properties
from .graphs import GRAPHS
from .occupancy import ACTIVE, POTENTIAL, active_blocks, potential_block_size
from .pitched import PITCHED, PITCHED_3D, pitched, pitched_3d
from .text import TO_FLOAT, TO_INTEGER, parsed, scanned, text_function

_CLEARS = ("cudaMemset", "cudaMemsetAsync", "hipMemset", "hipMemsetAsync")
_HOST = -1  # cudaCpuDeviceId, hipCpuDeviceId
ENVIRONMENT = frozenset({"getenv", "secure_getenv"})
_SHORT = 256  # characters of a text that are read, which bounds time
_ASCII = 128
_SUCCESS = ("cuda", "hip")
_DEVICE_QUERIES = ("Properties", "Attribute", "Occupancy", "DeviceCount", "MemGetInfo")


def call_library(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Return the result of a call of a function without a body, with its effects."""
    name = call.name.rsplit("::", 1)[-1]
    if name in SCANNERS:
        return state.options.next([_whole(state, value) for value in values])
    if name in TO_INTEGER | TO_FLOAT and values:
        return _parsed(state, name, call, values)
    text = text_function(name, [_text_at(state, value) for value in values])
    if text is not None:
        return text
    plain = _mathematical_name(name)
    if plain is not None and values and all(isinstance(value, int | float | Unknown) for value in values):
        return mathematical(plain, list(values))
    handler = _HANDLERS.get(name)
    if handler is not None:
        return handler(state, call, values)
    if name in table().identity and values:
        return values[0]
    if name in table().allocation:
        block = state.allocated(call)
        if name == "malloc":
            state.note_bytes(block, *values[:1])
        return block
    if name in table().allocation_by_address and values:
        managed = MANAGED if name in table().managed else DEVICE
        block = state.allocated(call, PINNED if name in table().pinned else managed)
        _note_size(state, name, values, block)
        state.put(values[0], block)
        return 0
    return _other(state, name, call, values)


def _note_size(state: HostState, name: str, values: Sequence[Value], block: Reference) -> None:
    positions = table().allocation_sizes.get(name, ())
    if positions and max(positions) < len(values):
        state.note_bytes(block, *(values[position] for position in positions))


def _other(state: HostState, name: str, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run a function of which nothing is known."""
    is_query = any(part in name for part in _DEVICE_QUERIES)
    if not table().only_reads(name):
        pointers = [isinstance(state.program.type_of(argument), sx.PointerT) for argument in call.arguments]
        is_lost = any(map(_is_lost, values, pointers))
        state.doubt_forms(None if is_lost else values)
        for value in values:
            if is_query and isinstance(value, Reference):
                found = state.unknown(value.variable.name, "device", call)
                state.store((value.variable, value.path), found)
            else:
                state.set_by(name, value, call)
    if name.startswith(_SUCCESS):
        return 0
    result = derived(*values)
    if result.sources and not table().only_reads(name):
        return result
    return state.unknown(f"{name}()", "not-known", call)


def _is_lost(value: Value, is_pointer: bool) -> bool:
    return is_pointer and isinstance(value, Unknown)


def _whole(state: HostState, value: Value) -> Value:
    """Return an array with its elements, where its address is given."""
    if isinstance(value, Reference):
        found = state.memory.read((value.variable, array_of(value.path)))
        return found if isinstance(found, Fields) else value
    return value


def _text_at(state: HostState, value: Value) -> Value:
    """Return the text in memory at an address, where one was stored or its characters; any other value as it is."""
    element = element_of(value.path) if isinstance(value, Reference) else None
    if not isinstance(value, Reference) or element is None:
        return value
    held = state.memory.exact((value.variable, element[0]))
    if isinstance(held, str):
        return held[element[1] :]
    characters: list[str] = []
    while len(characters) < _SHORT:
        code = state.memory.exact((value.variable, f"{element[0]}[{element[1] + len(characters)}]"))
        if code == 0 and characters:
            return "".join(characters)
        if not isinstance(code, int) or not 0 < code < _ASCII:
            break
        characters.append(chr(code))
    return value


# --- texts -----------------------------------------------------------------------------------------------------


def _parsed(state: HostState, name: str, call: sx.Call, values: Sequence[Value]) -> Value:
    text = _text_at(state, values[0])
    if isinstance(text, Unknown) and text.sources:
        source = text.sources[0]
        return state.unknown_by(_element_name(source.name, call), source.origin, call)
    if not isinstance(text, str):
        return state.unknown(f"{name}()", "unknown-text", call)
    base = values[2] if len(values) > 2 and isinstance(values[2], int) else 10
    number, rest = parsed(name, text, base)
    if len(values) > 1:
        state.put(values[1], rest)
    return number


def _element_name(name: str | Phrase, call: sx.Call) -> str | Phrase:
    """Return the name of a text with its position, where it is an element of several: ``argv[1]``."""
    match call.arguments[0]:
        case sx.Index(base=sx.Name(), index=sx.Number(value=position)) if isinstance(name, str) and "[" not in name:
            return f"{name}[{position}]"
        case _:
            return name


def _scan(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``sscanf(text, form, ...)``."""
    if len(values) < 2 or not isinstance(values[0], str) or not isinstance(values[1], str):
        for value in values[2:]:
            state.set_by(call.name, value, call)
        return state.unknown(f"{call.name}()", "unknown-text", call)
    count = 0
    for target, found in zip(values[2:], scanned(values[0], values[1]), strict=False):
        if found is None:
            break
        state.put(target, found)
        count += 1
    return count


def sum_of_texts(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Return ``text + more``, each of them a text or a character; of other objects what ``+`` gives."""
    parts = [
        chr(value & 255) if isinstance(value, int) and state.program.type_of(argument) == CHAR else value
        for value, argument in zip(values, call.arguments, strict=False)
    ]
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) == len(parts) and texts:
        return "".join(texts)
    return state.unknown("", "text", call) if texts or len(parts) != 2 else binary("+", *parts)


def _copy_text(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``strcpy``, ``strncpy`` or ``strcat``."""
    if len(values) < 2 or not isinstance(values[0], Reference):
        return values[0] if values else UNKNOWN
    location = (values[0].variable, array_of(values[0].path))
    before = state.memory.read(location) if "cat" in call.name else ""
    more = _text_at(state, values[1])
    known = isinstance(more, str) and isinstance(before, str)
    state.store(location, f"{before}{more}" if known else state.unknown(location[0].name, "text", call))
    return values[0]


# --- memory ----------------------------------------------------------------------------------------------------


def _new(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``new T(...)`` or ``new T[n]``, or construct a container."""
    if values and isinstance(values[0], str | Strings):
        return values[0]
    kind = call.type.target if isinstance(call.type, sx.PointerT) else None
    block = state.allocated(call, kind=kind if isinstance(kind, sx.StructT) else None)
    first = values[0] if values else 0
    if isinstance(first, Fields):
        state.memory.store((block.variable, block.path), first)
    elif isinstance(first, Reference) and len(values) == 1:
        return first
    else:
        if len(values) > 1:
            state.memory.fill_elements(block.variable, "", values[1])
        state.set_count(block, first)
        if len(values) > 1 and isinstance(first, int) and isinstance(values[1], int) and state.summarized is None:
            state.memory.set_form(block.variable, (values[1], 0))
    return block


def _made(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``new T`` of a container or a text, or of an object: the address of memory that holds it."""
    kind = call.type.target if isinstance(call.type, sx.PointerT) else None
    if isinstance(kind, sx.PointerT) or (isinstance(kind, sx.StructT) and isinstance(values[0], Fields | Strings)):
        block = state.allocated(call, kind=kind)
        state.memory.store((block.variable, block.path), values[0])
        return block
    return values[0]


def _device_pointer(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaHostGetDevicePointer(&device, host, 0)``: another address of the same memory."""
    if len(values) > 1:
        state.put(values[0], values[1])
    return 0


def _prefetch(state: HostState, _call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaMemPrefetchAsync(address, bytes, device, ...)``: managed memory moves to a device, or to the host."""
    if len(values) > 2 and isinstance(values[0], Reference):
        if values[2] == _HOST:
            state.prefetched.discard(values[0].variable)
        else:
            state.prefetched.add(values[0].variable)
    return 0


def _clear_device_memory(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Run ``cudaMemset(address, byte, bytes)``."""
    result = _other(state, call.name, call, values)
    if (
        is_whole_block(state, values)
        and values[1] == 0
        and state.summarized is None
        and isinstance(values[0], Reference)
    ):
        state.memory.set_form(values[0].variable, (0, 0))
    return result


# --- others ----------------------------------------------------------------------------------------------------


def _random(state: HostState, call: sx.Call, _values: Sequence[Value]) -> Value:
    return state.unknown(f"{call.name}()", "random", call)


def _opened(state: HostState, call: sx.Call, _values: Sequence[Value]) -> Value:
    """Return a file: those that a program cannot do without are assumed to exist."""
    return state.allocated(call, "file")


def _failed(_state: HostState, _call: sx.Call, _values: Sequence[Value]) -> Value:
    return 0


def _succeeds(state: HostState, _call: sx.Call, _values: Sequence[Value]) -> Value:
    return 1


def _environment(state: HostState, call: sx.Call, values: Sequence[Value]) -> Value:
    """Return a null pointer where nothing is set, else a text that is not known."""
    if state.program.is_environment_empty:
        return 0
    name = values[0] if values and isinstance(values[0], str) else "..."
    return state.unknown(f'getenv("{name}")', "environment", call, taken=0)


def _mathematical_name(name: str) -> str | None:
    if name in MATHEMATICS:
        return name
    return name[:-1] if name[-1:] in ("f", "l") and name[:-1] in MATHEMATICS else None


_HANDLERS: dict[str, LibraryFunction] = {
    **dict.fromkeys(("sscanf", "sscanf_s"), _scan),
    **dict.fromkeys(("strcpy", "strncpy", "strcat"), _copy_text),
    "operator+": sum_of_texts,
    "new": _new,
    sx.MADE: _made,
    sx.MISSING: _failed,
    **dict.fromkeys(("calloc", "memset"), clear_memory),
    **dict.fromkeys(("memcpy", "memmove", *COPIES), copy_memory),
    **dict.fromkeys(_CLEARS, _clear_device_memory),
    **dict.fromkeys(TO_SYMBOL, copy_to_symbol),
    **CONTAINERS,
    **dict.fromkeys(("rand", "random", "drand48", "lrand48", "rand_r"), _random),
    **dict.fromkeys(("cudaHostGetDevicePointer", "hipHostGetDevicePointer"), _device_pointer),
    **dict.fromkeys(("cudaMemPrefetchAsync", "hipMemPrefetchAsync"), _prefetch),
    **GRAPHS,
    **dict.fromkeys(ENVIRONMENT, _environment),
    **dict.fromkeys(PROPERTIES, device_properties),
    ATTRIBUTE: device_attribute,
    **dict.fromkeys(COUNT, device_count),
    **dict.fromkeys(PITCHED, pitched),
    **dict.fromkeys(PITCHED_3D, pitched_3d),
    **dict.fromkeys(POTENTIAL, potential_block_size),
    **dict.fromkeys(ACTIVE, active_blocks),
    **dict.fromkeys(("fopen", "fdopen", "opendir"), _opened),
    **dict.fromkeys(("is_open", "good"), _succeeds),
}
