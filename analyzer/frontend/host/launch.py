"""What one launch in the host code is started with: grid, block, shared bytes, and what is known of its arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from msgspec.structs import replace

from ...ir.arithmetic import in_type
from ...ir.launches import Launch
from ...ir.types import FP32, FP64, ElementType
from ...python.regex import regex
from ..surface import nodes as sx
from ..surface.layout import size_bytes
from .execution.calls import arguments_of
from .execution.expressions import evaluate
from .launch_record import FoundLaunch
from .state import MANAGED, PINNED, HostState
from .values import (
    UNKNOWN,
    Code,
    Fields,
    Reference,
    Unknown,
    Value,
    as_integer,
    as_number,
    converted,
    element_of,
    flattened,
)

_FEW = 64
_REALS = (FP32, FP64)
_ALIGNED_BYTES = 32  # a sector: what is a multiple of it makes no difference to requests
_ELEMENT = regex(r"\[\d+\]")


def launch(state: HostState, expression: sx.Launch) -> None:
    """Note a launch, and that the kernel may write behind its arguments."""
    found = _configured(state, expression)
    if found is None:
        return
    kernel = state.program.functions[found.kernel]
    values = arguments_of(state, kernel, expression.arguments)
    parts = {**_constants(state), **dict(_behind(state, kernel, values)), **dict(_parameters(kernel, values))}
    arguments = {name: value for name, value in parts.items() if isinstance(value, int)}
    missing = {name: value for name, value in parts.items() if isinstance(value, Unknown)}
    pinned, managed = (tuple(_placed(state, kernel, values, where)) for where in (PINNED, MANAGED))
    sizes = tuple(_sizes(state, kernel, values))
    null = tuple(_null_pointers(kernel, values))
    started = replace(found.launch, pinned=pinned, managed=managed, array_bytes=sizes, null_pointers=null)
    same = tuple(_at_one_address(kernel, values))
    started = replace(started, array_offsets=tuple(_offsets(kernel, values)), same_memory=same)
    if state.memory.formed:
        started = replace(started, array_forms=tuple(_forms(state, kernel, values)))
    if state.random:
        started = replace(started, random_arrays=tuple(_random_arrays(state, kernel, values)))
    reals = dict(_reals(kernel, values))
    _record(
        state, replace(found, launch=started, arguments=arguments, reals=reals, missing={**found.missing, **missing})
    )
    outputs = state.program.outputs(kernel)
    for name, value in zip(outputs, values, strict=False):
        if name and isinstance(value, Reference) and state.memory.of(value.variable):
            state.set_by(kernel.name, value, expression)
    state.note_filled(kernel, values)
    given = zip(kernel.parameters, outputs, values, strict=False)
    state.doubt_forms([value for parameter, name, value in given if name or not _is_to_numbers(parameter.type)])


def _configured(state: HostState, expression: sx.Launch) -> FoundLaunch | None:
    """Return the launch without its arguments, None where its kernel is not known."""
    grid_values = _triple(state, expression.grid, "gridDim")
    block_values = _triple(state, expression.block, "blockDim")
    shared = 0 if expression.shared is None else evaluate(state, expression.shared)
    source = f"{expression.span.path.rsplit('/', 1)[-1]}:{expression.span.line}"
    called = None if expression.called is None else evaluate(state, expression.called)
    key = called.key if isinstance(called, Code) else expression.function
    if key not in state.program.functions:
        return None
    values = grid_values | block_values
    numbers = {name: number for name, value in values.items() if (number := as_integer(value)) is not None}
    (x, y, z), (block_x, block_y, block_z) = (
        map(_positive, map(as_integer, triple.values())) for triple in (grid_values, block_values)
    )
    return FoundLaunch(
        kernel=key,
        launch=Launch(
            grid=(x, y, z),
            block=(block_x, block_y, block_z),
            shared_bytes=as_integer(shared),
            source=source,
        ),
        missing={name: value for name, value in values.items() if isinstance(value, Unknown)},
        empty={name: number for name, number in numbers.items() if number <= 0},
        site=(*state.path, id(expression)),
    )


def _positive(number: int | None) -> int | None:
    return number if number is not None and number > 0 else None


def _record(state: HostState, found: FoundLaunch) -> None:
    """Count a launch where it is run, else only note that there may be more."""
    if state.summarized is not None:
        state.record.pass_over(found, state.summarized.span, state.unfollowed)
    else:
        state.record.count(found, is_certain=state.is_certain)


def _constants(state: HostState) -> dict[str, Value]:
    """Return the integers that the host copied to ``__constant__`` variables."""
    found: dict[str, Value] = {}
    for variable in state.memory.variables():
        if variable.storage is sx.Storage.CONSTANT and variable in state.static:
            parts = state.memory.of(variable) or {}
            found.update({variable.name + path: value for path, value in parts.items() if isinstance(value, int)})
    return found


def _behind(state: HostState, kernel: sx.Function, values: Sequence[Value]) -> Iterator[tuple[str, Value]]:
    """Yield integer members of the one struct behind a pointer that no kernel writes, and a few elements."""
    for parameter, value in zip(kernel.parameters, values, strict=False):
        kind = parameter.type.target if isinstance(parameter.type, sx.PointerT) else sx.UnknownT("")
        if not isinstance(value, Reference) or value.path != "[0]":
            continue
        parts = state.memory.of(value.variable) or {}
        if len(parts) > _FEW:
            continue
        for path, held in parts.items():
            member = path.removeprefix("[0].")
            if not isinstance(held, int):
                continue
            if isinstance(kind, sx.StructT) and member != path and member not in state.program.written_members():
                yield f"{parameter.name}->{member}", held
            elif _is_whole(kind) and _ELEMENT.fullmatch(path):
                yield parameter.name + path, held


def _triple(state: HostState, expression: sx.Expression | None, name: str) -> dict[str, Value]:
    """Return the three extents of a grid or block by their names."""
    value = UNKNOWN if expression is None else evaluate(state, expression)
    if isinstance(value, Fields):
        found = [value.parts.get(f".{axis}", UNKNOWN) for axis in "xyz"]
    else:
        found = [value, 1, 1] if as_number(value) is not None else [value, *_others(value)]
    return {f"{name}.{axis}": item for axis, item in zip("xyz", found, strict=True)}


def _others(value: Value) -> tuple[Value, Value]:
    """Return the other two extents where the first is unknown: 1 where it is a number."""
    is_number = isinstance(value, Unknown) and value.operator != "?"
    return (1, 1) if is_number else (value, value)


def _parameters(kernel: sx.Function, values: Sequence[Value]) -> Iterator[tuple[str, Value]]:
    for parameter, value in zip(kernel.parameters, values, strict=False):
        for path, known in flattened("", converted(value, parameter.type)):
            if _is_whole(_part(parameter.type, path)):
                yield parameter.name + path, known


def _reals(kernel: sx.Function, values: Sequence[Value]) -> Iterator[tuple[str, float]]:
    """Yield the parameters, and members of them, that are known real numbers."""
    for parameter, value in zip(kernel.parameters, values, strict=False):
        for path, known in flattened("", converted(value, parameter.type)):
            kind = _part(parameter.type, path)
            if isinstance(kind, sx.ScalarT) and kind.element in _REALS and isinstance(known, int | float):
                number = in_type(float(known), kind.element).number or 0.0
                if isfinite(number):
                    yield parameter.name + path, number


def _placed(state: HostState, kernel: sx.Function, values: Sequence[Value], where: str) -> Iterator[str]:
    """Yield the arrays of a kernel that lie in a memory: parameters, and members of those that are structs."""
    for parameter, value in zip(kernel.parameters, values, strict=False):
        for path, known in flattened("", value):
            memory = known.variable if isinstance(known, Reference) else None
            if memory is not None and memory.name == where and memory not in state.prefetched:
                yield parameter.name + path


def _sizes(state: HostState, kernel: sx.Function, values: Sequence[Value]) -> Iterator[tuple[str, int]]:
    """Yield the arrays of a kernel that start at memory of known size, with its bytes."""
    for parameter, value in zip(kernel.parameters, values, strict=False):
        for path, known in flattened("", value):
            if isinstance(known, Reference) and known.path == "[0]" and state.block_bytes.get(known.variable, 0) > 0:
                yield parameter.name + path, state.block_bytes[known.variable]


def _offsets(kernel: sx.Function, values: Sequence[Value]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the arrays of a kernel that start within a sector of allocated memory (``a + 1``), with the bytes there."""
    for parameter, value in zip(kernel.parameters, values, strict=False):
        for path, known in flattened("", value):
            kind = _part(parameter.type, path)
            element = element_of(known.path) if isinstance(known, Reference) else None
            size = size_bytes(kind.target) if isinstance(kind, sx.PointerT) else None
            if element is not None and not element[0] and size is not None and element[1] * size % _ALIGNED_BYTES:
                yield parameter.name + path, (element[1] * size % _ALIGNED_BYTES,)


