"""A machine as the text of its file: the inverse of :mod:`roofline.machine.schema`.

Figures come out in the units of the keys; None is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import fields

from .figures import BandwidthFigure, Figure, Peak, PeakMode, Precision
from .hardware import Level, Memory, Source
from .machine import Machine

_GIGA, _KIB = 1e9, 1024


def machine_text(machine: Machine) -> str:
    """Return the TOML document of a machine."""
    return "\n".join(_lines(machine)) + "\n"


def _lines(machine: Machine) -> Iterator[str]:
    for key in ("id", "name"):
        yield f"{key} = {_value(getattr(machine, key))}"
    yield from _stated(("aliases", machine.aliases))
    yield from _stated(("vendor", machine.vendor), ("kind", machine.kind.value))
    yield from _stated(("architecture", machine.architecture), ("scope", machine.scope))
    yield from _stated(("discrepancies", machine.discrepancies), ("notes", machine.notes))
    yield from _heading("clock")
    for name in ("nominal", "base", "boost", "simd"):
        figure: Figure | None = getattr(machine.clock, name)
        yield from _figures(f"{name}_ghz", () if figure is None else (figure,))
    yield from _heading("units")
    units = machine.units
    yield from _stated(("name", units.name), ("count", units.count), ("threads_per_unit", units.threads_per_unit))
    yield from _by_precision("flops_per_cycle", units.flops_per_cycle)
    yield from _stated(("source", units.source))
    yield from _parts(machine)
    for peak in machine.peaks:
        yield from _peak(peak)
    for level in machine.levels:
        yield from _level(level)
    yield from _memory("[memory]", machine.memory)
    for memory in machine.other_memories:
        yield from _memory("[[other_memories]]", memory)
    write = machine.write_allocate
    yield from _heading("write_allocate")
    yield from _stated(("policy", write.policy.value), ("text", write.text))
    yield from _stated(("store_factor_min", write.store_factor_min), ("store_factor_max", write.store_factor_max))
    yield from _stated(("source", write.source))
    for source in machine.sources:
        yield from _source(source)


def _parts(machine: Machine) -> Iterator[str]:
    core, gpu = machine.core, machine.gpu
    if core is not None:
        yield from _heading("core")
        names = [field.name for field in fields(core) if field.name not in ("sources", "lanes", "widths")]
        yield from _stated(*((name, getattr(core, name)) for name in names))
        yield from _by_precision("lanes", core.lanes)
        yield from _stated(("source", core.sources))
        for ports in core.widths:
            yield from ("", "[[core.widths]]")
            yield from _stated(*((field.name, getattr(ports, field.name)) for field in fields(ports)))
    if gpu is not None:
        yield from _heading("gpu")
        apart = ("sources", "shared_memory_bytes", "shared_bandwidths")
        yield from _stated(
            *((field.name, getattr(gpu, field.name)) for field in fields(gpu) if field.name not in apart)
        )
        if gpu.shared_memory_bytes is not None:
            yield from _stated(("shared_memory_kib", gpu.shared_memory_bytes / _KIB))
        yield from _figures("shared_bandwidth_gbs", gpu.shared_bandwidths)
        yield from _stated(("source", gpu.sources))


def _by_precision(key: str, numbers: Sequence[tuple[Precision, float]]) -> Iterator[str]:
    if numbers:
        yield f"{key} = {{ {', '.join(f'{precision.value} = {_value(number)}' for precision, number in numbers)} }}"


def _peak(peak: Peak) -> Iterator[str]:
    yield from _heading(f"peaks.{peak.precision.value}")
    unit = "gops" if peak.precision is Precision.INT8 else "gflops"
    for mode in PeakMode:
        yield from _figures(f"{mode.value}_{unit}", getattr(peak, mode.value))


def _level(level: Level) -> Iterator[str]:
    yield ""
    yield "[[levels]]"
    yield from _stated(("name", level.name), ("capacity_kib", level.capacity_bytes / _KIB))
    names = ("line_bytes", "ways", "shared_by", "instances", "write_back", "write_allocate")
    yield from _stated(*((name, getattr(level, name)) for name in names))
    yield from _stated(("inclusion", level.inclusion and level.inclusion.value))
    paths = ("bytes_per_cycle", "duplex", "transfers_overlap", "latency_cycles")
    yield from _stated(*((name, getattr(level, name)) for name in paths))
    yield from _figures("bandwidth_gbs", level.bandwidths)
    yield from _stated(("partitions", level.partitions if level.partitions > 1 else None))
    yield from _stated(("far_latency_cycles", level.far_latency_cycles))
    yield from _figures("far_bandwidth_gbs", level.far_bandwidths)
    if level.effective != 1.0:
        yield from _stated(("effective", level.effective), ("effective_why", level.effective_why))
    yield from _stated(("source", level.sources), ("note", level.note), ("explain", level.explain))


def _memory(heading: str, memory: Memory) -> Iterator[str]:
    yield ""
    yield heading
    yield from _stated(("name", memory.name), ("technology", memory.technology))
    if memory.capacity_bytes is not None:
        yield from _stated(("capacity_gib", memory.capacity_bytes / _KIB**3))
    yield from _stated(("domains", memory.domains))
    yield from _stated(("latency_ns", None if memory.latency_s is None else memory.latency_s * _GIGA))
    yield from _stated(("page_walk_ns", None if memory.page_walk_s is None else memory.page_walk_s * _GIGA))
    yield from _stated(("column_walk_ns", None if memory.column_walk_s is None else memory.column_walk_s * _GIGA))
    yield from _stated(("tlb_pages", memory.tlb_pages))
    yield from _figures("bandwidth_gbs", memory.bandwidths)
    yield from _stated(("source", memory.sources), ("note", memory.note), ("explain", memory.explain))


def _source(source: Source) -> Iterator[str]:
    yield from _heading(f"sources.{source.id}")
    yield from _stated(("title", source.title), ("kind", source.kind), ("url", source.url))
    if not source.verified:
        yield "verified = false"
    yield from _stated(("note", source.note))


def _heading(name: str) -> Iterator[str]:
    yield ""
    yield f"[{name}]"


def _figures(key: str, figures: Iterable[Figure]) -> Iterator[str]:
    rows = [f"{{ {', '.join(_figure(figure))} }}" for figure in figures]
    if len(rows) == 1:
        yield f"{key} = {rows[0]}"
    elif rows:
        yield f"{key} = ["
        yield from (f"  {row}," for row in rows)
        yield "]"


def _figure(figure: Figure) -> Iterator[str]:
    yield f"value = {_value(figure.value / _GIGA)}"
    yield f"kind = {_value(figure.kind.value)}"
    yield from _stated(("source", figure.source), ("how", figure.how), ("explain", figure.explain))
    yield from _stated(("other_device", figure.other_device), ("sustained", figure.sustained or None))
    if isinstance(figure, BandwidthFigure):
        yield from _stated(("pattern", figure.pattern), ("units", figure.units))
        yield from _stated(("counts_write_allocate", figure.counts_write_allocate))


def _stated(*pairs: tuple[str, object]) -> Iterator[str]:
    for key, value in pairs:
        if value is not None and value != ():
            yield f"{key} = {_value(value)}"


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.12g}"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case tuple():
            texts = [_value(part) for part in value]
            if len(texts) == 1:
                return f"[{texts[0]}]"
            inner = "\n".join(f"  {text}," for text in texts)
            return f"[\n{inner}\n]"
        case _:
            raise TypeError(f"no TOML form of {value!r}")
