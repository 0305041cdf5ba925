"""The cycles of an iteration in functions of the library.

Input: an iteration of an innermost loop, the bits of its vectors, the options.  Output: cycles.
"""

from __future__ import annotations

from analyzer.counts.results import PerIteration
from analyzer.ir.types import ScalarType
from analyzer.ir.values import Operation

from ...compilers import call_cycles, extreme_cycles, rounding_cycles
from ...level_bytes import ProjectionOptions
from .vectors import is_baseline, is_called, rounds


def called_by(iteration: PerIteration, options: ProjectionOptions) -> tuple[str, ...]:
    """Return the functions of the library that an iteration calls."""
    keys = [key for key, share in iteration.operations.items() if share]
    rounding = is_baseline(options)
    return tuple(
        key.function
        for key in keys
        if (key.operation is Operation.CALL and call_cycles(key.function))
        or is_called(key, options)
        or (rounding and rounds(key.function))
    )


def called_cycles(iteration: PerIteration, bits: float, options: ProjectionOptions) -> float:
    """Return the cycles of one iteration in functions of the library, in vectors of so many bits (0: alone)."""
    operations = iteration.operations.items()
    found = sum(extreme_cycles() * float(share) for key, share in operations if is_called(key, options))
    if is_baseline(options):
        found += sum(rounding_cycles() * float(share) for key, share in operations if rounds(key.function))
    return found + sum(
        float(share) * call_cycles(key.function, bits=bits, is_single=key.precision is ScalarType.FP32)
        for key, share in operations
        if key.operation is Operation.CALL
    )
