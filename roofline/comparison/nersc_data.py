"""A comparison as ``data.txt`` of nersc-roofline: the machine's roofs, predicted and measured points."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.errors import OptionError

from ..machine.figures import Basis, PeakMode
from ..machine.machine import Machine
from ..measured.formats.nersc import Point, Roofs, write
from ..measured.results import STATED
from .compare import Comparison, KernelComparison

_MODES = ((PeakMode.FMA, "FMA"), (PeakMode.NO_FMA, "No-FMA"))


def nersc_text(comparison: Comparison) -> str:
    """Return the text of the file; raise ``OptionError`` without a machine, whose roofs it needs."""
    machine = comparison.machine
    if machine is None:
        raise OptionError("--format nersc needs a machine, for its roofs", hint="add --machine NAME")
    points = [point for kernel in comparison.kernels for point in _points(kernel)]
    return write(_roofs(machine, comparison), points)


def _roofs(machine: Machine, comparison: Comparison) -> Roofs:
    """Return bandwidths of all levels, innermost first, and the peaks of the precision that most kernels use."""
    projections = [k.pair.prediction.projection for k in comparison.kernels]
    options = next((found.options for found in projections if found is not None), None)
    basis, cores = (Basis.SUSTAINED, None) if options is None else (options.basis, options.cores)
    chosen = [(name, machine.bandwidth(name, basis, cores)) for name in machine.level_names]
    bandwidths = tuple((name, found.rate.value) for name, found in chosen if found is not None)
    precision = next(
        (
            k.pair.prediction.region.profile.per_iteration.precision.value
            for k in comparison.kernels
            if k.pair.prediction.region.profile.per_iteration is not None
        ),
        "fp64",
    )
    peaks = [(label, machine.choose_peak(precision, mode=mode, kind=basis, cores=cores)) for mode, label in _MODES]
    return Roofs(bandwidths, tuple((label, found.rate.value) for label, found in peaks if found is not None))


def _points(kernel: KernelComparison) -> Iterator[Point]:
    prediction, sample = kernel.pair.prediction, kernel.pair.sample
    levels = [level for level in prediction.moves if level != STATED]
    ratios = {level: prediction.intensity_at(level) for level in levels}
    intensities = {level: float(found.number) for level, found in ratios.items() if found is not None and found.number}
    attainable = kernel.performance.predicted
    if intensities and attainable is not None and kernel.performance.unit == "FLOP/s":
        yield Point(f"{prediction.name} (predicted)", intensities, attainable)
    measured = {level: found for level in levels if (found := sample.intensity_at(level)) is not None}
    if measured and kernel.performance.rate is not None and kernel.performance.unit == "FLOP/s":
        yield Point(f"{prediction.name} (measured)", measured, kernel.performance.rate)
