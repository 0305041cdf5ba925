"""``ncu --page raw --csv``: one column for each metric, a row of units, then one row for each launch.

What the program with windows exports has the units behind the names of the metrics (``dram__bytes.sum [Mbyte]``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..errors import MeasurementError
from ..importers import KernelImporter
from ..ncu_metrics import Launch, extents, is_metric, sample_of
from ..numbers import Style, number, style_of
from ..results import Reading, Remark
from ..table import Row, header_of, read_table
from .ncu_long import once, value_of

NAME = "ncu-raw"
_WITH_UNIT = re.compile(r"(?P<metric>\S+) \[(?P<unit>[^\[\]]*)\]")


def is_header(cells: list[str]) -> bool:
    """Return whether this is the header."""
    return "Kernel Name" in cells and "Metric Name" not in cells and any(is_metric(_split(cell)[0]) for cell in cells)


def _split(column: str) -> tuple[str, str | None]:
    """Return the metric of a column, and its unit where the column has it."""
    found = _WITH_UNIT.fullmatch(column)
    return (column, None) if found is None else (found["metric"], found["unit"])


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return header_of(text, is_header) is not None


def read(text: str, path: str) -> Reading:
    """Return the samples of all launches, in order; raises ``MeasurementError``."""
    table = read_table(text, path, is_header, 'ncu --page raw --csv ("Kernel Name", then one column for each metric)')
    if not table.rows:
        raise MeasurementError("has no launch below its header", path=path, line=table.line)
    metrics = [column for column in table.columns if is_metric(_split(column)[0])]
    named = {column: unit for column in metrics if (unit := _split(column)[1]) is not None}
    first, *launches = table.rows
    if named and first["Kernel Name"]:
        launches = [*table.rows]
    elif first["Kernel Name"]:
        raise MeasurementError(
            "lacks the row of units below the header",
            path=path,
            line=first.line,
            hint="export again with ncu --import FILE --csv --print-units base --page raw",
        )
    if not launches:
        raise MeasurementError("has no launch below its units", path=path, line=first.line)
    units = {**first.cells, **named}
    style = style_of(((row.line, row[metric]) for row in launches for metric in metrics), path)
    remarks: list[Remark] = []
    pairs = []
    for row in launches:
        if not row["Kernel Name"]:
            raise MeasurementError("the row names no kernel", path=path, line=row.line, hint="the file is damaged here")
        pairs.append(sample_of(_launch(row, _values(row, units, metrics, style, path, remarks))))
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
            found[_split(metric)[0]] = value
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
