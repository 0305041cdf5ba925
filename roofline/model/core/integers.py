"""The fewest integer instructions of an iteration, and how many of them a machine does: the integer ceiling.

What is counted are operations on data: those of subscripts and loop control are strength-reduced, or run in
parallel.  One instruction may do several of them, and a bound takes it that it does:

* two additions (``IADD3``), a shift and an addition (``LEA``), a product and an addition (``IMAD``, ``vpmaddwd``),
* two bitwise operations (``LOP3``, ``vpternlogd``), a rotation, which is two shifts and a bitwise operation (``SHF``,
  ``vprold``), two minima (``VIMNMX3``).

Weights of the operations that no such instruction exceeds give a lower bound of the number of instructions (duality of
linear programming); the largest over the sets of weights :data:`_WEIGHTS` is taken.  A product may be one by a power of
two, a quotient a shift and a remainder a mask, so that none of them takes a unit of its own.  Lanes are those of the
narrowest integer that a loop touches, for compilers compute in as few bits as the result needs.

A value that goes through operations of several kinds from one iteration to the next (``h = (h ^ c)*p``,
``x ^= x << 13``) waits for them: an instruction does at most two of these, and takes a cycle at least.  Of operations
of one kind that follow each other it waits for one, as their order is free: ``h ^ a ^ b`` is ``h ^ (a ^ b)``.  Minima
and maxima are conditional moves, which wait; a compiler that makes branches of them, which a processor predicts, still
has the instructions of single iterations, and these take a cycle at least.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import groupby

from analyzer.counts.results import OperationKey, PerIteration
from analyzer.ir.values import Operation

from ...machine.hardware import Core
from .incore import varying

_SUM, _PRODUCT, _SHIFT, _BITS, _EXTREME = "sum", "product", "shift", "bits", "extreme"
_GROUPS = {
    Operation.ADD: _SUM,
    Operation.SUB: _SUM,
    Operation.MUL: _PRODUCT,
    Operation.FMA: _PRODUCT,
    Operation.DIV: _SHIFT,
    Operation.SHIFT: _SHIFT,
    Operation.REM: _BITS,
    Operation.BITWISE: _BITS,
    Operation.MIN: _EXTREME,
    Operation.MAX: _EXTREME,
}
# The corners of the dual program, see above.
_WEIGHTS = (
    {_PRODUCT: 1.0, _SHIFT: 0.25, _BITS: 0.5, _EXTREME: 0.5},
    {_PRODUCT: 1.0, _SHIFT: 0.5, _EXTREME: 0.5},
    {_PRODUCT: 0.5, _SUM: 0.5, _SHIFT: 0.25, _BITS: 0.5, _EXTREME: 0.5},
    {_PRODUCT: 0.5, _SUM: 0.5, _SHIFT: 0.5, _EXTREME: 0.5},
)
_BITS_OF_BYTE = 8  # by definition
_KINDS_IN_ORDER = 2  # of operations of one kind the order is free, see above
_OPERATIONS_OF_INSTRUCTION = 2  # the most that a value goes through in one instruction, see above
_CYCLES_OF_BRANCHES = 1  # of an iteration with a minimum or maximum, of which a compiler makes a branch, see above
_WORD_BYTES = 4  # of ``int``, where a loop touches no integer


def fewest_instructions(operations: Mapping[OperationKey, Fraction]) -> float:
    """Return the fewest integer instructions that do some operations, one element at a time.

    >>> from analyzer.ir.types import ScalarType
    >>> key = lambda operation: OperationKey(operation, ScalarType.UINT32)
    >>> rotation = {key(Operation.SHIFT): Fraction(2), key(Operation.BITWISE): Fraction(1)}
    >>> fewest_instructions(rotation), fewest_instructions({key(Operation.MUL): Fraction(2)})
    (1.0, 2.0)
    """
    numbers = dict.fromkeys((_SUM, _PRODUCT, _SHIFT, _BITS, _EXTREME), 0.0)
    for key, share in operations.items():
        group = _GROUPS.get(key.operation)
        if group is not None and key.precision.is_integer:
            numbers[group] += float(share)
    return max(sum(weights.get(group, 0.0) * number for group, number in numbers.items()) for weights in _WEIGHTS)


def bitwise_instructions(operations: Mapping[OperationKey, Fraction]) -> float:
    """Return the fewest instructions that do the bitwise operations: no multiplier does any of them."""
    kinds = (Operation.BITWISE, Operation.REM)
    return sum(float(n) for key, n in operations.items() if key.operation in kinds and key.precision.is_integer) / 2


def fewest_waits(operations: Iterable[Operation]) -> int:
    """Return the fewest cycles from a value to the next one through integer operations; 0 where their order is free.

    Operations with something else among them, as a selection, take none: a processor may predict that.

    >>> step, add, mul = (Operation.SHIFT, Operation.BITWISE), Operation.ADD, Operation.MUL
    >>> fewest_waits(3 * step), fewest_waits((add, add)), fewest_waits((mul, add)), fewest_waits((add, Operation.MIN))
    (3, 0, 1, 1)
    """
    groups = [_GROUPS.get(operation) for operation in operations if operation is not Operation.CONVERT]
    kinds = set(groups)
    if len(kinds) < _KINDS_IN_ORDER or None in kinds:
        return 0
    waits = -(-sum(1 for _ in groupby(groups)) // _OPERATIONS_OF_INSTRUCTION)
    return min(waits, _CYCLES_OF_BRANCHES) if _EXTREME in kinds else waits


def integers_of(iteration: PerIteration) -> float:
    """Return the fewest integer instructions of one iteration, one element at a time."""
    return fewest_instructions(varying(iteration))


def narrowest_bytes(iteration: PerIteration) -> int:
    """Return the size of the narrowest integer that an iteration computes with, loads or stores."""
    kinds = (*_GROUPS, Operation.CONVERT)
    keys = [key for key in iteration.operations if key.precision.is_integer and key.operation in kinds]
    computed = [key.precision.size_bytes for key in keys]
    touched = [step.size_bytes for step in iteration.steps]
    return min((size for size in (*computed, *touched) if size), default=_WORD_BYTES)


def lanes_of(core: Core, size_bytes: int) -> float:
    """Return the integers of a size that one instruction computes; one on a core with units for single ones alone."""
    single = core.integer_units is None and core.scalar_integer_units is not None
    return 1.0 if single else core.simd_bits / (_BITS_OF_BYTE * size_bytes)


def integers_per_cycle(core: Core, size_bytes: int) -> float | None:
    """Return the integer operations of a core in one cycle, in vectors or one by one; None where neither is stated."""
    vectors = (core.integer_units or 0.0) * lanes_of(core, size_bytes)
    return max(vectors, core.scalar_integer_units or 0.0) or None
