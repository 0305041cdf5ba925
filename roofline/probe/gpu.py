"""The GPU of this machine, measured with nvcc: plan, run, and a machine of the results.

Streams past L1 (``ld.global.cg``) over half of L2 give the bandwidth of L2, over eight times L2 that of the memory;
blocks that read their own 32 KiB again and again give those of L1 and shared memory. The capacity of L1, which the
driver does not report, is where a chain of loads slows down (:mod:`.plateaux`). Schedulers per SM: 4 since compute
capability 5.0 but for 6.0 (CUDA C++ Programming Guide, "Compute Capabilities"). Matrix units are not measured.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from analyzer.errors import OptionError

from ..machine.figures import BandwidthFigure, Figure, FigureKind, Peak, Precision
from ..machine.hardware import Clock, Gpu, Level, MachineKind, Memory, Source, Units, WriteAllocate, WritePolicy
from ..machine.machine import Machine
from ..machine.units import format_bytes
from .compiler import build, find_cuda_compiler
from .doubts import Checked, explain_violations
from .plateaux import capacities, sweep_sizes
from .program import Progress, run_program, silent
from .statistics import SAME, Sample, Samples, joined, parse_sample

_PROBE, _DRIVER, _GUIDE = "probe", "driver", "guide"
_REPEATS = 15  # of a measurement, of which the best counts
_CALIBRATION = 5  # runs before the first repeat
_SLACK = 10.0  # times the planned duration, after which a run hangs
_SM_SET = 32 << 10  # fits the L1 and the shared memory of every GPU since Volta
_SWEEP = (8 << 10, 1 << 20)  # around the L1 of one SM
_MEMORY_FACTOR = 8  # times the L2, so that little of a stream stays in it
_LEAST_MEMORY_SET = 256 << 20  # bytes, four of the largest L2 at least
_LINE, _SECTOR, _BANKS, _BANK = 128, 32, 32, 4  # bytes, but for the banks (CUDA C++ Programming Guide)
_PRECISIONS = {Precision.FP64: 64, Precision.FP32: 32, Precision.FP16: 16}  # bits in the names of the measurements
_TARGETS: tuple[list[str], ...] = (
    ["-arch=native"],
    ["-arch=sm_70"],
    [],
)  # older toolkits know no native, and default below half floats


class Device(Struct, frozen=True, kw_only=True):
    """The driver's report on the GPU; None where it has none."""

    name: str
    compute: str
    units: int
    l2_bytes: int
    memory_bytes: int
    shared_bytes: int
    warp: int
    clock_hz: float | None
    memory_bytes_per_s: float | None
    registers: int | None
    threads: int | None
    blocks: int | None

    @classmethod
    def parse(cls, text: str) -> Device:
        """Read ``compute=9.0 units=132 ... name=NVIDIA H100``; raises ``OptionError`` where a part is missing."""
        head, _, name = text.partition("name=")
        facts = dict(re.findall(r"(\w+)=([\d.]+)", head))

        def number(key: str) -> int | None:
            return int(facts[key]) if facts.get(key, "").isdigit() and int(facts[key]) else None

        def needed(key: str) -> int:
            value = number(key)
            if value is None:
                raise OptionError(f"the driver does not report {key} of the GPU; its answer is: {text}")
            return value

        clock, bus, memory = number("clock_khz"), number("bus_bits"), number("memory_khz")
        return cls(
            name=name.strip() or "unknown GPU",
            compute=facts.get("compute", ""),
            units=needed("units"),
            l2_bytes=needed("l2_bytes"),
            memory_bytes=needed("memory_bytes"),
            shared_bytes=needed("shared_bytes"),
            warp=number("warp") or 32,
            clock_hz=None if clock is None else 1e3 * clock,
            memory_bytes_per_s=None if bus is None or memory is None else 2e3 * memory * bus / 8,
            registers=number("registers"),
            threads=number("threads"),
            blocks=number("blocks"),
        )


