"""Index arithmetic and addresses as values in registers.

* An index is one value of 32 bits; what of it a loop does not change is computed outside.  Parameters are operands in
  constant memory and take no register.  The counter of a loop that each thread runs for its share of a range
  (``i = id; i < n; i += threads``) has the index of its first iteration in it.
* An address in global memory is 64 bits: the index times the size of an element, which is in a register, on top of the
  pointer.  Those that differ by a number of bytes are one, with an offset in the instruction.  Instructions on
  shared memory multiply an index by the size of an element themselves; other addresses there have 32 bits.
* What a loop does not change is computed before it; nothing else moves out of a branch.
* A quotient by a number that is not known takes registers of its own while it is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..ir.index import Poly, Unknown, var
from ..ir.index.divisions import FloorDiv, TruncDiv
from ..ir.index.poly import Form
from ..ir.nodes import Array, MemorySpace, Region
from ..ir.values import Access, byte_offset
from .code import Kind
from .scopes import Scopes

_SCALES = (1, 4, 8, 16)  # bytes by which instructions on shared memory multiply an index themselves
_OF_QUOTIENT = 4  # registers of an integer division that is under way: as `rem int32` in costs.toml


class Addresses:
    """Makes the values of indices and addresses; ``variables`` are the values of those of the source by their names."""

    def __init__(self, region: Region) -> None:
        self.scopes = Scopes()
        self.variables: dict[object, tuple[int, int]] = {}
        self.arrays: Mapping[str, Array] = {array.name: array for array in region.arrays}
        self.shared_loops: set[str] = set()
        self.last_load: int | None = None
        self._parameters = frozenset(symbol.name for symbol in region.symbols)

    def space_of(self, access: Access) -> MemorySpace:
        """Return where the array of a reference lives."""
        array = self.arrays.get(access.array)
        return MemorySpace.GLOBAL if array is None else array.space

    def index(self, index: Poly) -> int | None:
        """Return the value of an index; None where instructions have it in them or in constant memory."""
        rest = _without_constant(index)
        name = rest.as_name
        if not rest.terms or name in self._parameters:
            return None
        known = self.scopes.known(("index", rest))
        if known is not None:
            return known
        if name is not None:
            return self._name(name)
        chosen = any(isinstance(atom, Unknown) for atom in rest.nested_atoms())
        varying = self.scopes.innermost if chosen else self.scopes.varying_with(rest.names())
        counter = self.scopes.stack[varying].counter if varying and not chosen else ""
        at = self.scopes.outside_of_loops(varying)
        operands = self._varying(rest, counter) if counter else self._atoms(rest)
        return self.scopes.computed(tuple(operands), key=("index", rest), at=at)

    def _name(self, name: str) -> int:
        if name in self.variables:
            return self.variables[name][0]
        return self.scopes.computed((), key=("index", var(name)), at=0)

    def _varying(self, index: Poly, counter: str) -> list[int]:
        """Return the operands of an index in a loop: the part that the loop does not change, and the others."""
        inner = {monomial: number for monomial, number in index.terms.items() if _varies(monomial, counter)}
        outer = Poly({monomial: number for monomial, number in index.terms.items() if monomial not in inner})
        found = [] if counter in self.shared_loops else [self.index(outer)]
        return [*(value for value in found if value is not None), *self._atoms(Poly(inner))]

    def _atoms(self, index: Poly) -> list[int]:
        found = (self._atom(atom) for atom in index.atoms())
        return [value for value in found if value is not None]

    def _atom(self, atom: str | Form) -> int | None:
        if isinstance(atom, str):
            return self.index(var(atom))
        if isinstance(atom, Unknown):
            named = self.variables.get(atom.variable)
            return self.last_load if named is None else named[0]
        known = self.scopes.known(("form", atom))
        if known is not None:
            return known
        operands = [value for value in map(self.index, atom.operands) if value is not None]
        divides = isinstance(atom, FloorDiv | TruncDiv) and atom.denominator.constant is None
        extra = _OF_QUOTIENT if divides else 0
        return self.scopes.computed(tuple(operands), key=("form", atom), extra=extra)

    def address(self, access: Access) -> tuple[int, ...]:
        """Return the values that the address of a reference is made of: one, or none where it is a number."""
        space = self.space_of(access)
        wide = 2 if space is MemorySpace.GLOBAL else 1
        offset = byte_offset(access.subscripts, access.strides_bytes, access.offset_bytes)
        if offset is None:
            indices = [value for value in (*map(self.index, access.subscripts), self.last_load) if value is not None]
            return (self.scopes.computed(tuple(indices), kind=Kind.ADDRESS, width=2),)
        rest = _without_constant(offset)
        if not rest.terms and space is not MemorySpace.GLOBAL:
            return ()
        known = self.scopes.known(("address", access.array, rest))
        if known is not None:
            return (known,)
        elements, size = _in_elements(rest, access)
        index = self.index(elements)
        operands = [] if index is None else [index]
        if space is MemorySpace.SHARED and size in _SCALES:
            return tuple(operands)
        if space is MemorySpace.GLOBAL and elements is not rest:
            operands.append(self._size(size))
        chosen = any(isinstance(atom, Unknown) for atom in rest.nested_atoms())
        inside = chosen or not rest.terms
        varying = self.scopes.innermost if inside else self.scopes.varying_with(rest.names())
        at = self.scopes.outside_of_loops(varying)
        key = ("address", access.array, rest)
        return (self.scopes.computed(tuple(operands), key=key, at=at, kind=Kind.ADDRESS, width=wide),)

    def _size(self, size: int) -> int:
        known = self.scopes.known(("size", size))
        return self.scopes.computed((), key=("size", size)) if known is None else known


def _without_constant(index: Poly) -> Poly:
    return Poly({monomial: number for monomial, number in index.terms.items() if monomial})


def _varies(monomial: Iterable[str | Form], counter: str) -> bool:
    return any(atom == counter if isinstance(atom, str) else counter in atom.names() for atom in monomial)


def _in_elements(offset: Poly, access: Access) -> tuple[Poly, int]:
    """Return an offset in elements and their size; as it is, and 1, where it is no whole number of them."""
    stride = access.strides_bytes[-1] if access.strides_bytes else None
    size = None if stride is None else stride.constant
    if not size or size < 2 or not offset.terms:
        return offset, 1
    if any(not isinstance(number, int) or number % size for number in offset.terms.values()):
        return offset, 1
    return Poly({monomial: int(number) // size for monomial, number in offset.terms.items()}), size
