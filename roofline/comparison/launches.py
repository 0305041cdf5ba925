"""Launches that only the measurement has: kernels whose host code is not in the sources."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from analyzer.ir.nodes import RegionKind

from .compare import Comparison


class MeasuredLaunch(Struct, frozen=True):
    """A kernel as the profiler saw it launched."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]

    def __str__(self) -> str:
        """Render as ``--launch`` takes it."""
        grid, block = ("x".join(map(str, extents)) for extents in (self.grid, self.block))
        return f"{self.kernel}:grid={grid},block={block}"


def measured_launches(found: Comparison) -> Iterator[MeasuredLaunch]:
    """Yield each launch that was measured of a kernel for which the sources state none."""
    reported: set[MeasuredLaunch] = set()
    for kernel in found.kernels:
        sample, profile = kernel.pair.sample, kernel.pair.prediction.region.profile
        known = profile.launch is not None and None not in (*profile.launch.grid, *profile.launch.block)
        if profile.kind is not RegionKind.KERNEL or known or sample.grid is None or sample.block is None:
            continue
        new = MeasuredLaunch(profile.name, sample.grid, sample.block)
        if new not in reported:
            reported.add(new)
            yield new
