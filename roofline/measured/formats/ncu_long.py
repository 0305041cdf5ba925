"""``ncu --csv``: one row for each metric of each launch, or of each kernel with ``--print-summary per-kernel``.

Columns are found by name, so that both generations of the header, NVTX columns and rule columns are all the same.  The
page of details has labels for metrics: of those, the time, the clock and the bytes/s of memory are read (labels and
metrics as in the section files ``SpeedOfLight`` and ``MemoryWorkloadAnalysis``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ..errors import MeasurementError
from ..importers import KernelImporter
from ..ncu_metrics import Launch, extents, is_metric, sample_of
from ..numbers import Style, number, scale_of, style_of
from ..results import Reading, Remark
from ..table import Row, Table, header_of, read_table

NAME = "ncu-long"
_LABELS = {
    ("Duration", "time"): "gpu__time_duration.sum",
    ("SM Frequency", "rate"): "smsp__cycles_elapsed.avg.per_second",
    ("Memory Throughput", "byte rate"): "dram__bytes.sum.per_second",
}
_HINT = "use ncu --csv with --metrics or --set roofline"


def is_header(cells: list[str]) -> bool:
    """Return whether this is the header."""
    return "Kernel Name" in cells and "Metric Name" in cells


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return header_of(text, is_header) is not None


def read(text: str, path: str) -> Reading:
    """Return the samples of all launches, in order; raises ``MeasurementError``."""
    table = read_table(text, path, is_header, 'ncu --csv ("Kernel Name", "Metric Name")')
    value = "Metric Value" if "Metric Value" in table.columns else "Average"
    table.require(["Metric Unit", value], _HINT)
    rows = [row for row in table.rows if _metric(row)]
    if not rows:
        raise MeasurementError("has no metric of a launch", path=path, line=table.line, hint=_HINT)
    style = style_of(((row.line, row[value]) for row in rows), path)
    launches: dict[tuple[str, ...], Launch] = {}
    metrics: dict[tuple[str, ...], dict[str, float]] = {}
    remarks: list[Remark] = []
    for row in rows:
        found = _value(row, value, style, path)
        if found is None:
            remarks.append(Remark(row.line, f"{_metric(row)} is {row[value] or 'empty'}: not measured"))
        launches.setdefault(_key(row, table), _launch(row))
        if found is not None:
            metrics.setdefault(_key(row, table), {})[_metric(row)] = found
    pairs = [sample_of(replace(launch, metrics=metrics.get(key, {}))) for key, launch in launches.items()]
    return Reading(path, NAME, tuple(sample for sample, _ in pairs), (*remarks, *once(said for _, said in pairs)))


def value_of(text: str, unit: str, style: Style, path: str, line: int) -> float | None:
    """Return a value in base units, None where none was measured; raises ``MeasurementError`` for an unknown unit."""
    found = number(text, style)
    scale = scale_of(unit)
    if found is None or scale is None:
        if found is not None:
            raise MeasurementError(f"the unit {unit!r} is not known", path=path, line=line, hint="--print-units base")
        return None
    return found * scale


def _metric(row: Row) -> str:
    """Return the metric of a row, by its name or its label; empty where it is of no use."""
    name, unit = row["Metric Name"], row["Metric Unit"]
    if is_metric(name):
        return name
    above, slash, _ = unit.partition("/")
    kind = "byte rate" if slash and above.endswith("byte") else "rate" if slash or unit.endswith("hz") else "time"
    return _LABELS.get((name, kind), "")


def _value(row: Row, column: str, style: Style, path: str) -> float | None:
    return value_of(row[column], row["Metric Unit"], style, path, row.line)


def _key(row: Row, table: Table) -> tuple[str, ...]:
    """Return what separates one launch from the others; without an ID (summaries) the kernel and its shape."""
    shape = (row["Process ID"], row["Kernel Name"], row["Block Size"], row["Grid Size"])
    return (row["ID"], *shape) if "ID" in table.columns else shape


def _launch(row: Row) -> Launch:
    invocations = number(row["Invocations"])
    return Launch(
        line=row.line,
        kernel=row["Kernel Name"],
        grid=extents(row["Grid Size"]),
        block=extents(row["Block Size"]),
        device=row["Device"] or None,
        executions=int(invocations) if invocations else 1,
    )


def once(groups: Iterable[tuple[Remark, ...]]) -> Iterator[Remark]:
    """Yield each remark once, although it holds for many launches."""
    seen: set[str] = set()
    for group in groups:
        for remark in group:
            if remark.text not in seen:
                seen.add(remark.text)
                yield remark


IMPORTERS = (
    KernelImporter(name=NAME, made_by="ncu --csv", recognises=recognises, read=read, counts_machine_code=True),
)
