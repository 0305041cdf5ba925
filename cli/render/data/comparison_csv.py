"""A comparison as CSV: one row for each quantity of each kernel; numbers in base units, empty where not known.

Columns: ``path, region, line, measured_file, measured_line, measured_name, quantity, level, unit, predicted, lower,
upper, measured, ratio, tolerance, verdict, kernel_verdict, reasons`` (codes, parted by ``|``).
"""

from __future__ import annotations

import csv
import io

from roofline.comparison.compare import Comparison, KernelComparison
from roofline.comparison.quantities import Row

from .cells import plain

COLUMNS = (
    *("path", "region", "line", "measured_file", "measured_line", "measured_name", "quantity", "level", "unit"),
    *("predicted", "lower", "upper", "measured", "ratio", "tolerance", "verdict", "kernel_verdict", "reasons"),
)

Cell = str | int | float | None


def render_comparison_csv(found: Comparison) -> str:
    """Render with a header row."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for kernel in found.kernels:
        writer.writerows(["" if cell is None else str(cell) for cell in _cells(kernel, row)] for row in kernel.rows)
    return stream.getvalue()


def _cells(kernel: KernelComparison, row: Row) -> list[Cell]:
    prediction, source = kernel.pair.prediction, kernel.pair.sources[0]
    interval = row.predicted
    numbers: list[Cell] = [None] * 3 if interval is None else [interval.value, interval.lower, interval.upper]
    return [
        *(plain(prediction.path), plain(prediction.name), prediction.region.profile.span.line),
        *(plain(source.path), source.sample.line, plain(source.sample.name)),
        *(row.quantity, row.level, row.unit),
        *numbers,
        *(row.measured, row.ratio, row.tolerance, row.verdict.value, kernel.verdict.value),
        "|".join(reason.code for reason in kernel.reasons),
    ]
