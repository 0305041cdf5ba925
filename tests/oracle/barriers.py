"""Drawn kernels with barriers, without branches: each load and store that is left is one instruction of machine code.

Threads add elements of memory that others may change (``z``, ``x``, shared ``q``) and that none can (``y``), store
sums, and wait now and then.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.launches.given import parse_launch
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.nodes import MemorySpace
from analyzer.ir.passes.substitute import bind
from analyzer.source import Language, SourceFile
from analyzer.traffic.gpu.registers import requested_references
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.program.lockstep import in_lockstep
from tests.oracle.sass.toolchain import Toolchain

STEPS = (
    *("s += z[i];", "s += z[i];", "s += y[i];", "s += x[i];", "x[i] = s;"),
    *("s += q[t];", "s += q[31 - t];", "q[t] = s;", "q[31 - t] = s;"),
)
BARRIERS = ("__syncthreads();", "__syncwarp();", "__threadfence();", "__threadfence_block();")
THREADS = 32
KINDS = ("LDG", "STG", "LDS", "STS")


def drawn(seed: int) -> str:
    """Return the steps of a seed."""
    drawing = random.Random(seed)
    steps = (drawing.choice(BARRIERS if drawing.random() < 0.35 else STEPS) for _ in range(drawing.randint(4, 10)))
    return " ".join(steps)


def kernel(name: str, steps: str) -> str:
    """Return the text of a kernel that takes these steps between others that keep them alive."""
    return (
        f'extern "C" __global__ void {name}(float *x, const float *__restrict__ y, const float *z) {{\n'
        f"  __shared__ float q[{THREADS}]; int t = threadIdx.x, i = blockIdx.x * {THREADS} + t; float s = 0;\n"
        f"  q[t] = z[i + 1]; __syncthreads();\n  {steps}\n  __syncthreads(); x[i] = s + q[31 - t];\n}}\n"
    )


def executed(tools: Toolchain, bodies: Sequence[str], arch: str) -> list[tuple[int, ...]]:
    """Return the instructions of :data:`KINDS` in the machine code of each kernel."""
    text = "".join(kernel(f"k_{number}", steps) for number, steps in enumerate(bodies))
    codes = tools.compiled_text(text, arch).codes
    found = []
    for number in range(len(bodies)):
        names = Counter(each.name.split(".")[0] for each in codes[f"k_{number}"].instructions)
        found.append(tuple(names[kind] for kind in KINDS))
    return found


def predicted(steps: str) -> tuple[int, ...]:
    """Return the loads and stores of one thread of a kernel that are taken to make requests, in the same order."""
    parsed = parse_clang(SourceFile("x.cu", kernel("k", steps), Language.CUDA), ParseOptions())
    launches, _ = launches_of(parsed.unit, [parse_launch(f"k:grid=1,block={THREADS}")], None, {})
    (region,) = lower_unit(parsed.unit, LowerOptions(launches=launches)).regions
    program = lay_out(in_lockstep(bind(region, {})), unwrapped=True, pieces=False)
    found = [each.reference for requested in requested_references(program).values() for each in requested]
    letters = {MemorySpace.GLOBAL: "G", MemorySpace.SHARED: "S"}
    names = Counter(("ST" if each.write else "LD") + letters[program.arrays[each.array].space] for each in found)
    return tuple(names[kind] for kind in KINDS)
