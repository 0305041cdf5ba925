"""How often registers are read: by what something needs, by loads, in subscripts, and where a sign matters.

``statements -> reads by register``.  An operation that is written several times reads once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from ...domains.domain import StatementDomain
from ...ir.index import Poly
from ...ir.nodes import Strided
from ...ir.values import Access, Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value, walk_values
from ..value_keys import Structures
from .branches import CONDITIONS, Branches
from .folding import Node
from .merging import statements_of

_NUMBERS = (Constant, IndexValue)


def reads_of(statements: Sequence[StatementDomain]) -> Mapping[str, int]:
    """Return how often each register is read by what something needs."""
    live = list(statements)
    while True:
        reads = reads_in(live)
        left = [
            each
            for each in live
            if not isinstance(each.node.target, Register)
            or each.node.target.name in reads
            or (isinstance(each.node.value, Apply) and each.node.value.operation in CONDITIONS)
        ]
        if len(left) == len(live):
            return reads
        live = left


def loaded_of(statements: Iterable[StatementDomain]) -> frozenset[str]:
    """Return the registers that are loaded; a compiler loads one that one block reads in that block."""
    targets = (each.node.target for each in statements if isinstance(each.node.value, Load))
    return frozenset(target.name for target in targets if isinstance(target, Register))


def is_loaded_in(entry: Branches, reads: Mapping[str, int], loaded: frozenset[str]) -> bool:
    """Return whether one branch of a conditional has all reads of a register that is loaded before it.

    clang loads it there, and selects nothing (LLVM's InstCombine sinks what one block uses; clang 22, 28 kernels).
    """
    for body in entry.bodies.values():
        inside = reads_in([each for part in body for each in statements_of(part)])
        if any(reads.get(name) == number for name, number in inside.items() if name in loaded):
            return True
    return False


def reads_in(statements: Iterable[StatementDomain]) -> Mapping[str, int]:
    """Return how often registers are read, in each operation once though it is written several times."""
    return _reads(statements, lambda part: part.operands)


def signed_reads(statements: Iterable[StatementDomain]) -> Mapping[str, int]:
    """Return how often registers are read by operations that do not take up a sign.

    LLVM's InstCombine has ``-x + y`` as ``y - x``, ``y - -x`` as ``y + x``, ``-x * 3`` as ``x * -3``, ``-x * -x`` as
    ``x * x``.
    """
    return _reads(statements, _with_sign)


def _reads(
    statements: Iterable[StatementDomain], operands_of: Callable[[Apply | Opaque], Sequence[Value]]
) -> Mapping[str, int]:
    structures = Structures()
    read: Counter[str] = Counter()
    operations: dict[int, Apply | Opaque] = {}
    for value in (each.node.value for each in statements):
        if isinstance(value, Register):
            read[value.name] += 1
            continue
        operations |= {number: part for number, part in structures.parts(value) if isinstance(part, Apply | Opaque)}
    for part in operations.values():
        read.update(each.name for each in operands_of(part) if isinstance(each, Register))
    return read


def _with_sign(part: Apply | Opaque) -> Sequence[Value]:
    """Return the operands of which an operation takes no sign up."""
    if not isinstance(part, Apply) or len(part.operands) != 2:
        return part.operands
    first, second = part.operands
    match part.operation:
        case Operation.ADD if first != second:
            return ()
        case Operation.SUB:
            return (first,)
        case Operation.MUL | Operation.DIV if first == second or isinstance(first, _NUMBERS):
            return ()
        case Operation.MUL | Operation.DIV if isinstance(second, _NUMBERS):
            return ()
        case _:
            return part.operands


def is_view(name: str, node: Node, indexed: Set[str]) -> bool:
    """Return whether a register is what bytes are as another type (a member of a union), and no subscript has it."""
    return isinstance(node.value, Apply) and node.value.is_view and name not in indexed


def indexed_in(statements: Sequence[StatementDomain]) -> Set[str]:
    """Return the names of values that subscripts and bounds of loops have."""
    indices: list[Poly] = []
    for statement in statements:
        for part in (*walk_values(statement.node.value), statement.node.target):
            if isinstance(part, IndexValue):
                indices.append(part.index)
            elif isinstance(part, Load | Access):
                indices += (part.access if isinstance(part, Load) else part).subscripts
        ranges = [loop.range for loop in statement.loops]
        indices += (end for each in ranges if isinstance(each, Strided) for end in (each.start, each.stop))
    return {name for index in indices for unknown in index.unknowns() for name in (unknown.label, unknown.variable)}
