"""The machine catalog, and every figure of one machine with its kind and source, as sheets and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from roofline.machine.figures import BandwidthFigure, Basis, Figure, PeakMode
from roofline.machine.hardware import Core, Gpu, Level
from roofline.machine.machine import Machine
from roofline.machine.units import format_bytes, format_rate, format_time

from ...visible import json_text
from ..typesetting.sheet import Sheet

_PEAKS = ("fp64", "fp32", "fp16")
_MODES = {
    PeakMode.FMA: "FMA",
    PeakMode.NO_FMA: "no FMA",
    PeakMode.ADD_ONLY: "additions only",
    PeakMode.MATRIX: "matrix units",
}


def catalog_sheet(machines: Sequence[Machine]) -> Sheet:
    """Return one row for each machine: units, theoretical FMA peaks, bandwidths, fp64 ridge at sustained bandwidth."""
    rows = tuple(_catalog_row(machine) for machine in machines)
    headings = ("id", "name", "kind", "units", "fp64", "fp32", "bandwidth", "sustained", "ridge FLOP/byte")
    notes = (
        "peaks are theoretical, with FMA; ridge: fp64 (else fp32) peak over sustained bandwidth;"
        " ~ marks a bandwidth that is not measured",
    )
    return Sheet(f"{len(machines)} machines", headings, rows, frozenset({3, 4, 5, 6, 7, 8}), notes)


def catalog_json(machines: Sequence[Machine]) -> str:
    """Return the catalog as JSON: base units (FLOP/s, byte/s), null where no figure is known."""
    return json_text([_catalog_entry(machine) for machine in machines]) + "\n"


def machine_sheets(machines: Iterable[Machine]) -> list[Sheet]:
    """Return every figure of each machine with its kind and source; discrepancies and notes below."""
    sheets = (sheet for machine in machines for sheet in (_figure_sheet(machine), _source_sheet(machine)))
    return [sheet for sheet in sheets if sheet.rows]


def machines_json(machines: Sequence[Machine]) -> str:
    """Return the contents of the machine files in base units: one object, or a list of them for several machines."""
    found = [_primitive(machine) for machine in machines]
    return json_text(found[0] if len(found) == 1 else found) + "\n"


def _catalog_row(machine: Machine) -> tuple[str, ...]:
    entry = _catalog_entry(machine)
    sustained = machine.bandwidth(machine.memory.name, Basis.SUSTAINED)
    mark = "~" if sustained is not None and sustained.fell_back else ""
    bandwidth, ridge = entry["bandwidth"], entry["ridge"]
    return (
        machine.id,
        machine.name,
        machine.kind.value,
        f"{machine.units.count} {machine.units.name}",
        _rate(entry["peaks"]["fp64"], "FLOP/s"),
        _rate(entry["peaks"]["fp32"], "FLOP/s"),
        _rate(bandwidth["theoretical"], "B/s"),
        mark + _rate(bandwidth["sustained"], "B/s"),
        "-" if ridge is None else f"{ridge:.3g}",
    )


def _catalog_entry(machine: Machine) -> dict[str, Any]:
    memory = machine.memory.name
    rates = {basis.value: machine.bandwidth(memory, basis) for basis in Basis}
    ridge = machine.ridge("fp64", memory, kind=Basis.SUSTAINED) or machine.ridge("fp32", memory, kind=Basis.SUSTAINED)
    return {
        "id": machine.id,
        "name": machine.name,
        "vendor": machine.vendor,
        "kind": machine.kind.value,
        "architecture": machine.architecture,
        "aliases": list(machine.aliases),
        "units": {"name": machine.units.name, "count": machine.units.count},
        "clock_hz": machine.clock_hz,
        "peaks": {precision: _peak(machine, precision) for precision in _PEAKS},
        "memory": memory,
        "bandwidth": {basis: None if rate is None else rate.rate.value for basis, rate in rates.items()},
        "ridge": None if ridge is None else ridge.value,
    }


def _peak(machine: Machine, precision: str) -> float | None:
    if machine.peak_of(precision) is None:
        return None
    found = machine.peak(precision, kind=Basis.THEORETICAL)
    return None if found is None else found.value


def _rate(value: float | None, unit: str) -> str:
    return "-" if value is None else format_rate(value, unit)


def _figure_sheet(machine: Machine) -> Sheet:
    rows = tuple((*row[:2], *_origin(row[2])) for row in _figures(machine))
    about = [f"{machine.units.count} x {machine.units.name}", machine.vendor, machine.kind.value]
    if machine.architecture:
        about.append(machine.architecture)
    notes = (
        f"stores: {machine.write_allocate.text}",
        *(f"discrepancy: {text}" for text in machine.discrepancies),
        *machine.notes,
        *(f"{level.name}: {level.note}" for level in machine.levels if level.note),
        *([f"{machine.memory.name}: {machine.memory.note}"] if machine.memory.note else []),
        *([f"aliases: {', '.join(machine.aliases)}"] if machine.aliases else []),
    )
    title = f"{machine.name} ({machine.id}): {', '.join(about)}"
    return Sheet(title, ("figure", "value", "kind", "source", "how"), rows, frozenset({1}), notes)


def _figures(machine: Machine) -> Iterator[tuple[str, str, Figure | str]]:
    """Name and value of every figure, and the figure itself (a source id where the machine file gives one for all)."""
    for clock in ("nominal", "base", "boost", "simd"):
        figure = getattr(machine.clock, clock)
        if figure is not None:
            yield f"clock, {clock}", format_rate(figure.value, "Hz"), figure
    yield f"{machine.units.name}s", str(machine.units.count), machine.units.source
    for peak in machine.peaks:
        for mode, label in _MODES.items():
            unit = "OP/s" if peak.precision.value.startswith("int") else "FLOP/s"
            for figure in getattr(peak, mode.value):
                yield f"{peak.precision.value} peak, {label}", format_rate(figure.value, unit), figure
    for level in machine.levels:
        yield from _level(level, machine.units.name)
    for memory in (machine.memory, *machine.other_memories):
        if memory.latency_s is not None:
            yield f"{memory.name} latency", format_time(memory.latency_s), ", ".join(memory.sources)
        if memory.capacity_bytes is not None:
            yield f"{memory.name} capacity", format_bytes(memory.capacity_bytes), memory.bandwidths[0].source
        yield from _bandwidths(memory.name, memory.bandwidths)
    for part in (machine.core, machine.gpu):
        if part is not None:
            yield from _properties(part)
    if machine.core is not None:
        yield from _widths(machine.core)
    if machine.gpu is not None:
        yield from _bandwidths("shared memory", machine.gpu.shared_bandwidths)


def _properties(part: Core | Gpu) -> Iterator[tuple[str, str, Figure | str]]:
    """Yield the plain numbers and names of a core or of a GPU, which share their sources."""
    kind = "core" if isinstance(part, Core) else "GPU"
    for field in fields(part):
        value = getattr(part, field.name)
        if isinstance(value, int | float | str) and field.name != "note":
            text = str(value) if isinstance(value, str) or value is True or value is False else f"{value:g}"
            yield f"{kind} {field.name.replace('_', ' ')}", text, ", ".join(part.sources)


def _widths(core: Core) -> Iterator[tuple[str, str, Figure | str]]:
    """Yield the throughput of instructions narrower than full width."""
    for ports in core.widths:
        for field in fields(ports)[1:]:
            per_cycle = getattr(ports, field.name)
            if per_cycle is not None:
                name = f"core {field.name.replace('_', ' ')}, {ports.bits} bits"
                yield name, f"{per_cycle:g}", ", ".join(core.sources)


def _level(level: Level, unit: str) -> Iterator[tuple[str, str, Figure | str]]:
    source = ", ".join(level.sources)
    yield (
        f"{level.name} capacity ({level.instances}, {_shared(level.shared_by, unit)})",
        format_bytes(level.capacity_bytes),
        source,
    )
    for label, value in (("line", level.line_bytes), ("path per cycle", level.bytes_per_cycle)):
        if value is not None:
            yield f"{level.name} {label}", format_bytes(value), source
    for label, cycles in (("latency", level.latency_cycles), ("latency, far partition", level.far_latency_cycles)):
        if cycles is not None:
            yield f"{level.name} {label}", f"{cycles:g} cycles", source
    if level.partitions > 1:
        yield f"{level.name} partitions", str(level.partitions), source
    if level.ways is not None:
        yield f"{level.name} ways", str(level.ways), source
    if level.inclusion is not None:
        yield f"{level.name} inclusion", level.inclusion.value, source
    if level.effective_why is not None:
        yield f"{level.name} effective capacity", f"{level.effective:g}", level.effective_why
    yield from _bandwidths(level.name, level.bandwidths)
    yield from _bandwidths(f"{level.name} (larger than one partition)", level.far_bandwidths)


def _shared(count: int, unit: str) -> str:
    return f"one for each {unit}" if count == 1 else f"shared by {count} {unit}s"


def _bandwidths(name: str, figures: Iterable[BandwidthFigure]) -> Iterator[tuple[str, str, Figure | str]]:
    for figure in figures:
        units = f"{figure.units} unit{'s' * (figure.units > 1)}" if figure.units else None
        parts = [part for part in (figure.pattern, units) if part]
        label = f"{name} bandwidth" + (f" ({', '.join(parts)})" if parts else "")
        yield label, format_rate(figure.value, "B/s"), figure


def _origin(figure: Figure | str) -> tuple[str, str, str]:
    """Return kind, source and remarks of a figure."""
    if isinstance(figure, str):
        return "stated", figure, ""
    remarks = [figure.how, figure.explain, f"measured on {figure.other_device}" if figure.other_device else None]
    return figure.kind.value, figure.source, "; ".join(remark for remark in remarks if remark)


def _source_sheet(machine: Machine) -> Sheet:
    rows = tuple(
        (source.id, source.title, source.kind, "yes" if source.verified else "no", source.url or "")
        for source in machine.sources
    )
    notes = tuple(f"{source.id}: {source.note}" for source in machine.sources if source.note)
    return Sheet(f"Sources of {machine.id}", ("id", "title", "kind", "verified", "where"), rows, notes=notes)


def _primitive(value: object) -> Any:
    """Return frozen values as dictionaries and lists, pairs of a tuple of pairs as a dictionary."""
    if isinstance(value, Struct):
        return {field.name: _primitive(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        if value and all(isinstance(part, tuple) and len(part) == 2 for part in value):
            return {str(_primitive(key)): _primitive(part) for key, part in value}
        return [_primitive(part) for part in value]
    return value
