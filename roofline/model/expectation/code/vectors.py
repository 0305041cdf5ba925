"""The vectors that a compiler is likely to put an innermost loop into.

Input: an iteration of the loop, the core, and the options.  Output: :class:`Vectors`, one lane where it is scalar code.

* As many iterations as a register holds of the narrowest type go together in gcc, of the widest in clang and icx
  (LLVM, *Auto-vectorization*): an operation on a wider type is several instructions, a narrower one fills no register.
* A loop that only copies elements is assumed to be ``memcpy`` or ``memmove`` (gcc: ``-ftree-loop-distribute-patterns``)
  where the compiler can tell the arrays apart: with addresses that may overlap it stays a loop (gcc 12, clang 14).
* gcc takes a sum in the order of the source out of vectors, element by element, where the rest is vectorised, but not
  where data choose elements (it compares the costs; gcc 12), nor under a condition where sizes of numbers differ
  (gcc 12: no masked load of such a loop has a type of vectors); neither takes a minimum of floating-point numbers apart
  without ``-ffast-math``, as NaNs would show.
* Code for every processor of a kind is assumed to be compiled with default flags, by which a root may set ``errno``: a
  branch for each number.
* gcc rounds in vectors with ``-ffast-math`` alone (``-ftrapping-math``); no vector instruction of x86 divides integers.
* clang has no library of functions on vectors (``-fveclib``), gcc has libmvec with ``-ffast-math``, icx SVML.
* A stride of more than four elements gcc vectorises only where groups of a power of two touch every element (trees of
  permutations), one that is no number (a row of ``n``) where another reference of the loop is in order: it puts single
  elements together; clang and icx gather, and scatter what stores leave gaps in between, with AVX-512 (LLVM,
  ``X86TTIImpl::isLegalMaskedGather``, ``getInterleavedMemoryOpCostAVX512``): in 256 bits where half of the references
  are in order (clang 14 vectorises the timed loops of one in order and one apart, and none with two apart).  Elements
  that data choose all of them gather on cores of Intel with AVX-512; LLVM leaves such loops scalar where vectors have
  128 bits (clang 14).
* clang hands an element that the next iteration loads again on in a register (GVN of loads, where subscripts are the
  counter and a number, and no store may change it); it makes vectors of that, but not where one goes through two
  registers, ``b[i-1] + b[i] + b[i+1]`` in this order (LLVM 14, ``isFirstOrderRecurrence``).
* A store or load under a condition is not vectorised in 128 bits, nor of less than four bytes without the registers of
  masks that AVX-512 and SVE have (``vmaskmovps``, ``vpmaskmovd`` of AVX2: Intel SDM).  Without these gcc computes
  nothing ahead of a condition that may raise an exception (``-ftrapping-math``), and no compiler turns integers of 64
  bits into floating-point numbers (``vcvtqq2pd``: AVX-512DQ).
* Vectors of 128 bits are made where they take fewer cycles than scalar code, as compilers compare the costs (of 17
  loops where these differ clang 14 leaves 13 scalar); wider ones that lose are made as often as not, and assumed to be.
* A loop that may end early is not (before gcc 14 and LLVM 20).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from analyzer.cache_lines import DEFAULT_LINE_BYTES
from analyzer.counts.results import Obstacle, ObstacleKind, OperationKey, PerIteration, Step
from analyzer.ir.types import ScalarType
from analyzer.ir.values import Operation

from ....machine.hardware import Core
from ....machine.machine import Machine
from ...compilers import Compiler, Simd, call_cycles
from ...level_bytes import ProjectionOptions

INTERLEAVED = 4  # elements: a longer stride is not vectorised
_BYTE = 8  # bits
_WIDEST_NUMBER = 8  # bytes: complex numbers and vector types are several
_UNMASKED_BITS = 128  # of vectors without masked loads and stores: SSE, NEON
_MASKING = ("AVX-512", "SVE")  # instruction sets with registers of masks
_LEAST_MASKED = 4  # bytes of an element that AVX2 loads or stores under a mask
_GATHERED_BITS = 512  # of vectors that clang and icx gather into whatever else there is, see above
# Whose cores gather what data choose: gcc's tuning (X86_TUNE_USE_GATHER_4PARTS) and LLVM's (TuningFastGather) are for
# Intel's, with AVX-512 in the mean; AMD's take single loads.
_GATHERS_CHOSEN = "Intel"
# Pairs of addresses that are compared at run time (GCC manual, vect-max-version-for-alias-checks; LLVM,
# runtime-memory-check-threshold); icx is LLVM.
ALIAS_CHECKS = {Compiler.GCC: 10, Compiler.CLANG: 8, Compiler.ICX: 8}
EXTREMES = (Operation.MIN, Operation.MAX)
_SHORTEST = 8  # bytes of a vector: two floats, or integers (gcc 12)
# Rounds of vectors within which LLVM makes no load that takes up two stores, for each byte of an element
# (``MemoryDepChecker::couldPreventStoreLoadForward``); gcc does.
_FORWARDED_WITHIN = 8
_ROUNDED = ("floor", "ceil", "trunc", "rint", "nearbyint", "round")


class Vectors(Struct, frozen=True):
    """The iterations that go together (``lanes``), and the bytes of a register."""

    lanes: int
    register_bytes: float

    @property
    def bits(self) -> float:
        """Return the bits of a register."""
        return self.register_bytes * _BYTE

    def each(self, size_bytes: float) -> float:
        """Return the instructions of one iteration for an operation on numbers of a size.

        >>> Vectors(64, 64).each(8), Vectors(8, 64).each(1), Vectors(1, 8).each(4)
        (0.125, 0.125, 1.0)
        """
        return 1.0 if self.lanes == 1 else max(size_bytes / self.register_bytes, 1 / self.lanes)


def likely_vectors(iteration: PerIteration, core: Core, machine: Machine, options: ProjectionOptions) -> Vectors:
    """Return the vectors of a loop."""
    sizes = _sizes(iteration)
    number = min(sizes, default=_WIDEST_NUMBER)
    full = core.simd_bits // _BYTE
    if iteration.lanes > 1:
        elements = core.lanes_of(iteration.precision.value)
        lanes = max(1, int(min(float(iteration.lanes), elements)))
        return Vectors(lanes, full * lanes / elements)
    if copies(iteration):
        return Vectors(max(1, full // number), full)
    allowed = has_masks(core) or not _needs_masks(iteration, options)
    for width in _widths(iteration, options.code.bits(machine) // _BYTE):
        lanes = width // (number if options.code.compiler is Compiler.GCC else max(sizes, default=number))
        if lanes > 1 and allowed and _is_vectorised(iteration, core, options, lanes, width * _BYTE):
            return Vectors(lanes, width)
    return no_vectors(iteration)


def _widths(iteration: PerIteration, widest: int) -> Iterator[int]:
    """Yield the bytes of vectors that compilers try: shorter ones, where elements need those of so many before."""
    obstacles = iteration.vectorization.obstacles
    width = widest
    yield width
    while width > _SHORTEST and any(each.kind is ObstacleKind.DEPENDENCE for each in obstacles):
        width //= 2
        yield width


def no_vectors(iteration: PerIteration) -> Vectors:
    """Return what scalar code has in place of vectors."""
    return Vectors(1, _size(iteration.precision))


def may_stay_scalar(iteration: PerIteration, vectors: Vectors) -> bool:
    """Return whether a compiler weighs short vectors against scalar code: neither the source nor a function decides."""
    is_free = iteration.lanes == 1 and not iteration.vectorization.asserted and not copies(iteration)
    return is_free and vectors.lanes > 1 and vectors.bits <= _UNMASKED_BITS


def has_masks(core: Core) -> bool:
    """Return whether vectors of a core are computed, loaded and stored under masks."""
    return any(name in core.isa for name in _MASKING)


def _needs_masks(iteration: PerIteration, options: ProjectionOptions) -> bool:
    """Return whether a loop is vectorised only where there are registers of masks, or the instructions for them."""
    loop = iteration.vectorization
    if loop.converts_long or any(step.size_bytes < _LEAST_MASKED for step in masked_stores(iteration)):
        return True
    traps = options.code.compiler is Compiler.GCC and not options.reassociate
    return traps and any(branch.may_trap and not branch.is_cheap for branch in loop.branches)


def masked_stores(iteration: PerIteration) -> list[Step]:
    """Return the stores that a condition may skip: not those of which another arm has the like."""
    runs: dict[tuple[int, int | None], Fraction] = {}
    stores = [step for step in iteration.steps if step.is_store]
    for step in stores:
        place = (step.stream, step.start_bytes)
        runs[place] = runs.get(place, Fraction(0)) + step.runs
    return [step for step in stores if runs[step.stream, step.start_bytes] < 1]


def copies(iteration: PerIteration) -> bool:
    """Return whether a loop copies elements in order between arrays that are known to be apart, and nothing else."""
    steps = iteration.steps
    return (
        len(steps) == 2
        and not iteration.vectorization.alias_checks
        and len({step.is_store for step in steps}) == 2
        and not iteration.operations
        and not iteration.vectorization.obstacles
        and all(step.stride_bytes == step.size_bytes and step.runs == 1 for step in steps)
    )


def ordered_sums(iteration: PerIteration, options: ProjectionOptions) -> list[str]:
    """Return the sums that are taken in the order of the source."""
    loop = iteration.vectorization
    if options.reassociate or loop.asserted:
        return []
    return [chain.name for chain in loop.chains if chain.is_reduction and chain.is_floating]


def is_called(key: OperationKey, options: ProjectionOptions) -> bool:
    """Return whether a minimum is a call: C's fmin and fmax tell NaNs apart, as no instruction of x86 does."""
    alone = options.code.compiler is Compiler.GCC and not options.reassociate
    return alone and key.operation in EXTREMES and key.function.startswith(("fmin", "fmax"))


