"""The machine file: one TOML document per machine, read into a :class:`~roofline.machine.machine.Machine`.

Input: text. Output: a machine whose shape (this module) and physics (:mod:`roofline.machine.physics`) have been
checked. Anything wrong raises ``MachineError`` with the line of the key. The page
``roofline/README.md`` has a complete small file, every key with its meaning, and the physical checks.  A figure is a
number, a table, or an array of tables; keys end in their unit.  No machine inherits from another.
"""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any, TypeVar

from analyzer.data_files.files import read_text
from analyzer.data_files.toml_lines import KeyPath
from analyzer.data_files.values import value_text
from analyzer.errors import MachineError

from .figures import BandwidthFigure, Figure, FigureKind, Peak, Precision
from .machine import (
    Clock,
    Core,
    Gpu,
    Inclusion,
    Level,
    Machine,
    MachineKind,
    Memory,
    Ports,
    Source,
    Units,
    WriteAllocate,
    WritePolicy,
)
from .physics import check_physics
from .streams import PATTERNS, streams_of
from .toml import Document, Mistake, Table, open_table, parse_document, positive_number

FarT = TypeVar("FarT")

UNSTATED = "unstated"

_GIGA = 1e9
_KIB = 1024
_MACHINE_KEYS = (
    "id", "name", "vendor", "kind", "aliases", "architecture", "scope", "discrepancies", "notes", "sources", "clock",
    "units", "core", "gpu", "peaks", "levels", "memory", "other_memories", "write_allocate",
)  # fmt: skip
_SOURCE_KEYS = ("title", "url", "kind", "verified", "note")
_CLOCK_KEYS = ("nominal_ghz", "base_ghz", "boost_ghz", "simd_ghz")
_UNITS_KEYS = ("name", "count", "threads_per_unit", "flops_per_cycle", "source")
_CORE_NUMBERS = (
    "arithmetic_per_cycle",
    "fma_units", "add_units", "mul_units", "loads_per_cycle", "stores_per_cycle", "memory_operations_per_cycle",
    "integer_units", "scalar_integer_units",
    "issue_width", "fma_latency_cycles", "add_latency_cycles", "mul_latency_cycles", "div_cycles", "sqrt_cycles",
    "div_fp32_cycles", "sqrt_fp32_cycles", "div_scalar_cycles", "sqrt_scalar_cycles",
    "div_latency_cycles", "sqrt_latency_cycles",
)  # fmt: skip
_CORE_KEYS = (
    "isa", "simd_bits", "lanes", *_CORE_NUMBERS, "out_of_order_window", "path_bits", "loads_overlap", "widths",
    "source", "note",
)  # fmt: skip
_PORTS = (
    "arithmetic_per_cycle", "fma_per_cycle", "add_per_cycle", "mul_per_cycle", "loads_per_cycle", "stores_per_cycle",
)  # fmt: skip
_GPU_KEYS = (
    "target", "warp_size", "sector_bytes", "line_bytes", "dram_access_bytes", "schedulers_per_unit",
    "issue_per_scheduler", "shared_memory_kib", "shared_banks", "shared_bank_bytes", "shared_bandwidth_gbs",
    "max_threads_per_unit", "max_blocks_per_unit", "registers_per_unit", "int32_per_cycle",
    "int32_multiply_per_cycle", "arithmetic_latency_cycles", "source",
)  # fmt: skip
_LEVEL_KEYS = (
    "name", "capacity_kib", "capacity_mib", "line_bytes", "ways", "shared_by", "instances", "write_back",
    "write_allocate", "inclusion", "bytes_per_cycle", "duplex", "transfers_overlap", "latency_cycles", "bandwidth_gbs",
    "partitions", "far_latency_cycles", "far_bandwidth_gbs", "effective", "effective_why", "source", "note", "explain",
)  # fmt: skip
_MEMORY_KEYS = (
    "name",
    "technology",
    "capacity_gib",
    "domains",
    "latency_ns",
    "bandwidth_gbs",
    "source",
    "note",
    "explain",
)
_WRITE_KEYS = ("policy", "text", "store_factor_min", "store_factor_max", "source")
_FIGURE_KEYS = ("value", "kind", "source", "how", "explain", "other_device", "sustained")
_BANDWIDTH_KEYS = (*_FIGURE_KEYS, "pattern", "units", "counts_write_allocate")
_STORE_FACTORS = {WritePolicy.ALLOCATE: (2.0, 2.0), WritePolicy.PARTIAL: (1.0, 2.0), WritePolicy.NONE: (1.0, 1.0)}


