"""``nvprof --csv``: the time of every kernel, with a row of units below the header; ``Avg`` is of one call."""

from __future__ import annotations

from ..errors import MeasurementError
from ..importers import KernelImporter
from ..numbers import number, scale_of, style_of
from ..results import Reading, Sample
from ..table import header_of, read_table

NAME = "nvprof-summary"


def is_header(cells: list[str]) -> bool:
    """Return whether this is the header."""
    return {"Calls", "Avg", "Name"} <= set(cells) and any(cell.startswith("Time") for cell in cells)


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return header_of(text, is_header) is not None


def read(text: str, path: str) -> Reading:
    """Return the samples of all kernels; API calls and copies are left out; raises ``MeasurementError``."""
    table = read_table(text, path, is_header, 'nvprof --csv ("Time(%)", "Calls", "Avg", "Name")')
    if not table.rows:
        raise MeasurementError("has no row below its header", path=path, line=table.line)
    units, *rows = table.rows
    scale = scale_of(units["Avg"])
    if units["Name"] or scale is None:
        raise MeasurementError(
            "lacks the row of units below the header", path=path, line=units.line, hint="was it edited or cut off?"
        )
    kernels = [row for row in rows if row["Type"] in ("GPU activities", "") and not row["Name"].startswith("[CUDA")]
    style = style_of(((row.line, row["Avg"]) for row in kernels), path)
    samples = []
    for row in kernels:
        seconds, calls = number(row["Avg"], style), number(row["Calls"], style)
        if seconds is None or not calls or not row["Name"]:
            raise MeasurementError("the row has no name, calls or average time", path=path, line=row.line)
        samples.append(Sample(name=row["Name"], line=row.line, executions=int(calls), seconds=seconds * scale))
    if not samples:
        raise MeasurementError("has no kernel below its header", path=path, line=units.line)
    return Reading(path, NAME, tuple(samples))


IMPORTERS = (
    KernelImporter(name=NAME, made_by="nvprof --csv", recognises=recognises, read=read, counts_machine_code=True),
)