def _sizes(iteration: PerIteration) -> list[int]:
    """Return the bytes of the numbers that a loop loads, stores and computes."""
    return list(filter(None, _every_size(iteration)))


def _every_size(iteration: PerIteration) -> Iterator[int]:
    yield from (min(step.size_bytes, _WIDEST_NUMBER) for step in iteration.steps if step.stride_bytes != 0)
    yield from (_size(key.precision) for key, share in iteration.operations.items() if share and key.precision.is_float)
    yield from (min(chain.size_bytes, _WIDEST_NUMBER) for chain in iteration.vectorization.chains)


def _size(scalar: ScalarType) -> int:
    return min(scalar.component.size_bytes, _WIDEST_NUMBER)


def _is_vectorised(iteration: PerIteration, core: Core, options: ProjectionOptions, lanes: int, bits: int) -> bool:
    loop, compiler = iteration.vectorization, options.code.compiler
    ordered = ordered_sums(iteration, options)
    chosen = any(step.is_indirect for step in iteration.steps)
    if (ordered and (chosen or compiler is not Compiler.GCC)) or _goes_one_by_one(chosen, compiler, bits):
        return False
    in_order = [chain for chain in loop.chains if chain.name in ordered]
    if any(set(chain.operations) & set(EXTREMES) for chain in in_order):
        return False
    if len(set(_sizes(iteration))) > 1 and not all(chain.is_certain for chain in in_order):
        return False
    if loop.pursuits or loop.divides or any(chain.through_memory or chain.is_observed for chain in loop.chains):
        return False
    if loop.alias_checks > ALIAS_CHECKS[compiler] and not loop.asserted:
        return False
    if any(is_called(key, options) or _may_set_errno(key, options) for key in iteration.operations):
        return False
    if bits <= _UNMASKED_BITS and not all(branch.is_cheap or branch.is_speculated for branch in loop.branches):
        return False
    if handed_on(iteration, compiler).chained:
        return False
    if compiler is not Compiler.GCC and any(step.stride_bytes == 0 and not step.is_store for step in iteration.steps):
        return False  # an element that stays the same is loaded again, as a store of the loop may change it
    return not any(_hinders(obstacle, iteration, core, options, lanes, bits) for obstacle in loop.obstacles)