_REQUIRED = ("id", "name", "vendor", "kind", "clock", "units", "peaks", "memory", "write_allocate")
_MOST_MISTAKES = 6
_EXAMPLE = "ai-estimate machines example prints a small complete file"


def load_machine(path: str | Path) -> Machine:
    """Read a machine file from disk; raises MachineError where it is missing, unreadable or wrong."""
    text = read_text(path, error=MachineError)
    return parse_machine(text, str(path))


def parse_machine(text: str, path: str = "<machine>") -> Machine:
    """Read a machine from TOML text and check its physics; ``path`` is the name for messages.

    Raises ``MachineError`` with the first mistakes of the text, or the first figure that is impossible.
    """
    document = parse_document(text, path)
    try:
        machine = _machine(document)
    except Mistake as first:
        raise _with_others(first, document) from None
    check_physics(machine, document)
    return machine


def _with_others(first: Mistake, document: Document) -> MachineError:
    """Return the error of a mistake with the next ones, which show once it is taken out, and where an example is."""
    data = deepcopy(dict(document.data))
    found = [first]
    while len(found) < _MOST_MISTAKES and _taken_out(data, found[-1].position):
        try:
            _machine(Document(data, document.origin))
        except Mistake as other:
            if other.missing and other.missing in (mistake.position[-1] for mistake in found):
                break  # it was taken out
            found.append(other)
        else:
            break
    missing = [f"`{key}`" for key in _REQUIRED if key not in document.data]
    texts = [_short_text(other) for other in found[1:] if other.position]
    if missing:
        texts.append(f"the machine lacks {', '.join(missing)}")
    if first.position == ():
        return MachineError(texts.pop(), path=first.path, line=first.line, hint=_EXAMPLE)
    if not texts:
        return first
    hint = "; ".join(text for text in (first.hint, *texts, _EXAMPLE) if text)
    return MachineError(first.message, path=first.path, line=first.line, hint=hint)


def _short_text(mistake: Mistake) -> str:
    where = "" if mistake.line is None else f"line {mistake.line}: "
    return f"{where}{mistake.message}" + (f", {mistake.hint}" if mistake.hint else "")


def _taken_out(data: Any, position: KeyPath) -> bool:
    """Return whether a document lost what stands at a position; a table that only lacks a key stays."""
    *above, last = position or ("",)
    for part in above:
        data = data[part]
    if not position or not isinstance(last, str) or isinstance(data.get(last), dict):
        return False
    del data[last]
    return True


def _machine(document: Document) -> Machine:
    table = open_table(document, (), document.data, _MACHINE_KEYS)
    sources = _sources(table)
    reader = _Reader(document, frozenset(source.id for source in sources))
    units = reader.units(table.required_table("units", _UNITS_KEYS))
    core, gpu = table.table("core", _CORE_KEYS), table.table("gpu", _GPU_KEYS)
    return Machine(
        id=table.required_text("id"),
        name=table.required_text("name"),
        vendor=table.required_text("vendor"),
        kind=table.required_choice("kind", MachineKind),
        aliases=table.texts("aliases"),
        architecture=table.text("architecture"),
        scope=table.text("scope"),
        clock=reader.clock(table.required_table("clock", _CLOCK_KEYS)),
        units=units,
        core=None if core is None else reader.core(core),
        gpu=None if gpu is None else reader.gpu(gpu),
        peaks=reader.peaks(table.required_table("peaks", tuple(Precision))),
        levels=tuple(reader.level(entry, units.count) for entry in table.tables("levels", _LEVEL_KEYS)),
        memory=reader.memory(table.required_table("memory", _MEMORY_KEYS)),
        other_memories=tuple(reader.memory(entry) for entry in table.tables("other_memories", _MEMORY_KEYS)),
        write_allocate=reader.write_allocate(table.required_table("write_allocate", _WRITE_KEYS)),
        discrepancies=table.texts("discrepancies"),
        notes=table.texts("notes"),
        sources=sources,
    )


