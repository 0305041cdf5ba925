"""What was measured, as the partners of the points of a roofline plot, or as its points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofline.comparison.compare import Comparison
from roofline.machine.machine import Machine
from roofline.measured.results import DRAM, Reading, Sample

from ..plot_data.roofline import Measured, Point
from ..words.names import regions_shown


def measured_of(comparison: Comparison) -> Iterator[Measured]:
    """Yield one partner for each joined kernel of which a rate is known.

    Where no bytes of memory were measured the intensity is the predicted one, so that the gap is one of rates alone.
    """
    for kernel in comparison.kernels:
        projection, performance = kernel.pair.prediction.projection, kernel.performance
        if projection is None or not performance.rate or performance.unit != "FLOP/s":
            continue
        intensity = kernel.pair.sample.intensity_at(DRAM) or projection.intensity.number
        if intensity:
            shown = regions_shown(kernel.pair.prediction.region)[-1].profile
            position = (shown.span.path, shown.span.line, projection.machine.id)
            yield Measured(*position, float(intensity), performance.rate, shown.launch)


def measured_points(readings: Sequence[Reading], machine: Machine) -> Iterator[Point]:
    """Yield a point for each measured kernel, with its intensity at each level of the machine."""
    samples = (sample for reading in readings for sample in reading.samples)
    for number, sample in enumerate(samples, 1):
        levels = tuple(_levels(sample, machine))
        rate = sample.rate
        outermost = levels[-1][1] if levels else None
        missing = "no FLOPs or no time" if rate is None else "no bytes" if outermost is None else ""
        label = sample.name or f"kernel {number}"
        yield Point(
            number,
            label,
            0,
            intensity=outermost if rate else None,
            flop_per_s=rate,
            levels=levels,
            bound="",
            why=missing,
            why_short=missing,
        )


def _levels(sample: Sample, machine: Machine) -> Iterator[tuple[str, float]]:
    """Yield the levels of which an intensity was measured, innermost first."""
    for name in machine.level_names:
        intensity = sample.intensity_at(DRAM if name == machine.memory.name else name)
        if intensity:
            yield name, intensity