def measure_gpu(
    machine_id: str, *, compiler: str | None = None, seconds: float = 20.0, progress: Progress = silent
) -> Checked:
    """Measure GPU 0 in about ``seconds``; raises ``OptionError`` without nvcc, without a GPU, or where a run fails."""
    found = find_cuda_compiler(compiler)
    with tempfile.TemporaryDirectory(prefix="ai-estimate-") as folder:
        built = build(found, "gpu.cu", Path(folder), ("-O3",), _TARGETS)
        device = Device.parse(run_program(built.path, [], [], limit_s=60).target)
        plan = tuple(gpu_plan(device, seconds))
        output = run_program(built.path, [], plan, limit_s=60 + _SLACK * seconds, progress=progress)
    samples = gpu_samples(output.lines)
    tool = f"{found.version}; {' '.join(built.options)}"
    machine = gpu_machine(machine_id, device, samples, tool, date.today().isoformat())
    notes = tuple(f"not measured: {failure}" for failure in output.failures)
    return explain_violations(replace(machine, discrepancies=(*machine.discrepancies, *notes)))


def gpu_plan(device: Device, seconds: float) -> Iterator[str]:
    """Yield the lines of the plan; half of the time is for bandwidths and peaks, the rest for set-up and sweep."""
    tasks = [(kind, size) for size in _stream_sizes(device) for kind in ("load", "copy", "triad", "store")]
    tasks += [("l1", _SM_SET), ("shared", _SM_SET)]
    tasks += [(f"{mix}{bits}", 0) for bits in _PRECISIONS.values() for mix in ("fma", "mix")]
    each = max(1e-3, 0.5 * seconds / len(tasks) / (_REPEATS + _CALIBRATION))
    for kind, size in tasks:
        yield f"{kind} {size} {each:.6f} {_REPEATS}"
    for size in (*sweep_sizes(*_SWEEP), *_stream_sizes(device)):
        yield f"chase {size} 0.002 3"


def _stream_sizes(device: Device) -> tuple[int, int]:
    """Return working sets in L2 and in memory."""
    outer = max(_MEMORY_FACTOR * device.l2_bytes, _LEAST_MEMORY_SET)
    return device.l2_bytes // 2, min(outer, device.memory_bytes // 4)


def gpu_samples(lines: tuple[str, ...]) -> Samples:
    """Read ``KIND BYTES RATE...``; the whole GPU counts as one thread."""
    marked = (line.split(maxsplit=1) for line in lines)
    found = (parse_sample(f"{parts[0]} 1 {parts[1]}") for parts in marked if len(parts) == 2)
    return joined(sample for sample in found if sample is not None)


def gpu_machine(machine_id: str, device: Device, samples: Samples, tool: str, day: str) -> Machine:
    """Put the machine together; its figures may break physical rules still."""
    inner, outer = _stream_sizes(device)
    hertz = device.clock_hz or 1e9
    memory = tuple(_bandwidths(samples, outer))
    if not memory:
        raise OptionError("no bandwidth of the GPU's memory could be measured, nothing was written")
    if device.memory_bytes_per_s is not None:
        how = "2 x memory clock x width of the bus, as the driver reports them"
        memory = (
            *memory,
            BandwidthFigure(value=device.memory_bytes_per_s, kind=FigureKind.DERIVED, source=_DRIVER, how=how),
        )
    clock = Figure(
        value=hertz,
        kind=FigureKind.THEORETICAL,
        source=_DRIVER,
        how=None if device.clock_hz else "not reported; 1 GHz is a stand-in",
    )
    return Machine(
        id=machine_id,
        name=f"{device.name}, measured {day}",
        vendor="NVIDIA",
        kind=MachineKind.GPU,
        scope="device",
        clock=Clock(boost=clock),
        units=Units("SM", device.units, _DRIVER),
        gpu=_gpu(device, samples),
        peaks=tuple(peak for precision in _PRECISIONS if (peak := _peak(samples, precision)) is not None),
        levels=(_first_level(device, samples, hertz), _second_level(device, samples, inner, hertz)),
        memory=Memory(name="DRAM", technology="not known", bandwidths=memory, capacity_bytes=device.memory_bytes),
        write_allocate=WriteAllocate(
            WritePolicy.NONE,
            "L1 writes through without allocating, L2 keeps masks of written bytes (all NVIDIA GPUs since Volta);"
            " not measured",
            1.0,
            1.0,
        ),
        discrepancies=tuple(_remarks(samples)),
        notes=("matrix units (tensor cores) were not measured",),
        sources=(
            Source(_PROBE, f"ai-estimate machines measure --gpu, {day}; {tool}", "benchmark"),
            Source(_DRIVER, "the driver of this machine on the GPU", "driver"),
            Source(_GUIDE, "NVIDIA CUDA C++ Programming Guide, Compute Capabilities", "manual"),
        ),
    )


