"""An innermost loop in the vectors that a compiler puts it into."""

from __future__ import annotations

from msgspec import Struct

from analyzer.counts.results import PerIteration

from ....machine.hardware import Core
from ....machine.machine import Machine
from ...compilers import Compiler
from ...level_bytes import ProjectionOptions
from .vectors import Vectors

CONTROL = 2.0  # instructions of an iteration: the counter, and a compare that is fused with its branch (Fog)
_USUAL_LATENCY = 5.0  # cycles of a load from L1: Skylake (Fog, The microarchitecture of Intel, AMD and VIA CPUs)


class CompiledLoop(Struct, frozen=True, kw_only=True, eq=False):
    """An iteration of a loop in its ``vectors``, and what is known of its runs.

    ``trip`` is its mean trip count, which ``varies`` or not; ``runs`` are its iterations in the whole nest.
    """

    iteration: PerIteration
    vectors: Vectors
    core: Core
    machine: Machine
    options: ProjectionOptions
    trip: float | None
    varies: bool
    runs: float | None

    @property
    def lanes(self) -> int:
        """Return the iterations that go together in vectors."""
        return self.vectors.lanes

    @property
    def compiler(self) -> Compiler:
        """Return whose code it is."""
        return self.options.code.compiler

    @property
    def load_latency(self) -> float:
        """Return the cycles of a load from the innermost cache into a register of what the loop computes with."""
        core, innermost = self.core, self.machine.levels[0] if self.machine.levels else None
        if self.lanes > 1 and self.vectors.bits == core.simd_bits and core.vector_load_latency_cycles:
            return core.vector_load_latency_cycles
        if self.iteration.precision.is_float and core.float_load_latency_cycles:
            return core.float_load_latency_cycles
        return (innermost.latency_cycles if innermost is not None else None) or _USUAL_LATENCY