def _may_set_errno(key: OperationKey, options: ProjectionOptions) -> bool:
    """Return whether a root is a function that may set ``errno`` (the default flags of C), which is not vectorised."""
    return key.operation is Operation.SQRT and is_baseline(options) and not options.reassociate


def _goes_one_by_one(chosen: bool, compiler: Compiler, bits: int) -> bool:
    """Return whether vectors cost a compiler more than they save, as data choose elements: LLVM's of 128 bits."""
    return chosen and compiler is not Compiler.GCC and bits <= _UNMASKED_BITS


def gathers(iteration: PerIteration, compiler: Compiler, core: Core, bits: float) -> bool:
    """Return whether a compiler takes elements that are apart by one instruction, and scatters them so.

    In vectors narrower than the widest it does where no fewer references are loaded or stored as they lie in memory.
    """
    if compiler is Compiler.GCC or bits <= _UNMASKED_BITS:
        return False
    return bits >= _GATHERED_BITS or ("AVX-512" in core.isa and _few_apart(iteration.steps, compiler))


def _few_apart(steps: Sequence[Step], compiler: Compiler) -> bool:
    """Return whether at least half of the references of a loop are loaded or stored as they lie in memory."""
    apart = sum(is_apart(step, steps, compiler) and not step.is_indirect for step in steps)
    return apart <= sum(map(_is_whole, steps))


def gathers_chosen(step: Step, core: Core, vendor: str, bits: float) -> bool:
    """Return whether elements that data choose are loaded by one instruction, whichever compiler."""
    is_element = step.is_indirect and not step.is_store and _LEAST_MASKED <= step.size_bytes <= _WIDEST_NUMBER
    return is_element and vendor == _GATHERS_CHOSEN and "AVX-512" in core.isa and bits > _UNMASKED_BITS


def is_apart(step: Step, steps: Sequence[Step], compiler: Compiler) -> bool:
    """Return whether vectors of a reference are put together from single elements, or gathered."""
    stride = step.stride_bytes
    if step.is_indirect or stride is None:
        return True
    if compiler is Compiler.GCC:
        return abs(stride) > INTERLEAVED * step.size_bytes and not is_filled(step, steps)
    has_gaps = step.is_store and _members(step, steps) * step.size_bytes < abs(stride)
    return abs(stride) > INTERLEAVED * step.size_bytes or has_gaps


