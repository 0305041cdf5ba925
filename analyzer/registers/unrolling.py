"""Loops of unknown length that nvcc and ptxas repeat in part: which they are, and how often.

Both make 4 copies of a loop: nvcc where the number of iterations can be computed before it, by a division where the
step is not known (not where the counter may wrap around: ``i += blockDim.x`` is unsigned); ptxas of what it is given,
so that a small loop in steps of a number has 16.  Compiled for sm_86 (nvcc 13.0.88), sums of 1, 2 and 3 products have
16 copies, of 4 to 8 products 4, and of 12 products 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from ..ir.index import Poly
from ..ir.index.divisions import FloorDiv, TruncDiv
from ..ir.index.poly import Form
from ..ir.index.powers import Log
from ..ir.nodes import Loop, Statement, Strided, Uncounted
from ..ir.traverse import all_nodes
from ..ir.values import Apply, IndexValue, Register, walk_values

BY_ONE_COMPILER = 4


class Unrolling(Struct, frozen=True):
    """How often the body of a loop of unknown length is repeated, and the operations of all repetitions at the most."""

    copies: int
    operations: int


def is_counted(loop: Loop) -> bool:
    """Return whether a compiler knows before a loop how often it runs: a counter takes steps of a number to a bound.

    Of a loop whose iterations are not known here (rows of a sparse matrix) no operation decides in each iteration, but
    an element does that is the same in all; or its counter is in indices, times a number.
    """
    if isinstance(loop.range, Strided):
        return not any(
            isinstance(atom, Log) for bound in (loop.range.start, loop.range.stop) for atom in bound.nested_atoms()
        )
    if not isinstance(loop.range, Uncounted) or loop.range.steps is not None or loop.range.calls is not None:
        return False
    statements = [node for node in all_nodes(loop.body) if isinstance(node, Statement)]
    if any(isinstance(node.target, Register) and node.target.name == loop.iterator for node in statements):
        return False
    if any(isinstance(part, Apply) for test in loop.header for part in walk_values(test.value)):
        return False
    if loop.header:  # the bound is an element that the loop does not change
        return not any(loop.iterator in index.names() for index in _indices(loop.header))
    return any((loop.iterator,) in index.terms for index in _indices(statements))


def has_known_step(loop: Loop) -> bool:
    """Return whether the counter takes steps of a number, also where iterations are numbered in its place."""
    return not is_shared_out(loop)


def has_written_quotient(loop: Loop) -> bool:
    """Return whether a bound is a quotient by an unknown number in the source, as of blocks of a range.

    No compiler unrolls it.  Steps of an unknown number have quotients that no source has.
    """
    if not isinstance(loop.range, Strided):
        return False
    atoms = (atom for bound in (loop.range.start, loop.range.stop) for atom in bound.nested_atoms())
    return any(isinstance(atom, TruncDiv) and atom.denominator.constant is None for atom in atoms)


def quotients_in(statements: Iterable[Statement]) -> frozenset[Form]:
    """Return the different quotients that the indices of statements have."""
    atoms = (atom for index in _indices(statements) for atom in index.nested_atoms())
    return frozenset(atom for atom in atoms if isinstance(atom, FloorDiv | TruncDiv))


def _indices(statements: Iterable[Statement]) -> Iterator[Poly]:
    for node in statements:
        yield from (index for access, _ in node.accesses for index in access.subscripts)
        yield from (part.index for part in walk_values(node.value) if isinstance(part, IndexValue))


def is_shared_out(loop: Loop) -> bool:
    """Return whether each thread runs its share of a range, in steps that the compiler does not know."""
    if not isinstance(loop.range, Strided):
        return False
    return any(isinstance(atom, FloorDiv) and atom.denominator.constant is None for atom in loop.range.stop.atoms())
