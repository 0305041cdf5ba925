"""What a comparison measured, as the partners of the points of a roofline plot."""

from __future__ import annotations

from collections.abc import Iterator

from roofline.comparison.compare import Comparison
from roofline.measured.results import DRAM

from ..plot_data.roofline import Measured
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