class HandedOn(Struct, frozen=True):
    """Loads that find their element in a register of the iteration before; ``chained``: one of them in two of these."""

    loads: int = 0
    chained: bool = False


def handed_on(iteration: PerIteration, compiler: Compiler) -> HandedOn:
    """Return what LLVM keeps in registers: an element whose next one is loaded, too, when the two are looked at."""
    if iteration.vectorization.alias_checks or compiler is Compiler.GCC:
        return HandedOn()
    stored = {step.row for step in iteration.steps if step.is_store}
    rows: dict[tuple[str, int], dict[int, None]] = {}  # the positions of elements, in the order of their loads
    for step in iteration.steps:
        if step.row not in (*stored, "") and step.stride_bytes == step.size_bytes and step.start_bytes is not None:
            rows.setdefault((step.row, step.size_bytes), {})[step.start_bytes] = None
    number, chained = 0, False
    for (_, size), positions in rows.items():
        kept: set[int] = set()
        for position in positions:
            following = (position + size) % DEFAULT_LINE_BYTES
            if following in positions and following not in kept:
                kept.add(position)
        chained |= any((position + size) % DEFAULT_LINE_BYTES in kept for position in kept)
        number += len(kept)
    return HandedOn(number, chained)


def _are_filled(steps: Sequence[Step], stride_bytes: int) -> bool:
    """Return whether all references with a stride belong to groups that touch every element, of a power of two."""
    with_it = [step for step in steps if abs(step.stride_bytes or 0) == stride_bytes]
    return bool(with_it) and all(is_filled(step, steps) for step in with_it)


def is_filled(step: Step, steps: Sequence[Step]) -> bool:
    """Return whether references of one iteration touch every element up to the next one's, a power of two."""
    group = _members(step, steps)
    return group.bit_count() == 1 and group * step.size_bytes == abs(step.stride_bytes or 0)


def _members(step: Step, steps: Sequence[Step]) -> int:
    """Return how many different elements the references of a stream have."""
    same = (other for other in steps if other.stream == step.stream and other.is_store == step.is_store)
    return len({other.start_bytes for other in same}) if step.start_bytes is not None else sum(1 for _ in same)


def _hinders(
    obstacle: Obstacle, iteration: PerIteration, core: Core, options: ProjectionOptions, lanes: int, bits: int
) -> bool:
    match obstacle.kind:
        case ObstacleKind.DEPENDENCE:
            waits = obstacle.distance % lanes and obstacle.distance / lanes < _FORWARDED_WITHIN * _WIDEST_NUMBER
            return obstacle.distance < lanes or (bool(waits) and options.code.compiler is not Compiler.GCC)
        case ObstacleKind.STRIDE:
            size = max((step.size_bytes for step in iteration.steps), default=_WIDEST_NUMBER)
            stride, compiler = obstacle.stride_bytes, options.code.compiler
            gathered = gathers(iteration, compiler, core, bits)
            if stride is None and compiler is not Compiler.GCC:
                return not (gathered and _few_apart(iteration.steps, compiler))
            if stride is None:
                return not any(_is_whole(step) for step in iteration.steps)
            if stride <= INTERLEAVED * size or gathered:
                return False
            return compiler is not Compiler.GCC or not _are_filled(iteration.steps, stride)
        case ObstacleKind.CALL:
            known = bool(obstacle.subjects) and all(_is_instruction(name, options) for name in obstacle.subjects)
            has_library = options.code.compiler is not Compiler.CLANG
            return not (known or (options.reassociate and has_library))
        case ObstacleKind.CONTROL:
            return True
        case ObstacleKind.INDIRECT | ObstacleKind.MIXED_TYPES:
            return False


def _is_whole(step: Step) -> bool:
    """Return whether vectors of a reference are loaded or stored as they lie in memory."""
    return step.stride_bytes is not None and abs(step.stride_bytes) == step.size_bytes


def _is_instruction(name: str, options: ProjectionOptions) -> bool:
    """Return whether a function is an instruction on vectors."""
    is_rounded_alone = rounds(name) and (options.code.compiler is Compiler.GCC or is_baseline(options))
    return call_cycles(name) == 0 and not is_rounded_alone


def rounds(name: str) -> bool:
    """Return whether a function rounds to a whole number."""
    return name.removesuffix("f") in _ROUNDED


def is_baseline(options: ProjectionOptions) -> bool:
    """Return whether code is assumed to be for every processor of a kind: on x86 SSE2, which rounds in a function."""
    return options.code.simd in (Simd.SCALAR, Simd.BITS_128)
