"""``ncu --page raw --csv``: one column for each metric, a row of units, then one row for each launch."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import MeasurementError
from ..importers import KernelImporter
from ..ncu_metrics import Launch, extents, is_metric, sample_of
from ..numbers import Style, number, style_of
from ..results import Reading, Remark
from ..table import Row, header_of, read_table
from .ncu_long import once, value_of

NAME = "ncu-raw"


def is_header(cells: list[str]) -> bool:
    """Return whether this is the header."""
    return "Kernel Name" in cells and "Metric Name" not in cells and any(map(is_metric, cells))


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return header_of(text, is_header) is not None


def read(text: str, path: str) -> Reading:
    """Return the samples of all launches, in order; raises ``MeasurementError``."""
    table = read_table(text, path, is_header, 'ncu --page raw --csv ("Kernel Name", then one column for each metric)')
    if not table.rows:
        raise MeasurementError("has no launch below its header", path=path, line=table.line)
    first, *launches = table.rows
    if first["Kernel Name"]:
        raise MeasurementError(
            "lacks the row of units below the header",
            path=path,
            line=first.line,
            hint="export again with ncu --import FILE --csv --print-units base --page raw",
        )
    if not launches:
        raise MeasurementError("has no launch below its units", path=path, line=first.line)
    metrics = [column for column in table.columns if is_metric(column)]
    style = style_of(((row.line, row[metric]) for row in launches for metric in metrics), path)
    remarks: list[Remark] = []
    pairs = []
    for row in launches:
        if not row["Kernel Name"]:
            raise MeasurementError("the row names no kernel", path=path, line=row.line, hint="the file is damaged here")
        pairs.append(sample_of(_launch(row, _values(row, first.cells, metrics, style, path, remarks))))
    return Reading(path, NAME, tuple(sample for sample, _ in pairs), (*remarks, *once(said for _, said in pairs)))


def _values(
    row: Row, units: Mapping[str, str], metrics: list[str], style: Style, path: str, remarks: list[Remark]
) -> dict[str, float]:
    found: dict[str, float] = {}
    for metric in metrics:
        if number(row[metric], style) is None:
            if row[metric]:
                remarks.append(Remark(row.line, f"{metric} is {row[metric]}: not measured"))
            continue
        value = value_of(row[metric], units.get(metric, ""), style, path, row.line) if _matters(metric) else None
        if value is not None:
            found[metric] = value
    return found


def _matters(metric: str) -> bool:
    """Return whether the unit of a metric has to be known: the raw page has hundreds of others."""
    return any(part in metric for part in ("bytes", "sectors", "sass_thread_inst", "cycles_elapsed", "time_", "tensor"))


def _launch(row: Row, metrics: dict[str, float]) -> Launch:
    return Launch(
        line=row.line,
        kernel=row["Kernel Name"],
        grid=extents(row["Grid Size"]),
        block=extents(row["Block Size"]),
        device=row["Device"] or None,
        metrics=metrics,
    )


IMPORTERS = (
    KernelImporter(
        name=NAME, made_by="ncu --page raw --csv", recognises=recognises, read=read, counts_machine_code=True
    ),
)
