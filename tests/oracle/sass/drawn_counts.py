"""FLOPs of drawn kernels: of their machine code as it runs, and as we count them from the source.

Both are of one block of :data:`THREADS` threads, by precision.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from analyzer.counts.policy import FlopPolicy
from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.launches.given import parse_launch
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.nodes import Region
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region
from analyzer.quantities.quantity import Quantity
from analyzer.source import Language, SourceFile
from tests.oracle.drawn_cuda import ELEMENTS, PRELUDE, Drawn

from .kernels import run_once
from .tallies import flops
from .toolchain import Toolchain

THREADS = 8
_LEAST, _MOST = 0.2, 3.0


class Counted(Struct, frozen=True):
    """Our FLOPs of one precision, with what they are between."""

    estimate: Fraction
    least: Fraction
    most: Fraction


def executed(
    tools: Toolchain, kernels: Sequence[Drawn], arch: str, flags: tuple[str, ...] = ()
) -> list[dict[str, int]]:
    """Compile kernels together, run each on drawn numbers, and return its FLOPs by precision; raise ``NotModelled``."""
    bodies = (f"namespace n{index} {{\n{kernel.text}\n}}" for index, kernel in enumerate(kernels))
    codes = tools.compiled_text("\n".join([PRELUDE, *bodies]), arch, flags).codes
    found = []
    for kernel in kernels:
        drawing = random.Random(kernel.name)
        numbers = [drawing.uniform(_LEAST, _MOST) for _ in range(THREADS * ELEMENTS + ELEMENTS)]
        ran, _ = run_once(codes[kernel.name], [numbers], kernel.element, THREADS)
        found.append({precision: number for precision, number in sorted(flops(ran).items()) if number})
    return found


def region_of(text: str, kernel: str, threads: int) -> Region:
    """Return the only kernel of a text as a region, for one block of so many threads."""
    parsed = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions())
    launches, _ = launches_of(parsed.unit, [parse_launch(f"{kernel}:grid=1,block={threads}")], None, {})
    (region,) = lower_unit(parsed.unit, LowerOptions(launches=launches)).regions
    return region


def predicted(kernel: Drawn, policy: FlopPolicy) -> Mapping[str, Counted]:
    """Return our FLOPs of a kernel by precision, those that are none left out."""
    region = region_of(PRELUDE + kernel.text, kernel.name, THREADS)
    work = profile_region(region, ProfileOptions(policy=policy)).work
    found = {precision.value: _numbers(quantity) for precision, quantity in work.flops_by_precision.items()}
    return {precision: counted for precision, counted in found.items() if counted.most}


def _numbers(quantity: Quantity) -> Counted:
    return Counted(*(Fraction(count.evaluate({})) for count in (quantity.estimate, quantity.lower, quantity.upper)))


def agreement(truth: Mapping[str, int], ours: Mapping[str, Counted]) -> str:
    """Return how our count is: ``equal``, ``near`` (within 5 %), ``within`` its interval, or ``wrong``."""
    kinds = truth.keys() | ours.keys()
    none = Counted(Fraction(0), Fraction(0), Fraction(0))
    pairs = [(truth.get(kind, 0), ours.get(kind, none)) for kind in kinds]
    if all(counted.estimate == number for number, counted in pairs):
        return "equal"
    if all(abs(counted.estimate - number) * 20 <= number for number, counted in pairs):
        return "near"
    return "within" if all(counted.least <= number <= counted.most for number, counted in pairs) else "wrong"
