"""Sizes, strides and element types of C types whose extents may be symbolic."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import assert_never

from ...ir.index import Poly, const
from ...ir.nodes import Array, MemorySpace, elements_of
from ...ir.types import INT32, UNKNOWN, ElementType, ScalarType
from ...ir.values import Access, byte_offset
from ..surface import nodes as sx
from ..surface.constants import constant_integer
from ..surface.layout import alignment_bytes
from ..surface.types import CHAR
from .functions.short_tables import LONGEST_LOCAL
from .inputs import Inputs
from .names.bindings import Location
from .state import State

POINTER = ElementType(ScalarType.POINTER)
_LARGEST_TABLE = 1024  # elements; larger tables are data


def element_type(inputs: Inputs, ctype: sx.CType) -> ElementType:
    """Return the type of a value of a scalar C type; undeclared data have the assumed element type."""
    match ctype:
        case sx.ScalarT():
            return ctype.element
        case sx.PointerT() | sx.ArrayT():
            return POINTER
        case sx.StructT():
            return UNKNOWN
        case sx.UnknownT():
            return ElementType(inputs.element_type)
    assert_never(ctype)


def size_bytes(state: State, ctype: sx.CType) -> Poly | None:
    """Return the size of an object in bytes; None where an extent is not known."""
    match ctype:
        case sx.ScalarT():
            return const(ctype.element.size_bytes or 1)
        case sx.PointerT():
            return const(POINTER.size_bytes)
        case sx.StructT():
            return const(ctype.size_bytes) if ctype.size_bytes else None
        case sx.UnknownT():
            return const(state.inputs.element_type.size_bytes)
        case sx.ArrayT():
            count, size = extent(state, ctype), size_bytes(state, ctype.element)
            return None if count is None or size is None else count * size
    assert_never(ctype)


def extent(state: State, ctype: sx.ArrayT) -> Poly | None:
    """Return the number of elements, evaluated at the first use of the type (C evaluates it at the declaration)."""
    known = state.memory.extents.get(id(ctype))
    if known is None:
        value = None if ctype.extent is None else state.quietly(ctype.extent)
        state.memory.extents[id(ctype)] = known = (ctype, value)
    return known[1]


def extents_of(state: State, ctype: sx.CType) -> tuple[tuple[Poly | None, ...], sx.CType]:
    """Return the extents of nested arrays, outermost first, and the innermost element."""
    found: list[Poly | None] = []
    while isinstance(ctype, sx.ArrayT):
        found.append(extent(state, ctype))
        ctype = ctype.element
    return tuple(found), ctype


def declare_storage(state: State, name: str, ctype: sx.CType, variable: sx.Variable | None = None) -> None:
    """Make the array that a type describes; a pointer is an array of unknown first extent."""
    if name in state.memory.arrays:
        return
    if isinstance(ctype, sx.PointerT):
        extents, innermost = extents_of(state, ctype.target)
        extents = (None, *extents)
    else:
        extents, innermost = extents_of(state, ctype)
    element = element_type(state.inputs, innermost)
    size = size_bytes(state, innermost)
    space, local = MemorySpace.GLOBAL, False
    if variable is not None:
        local = isinstance(ctype, sx.ArrayT) and is_own(state, variable)
        space = MemorySpace.LOCAL if local else _space_of(state, variable, ctype)
    if (
        local
        or space in (MemorySpace.SHARED, MemorySpace.CONSTANT)
        or (isinstance(ctype, sx.PointerT) and ctype.restrict)
    ):
        state.memory.unaliased.add(name)
    found = Array(
        name=name,
        element=element,
        element_bytes=(size.constant if size is not None else None) or 0,
        extents=extents,
        space=space,
        local=local,
        aligned_bytes=alignment_bytes(innermost) if isinstance(innermost, sx.StructT) or element.lanes > 1 else None,
        listed=variable is not None and variable.constant and isinstance(variable.initial, sx.InitializerList),
    )
    state.memory.arrays.setdefault(name, found)
    if variable is not None:
        note_table(state, found, variable)


def note_table(state: State, array: Array, variable: sx.Variable) -> None:
    """Follow the elements of a short array of integers of a variable, where the lowering follows all of these."""
    scalar = array.element.scalar
    is_wide = scalar.is_integer and array.element.lanes == 1 and array.element.size_bytes >= INT32.size_bytes
    is_short = 0 < (elements_of(array) or 0) <= LONGEST_LOCAL
    if array.name in state.inputs.no_tables:
        return
    if state.inputs.follows_tables and is_wide and is_short and not variable.constant and not variable.reference:
        state.memory.followed.add(array.name)


def is_own(state: State, variable: sx.Variable) -> bool:
    """Return whether a variable is an object of the function: a local one, or one that is handed over by value.

    Arguments of a kernel are in constant memory.
    """
    is_by_value = isinstance(variable.type, sx.StructT) and not variable.reference
    return variable.storage is sx.Storage.LOCAL or (
        variable.storage is sx.Storage.PARAMETER and is_by_value and not _is_argument(state, variable)
    )


def _is_argument(state: State, variable: sx.Variable) -> bool:
    """Return whether a variable is a parameter of the kernel that is lowered."""
    functions = [frame.function for frame in state.flow.frames[:1]]  # none while launches bind pointers
    return any(each.kind is sx.FunctionKind.KERNEL and variable in each.parameters for each in functions)


def _space_of(state: State, variable: sx.Variable, ctype: sx.CType) -> MemorySpace:
    """Return the memory that an array is in which no function has for itself, or that a pointer points at.

    Arguments of kernels are in constant memory, with the arrays of structures that are handed over by value; a
    parameter that is written as an array (``float a[][64]``) is a pointer.
    """
    is_array_parameter = variable.storage is sx.Storage.PARAMETER and isinstance(variable.type, sx.ArrayT)
    if isinstance(ctype, sx.PointerT) or is_array_parameter:
        return MemorySpace.GLOBAL
    if variable.storage is sx.Storage.CONSTANT or _is_argument(state, variable):
        return MemorySpace.CONSTANT
    return MemorySpace.SHARED if variable.storage is sx.Storage.SHARED else MemorySpace.GLOBAL


def offset_of(location: Location) -> Poly | None:
    """Return the distance of a location from the start of its array in bytes, or None where a stride is unknown."""
    return byte_offset(location.subscripts, location.strides, location.offset_bytes)


def declare_table(state: State, name: str, variable: sx.Variable, initial: sx.Expression | None) -> None:
    """Note the elements of an array of constant integers, or of structures with some, where each is a number."""
    is_fixed = variable.constant or variable.kept is sx.Kept.CERTAIN
    if not is_fixed or name in state.memory.constants:
        return
    extents, innermost = extents_of(state, variable.type)
    numbers = [extent.constant for extent in extents if extent is not None and extent.constant is not None]
    if len(numbers) < len(extents):
        return
    if isinstance(initial, sx.Text):
        initial = characters(initial)
    if not isinstance(initial, sx.InitializerList):
        return
    if isinstance(innermost, sx.StructT) and len(numbers) == 1:
        _declare_members(state, name, innermost, initial, numbers[0])
    elif isinstance(innermost, sx.ScalarT) and innermost.element.scalar.is_integer:
        elements = _elements(initial, numbers)
        if elements is not None:
            state.memory.constants[name] = elements


def _declare_members(state: State, name: str, kind: sx.StructT, rows: sx.InitializerList, length: int) -> None:
    """Note the integers that the structures of an array hold, by member."""
    for position, field in enumerate(kind.fields):
        if not isinstance(field.type, sx.ScalarT) or not field.type.element.scalar.is_integer:
            continue
        items = [
            row.items[position : position + 1] if isinstance(row, sx.InitializerList) else () for row in rows.items
        ]
        listed = sx.InitializerList(rows.type, tuple(item[0] for item in items if item), rows.span)
        elements = _elements(listed, [length]) if all(items) else None
        if elements is not None:
            state.memory.constants[table_of_member(name, field.name)] = elements


def table_of_member(array: str, member: str) -> str:
    """Return the name of the table of a member of constant structures; that of a whole element is the array's."""
    return f"{array}.{member}" if member else array


