"""Arrays whose neighbouring elements are an unknown distance apart (``c[i*s]``): statements to bytes of an element.

The bytes that a cache moves for these are between those of the elements, where ``s`` is 1, and a line for each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ..counts.references import references_of
from ..domains.access_relations import cell_of
from ..domains.domain import StatementDomain
from ..ir.index import Poly, const
from ..ir.values import Access


class UnknownStride(Struct, frozen=True):
    """The sizes that alone decide how far elements are apart, and the most bytes of lines that are no part of one."""

    sizes: frozenset[str]
    more_bytes: int


def unknown_strides(
    statements: Sequence[StatementDomain],
    renamed: Mapping[Access, Access],
    values: Mapping[str, int],
    line_bytes: int,
) -> dict[str, UnknownStride]:
    """Return the arrays of which no reference has a stride that is known, with ``values`` of some sizes."""
    found: dict[str, UnknownStride | None] = {}
    known = {name: const(value) for name, value in values.items()}
    for statement in statements:
        iterators = frozenset(loop.iterator for loop in statement.loops)
        for reference in references_of(statement):
            access = renamed.get(reference.access, reference.access)
            sizes = _sizes_of(access, iterators, known)
            if sizes is not None and (before := found.get(access.array, _NONE)) is not None:
                size = cell_of(access).size_bytes
                lines = 1 if line_bytes % size == 0 else -(-size // line_bytes) + 1
                more = max(before.more_bytes, lines * line_bytes - size)
                found[access.array] = UnknownStride(before.sizes | sizes, more) if sizes else None
    return {array: each for array, each in found.items() if each is not None}


_NONE = UnknownStride(frozenset(), 0)


def _sizes_of(access: Access, iterators: frozenset[str], known: Mapping[str, Poly]) -> frozenset[str] | None:
    """Return the sizes in all strides that iterators move along; none where one is known, None of a single element."""
    found: frozenset[str] = frozenset()
    moved = False
    for subscript, stride in zip(access.subscripts, access.strides_bytes, strict=True):
        if subscript.names().isdisjoint(iterators):
            continue
        if stride is None or subscript.unknowns():
            return frozenset()
        moved = True
        number = stride.substitute(known)
        if number.constant is not None or not number.names().isdisjoint(iterators):
            return frozenset()
        found |= number.names()
    return found if moved else None