def _sources(table: Table) -> tuple[Source, ...]:
    names = table.data.get("sources", {})
    outer = table.table("sources", names if isinstance(names, dict) else ())
    entries = () if outer is None else tuple(outer.required_table(name, _SOURCE_KEYS) for name in outer.data)
    return tuple(
        Source(
            id=str(entry.key_path[-1]),
            title=entry.required_text("title"),
            kind=entry.text("kind") or "document",
            url=entry.text("url"),
            verified=entry.flag("verified") is not False,
            note=entry.text("note"),
        )
        for entry in entries
    )


def _ports(table: Table) -> Ports:
    return Ports(bits=table.required_integer("bits"), **{name: table.number(name) for name in _PORTS})


class _Reader:
    """Builds the parts of a machine; knows the declared sources, which every figure is checked against."""

    def __init__(self, document: Document, sources: frozenset[str]) -> None:
        self.document = document
        self.sources = sources

    def source(self, table: Table) -> str:
        """Return the source of a figure or table, which must be declared."""
        return self.source_list(table)[0]

    def source_list(self, table: Table) -> tuple[str, ...]:
        """Return the sources of a table that may have several."""
        names = table.texts("source") or (UNSTATED,)
        for name in names:
            if name != UNSTATED and name not in self.sources:
                raise table.error("source", f"source `{name}` is not declared", f"add a table [sources.{name}]")
        return names

    def figures(self, table: Table, key: str, scale: float) -> tuple[Figure, ...]:
        """Read a figure key: a number, a table or an array of tables; ``scale`` converts to base units."""
        return tuple(self._figure(entry, scale) for entry in self._entries(table, key, _FIGURE_KEYS))

    def figure(self, table: Table, key: str, scale: float) -> Figure | None:
        """Read a figure key that has at most one figure."""
        found = self.figures(table, key, scale)
        if len(found) > 1:
            raise table.error(key, f"`{key}` takes one figure, not {len(found)}")
        return found[0] if found else None

    def bandwidths(self, table: Table, key: str = "bandwidth_gbs") -> tuple[BandwidthFigure, ...]:
        """Read the figures of a bandwidth key."""
        return tuple(self._bandwidth(entry) for entry in self._entries(table, key, _BANDWIDTH_KEYS))

    def clock(self, table: Table) -> Clock:
        """Read [clock]."""
        return Clock(**{key.removesuffix("_ghz"): self.figure(table, key, _GIGA) for key in _CLOCK_KEYS})

    def units(self, table: Table) -> Units:
        """Read [units]."""
        return Units(
            name=table.required_text("name"),
            count=table.required_integer("count"),
            source=self.source(table),
            threads_per_unit=table.integer("threads_per_unit"),
            flops_per_cycle=tuple(self._by_precision(table, "flops_per_cycle").items()),
        )

    def core(self, table: Table) -> Core:
        """Read [core]."""
        return Core(
            isa=table.required_text("isa"),
            simd_bits=table.required_integer("simd_bits"),
            sources=self.source_list(table),
            lanes=tuple((name, int(value)) for name, value in self._by_precision(table, "lanes").items()),
            out_of_order_window=table.integer("out_of_order_window"),
            path_bits=table.integer("path_bits"),
            loads_overlap=table.flag("loads_overlap"),
            widths=tuple(_ports(entry) for entry in table.tables("widths", ("bits", *_PORTS))),
            note=table.text("note"),
            **{name: table.number(name) for name in _CORE_NUMBERS},
        )

    def gpu(self, table: Table) -> Gpu:
        """Read [gpu]."""
        shared_kib = table.number("shared_memory_kib")
        return Gpu(
            target=table.text("target"),
            warp_size=table.required_integer("warp_size"),
            sector_bytes=table.required_integer("sector_bytes"),
            line_bytes=table.required_integer("line_bytes"),
            schedulers_per_unit=table.required_integer("schedulers_per_unit"),
            issue_per_scheduler=table.number("issue_per_scheduler") or 1.0,
            sources=self.source_list(table),
            dram_access_bytes=table.integer("dram_access_bytes"),
            shared_memory_bytes=None if shared_kib is None else int(shared_kib * _KIB),
            shared_banks=table.integer("shared_banks"),
            shared_bank_bytes=table.integer("shared_bank_bytes"),
            max_threads_per_unit=table.integer("max_threads_per_unit"),
            max_blocks_per_unit=table.integer("max_blocks_per_unit"),
            registers_per_unit=table.integer("registers_per_unit"),
            int32_per_cycle=table.number("int32_per_cycle"),
            int32_multiply_per_cycle=table.number("int32_multiply_per_cycle"),
            arithmetic_latency_cycles=table.number("arithmetic_latency_cycles"),
            shared_bandwidths=self.bandwidths(table, "shared_bandwidth_gbs"),
        )

    def peaks(self, table: Table) -> tuple[Peak, ...]:
        """Read every [peaks.<precision>]; integer precisions count operations (`_gops`)."""
        if not table.data:
            raise table.error(None, "[peaks] states no peak", "add a table such as [peaks.fp64]")
        return tuple(self._peak(table, Precision(name)) for name in table.data)

    def level(self, table: Table, units: int) -> Level:
        """Read one [[levels]]; `instances` defaults to as many as cover all units."""
        shared_by = table.required_integer("shared_by")
        return Level(
            name=table.required_text("name"),
            capacity_bytes=self._capacity(table),
            shared_by=shared_by,
            instances=table.integer("instances") or -(-units // shared_by),
            sources=self.source_list(table),
            line_bytes=table.integer("line_bytes"),
            ways=table.integer("ways"),
            write_back=table.flag("write_back"),
            write_allocate=table.flag("write_allocate"),
            inclusion=table.choice("inclusion", Inclusion),
            bytes_per_cycle=table.number("bytes_per_cycle"),
            duplex=self._duplex(table),
            transfers_overlap=table.flag("transfers_overlap"),
            latency_cycles=table.number("latency_cycles"),
            bandwidths=self.bandwidths(table),
            partitions=table.integer("partitions") or 1,
            far_latency_cycles=self._far(table, "far_latency_cycles", table.number("far_latency_cycles")),
            far_bandwidths=self._far(table, "far_bandwidth_gbs", self.bandwidths(table, "far_bandwidth_gbs")),
            effective=self._effective(table),
            effective_why=table.text("effective_why"),
            note=table.text("note"),
            explain=table.text("explain"),
        )

    def memory(self, table: Table) -> Memory:
        """Read [memory] or one of [[other_memories]]."""
        capacity_gib, latency_ns = table.number("capacity_gib"), table.number("latency_ns")
        return Memory(
            name=table.text("name") or "DRAM",
            technology=table.required_text("technology"),
            bandwidths=self.bandwidths(table),
            capacity_bytes=None if capacity_gib is None else int(capacity_gib * _KIB**3),
            domains=table.integer("domains") or 1,
            latency_s=None if latency_ns is None else latency_ns / _GIGA,
            sources=self.source_list(table) if "source" in table.data else (),
            note=table.text("note"),
            explain=table.text("explain"),
        )

    def write_allocate(self, table: Table) -> WriteAllocate:
        """Read [write_allocate]; the store factors default to 2, 1 to 2, and 1."""
        policy = table.required_choice("policy", WritePolicy)
        least, most = _STORE_FACTORS[policy]
        return WriteAllocate(
            policy=policy,
            text=table.required_text("text"),
            store_factor_min=table.number("store_factor_min") or least,
            store_factor_max=table.number("store_factor_max") or most,
            source=None if "source" not in table.data else self.source(table),
        )

    def _peak(self, table: Table, precision: Precision) -> Peak:
        unit = "gops" if precision is Precision.INT8 else "gflops"
        modes = ("fma", "no_fma", "add_only", "matrix")
        entry = table.required_table(precision.value, tuple(f"{mode}_{unit}" for mode in modes))
        return Peak(precision, **{mode: self.figures(entry, f"{mode}_{unit}", _GIGA) for mode in modes})

    def _entries(self, table: Table, key: str, allowed: tuple[str, ...]) -> tuple[Table, ...]:
        value: Any = table.data.get(key, [])
        if isinstance(value, dict):
            return (open_table(self.document, (*table.key_path, key), value, allowed),)
        if isinstance(value, list):
            return table.tables(key, allowed)
        number = positive_number(table, key, value)
        return (Table(self.document, (*table.key_path, key), {"value": number, "kind": "theoretical"}),)

    def _figure(self, entry: Table, scale: float) -> Figure:
        return Figure(
            value=entry.required_number("value") * scale,
            kind=entry.required_choice("kind", FigureKind),
            source=self.source(entry),
            how=entry.text("how"),
            explain=entry.text("explain"),
            other_device=entry.text("other_device"),
            sustained=entry.flag("sustained") is True,
        )

    def _bandwidth(self, entry: Table) -> BandwidthFigure:
        base = self._figure(entry, _GIGA)
        return BandwidthFigure(
            value=base.value,
            kind=base.kind,
            source=base.source,
            how=base.how,
            explain=base.explain,
            other_device=base.other_device,
            sustained=base.sustained,
            pattern=self._pattern(entry),
            units=entry.integer("units"),
            counts_write_allocate=entry.flag("counts_write_allocate"),
        )

    def _by_precision(self, table: Table, key: str) -> dict[Precision, float]:
        entry = table.table(key, tuple(Precision))
        if entry is None:
            return {}
        return {Precision(name): positive_number(entry, name, value) for name, value in entry.data.items()}

    def _capacity(self, table: Table) -> int:
        kib, mib = table.number("capacity_kib"), table.number("capacity_mib")
        if (kib is None) == (mib is None):
            raise table.error(
                None if kib is None else "capacity_mib",
                "a level states its capacity once, as `capacity_kib` or as `capacity_mib`",
            )
        return int(kib * _KIB) if kib is not None else int((mib or 0) * _KIB**2)

    def _effective(self, table: Table) -> float:
        value = table.number("effective")
        if value is None:
            return 1.0
        if not 0 < value <= 1:
            raise table.error("effective", f"`effective` is a fraction of the capacity, not {value:g}")
        if table.text("effective_why") is None:
            raise table.error("effective", "`effective` needs a reason", "add `effective_why`")
        return value

    def _pattern(self, entry: Table) -> str | None:
        pattern = entry.text("pattern")
        if pattern is not None and streams_of(pattern) is None:
            known = f"{', '.join(PATTERNS)}, or for example `2 loads, 1 stores`"
            raise entry.error("pattern", f"`pattern` cannot be {value_text(pattern)}", f"possible: {known}")
        return pattern

    def _far(self, table: Table, key: str, value: FarT) -> FarT:
        if key in table.data and (table.integer("partitions") or 1) < 2:
            raise table.error(key, f"`{key}` needs `partitions`", "add `partitions`, the parts of the level")
        return value

    def _duplex(self, table: Table) -> str | None:
        value = table.text("duplex")
        if value not in (None, "half", "full"):
            raise table.error("duplex", f"`duplex` cannot be {value!r}", "write half or full")
        return value
