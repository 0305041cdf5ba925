"""Instructions that move elements between the registers of a vector, and make them wider or narrower.

Input: an iteration of an innermost loop and its vectors.  Output: instructions and cycles of one iteration.

* Elements that are apart are permuted out of the lines that they are in: AVX-512 and 128 bits take one instruction for
  two registers (``vpermt2pd``, ``shufpd``), AVX2 two, within halves and across them (``vunpcklpd``, ``vpermpd``), and
  five for elements of less than four bytes (two ``vpshufb`` and ``vpermq``, ``vpor``).  Groups that are stored as they
  are loaded (complex numbers) stay within halves.
* Integers of less than four bytes are doubled in size step by step up to what a sum, a store or a conversion takes
  (``vpmovzxbw``, ``vpmovzxwd``, ...: an instruction for each register that comes out, and half as many to take the
  upper half of one apart), and halved likewise before they are stored (``vpackuswb`` and a ``vpermq``).  gcc computes
  on narrow ones where no more is stored of them (over-widening patterns), in twice the size where a shift or a
  comparison follows a product.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2
from typing import NamedTuple

from analyzer.counts.results import PerIteration, Step
from analyzer.ir.values import Operation

from ....machine.hardware import Core
from ...compilers import Compiler
from .vectors import Vectors, copies, has_masks, is_apart, is_filled

_PER_CYCLE = {"AMD": 2.0}  # permutations; one elsewhere (Fog: port 5 of Intel's cores)
_HALVED_BITS = 256  # of vectors in two halves that only some instructions cross
# Cycles of a permutation of two registers of AVX2: half a cycle within halves and one across them on AMD (Fog, Zen 3).
_PAIR, _PAIR_OF = 2.0, {"AMD": 1.5}
_SMALL, _SMALL_INSTRUCTIONS, _SMALL_CYCLES = 4, 5.0, 4.0  # bytes of an element below which a pair takes these
_WORD = 4  # bytes of an int, which narrower integers are promoted to
_CHECKED = frozenset((Operation.SHIFT, Operation.DIV, Operation.REM, Operation.COMPARE))


class Shuffles(NamedTuple):
    """Instructions and cycles of one iteration."""

    instructions: float = 0.0
    cycles: float = 0.0

    def __add__(self, other: object) -> Shuffles:
        """Return both together."""
        if not isinstance(other, Shuffles):
            return NotImplemented
        return Shuffles(self.instructions + other.instructions, self.cycles + other.cycles)


class Integers(NamedTuple):
    """The bytes of the narrow integers that a loop loads, computes with and leaves."""

    loaded: int
    computed: int
    left: int


def shuffles_of(
    iteration: PerIteration, vectors: Vectors, core: Core, vendor: str, compiler: Compiler, gathered: Sequence[Step]
) -> Shuffles:
    """Return what a vector iteration takes; nothing in scalar code, nor for what is ``gathered``."""
    if vectors.lanes == 1 or copies(iteration):
        return Shuffles()
    per_cycle = _PER_CYCLE.get(vendor, 1.0)
    halved = vectors.bits == _HALVED_BITS and not has_masks(core)
    one_by_one = sum(_one_by_one([step for step in iteration.steps if step not in gathered], iteration, compiler))
    found = Shuffles(one_by_one, one_by_one / per_cycle)
    across = 1.0 if halved else per_cycle
    for step in iteration.steps:
        stride = step.stride_bytes
        if not stride or is_apart(step, iteration.steps, compiler):
            continue
        share = float(step.runs) * vectors.each(step.size_bytes)
        pairs, turned = share * _pairs(step, iteration), share * (stride < 0)
        crosses = halved and not _stay_together(step, iteration.steps)
        each = _each_pair(step.size_bytes, vendor) if crosses else Shuffles(1.0, 1.0 / per_cycle)
        found += Shuffles(pairs * each.instructions + turned, pairs * each.cycles + turned / across)
    resized = sum(_resized(iteration, vectors))
    return found + Shuffles(resized, resized / across)


def _one_by_one(steps: Sequence[Step], iteration: PerIteration, compiler: Compiler) -> Iterator[float]:
    """Yield the instructions for elements that go alone: to put them together, and to take out numbers of elements."""
    for step in steps:
        if is_apart(step, iteration.steps, compiler) and (step.is_indirect or step.stride_bytes):
            yield float(step.runs) * (2 if step.is_indirect else 1)


def _pairs(step: Step, iteration: PerIteration) -> float:
    """Return those of a vector of a group of references, in a tree where they touch every element (as gcc does)."""
    elements = abs(step.stride_bytes or 0) // step.size_bytes
    return log2(elements) if is_filled(step, iteration.steps) else elements - 1


def _stay_together(step: Step, steps: Sequence[Step]) -> bool:
    """Return whether groups of elements are loaded and stored alike, as complex numbers are: parts trade places."""
    stored = (each for each in steps if each.is_store and each.stride_bytes == step.stride_bytes)
    return is_filled(step, steps) and any(is_filled(each, steps) for each in stored)


def _each_pair(size_bytes: int, vendor: str) -> Shuffles:
    if size_bytes < _SMALL:
        return Shuffles(_SMALL_INSTRUCTIONS, _SMALL_CYCLES)
    return Shuffles(2.0, _PAIR_OF.get(vendor, _PAIR))


def narrow_integers(iteration: PerIteration) -> Integers | None:
    """Return the sizes of integers of less than four bytes in a loop; None without such."""
    loaded = min((step.size_bytes for step in iteration.steps if not step.is_store), default=_WORD)
    integers = [key for key, share in iteration.operations.items() if share and key.precision.is_integer]
    to_float = any(
        key.operation is Operation.CONVERT and key.precision.is_float
        for key, share in iteration.operations.items()
        if share
    )
    floats = to_float or any(key.precision.is_float for key, share in iteration.operations.items() if share)
    if loaded >= _WORD or not (integers or to_float):
        return None
    stored = [step.size_bytes for step in iteration.steps if step.is_store and not floats]
    sums = [chain.size_bytes for chain in iteration.vectorization.chains if not chain.is_floating]
    left = max((*stored, *sums, *((_WORD,) if to_float else ())), default=loaded)
    if left > loaded:
        return Integers(loaded, min(_WORD, left), left)
    operations = {key.operation for key in integers}
    grows = Operation.MUL in operations and operations & _CHECKED
    return Integers(loaded, 2 * loaded if grows else loaded, left)


def _resized(iteration: PerIteration, vectors: Vectors) -> Iterator[float]:
    """Yield the instructions that widen and narrow integers."""
    sizes = narrow_integers(iteration)
    if sizes is not None:
        loads = sum(
            float(step.runs)
            for step in iteration.steps
            if not step.is_store and step.size_bytes == sizes.loaded and _is_vector(step)
        )
        yield loads * _doubled(sizes.loaded, sizes.computed, vectors)
        yield _doubled(sizes.computed, sizes.left, vectors)
        yield _halved(sizes.computed, sizes.left, vectors)
    narrowed = (
        (key.precision.size_bytes, share)
        for key, share in iteration.operations.items()
        if key.operation is Operation.CONVERT and key.precision.is_integer
    )
    for size, share in narrowed:
        yield float(share) * _halved(_WORD, size, vectors)


def _is_vector(step: Step) -> bool:
    """Return whether whole vectors of a reference are loaded."""
    return not step.is_indirect and bool(step.stride_bytes)


def _doubled(size: int, wanted: int, vectors: Vectors) -> float:
    """Return the instructions of one iteration to widen an integer: for each register out, and for half of those in."""
    found = 0.0
    while size < wanted:
        size *= 2
        found += 1.5 * vectors.each(size)
    return found


def _halved(size: int, wanted: int, vectors: Vectors) -> float:
    """Return the instructions of one iteration to narrow an integer: two for each register that comes out."""
    found = 0.0
    while size > wanted:
        size //= 2
        found += 2 * vectors.each(size)
    return found
