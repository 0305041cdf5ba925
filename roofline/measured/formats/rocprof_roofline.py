"""``roofline.csv`` of ROCm Compute Profiler: one row for each device, GB/s and GFLOP/s, with low and high of each.

Source: ROCm/rocprofiler-compute, ``roofline.csv``; ``hbmBwHigh`` really starts with a small letter.
"""

from __future__ import annotations

import re

from analyzer.python.regex import regex

from ..errors import MeasurementError
from ..importers import RoofImporter
from ..numbers import number, style_of
from ..roofs import MeasuredBandwidth, MeasuredPeak, MeasuredRoofs, level_named
from ..table import header_of, read_table

NAME = "rocprof-compute"
_GIGA = 1e9
_BANDWIDTH = regex(r"(HBM|L1|L2|L3|LDS)Bw$", re.IGNORECASE)
_PEAK = regex(r"(?P<matrix>MFMA)?(?P<kind>FP64|FP32|FP16|BF16|F64|F32|F16|F8|I8)(?:Flops|Ops)$")
_PRECISIONS = {"F64": "fp64", "F32": "fp32", "F16": "fp16", "F8": "fp8", "I8": "int8"}


def is_header(cells: list[str]) -> bool:
    """Return whether this is the header."""
    return "HBMBw" in cells and "device" in cells


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return header_of(text, is_header) is not None


def read(text: str, path: str) -> MeasuredRoofs:
    """Return the roofs of the first device; raises ``MeasurementError``."""
    table = read_table(text, path, is_header, "rocprof-compute (device,HBMBw,...)")
    if not table.rows:
        raise MeasurementError("has no device below its header", path=path, line=table.line)
    row = table.rows[0]
    style = style_of(((row.line, cell) for cell in row.cells.values()), path)
    bandwidths, peaks = [], []
    for column, cell in row.cells.items():
        bandwidth, peak = _BANDWIDTH.match(column), _PEAK.match(column)
        value = number(cell, style)
        if bandwidth is None and peak is None:
            continue
        if value is None:
            raise MeasurementError(f"{column}: {cell!r} is not a number", path=path, line=row.line)
        if bandwidth is not None and value:
            level = level_named(bandwidth[1])
            if level is not None:
                bandwidths.append(MeasuredBandwidth(level, value * _GIGA))
        elif peak is not None and value:
            precision = _PRECISIONS.get(peak["kind"], peak["kind"].lower())
            peaks.append(MeasuredPeak(precision, "matrix" if peak["matrix"] else "fma", value * _GIGA))
    if not bandwidths or not peaks:
        raise MeasurementError("has no bandwidth or no peak", path=path, line=row.line)
    others = len(table.rows) - 1
    left_out = (f"{others} more devices",) if others else ()
    return MeasuredRoofs(
        "rocprof-compute", f"rocprof-compute, device {row['device']}", tuple(bandwidths), tuple(peaks), left_out
    )


IMPORTERS = (RoofImporter(name=NAME, what="a roofline.csv of rocprof-compute", recognises=recognises, read=read),)