def characters(text: sx.Text) -> sx.InitializerList | None:
    """Return the characters of a text, with the zero behind it; None where its spelling is not plain."""
    if "\\" in text.text or not text.text.isascii():
        return None
    codes = (*text.text.encode("ascii"), 0)
    items = tuple(sx.Number(code, CHAR, text.span) for code in codes)
    return sx.InitializerList(sx.ArrayT(CHAR, sx.Number(len(codes), sx.INT, text.span)), items, text.span)


def _elements(items: sx.InitializerList, extents: Sequence[int]) -> tuple[int, ...] | None:
    """Return the numbers of an initialiser, the missing ones of each row 0; None where one is not constant."""
    found: list[int] = []
    if len({isinstance(item, sx.InitializerList) for item in items.items}) > 1:
        return None
    for item in items.items:
        row = _elements(item, extents[1:]) if isinstance(item, sx.InitializerList) else None
        number = None if isinstance(item, sx.InitializerList) else constant_integer(item)
        if row is None and number is None:
            return None
        found.extend(row or (() if number is None else (number,)))
    size = prod(extents)
    return (*found, *[0] * (size - len(found))) if len(found) <= size <= _LARGEST_TABLE else None


def access(state: State, location: Location, *, atomic: bool = False) -> Access:
    """Return the memory reference to a location of scalar type."""
    kind = element_type(state.inputs, location.type)
    array = state.memory.arrays.get(location.array)
    return Access(
        array=location.array,
        subscripts=location.subscripts,
        strides_bytes=location.strides,
        type=kind,
        offset_bytes=location.offset_bytes,
        member=location.member,
        atomic=atomic,
        unaliased=location.array in state.memory.unaliased,
        private=array is not None and array.local,
        shared=array is not None and array.space is MemorySpace.SHARED,
        constant=array is not None and array.space is MemorySpace.CONSTANT,
        declared=location.array not in state.memory.allocated and bool(array and array.is_whole),
    )
