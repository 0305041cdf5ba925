"""Drawn kernels with barriers: each load and store that is left is one instruction of machine code, or one in a loop.

Threads add elements of memory that others may change (``z``, ``x``, shared ``q``) and that none can (``y``), store
sums, and wait now and then.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from analyzer.ir.nodes import MemorySpace
from analyzer.ir.passes.substitute import bind
from analyzer.traffic.gpu.requests import WarpShape, requests_of
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.program.schedules.lockstep import in_lockstep
from tests.oracle.sass.drawn_counts import region_of
from tests.oracle.sass.listing import Code, Instruction
from tests.oracle.sass.toolchain import Toolchain

STEPS = (
    *("s += z[i];", "s += z[i];", "s += y[i];", "s += x[i];", "x[i] = s;"),
    *("s += q[t];", "s += q[31 - t];", "q[t] = s;", "q[31 - t] = s;"),
)
IN_LOOPS = ("s += z[i + 32 * k];", "s += y[i + 32 * k];", "s += q[(t + k) % 32];", "x[i + 32 * k] = s;")
TURNS = 5
BARRIERS = ("__syncthreads();", "__syncwarp();", "__threadfence();", "__threadfence_block();")
THREADS = 32
KINDS = ("LDG", "STG", "LDS", "STS")


def drawn(seed: int) -> str:
    """Return the steps of a seed."""
    drawing = random.Random(seed)
    steps = (drawing.choice(BARRIERS if drawing.random() < 0.35 else STEPS) for _ in range(drawing.randint(4, 10)))
    return " ".join(steps)


def drawn_loops(seed: int) -> str:
    """Return the steps of a seed, some of them in loops, which the compiler is told to leave as they are."""
    drawing = random.Random(seed)

    def part() -> str:
        if drawing.random() < 0.5:
            return drawing.choice(BARRIERS if drawing.random() < 0.3 else STEPS)
        number = drawing.randint(1, 5)
        body = [drawing.choice(BARRIERS if drawing.random() < 0.25 else STEPS + IN_LOOPS) for _ in range(number)]
        return f"\n#pragma unroll 1\nfor (int k = 0; k < {TURNS}; k++) {{ s += 1; {' '.join(body)} }}\n"

    return " ".join(part() for _ in range(drawing.randint(2, 4)))


def kernel(name: str, steps: str) -> str:
    """Return the text of a kernel that takes these steps between others that keep them alive."""
    return (
        f'extern "C" __global__ void {name}(float *x, const float *__restrict__ y, const float *z) {{\n'
        f"  __shared__ float q[{THREADS}]; int t = threadIdx.x, i = blockIdx.x * {THREADS} + t; float s = 0;\n"
        f"  q[t] = z[i + 1]; __syncthreads();\n  {steps}\n  __syncthreads(); x[i] = s + q[31 - t];\n}}\n"
    )


def executed(tools: Toolchain, bodies: Sequence[str], arch: str) -> list[tuple[int, ...] | None]:
    """Return the executed instructions of :data:`KINDS` of each kernel: those between a jump back and its target often.

    None for a kernel of which the compiler has made other loops.
    """
    text = "".join(kernel(f"k_{number}", steps) for number, steps in enumerate(bodies))
    codes = tools.compiled_text(text, arch).codes
    found: list[tuple[int, ...] | None] = []
    for number in range(len(bodies)):
        code = codes[f"k_{number}"]
        jumps = [each for each in code.instructions if each.name.startswith("BRA")]
        targets = {each.address: _target(each, code) for each in jumps}
        loops = [(target, address) for address, target in targets.items() if target < address]
        if len(loops) != bodies[number].count("for ("):
            found.append(None)
            continue
        names: Counter[str] = Counter()
        for each in code.instructions:
            in_loop = any(first <= each.address <= last for first, last in loops)
            names[each.name.split(".")[0]] += TURNS if in_loop else 1
        found.append(tuple(names[kind] for kind in KINDS))
    return found


def _target(jump: Instruction, code: Code) -> int:
    """Return the address that a jump goes to; that of the jump itself ends the code."""
    labels = (code.labels[label] for label in code.labels if label.lstrip(".") in str(jump.operands))
    return min((*labels, jump.address))


def predicted(steps: str) -> tuple[int, ...]:
    """Return the requests that one warp is taken to make, in the same order."""
    region = bind(region_of(kernel("k", steps), "k", THREADS), {})
    program = lay_out(in_lockstep(region), unwrapped=True, pieces=False)
    letters = {MemorySpace.GLOBAL: "G", MemorySpace.SHARED: "S"}
    names: Counter[str] = Counter()
    for request in requests_of(program, WarpShape(THREADS)):
        names[("ST" if request.write else "LD") + letters[request.space]] += round(request.requests)
    return tuple(names[kind] for kind in KINDS)
