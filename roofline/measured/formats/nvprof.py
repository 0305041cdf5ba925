"""``nvprof --csv --metrics``: a row for each metric of each kernel: minimum, maximum and average of its launches.

FLOPs are ``flop_count_{dp,sp,hp}`` (an FMA is 2 there); transactions of DRAM, L2 and L1 are 32 bytes, those of shared
memory are not counted to L1.  Source: NVIDIA, *Profiler User's Guide*, metrics; the sums per level are those of Yang,
arXiv 2009.02449.  ``Avg`` is of one launch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from analyzer.python.regex import regex

from ..errors import MeasurementError
from ..importers import KernelImporter
from ..numbers import Style, number, style_of
from ..results import DRAM, Fact, LevelBytes, Reading, Remark, Sample
from ..table import header_of, read_table

NAME = "nvprof-metrics"
_TRANSACTION_BYTES = 32
_PRECISIONS = {"flop_count_dp": "fp64", "flop_count_sp": "fp32", "flop_count_hp": "fp16"}
_LEVELS = {
    DRAM: (("dram_read_transactions",), ("dram_write_transactions",)),
    "L2": (("l2_read_transactions",), ("l2_write_transactions",)),
    "L1": (("gld_transactions", "local_load_transactions"), ("gst_transactions", "local_store_transactions")),
}
_NEEDED = {"L1": ("gld_transactions", "gst_transactions")}
_LOCAL = ("local_load_transactions", "local_store_transactions")
_LEADING = regex(r"[\d.,+eE-]*\d")


class _Kernel(Struct):
    line: int
    device: str
    name: str
    invocations: int
    metrics: dict[str, float] = field(default_factory=dict)


def is_header(cells: list[str]) -> bool:
    """Return whether this is the header."""
    return "Kernel" in cells and "Metric Name" in cells and "Invocations" in cells


def recognises(text: str) -> bool:
    """Return whether a file is of this form."""
    return header_of(text, is_header) is not None


def read(text: str, path: str) -> Reading:
    """Return the samples of all kernels; raises ``MeasurementError``."""
    table = read_table(text, path, is_header, 'nvprof --csv ("Kernel", "Invocations", "Metric Name")')
    table.require(["Avg"], "use nvprof --csv --metrics ...")
    style = style_of(((row.line, row["Avg"]) for row in table.rows), path)
    kernels: dict[tuple[str, str], _Kernel] = {}
    remarks: list[Remark] = []
    for row in table.rows:
        times = number(row["Invocations"], style)
        if not row["Kernel"] or not times:
            raise MeasurementError("the row names no kernel or no number of launches", path=path, line=row.line)
        kernel = kernels.setdefault(
            (row["Device"], row["Kernel"]), _Kernel(row.line, row["Device"], row["Kernel"], int(times))
        )
        value = _counted(row["Avg"], style)
        if value is not None:
            kernel.metrics[row["Metric Name"]] = value
        elif _matters(row["Metric Name"]):
            remarks.append(Remark(row.line, f"{row['Metric Name']} is {row['Avg'] or 'empty'}: not measured"))
        if value is not None and _matters(row["Metric Name"]):
            remarks += _varying(row.cells, row.line, style)
    if not kernels:
        raise MeasurementError("has no kernel below its header", path=path, line=table.line)
    return Reading(path, NAME, tuple(_sample(kernel) for kernel in kernels.values()), tuple(remarks))


def _varying(cells: Mapping[str, str], line: int, style: Style) -> Iterator[Remark]:
    """Yield a remark on a metric whose launches differ by more than a tenth: their average stands for none of them."""
    least, most = number(cells.get("Min", ""), style), number(cells.get("Max", ""), style)
    if least is not None and most is not None and most > 1.1 * least:
        yield Remark(
            line, f"{cells['Metric Name']} varies between launches ({least:g} to {most:g}): the average is used"
        )


def _counted(text: str, style: Style) -> float | None:
    """Return a number without a unit; rates (``12.3GB/s``), shares and grades (``Low (2)``) are none."""
    return number(text, style) if _LEADING.fullmatch(text.strip()) else None


def _matters(metric: str) -> bool:
    return metric in _PRECISIONS or any(metric in names for sides in _LEVELS.values() for names in sides)


def _sample(kernel: _Kernel) -> Sample:
    metrics = kernel.metrics
    flops = {precision: metrics[name] for name, precision in _PRECISIONS.items() if name in metrics}
    local = [metrics[name] for name in _LOCAL if name in metrics]
    return Sample(
        name=kernel.name,
        line=kernel.line,
        executions=kernel.invocations,
        flops=sum(flops.values()) if flops else None,
        flops_source="flop_count_*" if flops else "",
        flops_by_precision=flops,
        levels=tuple(_levels(metrics)),
        device=kernel.device or None,
        facts={Fact.LOCAL_BYTES: sum(local) * _TRANSACTION_BYTES} if local else {},
    )


def _levels(metrics: Mapping[str, float]) -> Iterator[LevelBytes]:
    for level, (reads, writes) in _LEVELS.items():
        if all(name in metrics for name in _NEEDED.get(level, (*reads, *writes))):
            read, write = (sum(metrics.get(n, 0.0) for n in names) * _TRANSACTION_BYTES for names in (reads, writes))
            yield LevelBytes(level, read + write, f"({reads[0]} + {writes[0]}) x 32", read, write)


IMPORTERS = (
    KernelImporter(
        name=NAME, made_by="nvprof --csv --metrics", recognises=recognises, read=read, counts_machine_code=True
    ),
)
