"""Integers that data give, seen from one active thread of a warp to the next: the same in all, or one more in each.

A vote, a shuffle from one lane and what all threads read from one element are the same in a warp.  The bits that a vote
has below a lane (``__popc(vote & ((1 << lane) - 1))``) are the active threads before it: one more in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .....ir.index import Atom, FloorDiv, Poly, TruncDiv, Unknown
from .....ir.values import Apply, Constant, IndexValue, Load, Opaque, Operation, Register, Value
from ...state import State

_WARP = 32  # threads (NVIDIA, CUDA C++ Programming Guide); a wavefront of 64 is two of them
_THREADS = frozenset(f"{name}.{axis}" for name in ("threadIdx", "thread") for axis in "xyz")  # of a block, of a grid
_VOTES = frozenset(("__ballot_sync", "__any_sync", "__all_sync", "__ballot", "__any", "__all", "__activemask"))
_FROM_A_LANE = frozenset(("__shfl_sync", "__shfl"))  # the lane is the last operand but the width
_BITS = frozenset(("__popc", "__popcll"))
_OF_OPERANDS = frozenset(("__ffs", "__ffsll", "__clz", "__clzll", "__brev", "__brevll"))


def rise_of(state: State, value: Value) -> int | None:
    """Return by how much an integer is greater in the next active thread of a warp; None where that is not known."""
    if not state.emitter.in_kernel:
        return None
    match value:
        case Constant():
            return 0
        case IndexValue(index=index):
            return rise_of_index(state, index)
        case Register(name=name):
            return state.warp_rises.get(name)
        case Load(access=access):
            return are_same(state, access.subscripts)
        case Opaque(operands=operands):
            return _rise_of_call(state, dict(value.what.fields).get("function"), operands)
        case Apply(operation=Operation.ADD | Operation.SUB as operation, operands=(left, right)):
            first, second = rise_of(state, left), rise_of(state, right)
            if first is None or second is None:
                return None
            return first + second if operation is Operation.ADD else first - second
        case Apply(operands=operands):
            return 0 if all(rise_of(state, operand) == 0 for operand in operands) else None


def rise_of_index(state: State, index: Poly) -> int | None:
    """Return by how much an index is greater in the next active thread of a warp; None where that is not known."""
    if not state.emitter.in_kernel:
        return None
    apart = _apart(state)
    rise = 0
    for monomial, factor in index.terms.items():
        first = monomial[0] if len(monomial) == 1 else None
        if isinstance(first, Unknown) and first.rises and isinstance(factor, int):
            rise += first.rises * factor
        elif not all(_is_same(atom, apart) for atom in monomial):
            return None
    return rise


def are_same(state: State, subscripts: Iterable[Poly]) -> int | None:
    """Return 0 where all threads of a warp have the same element, by these subscripts, else None."""
    return 0 if all(rise_of_index(state, subscript) == 0 for subscript in subscripts) else None


def _rise_of_call(state: State, function: object, operands: Sequence[Value]) -> int | None:
    if function in _VOTES:
        return 0
    if function in _FROM_A_LANE:
        return 0 if all(rise_of(state, lane) == 0 for lane in operands[-2:]) else None
    if function not in _BITS | _OF_OPERANDS:
        return None
    rises = [rise_of(state, operand) for operand in operands]
    if all(rise == 0 for rise in rises):
        return 0
    match operands:
        case (Apply(operation=Operation.BITWISE | Operation.SHIFT, operands=parts),) if function in _BITS:
            return 1 if 0 in [rise_of(state, part) for part in parts] else None
        case _:
            return None


def _apart(state: State) -> frozenset[str]:
    """Return the iterators that may differ between the threads of a warp: theirs, and those of loops from these on."""
    found = set(_THREADS)
    for loop in state.flow.loops:
        if loop.lower is None or not all(_is_same(atom, found) for atom in loop.lower.atoms()):
            found.add(loop.iterator)
    return frozenset(found)


def _is_same(atom: Atom, apart: Iterable[str]) -> bool:
    """Return whether a part of an index is the same for all threads of a warp; ``apart`` are names that may not be."""
    match atom:
        case str():
            return atom not in apart
        case Unknown(rises=0):
            return True
        case FloorDiv() | TruncDiv() if _is_warp(atom):
            return True
        case Unknown():
            return atom.names().isdisjoint(apart)
        case _:
            return all(_is_same(inner, apart) for operand in atom.operands for inner in operand.atoms())


def _is_warp(atom: FloorDiv | TruncDiv) -> bool:
    """Return whether a quotient is the number of a warp, or of several together: ``threadIdx.x / 64``."""
    divisor = atom.denominator.constant
    return atom.numerator.as_name == "threadIdx.x" and divisor is not None and divisor > 0 and divisor % _WARP == 0
