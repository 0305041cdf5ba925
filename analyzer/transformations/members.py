"""Members of structures in arrays of their own: a nest with a structure of arrays for an array of structures.

An access to a member goes by whole structures; with the member in an array of its own it goes by its own bytes.  It is
no question of dependences: the members are the same elements.  Left as they are: arrays of which an access has a
stride inside of the structure (a member that is an array), or one that is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from ..ir.index import Poly
from ..ir.nodes import Array, Loop, Statement
from ..ir.traverse import all_nodes, map_accesses, map_statements
from ..ir.values import Access
from .bands import Band
from .kinds import Separate


def separations(nest: Loop, arrays: Sequence[Array]) -> Iterator[tuple[Separate, Band]]:
    """Yield the nest with the members of one of the ``arrays`` apart, for each array of structures."""
    statements = [node for node in all_nodes((nest,)) if isinstance(node, Statement)]
    for array in arrays:
        used = {access: None for each in statements for access, _ in each.accesses if access.array == array.name}
        apart = {access: found for access in used if (found := _alone(access, array)) is not None}
        if not apart or len(apart) < len(used):
            continue
        members = {found.array: access for access, found in apart.items()}
        loop = _renamed(nest, apart)
        names = tuple(dict.fromkeys(access.member for access in members.values()))
        made = tuple(_array_of(name, access, array) for name, access in members.items())
        yield Separate(array.name, names, nest.span.line), Band(loop, (loop,), made)


def _renamed(nest: Loop, apart: Mapping[Access, Access]) -> Loop:
    (loop,) = map_statements((nest,), lambda each: map_accesses(each, lambda access: apart.get(access, access)))
    assert isinstance(loop, Loop)
    return loop


def _alone(access: Access, array: Array) -> Access | None:
    """Return the access in an array of its member; None where that has no layout."""
    whole, own = array.element_bytes, access.type.size_bytes
    strides = [None if stride is None else _by_members(stride, whole, own) for stride in access.strides_bytes]
    if not access.member or not 0 <= access.offset_bytes < whole or own >= whole:
        return None
    known = tuple(stride for stride in strides if stride is not None)
    if len(known) < len(strides):
        return None
    name = f"{array.name}.{access.member}+{access.offset_bytes}"
    return replace(access, array=name, strides_bytes=known, offset_bytes=0, member="")


def _by_members(stride: Poly, whole: int, own: int) -> Poly | None:
    """Return a stride in bytes of structures as one in bytes of a member; None where it is inside of a structure."""
    if any(factor % whole for factor in stride.terms.values()):
        return None
    return Poly({monomial: factor // whole * own for monomial, factor in stride.terms.items()})


def _array_of(name: str, access: Access, array: Array) -> Array:
    """Return the array of a member."""
    kind = access.type
    return replace(array, name=name, element=kind, element_bytes=kind.size_bytes, aligned_bytes=None)
