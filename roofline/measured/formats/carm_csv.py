"""``<machine>_applications.csv`` of the CARM tool: one application on each row.

Its intensity is that of the cache-aware roofline: FLOPs over the bytes of all loads and stores, so its bytes are those
of L1.  ``Gflops`` is GFLOP/s and ``Bandwidth`` GB/s; time in seconds.  Source: the CARM tool's repository and manual.
"""

from __future__ import annotations

from ..errors import MeasurementError
from ..importers import KernelImporter
from ..numbers import number, style_of
from ..results import Fact, LevelBytes, Reading, Remark, Sample
from ..table import header_of, read_table

NAME = "carm-csv"
PRECISIONS = {"dp": "fp64", "sp": "fp32", "hp": "fp16", "f64": "fp64", "f32": "fp32", "f16": "fp16"}
_GIGA = 1e9
_ALIKE = 0.05  # figures of one row are rounded to two or three digits


def is_header(cells: list[str]) -> bool:
    """Return whether this is the header."""
    return {"Name", "AI", "Gflops"} <= set(cells)


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return header_of(text, is_header) is not None


def read(text: str, path: str) -> Reading:
    """Return the samples of all rows; raises ``MeasurementError``."""
    table = read_table(
        text, path, is_header, "CARM applications (Date,Method,Name,ISA,Precision,Threads,AI,Gflops,...)"
    )
    columns = ("AI", "Gflops", "Bandwidth", "Time")
    table.require(columns, "use the _applications.csv of the CARM tool")
    style = style_of(((row.line, row[column]) for row in table.rows for column in columns), path)
    samples, remarks = [], []
    for row in table.rows:
        intensity, rate, bandwidth, seconds = (number(row[column], style) for column in columns)
        if not row["Name"] or rate is None or intensity is None:
            raise MeasurementError("the row has no name, AI or Gflops", path=path, line=row.line)
        if bandwidth and intensity and abs(rate / bandwidth - intensity) > _ALIKE * intensity:
            remarks.append(
                Remark(row.line, f"AI is {intensity:g}, but Gflops over Bandwidth is {rate / bandwidth:.4g}")
            )
        samples.append(
            sample_of(
                row["Name"],
                row.line,
                rate=rate * _GIGA,
                bandwidth=None if bandwidth is None else bandwidth * _GIGA,
                seconds=seconds,
                intensity=intensity,
                precision=PRECISIONS.get(row["Precision"].lower(), ""),
                threads=number(row["Threads"]),
            )
        )
    if not samples:
        raise MeasurementError("has no row below its header", path=path, line=table.line)
    return Reading(path, NAME, tuple(samples), tuple(remarks))


def sample_of(
    name: str,
    line: int,
    *,
    rate: float | None,
    bandwidth: float | None,
    seconds: float | None,
    intensity: float | None,
    precision: str,
    threads: float | None,
    flops: float | None = None,
    size: float | None = None,
) -> Sample:
    """Return a point of CARM in base units; counts that are not given follow from rates and time."""
    whole = flops if flops is not None else rate * seconds if rate is not None and seconds else None
    moved = size if size is not None else bandwidth * seconds if bandwidth is not None and seconds else None
    if moved is None and whole is not None and intensity:
        moved = whole / intensity
    source = "total_bytes" if size is not None else "Bandwidth x time"
    return Sample(
        name=name,
        line=line,
        seconds=seconds,
        flops=whole,
        flops_source="total_flops" if flops is not None else "GFLOP/s x time",
        flops_by_precision={precision: whole} if precision and whole is not None else {},
        flop_per_s=rate,
        levels=() if moved is None else (LevelBytes("L1", moved, source),),
        intensities={} if intensity is None else {"L1": intensity},
        facts={} if threads is None else {Fact.THREADS: threads},
    )


IMPORTERS = (KernelImporter(name=NAME, made_by="carm (applications.csv)", recognises=recognises, read=read),)
