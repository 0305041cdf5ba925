"""Sizes, alignments and offsets of types: the LP64 System V layout.

Members follow each other at the next multiple of their alignment; a struct is padded to a multiple of its largest
alignment; bit-fields share the storage unit of their type where they fit.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...ir.types import ScalarType
from .constants import constant_integer
from .nodes import ArrayT, CType, FieldT, PointerT, ScalarT, StructT, UnknownT

_VECTOR_ALIGNMENT = 16


class MemberT(Struct, frozen=True):
    """A member before it has an offset; ``bits`` is the width of a bit-field, ``name`` is empty if it has none."""

    name: str
    type: CType
    bits: int | None = None


def size_bytes(ctype: CType) -> int | None:
    """Return the size of a type in bytes, or None where an extent is not constant or the type is not known."""
    match ctype:
        case ScalarT(element):
            return element.size_bytes or None
        case PointerT():
            return ScalarType.POINTER.size_bytes
        case ArrayT(element=element_type, extent=extent):
            count, size = constant_integer(extent), size_bytes(element_type)
            return None if count is None or size is None else count * size
        case StructT(size_bytes=size):
            return size or None
        case UnknownT():
            return None


def alignment_bytes(ctype: CType) -> int:
    """Return the alignment of a type in bytes; 1 where it is not known."""
    match ctype:
        case ScalarT(element):
            if element.lanes in (2, 4, 8, 16):
                return min(element.size_bytes, _VECTOR_ALIGNMENT)
            return element.scalar.component.size_bytes or 1
        case PointerT():
            return ScalarType.POINTER.size_bytes
        case ArrayT(element=element_type):
            return alignment_bytes(element_type)
        case StructT(fields=fields, aligned_bytes=given):
            return given or max((alignment_bytes(item.type) for item in fields), default=1)
        case UnknownT():
            return 1


def offset_behind(fields: Sequence[FieldT], kind: CType) -> int:
    """Return the offset in bytes of a member of a type that follows others, the next multiple of its alignment.

    One whose size is not known has no bytes.

    >>> from .nodes import DOUBLE, INT
    >>> offset_behind([FieldT("n", INT, 0)], DOUBLE), offset_behind([], INT)
    (8, 0)
    """
    end = max((field.offset_bytes + (size_bytes(field.type) or 0) for field in fields), default=0)
    return _round_up(end, alignment_bytes(kind))


def overlap(field: FieldT, other: FieldT) -> bool:
    """Return whether two members of a type have bytes in common, as those of a union have; bit-fields share none."""
    if all(isinstance(each.type, ScalarT) and each.type.bits for each in (field, other)):
        return False
    first, second = sorted((field, other), key=lambda each: each.offset_bytes)
    return first.offset_bytes + (size_bytes(first.type) or 0) > second.offset_bytes


def lay_out(name: str, members: Sequence[MemberT], *, union: bool) -> StructT:
    """Return a struct or union with offsets; members of unnamed structs and unions become members of the outer one."""
    fields: list[FieldT] = []
    next_bit = end_bits = 0
    alignment = 1
    for member in members:
        size, align = size_bytes(member.type) or 0, alignment_bytes(member.type)
        unit_bits = 8 * max(size, 1)
        start = 0 if union else next_bit
        if member.bits is None:
            start = _round_up(start, 8 * align)
            after = start + 8 * size
        elif member.bits == 0:
            next_bit = _round_up(start, unit_bits)
            continue
        else:
            if start // unit_bits != (start + member.bits - 1) // unit_bits:
                start = _round_up(start, unit_bits)
            after = start + member.bits
            start = start // unit_bits * unit_bits
        fields.extend(_placed(member, start // 8))
        next_bit = after
        end_bits = max(end_bits, after)
        alignment = max(alignment, align)
    return StructT(name, tuple(fields), _round_up(_round_up(end_bits, 8) // 8, alignment))


def _placed(member: MemberT, offset: int) -> Sequence[FieldT]:
    if member.name:
        kind = member.type
        if isinstance(kind, ScalarT) and member.bits:
            kind = replace(kind, bits=member.bits)
        return (FieldT(member.name, kind, offset),)
    if isinstance(member.type, StructT):
        return tuple(FieldT(item.name, item.type, offset + item.offset_bytes) for item in member.type.fields)
    return ()


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
