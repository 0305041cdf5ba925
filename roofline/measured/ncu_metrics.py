"""Metrics of Nsight Compute to work, bytes and time of one launch.

==============  =======================================================================================================
FLOPs           ``sm__sass_thread_inst_executed_op_{d,f,h}{add,mul,fma}_pred_on.sum`` (or ``smsp__``), an FMA twice; or
                the roofline set: the same ``.sum.per_cycle_elapsed`` times ``smsp__cycles_elapsed.avg.per_second`` and
                the time, ``derived__smsp__..._x2`` having the FMAs twice; of tensor cores
                ``sm__ops_path_tensor_src_*.sum``
DRAM            ``dram__bytes.sum``, else read plus write, else ``dram__sectors_{read,write}.sum`` x 32
L2              ``lts__t_sectors_srcunit_tex.sum`` x 32, else ``lts__t_bytes.sum``, else
                ``lts__t_sectors_op_{read,write}.sum`` + 2 x (atom + red), x 32.  The last two count again what passes
                from one partition of L2 to the other (H100: half as many again)
L1              ``l1tex__t_bytes.sum``, else sectors of global and local loads and stores x 32
local memory    sectors of ``..._mem_local_op_{ld,st}`` x 32 (or ``l1tex__t_bytes_pipe_lsu_mem_local_op_*``)
time            ``gpu__time_duration.sum``, else ``sm__cycles_elapsed.avg`` over its ``.per_second``
==============  =======================================================================================================

Sources: NVIDIA, *Nsight Compute Profiling Guide* (metrics, ``SpeedOfLight_RooflineChart.section``); Yang, *Hierarchical
Roofline Analysis: How to Collect Data using Performance Tools on CPUs and GPUs*, arXiv 2009.02449.  FP64 on tensor
cores is in none of ``dadd``, ``dmul``, ``dfma``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from analyzer.python.regex import regex

from .results import DRAM, Fact, LevelBytes, Remark, Sample

SECTOR_BYTES = 32
_PRECISIONS = {"d": "fp64", "f": "fp32", "h": "fp16"}
_WEIGHTS = {"add": 1, "mul": 1, "fma": 2}
_UNITS = ("sm", "smsp")
_TENSOR = regex(r"sm__ops_path_tensor_src_(fp64|tf32|bf16|fp16|fp8)(?:_dst_\w+)?\.sum")
_EXTENT = regex(r"[0-9]{1,18}")


class Launch(Struct, frozen=True, kw_only=True):
    """The metrics of one launch in base units, and what identifies it."""

    line: int
    kernel: str
    grid: tuple[int, ...] | None
    block: tuple[int, ...] | None
    device: str | None
    metrics: Mapping[str, float] = field(default_factory=dict)
    executions: int = 1


def extents(text: str) -> tuple[int, ...] | None:
    """Return the numbers of ``(65536, 1, 1)``, None where there are none."""
    found = tuple(int(part) for part in _EXTENT.findall(text))
    return found if 1 <= len(found) <= 3 else None


def is_metric(name: str) -> bool:
    """Return whether a column or a name has the form of a metric: ``dram__bytes.sum``."""
    return "__" in name and not any(letter.isspace() for letter in name)


def sample_of(launch: Launch) -> tuple[Sample, tuple[Remark, ...]]:
    """Return one launch as a sample, and what has to be said about it."""
    metrics = launch.metrics
    seconds = _seconds(metrics)
    flops, source, remarks = _flops(metrics, seconds)
    found = Sample(
        name=launch.kernel,
        line=launch.line,
        executions=launch.executions,
        seconds=seconds,
        flops=sum(flops.values()) if flops else None,
        flops_source=source,
        flops_by_precision=flops,
        levels=tuple(_levels(metrics, seconds)),
        grid=launch.grid,
        block=launch.block,
        device=launch.device,
        facts=dict(_facts(metrics)),
    )
    return found, tuple(Remark(launch.line, f"{launch.kernel}: {text}") for text in remarks)


def _seconds(metrics: Mapping[str, float]) -> float | None:
    for name in ("gpu__time_duration.sum", "gpu__time_duration.avg", "gpu__time_duration.max"):
        if metrics.get(name):
            return metrics[name]
    for unit in _UNITS:
        cycles, rate = (metrics.get(f"{unit}__cycles_elapsed.avg{end}") for end in ("", ".per_second"))
        if cycles and rate:
            return cycles / rate
    return None


def _flops(metrics: Mapping[str, float], seconds: float | None) -> tuple[dict[str, float], str, list[str]]:
    """Return FLOPs by precision that were measured whole, where they come from, and remarks."""
    remarks: list[str] = []
    flops: dict[str, float] = {}
    source = ""
    for letter, precision in _PRECISIONS.items():
        counts = {kind: _instructions(metrics, f"{letter}{kind}", seconds) for kind in _WEIGHTS}
        known = {kind: count for kind, count in counts.items() if count is not None}
        if not known:
            continue
        missing = [kind for kind in _WEIGHTS if kind not in known]
        if missing:
            remarks.append(f"{precision} FLOPs are left out, for {letter}{missing[0]} was not measured")
            continue
        flops[precision] = sum(_WEIGHTS[kind] * count for kind, count in known.items())
        source = "sass_thread_inst_executed_op_*"
        if letter == "h" and flops[precision]:
            remarks.append(
                "fp16: an instruction on a pair (half2) counts once, and so does one that moves a constant or converts"
            )
    tensor = _tensor(metrics)
    for precision, count in tensor.items():
        flops[precision] = flops.get(precision, 0.0) + count
        source = f"{source} + tensor" if source else "ops_path_tensor_*"
    busy = any(value for name, value in metrics.items() if "pipe_tensor" in name and "inst_executed" in name)
    if busy and not tensor:
        remarks.append("tensor cores were busy, and their FLOPs are not counted (add sm__ops_path_tensor_src_*.sum)")
    return flops, source, remarks


def _instructions(metrics: Mapping[str, float], operation: str, seconds: float | None) -> float | None:
    """Return the thread instructions of one kind, None where they were not measured."""
    rate = next((metrics[name] for u in _UNITS if (name := f"{u}__cycles_elapsed.avg.per_second") in metrics), None)
    for unit in _UNITS:
        name = f"{unit}__sass_thread_inst_executed_op_{operation}_pred_on"
        if f"{name}.sum" in metrics:
            return metrics[f"{name}.sum"]
        per_cycle = metrics.get(f"{name}.sum.per_cycle_elapsed")
        doubled = metrics.get(f"derived__{name}_x2")
        if per_cycle is None and doubled is not None:
            per_cycle = doubled / 2
        if per_cycle is not None and rate is not None and seconds is not None:
            return per_cycle * rate * seconds
        if f"{name}.sum.per_second" in metrics and seconds is not None:
            return metrics[f"{name}.sum.per_second"] * seconds
    return None


def _tensor(metrics: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in metrics.items():
        match = _TENSOR.fullmatch(name)
        if match:
            found[match[1]] = found.get(match[1], 0.0) + value
    return found


def _levels(metrics: Mapping[str, float], seconds: float | None) -> Iterator[LevelBytes]:
    """Yield the bytes of L1, L2 and DRAM as far as they were measured."""

    def total(name: str) -> float | None:
        if f"{name}.sum" in metrics:
            return metrics[f"{name}.sum"]
        rate = metrics.get(f"{name}.sum.per_second")
        return rate * seconds if rate is not None and seconds is not None else None

    def sectors(*names: str) -> float | None:
        found = [total(name) for name in names]
        known = [count for count in found if count is not None]
        return sum(known) * SECTOR_BYTES if len(known) == len(names) else None

    for level, name in (("L1", "l1tex__t_bytes"), ("L2", "lts__t_bytes"), (DRAM, "dram__bytes")):
        whole, read, write = total(name), None, None
        source = name
        if level == DRAM:
            read = _first(total("dram__bytes_read"), sectors("dram__sectors_read"))
            write = _first(total("dram__bytes_write"), sectors("dram__sectors_write"))
        elif level == "L2" and sectors("lts__t_sectors_srcunit_tex") is not None:
            whole, source = sectors("lts__t_sectors_srcunit_tex"), "lts__t_sectors_srcunit_tex"
            read = sectors("lts__t_sectors_srcunit_tex_op_read")
            write = sectors("lts__t_sectors_srcunit_tex_op_write")
        elif level == "L2" and whole is None:
            read, write = sectors("lts__t_sectors_op_read"), sectors("lts__t_sectors_op_write")
            atomic = 2 * sum(sectors(f"lts__t_sectors_op_{kind}") or 0.0 for kind in ("atom", "red"))
            whole = None if read is None or write is None else read + write + atomic
            source = "lts__t_sectors"
        elif level == "L1" and whole is None:
            read = sectors("l1tex__t_sectors_pipe_lsu_mem_global_op_ld")
            write = sectors("l1tex__t_sectors_pipe_lsu_mem_global_op_st")
            whole = None if read is None or write is None else read + write + (_local(metrics) or 0.0)
            source = "l1tex__t_sectors"
        if whole is None and read is not None and write is not None:
            whole, source = read + write, f"{name}_read + {name}_write"
        if whole is not None:
            yield LevelBytes(level, whole, source, read, write)


def _first(*numbers: float | None) -> float | None:
    return next((number for number in numbers if number is not None), None)


def _local(metrics: Mapping[str, float]) -> float | None:
    """Return the bytes of local memory at L1, None where they were not measured."""
    found = []
    for kind in ("ld", "st"):
        sectors = metrics.get(f"l1tex__t_sectors_pipe_lsu_mem_local_op_{kind}.sum")
        found.append(metrics.get(f"l1tex__t_bytes_pipe_lsu_mem_local_op_{kind}.sum"))
        found.append(None if sectors is None else sectors * SECTOR_BYTES)
    known = [count for count in found if count is not None]
    return sum(known) if known else None


def _facts(metrics: Mapping[str, float]) -> Iterator[tuple[Fact, float]]:
    local = _local(metrics)
    if local is not None:
        yield Fact.LOCAL_BYTES, local
    names = [f"{unit}__cycles_elapsed.avg.per_second" for unit in _UNITS]
    clock = next((metrics[name] for name in names if metrics.get(name)), None)
    if clock is not None:
        yield Fact.CLOCK_HZ, clock