def _remarks(samples: Samples) -> Iterator[str]:
    unsteady = samples.unsteady
    if unsteady:
        names = ", ".join(dict.fromkeys(sample.kind for sample in unsteady))
        yield f"unsteady: half of the repeats are 20 % or more below the best in {names}"


def _gpu(device: Device, samples: Samples) -> Gpu:
    shared = samples.find("shared", 1, _SM_SET)
    return Gpu(
        target=f"sm_{device.compute.replace('.', '')}",
        warp_size=device.warp,
        sector_bytes=_SECTOR,
        line_bytes=_LINE,
        schedulers_per_unit=2 if device.compute == "6.0" else 4,
        issue_per_scheduler=1.0,
        sources=(_DRIVER, _GUIDE),
        shared_memory_bytes=device.shared_bytes,
        shared_banks=_BANKS,
        shared_bank_bytes=_BANK,
        max_threads_per_unit=device.threads,
        max_blocks_per_unit=device.blocks,
        registers_per_unit=device.registers,
        shared_bandwidths=() if shared is None else (_bandwidth(shared, "load"),),
    )


def _peak(samples: Samples, precision: Precision) -> Peak | None:
    bits = _PRECISIONS[precision]
    fma, plain = (
        tuple(
            Figure(value=sample.figure, kind=FigureKind.MEASURED, source=_PROBE, how=sample.text)
            for sample in (samples.find(f"{mix}{bits}"),)
            if sample is not None
        )
        for mix in ("fma", "mix")
    )
    if fma and plain and fma[0].value < plain[0].value <= SAME * fma[0].value:
        plain = (replace(plain[0], explain="as fast as FMA within the spread"),)
    return Peak(precision, fma, plain) if fma or plain else None


def _first_level(device: Device, samples: Samples, hertz: float) -> Level:
    curve = [(size, sample) for size in sweep_sizes(*_SWEEP) if (sample := samples.find("chase", 1, size)) is not None]
    found = capacities([size for size, _ in curve], [1 / sample.best for _, sample in curve])
    streamed, chased = samples.find("l1", 1, _SM_SET), samples.find("chase", 1, _SM_SET)
    how = "where a chain of loads slows down" if found else "not found by the sweep: that of shared memory stands here"
    return Level(
        name="L1",
        capacity_bytes=found[0] if found else device.shared_bytes,
        shared_by=1,
        instances=device.units,
        sources=(_PROBE if found else _DRIVER,),
        line_bytes=_LINE,
        write_back=False,
        write_allocate=False,
        latency_cycles=None if chased is None else round(hertz / chased.best, 1),
        bandwidths=() if streamed is None else (_bandwidth(streamed, "load"),),
        note=f"capacity: {how}; shared memory is part of it on most GPUs",
    )


def _second_level(device: Device, samples: Samples, size: int, hertz: float) -> Level:
    chased = samples.find("chase", 1, size)
    return Level(
        name="L2",
        capacity_bytes=device.l2_bytes,
        shared_by=device.units,
        instances=1,
        sources=(_DRIVER,),
        line_bytes=_LINE,
        write_back=True,
        write_allocate=True,
        latency_cycles=None if chased is None else round(hertz / chased.best, 1),
        bandwidths=tuple(_bandwidths(samples, size)),
    )


def _bandwidths(samples: Samples, size: int) -> Iterator[BandwidthFigure]:
    for pattern in ("load", "copy", "triad", "store"):
        sample = samples.find(pattern, 1, size)
        if sample is not None:
            yield _bandwidth(sample, pattern)


def _bandwidth(sample: Sample, pattern: str) -> BandwidthFigure:
    how = f"{format_bytes(sample.bytes)}, {sample.text}"
    return BandwidthFigure(value=sample.figure, kind=FigureKind.MEASURED, source=_PROBE, how=how, pattern=pattern)
