"""Numbers in an object that share bytes with others in it: the members of unions, and the elements of their arrays."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from .constants import constant_integer
from .layout import size_bytes
from .nodes import ArrayT, CType, ScalarT, StructT

_LONGEST = 16  # elements of an array that are looked at one by one


class Part(Struct, frozen=True):
    """A number in an object: its path, type, offset in bytes, and the path of the structure or union that it is in.

    It ``is_element`` of an array, or a member of one.
    """

    path: str
    type: ScalarT
    offset: int
    around: str
    is_element: bool

    @property
    def end(self) -> int:
        """Return the offset of what is behind it, in bytes."""
        return self.offset + self.type.element.size_bytes

    def overlaps(self, other: Part) -> bool:
        """Return whether two numbers have bytes in common; bit-fields of one structure have bits of their own."""
        is_bits = self.type.bits and other.type.bits and self.around == other.around
        return not is_bits and self.offset < other.end and other.offset < self.end


def is_union(kind: StructT) -> bool:
    """Return whether all members of a class are at its start."""
    bits = any(isinstance(field.type, ScalarT) and field.type.bits for field in kind.fields)
    return len(kind.fields) > 1 and not bits and all(field.offset_bytes == 0 for field in kind.fields)


def shared_parts(kind: CType) -> tuple[Part, ...]:
    """Return the numbers in an object of a type that share bytes with others in it."""
    parts = sorted(_parts(kind, "", 0, ""), key=lambda part: part.offset)
    end, is_shared = 0, False
    for part in parts:
        is_shared |= part.offset < end
        end = max(end, part.end)
    if not is_shared:
        return ()
    return tuple(part for part in parts if any(part is not each and part.overlaps(each) for each in parts))


def _parts(kind: CType, path: str, offset: int, around: str, *, is_element: bool = False) -> Iterator[Part]:
    match kind:
        case ScalarT():
            yield Part(path, kind, offset, around, is_element)
        case StructT(fields=fields):
            for field in fields:
                inner, start = f"{path}.{field.name}", offset + field.offset_bytes
                yield from _parts(field.type, inner, start, path, is_element=is_element)
        case ArrayT(element=element, extent=extent):
            count, size = constant_integer(extent), size_bytes(element)
            for number in range(count if count is not None and count <= _LONGEST and size else 0):
                inner, start = f"{path}[{number}]", offset + number * (size or 0)
                yield from _parts(element, inner, start, path, is_element=True)