def _at_one_address(kernel: sx.Function, values: Sequence[Value]) -> Iterator[tuple[str, ...]]:
    """Yield the arrays of a kernel that start at one address."""
    names: dict[Reference, list[str]] = {}
    for parameter, value in zip(kernel.parameters, values, strict=False):
        for path, known in flattened("", value):
            if isinstance(known, Reference) and element_of(known.path) is not None:
                names.setdefault(known, []).append(parameter.name + path)
    return (tuple(found) for found in names.values() if len(found) > 1)


def _random_arrays(state: HostState, kernel: sx.Function, values: Sequence[Value]) -> Iterator[str]:
    """Yield the arrays of a kernel that hold random numbers."""
    for parameter, value in zip(kernel.parameters, values, strict=False):
        for path, known in flattened("", value):
            if isinstance(known, Reference) and known.variable in state.random:
                yield parameter.name + path


def _forms(state: HostState, kernel: sx.Function, values: Sequence[Value]) -> Iterator[tuple[str, int, int]]:
    """Yield the arrays of whole numbers that have a closed form, with the first element and the step.

    They are parameters through which, as through the others that get their memory, the kernel writes nothing.
    """
    outputs = state.program.outputs(kernel)
    given = list(zip(kernel.parameters, outputs, values, strict=False))
    changed = {
        value.variable
        for parameter, name, value in given
        if isinstance(value, Reference) and (name or not _is_to_numbers(parameter.type))
    }
    for parameter, _, value in given:
        element = element_of(value.path) if isinstance(value, Reference) else None
        if not isinstance(value, Reference) or element is None or element[0] or value.variable in changed:
            continue
        form = state.memory.form_of(value.variable)
        kind = parameter.type.target if isinstance(parameter.type, sx.PointerT) else parameter.type
        if form is not None and _is_whole(kind):
            yield parameter.name, form[0] + form[1] * element[1], form[1]


def _is_to_numbers(kind: sx.CType) -> bool:
    return isinstance(kind, sx.ScalarT) or (isinstance(kind, sx.PointerT) and isinstance(kind.target, sx.ScalarT))


def _null_pointers(kernel: sx.Function, values: Sequence[Value]) -> Iterator[str]:
    """Yield the parameters that are pointers and get 0 for an address."""
    for parameter, value in zip(kernel.parameters, values, strict=False):
        if isinstance(parameter.type, sx.PointerT) and value == 0 and isinstance(value, int):
            yield parameter.name


def _part(kind: sx.CType, path: str) -> sx.CType:
    """Return the type of a member of a member of a struct."""
    for name in path.split(".")[1:]:
        if isinstance(kind, sx.ScalarT):  # int2
            return sx.ScalarT(ElementType(kind.element.scalar))
        fields = kind.fields if isinstance(kind, sx.StructT) else ()
        kind = next((item.type for item in fields if item.name == name), sx.UnknownT(name))
    return kind


def _is_whole(kind: sx.CType) -> bool:
    return isinstance(kind, sx.ScalarT) and kind.element.scalar.is_integer and kind.element.lanes == 1
