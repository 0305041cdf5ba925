"""The instructions that the warps of a kernel are likely to run, by the units that run them.

Input: the operations of a kernel, and the requests of its warps.  Output: :class:`WarpInstructions`, of all warps.

* Divisions and mathematical functions are as many instructions as in machine code (``gpu_functions.toml``); a sum,
  product or FMA after contraction is one, and so is a comparison, selection, shift, bitwise operation or conversion.
  Three-input instructions (``IADD3``, ``LOP3``) take several integer operations at once.
* Index arithmetic is strength-reduced and put into the offsets of loads: half an instruction for an access to global
  memory is left, half of one for the counter and half for the branch of an iteration (loops are unrolled), and a few
  that each thread begins with.
* Numbers of half precision are two in an instruction where the source computes with pairs (``half2``).
* Lanes that are off take as long as active ones: a warp runs what any of its threads runs
  (:mod:`analyzer.traffic.gpu.active_lanes`).  The few instructions that each thread begins with have all of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct, convert

from analyzer.counts.results import OperationKey
from analyzer.ir.nodes import MemorySpace
from analyzer.ir.types import ScalarType
from analyzer.ir.values import Operation, is_atomic
from analyzer.profile import RegionProfile
from analyzer.traffic.results import Request

from ...instructions import OF_PAIR
from .ends import End, count_at, runs_of

_FUSED = (Operation.ADD, Operation.SUB, Operation.MUL, Operation.FMA)
_FOLDED = (Operation.NEG, Operation.ABS)  # of numbers that other instructions take with a sign
_CALLED = (Operation.CALL, Operation.DIV, Operation.SQRT, Operation.REM)
_HALVES = (ScalarType.FP16, ScalarType.BF16)
_WIDE = (ScalarType.INT64, ScalarType.UINT64)  # in registers of 32 bits
_TENSOR = "tensor_"
_OF_LAUNCH = ("threadIdx", "blockIdx")
# The next five are from the integer instructions that Nsight Compute recorded on 48 launches of HeCBench (sm_86).
_INTEGERS_TOGETHER = 0.7  # instructions of an integer operation on data
_OF_ACCESS = 0.5  # of the address of an access to global memory
_OF_ITERATION = 0.5  # of a counter, and of a branch
_OF_THREAD = 4.0  # of an index, its bound and the first addresses
_OF_INTEGER_DIVISION = (1.0, 15.0)  # special and other instructions (sm_86, nvcc 13.0)
_OF_UNKNOWN_CALL = 8.0  # a choice: gpu_functions.toml has 2 to 3 for intrinsic functions, a median of 21 of all


class Function(Struct, frozen=True, array_like=True):
    """Instructions of one call, of a thread: fp32 and fp64 arithmetic, special functions, and others."""

    fp32: float
    fp64: float
    special: float
    other: float


class WarpInstructions(Struct, frozen=True, kw_only=True):
    """Instructions of all warps of a launch; ``shuffles`` go through the units of memory, ``matrix_flops`` apart.

    ``active`` is the share of the lanes that are on.
    """

    fp32: float
    fp64: float
    fp16: float
    special: float
    other: float
    shuffles: float
    memory: float
    matrix_flops: Mapping[str, float]
    active: float

    @property
    def total(self) -> float:
        """Return all that schedulers start."""
        return self.fp32 + self.fp64 + self.fp16 + self.special + self.other + self.shuffles + self.memory


@cache
def functions() -> Mapping[tuple[str, str], Function]:
    """Return the instructions of calls, by name and precision (``fp32``, ``fp64``)."""
    text = Path(__file__).with_name("gpu_functions.toml").read_text("utf-8")
    rows = convert(tomllib.loads(text), dict[str, dict[str, Function]])
    return {(name, precision): row for name, own in rows.items() for precision, row in own.items()}


def function_of(key: OperationKey) -> Function | None:
    """Return the instructions of a division, root or call on floating-point numbers; None for other operations."""
    if key.operation not in _CALLED or not key.precision.is_float:
        return None
    name = key.function or ("fmod" if key.operation is Operation.REM else key.operation.value)
    precision = "fp64" if key.precision is ScalarType.FP64 else "fp32"
    unknown = Function(0.0, 0.0, 0.0, 0.0 if is_atomic(name) else _OF_UNKNOWN_CALL)
    return functions().get((name, precision)) or functions().get((name.removesuffix("f"), precision)) or unknown


class Warps(Struct, frozen=True):
    """The warps of a launch: how many, of how many lanes, and the share of these that is on where they compute."""

    number: float
    lanes: int = 32
    active: float = 1.0


def warp_instructions(
    profile: RegionProfile, requests: Sequence[Request], warps: Warps, end: End = End.LIKELY
) -> WarpInstructions | None:
    """Return the instructions of all warps; None where operations are not known."""
    found = _of_operations(profile, end)
    counts = (profile.work.flop_instructions, profile.work.index_operations)
    fused, index = (count_at(count, profile.values, end) for count in counts)
    if found is None or fused is None or index is None:
        return None
    written = found["fp32"] + found["fp64"] + found["fp16"] + found["bf16"]
    contracted = min(1.0, fused / written) if written else 0.0
    threads, iterations = warps.number * warps.lanes, _iterations(profile, end)
    share = {id(request): runs_of(request, end) / request.iterations for request in requests}
    in_global = sum(r.accesses * share[id(r)] for r in requests if r.space is MemorySpace.GLOBAL)
    control = _OF_ACCESS * min(index, 2 * in_global + _OF_THREAD * threads) + 2 * _OF_ITERATION * iterations
    asked = sum(request.requests * share[id(request)] for request in requests)
    together = _halves_together(profile, end)
    per_warp = 1 / (warps.lanes * warps.active)
    return WarpInstructions(
        fp32=((found["fp32"] + found["bf16"] / together) * contracted + found["fp32 of calls"]) * per_warp,
        fp64=(found["fp64"] * contracted + found["fp64 of calls"]) * per_warp,
        fp16=found["fp16"] / together * contracted * per_warp,
        special=found["special"] * per_warp,
        other=(found["other"] + control) * per_warp + _OF_THREAD * warps.number,
        shuffles=found["shuffles"] * per_warp,
        memory=asked,
        matrix_flops={name: number for name, number in found.items() if name.startswith(_TENSOR)},
        active=warps.active,
    )


def _of_operations(profile: RegionProfile, end: End) -> dict[str, float] | None:
    """Return the instructions of threads by unit, additions and products as they are written."""
    names = ("fp32", "fp64", "fp16", "bf16", "fp32 of calls", "fp64 of calls", "special", "other", "shuffles")
    found = dict.fromkeys(names, 0.0)
    for key, quantity in profile.work.operations.items():
        number = count_at(quantity, profile.values, end)
        if number is None:
            return None
        for name, each in _units_of(key):
            found[name] = found.get(name, 0.0) + number * each
    return found


def _units_of(key: OperationKey) -> Sequence[tuple[str, float]]:
    """Return the instructions of one operation, by unit."""
    is_float, is_double = key.precision.is_float, key.precision is ScalarType.FP64
    called = function_of(key)
    if called is not None:
        parts = (called.fp32, called.fp64, called.special, called.other)
        return tuple(zip(("fp32 of calls", "fp64 of calls", "special", "other"), parts, strict=True))
    match key.operation:
        case Operation.TENSOR:
            return ((key.precision.value, 1.0),)
        case Operation.SHUFFLE:
            return (("shuffles", 1.0),)
        case Operation.DIV | Operation.REM:
            return (("special", _OF_INTEGER_DIVISION[0]), ("other", _OF_INTEGER_DIVISION[1]))
        case Operation.CALL:
            return (("other", _OF_UNKNOWN_CALL),) if not is_atomic(key.function) else ()
        case Operation.CONVERT if is_double:
            return (("special", 1.0), ("other", 1.0))  # at the rate of special functions (CUDA C++ Programming Guide)
        case operation if operation in _FUSED and is_float:
            halves = key.precision.value if key.precision in _HALVES else "fp32"
            return (("fp64" if is_double else halves, 1.0),)
        case operation if operation in _FOLDED and is_float:
            return ()
        case Operation.MIN | Operation.MAX | Operation.COMPARE if is_double:
            return (("fp64", 1.0),)
        case _:
            return (("other", 1.0 if is_float else _INTEGERS_TOGETHER * (2 if key.precision in _WIDE else 1)),)


def _halves_together(profile: RegionProfile, end: End) -> float:
    """Return how many numbers of half precision an instruction has, by the vectors in the source: 1 to 2."""
    total = computed = 0.0
    for inner in profile.inner_loops:
        each = inner.iteration
        if each.precision in _HALVES and each.flop_instructions:
            number = float(each.flop_instructions) * (count_at(inner.runs, profile.values, end) or 0.0)
            total, computed = total + number, computed + number / min(float(each.lanes), OF_PAIR)
    return total / computed if computed else 1.0


def _iterations(profile: RegionProfile, end: End) -> float:
    """Return the iterations of loops that are no axes of the launch."""
    loops = [inner for inner in profile.inner_loops if not inner.iteration.iterator.startswith(_OF_LAUNCH)]
    return sum(count_at(inner.runs, profile.values, end) or 0.0 for inner in loops)
