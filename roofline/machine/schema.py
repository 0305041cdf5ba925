"""The machine file: one TOML document per machine, read into a :class:`~roofline.machine.machine.Machine`.

Input: text. Output: a machine whose shape (this module) and physics (:mod:`roofline.machine.physics`) have been
checked. Anything wrong raises ``MachineError`` with the line of the key. The page
``roofline/README.md`` has a complete small file, every key with its meaning, and the physical checks.  A figure is a
number, a table, or an array of tables; keys end in their unit.  No machine inherits from another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from analyzer.data_files.files import read_text
from analyzer.data_files.values import value_text
from analyzer.errors import MachineError

from .figures import BandwidthFigure, Figure, FigureKind, Peak, Precision
from .hardware import (
    Clock,
    Core,
    Gpu,
    Inclusion,
    Level,
    MachineKind,
    Memory,
    Ports,
    Source,
    Units,
    WriteAllocate,
    WritePolicy,
)
from .machine import Machine
from .mistakes import all_mistakes
from .physics import check_physics
from .streams import PATTERNS, streams_of
from .toml import Document, Mistake, Reader, Table, one_of, open_table, parse_document, positive_number

UNSTATED = "unstated"

_GIGA = 1e9
_KIB = 1024
_MACHINE_KEYS = (
    "id", "name", "vendor", "kind", "aliases", "architecture", "scope", "discrepancies", "notes", "sources", "clock",
    "units", "core", "gpu", "peaks", "levels", "memory", "other_memories", "write_allocate",
)  # fmt: skip
_SOURCE = {
    "title": Table.required_text,
    "kind": Table.text,
    "url": Table.text,
    "verified": Table.flag,
    "note": Table.text,
}
_CLOCK_KEYS = ("nominal_ghz", "base_ghz", "boost_ghz", "simd_ghz")
_UNITS = {"name": Table.required_text, "count": Table.required_integer, "threads_per_unit": Table.integer}
_UNITS_KEYS = (*_UNITS, "flops_per_cycle", "source")
_CORE_NUMBERS = (
    "arithmetic_per_cycle",
    "fma_units", "add_units", "mul_units", "loads_per_cycle", "stores_per_cycle", "memory_operations_per_cycle",
    "indexed_operations_per_cycle", "taken_branch_cycles", "integer_units", "scalar_integer_units",
    "issue_width", "fma_latency_cycles", "add_latency_cycles", "mul_latency_cycles", "div_cycles", "sqrt_cycles",
    "div_fp32_cycles", "sqrt_fp32_cycles", "div_scalar_cycles", "sqrt_scalar_cycles",
    "div_latency_cycles", "sqrt_latency_cycles", "float_load_latency_cycles", "vector_load_latency_cycles",
)  # fmt: skip
_CORE = {
    "isa": Table.required_text,
    "simd_bits": Table.required_integer,
    "out_of_order_window": Table.integer,
    "fetch_bytes": Table.integer,
    "path_bits": Table.integer,
    "loads_overlap": Table.flag,
    "loops_restart_issue": Table.flag,
    "note": Table.text,
    **dict.fromkeys(_CORE_NUMBERS, Table.number),
}
_CORE_KEYS = (*_CORE, "lanes", "widths", "source")
_PORTS = {
    "bits": Table.required_integer,
    **dict.fromkeys(
        (
            "arithmetic_per_cycle",
            "fma_per_cycle",
            "add_per_cycle",
            "mul_per_cycle",
            "loads_per_cycle",
            "stores_per_cycle",
        ),
        Table.number,
    ),
}
_GPU = {
    "target": Table.text,
    "warp_size": Table.required_integer,
    "sector_bytes": Table.required_integer,
    "line_bytes": Table.required_integer,
    "schedulers_per_unit": Table.required_integer,
    "shared_banks": Table.integer,
    "shared_bank_bytes": Table.integer,
    "max_threads_per_unit": Table.integer,
    "max_blocks_per_unit": Table.integer,
    "registers_per_unit": Table.integer,
    "int32_per_cycle": Table.number,
    "int32_multiply_per_cycle": Table.number,
    "arithmetic_latency_cycles": Table.number,
    "memory_fetch_bytes": Table.integer,
}
_GPU_KEYS = (*_GPU, "issue_per_scheduler", "shared_memory_kib", "shared_bandwidth_gbs", "source")
_LEVEL = {
    "shared_by": Table.required_integer,
    "name": Table.required_text,
    "instances": Table.integer,
    "partitions": Table.integer,
    "line_bytes": Table.integer,
    "ways": Table.integer,
    "write_back": Table.flag,
    "write_allocate": Table.flag,
    "bytes_per_cycle": Table.number,
    "transfers_overlap": Table.flag,
    "latency_cycles": Table.number,
    "far_latency_cycles": Table.number,
    "effective_why": Table.text,
    "note": Table.text,
    "explain": Table.text,
}
_FAR = ("far_latency_cycles", "far_bandwidth_gbs")
_LEVEL_KEYS = (
    *_LEVEL,
    "capacity_kib",
    "capacity_mib",
    "inclusion",
    "duplex",
    "bandwidth_gbs",
    "far_bandwidth_gbs",
    "effective",
    "source",
)
_MEMORY = {
    "name": Table.text,
    "technology": Table.required_text,
    "capacity_gib": Table.number,
    "domains": Table.integer,
    "latency_ns": Table.number,
    "page_walk_ns": Table.number,
    "column_walk_ns": Table.number,
    "tlb_pages": Table.integer,
    "note": Table.text,
    "explain": Table.text,
}
_MEMORY_KEYS = (*_MEMORY, "bandwidth_gbs", "source")
_WRITE_KEYS = ("policy", "text", "store_factor_min", "store_factor_max", "source")
_FIGURE = {
    "value": Table.required_number,
    "kind": one_of(FigureKind),
    "source": Table.texts,
    "how": Table.text,
    "explain": Table.text,
    "other_device": Table.text,
    "sustained": Table.is_set,
}
_BANDWIDTH = {**_FIGURE, "pattern": Table.text, "units": Table.integer, "counts_write_allocate": Table.flag}
_STORES = {
    WritePolicy.ALLOCATE: "Ordinary stores read the line first.",
    WritePolicy.PARTIAL: "Ordinary stores read some of the lines first.",
    WritePolicy.NONE: "Ordinary stores do not read the line first.",
}
_STORE_FACTORS = {WritePolicy.ALLOCATE: (2.0, 2.0), WritePolicy.PARTIAL: (1.0, 2.0), WritePolicy.NONE: (1.0, 1.0)}


def load_machine(path: str | Path) -> Machine:
    """Read a machine file from disk; raises MachineError where it is missing, unreadable or wrong."""
    text = read_text(path, error=MachineError)
    return parse_machine(text, str(path))


def parse_machine(text: str, path: str = "<machine>") -> Machine:
    """Read a machine from TOML text and check its physics; ``path`` is the name for messages.

    Raises ``MachineError`` with the mistakes of the text, or with the figures that are impossible.
    """
    document = parse_document(text, path)
    try:
        machine = _machine(document)
    except Mistake as first:
        raise all_mistakes(first, document, _machine) from None
    check_physics(machine, document)
    return machine


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
    return tuple(
        Source(**{**read, "id": name, "kind": read["kind"] or "document", "verified": read["verified"] is not False})
        for name, read in table.read_named("sources", _SOURCE).items()
    )


class _Reader:
    """Builds the parts of a machine; holds the declared sources, against which every figure is checked."""

    def __init__(self, document: Document, sources: frozenset[str]) -> None:
        self.document = document
        self.sources = sources

    def sources_of(self, table: Table) -> tuple[str, ...]:
        """Return the sources of a table, which must be declared."""
        return self._declared(table, table.texts("source"))

    def _declared(self, table: Table, named: Sequence[str]) -> tuple[str, ...]:
        """Return the sources that a table names, which must be declared."""
        for name in named:
            if name != UNSTATED and name not in self.sources:
                raise table.error("source", f"source `{name}` is not declared", f"add a table [sources.{name}]")
        return tuple(named) or (UNSTATED,)

    def figures(
        self, table: Table, key: str, scale: float, readers: Mapping[str, Reader] = MappingProxyType(_FIGURE)
    ) -> Iterator[dict[str, Any]]:
        """Yield the fields of the figures of a key, in base units; a number alone is theoretical."""
        if key in table.data:
            for entry, found in table.read_each(key, readers, {"kind": FigureKind.THEORETICAL.value}):
                source = self._declared(entry, found["source"])[0]
                self._check_pattern(entry, found.get("pattern"))
                yield {**found, "value": found["value"] * scale, "source": source}

    def figure(self, table: Table, key: str, scale: float) -> Figure | None:
        """Read a figure key that has at most one figure."""
        found = [Figure(**fields) for fields in self.figures(table, key, scale)]
        if len(found) > 1:
            raise table.error(key, f"`{key}` takes one figure, not {len(found)}")
        return found[0] if found else None

    def bandwidths(self, table: Table, key: str = "bandwidth_gbs") -> tuple[BandwidthFigure, ...]:
        """Read the figures of a bandwidth key."""
        return tuple(BandwidthFigure(**fields) for fields in self.figures(table, key, _GIGA, _BANDWIDTH))

    def clock(self, table: Table) -> Clock:
        """Read [clock]."""
        return Clock(**{key.removesuffix("_ghz"): self.figure(table, key, _GIGA) for key in _CLOCK_KEYS})

    def units(self, table: Table) -> Units:
        """Read [units]."""
        flops = tuple(self._by_precision(table, "flops_per_cycle").items())
        return Units(**table.read(_UNITS), source=self.sources_of(table)[0], flops_per_cycle=flops)

    def core(self, table: Table) -> Core:
        """Read [core]."""
        return Core(
            **table.read(_CORE),
            sources=self.sources_of(table),
            lanes=tuple((name, int(value)) for name, value in self._by_precision(table, "lanes").items()),
            widths=tuple(Ports(**entry.read(_PORTS)) for entry in table.tables("widths", _PORTS)),
        )

    def gpu(self, table: Table) -> Gpu:
        """Read [gpu]."""
        shared_kib = table.number("shared_memory_kib")
        return Gpu(
            **table.read(_GPU),
            issue_per_scheduler=table.number("issue_per_scheduler") or 1.0,
            sources=self.sources_of(table),
            shared_memory_bytes=None if shared_kib is None else int(shared_kib * _KIB),
            shared_bandwidths=self.bandwidths(table, "shared_bandwidth_gbs"),
        )

    def peaks(self, table: Table) -> tuple[Peak, ...]:
        """Read every [peaks.<precision>]; integer precisions count operations (`_gops`)."""
        if not table.data:
            raise table.error(None, "[peaks] states no peak", "add a table such as [peaks.fp64]")
        return tuple(self._peak(table, Precision(name)) for name in table.data)

    def level(self, table: Table, units: int) -> Level:
        """Read one [[levels]]; `instances` defaults to as many as cover all units."""
        found = table.read(_LEVEL)
        instances, partitions = found.pop("instances"), found.pop("partitions") or 1
        if partitions < 2 and (far := next((key for key in _FAR if key in table.data), None)):
            raise table.error(far, f"`{far}` needs `partitions`", "add `partitions`, the parts of the level")
        return Level(
            **found,
            capacity_bytes=self._capacity(table),
            instances=instances or -(-units // found["shared_by"]),
            sources=self.sources_of(table),
            inclusion=table.choice("inclusion", Inclusion),
            duplex=self._duplex(table),
            bandwidths=self.bandwidths(table),
            partitions=partitions,
            far_bandwidths=self.bandwidths(table, "far_bandwidth_gbs"),
            effective=self._effective(table),
        )

    def memory(self, table: Table) -> Memory:
        """Read [memory] or one of [[other_memories]]."""
        found = table.read(_MEMORY)
        capacity_gib = found.pop("capacity_gib")
        nanoseconds = (found.pop(key) for key in ("latency_ns", "page_walk_ns", "column_walk_ns"))
        latency_s, walk_s, column_s = (None if value is None else value / _GIGA for value in nanoseconds)
        return Memory(
            **{**found, "name": found["name"] or "DRAM", "domains": found["domains"] or 1},
            bandwidths=self.bandwidths(table),
            capacity_bytes=None if capacity_gib is None else int(capacity_gib * _KIB**3),
            latency_s=latency_s,
            page_walk_s=walk_s,
            column_walk_s=column_s,
            sources=self.sources_of(table) if "source" in table.data else (),
        )

    def write_allocate(self, table: Table) -> WriteAllocate:
        """Read [write_allocate]; the store factors default to 2, 1 to 2, and 1, the text to what the policy means."""
        policy = table.required_choice("policy", WritePolicy)
        least, most = _STORE_FACTORS[policy]
        return WriteAllocate(
            policy=policy,
            text=table.text("text") or _STORES[policy],
            store_factor_min=table.number("store_factor_min") or least,
            store_factor_max=table.number("store_factor_max") or most,
            source=None if "source" not in table.data else self.sources_of(table)[0],
        )

    def _peak(self, table: Table, precision: Precision) -> Peak:
        unit = "gops" if precision is Precision.INT8 else "gflops"
        modes = ("fma", "no_fma", "add_only", "matrix")
        entry = table.required_table(precision.value, tuple(f"{mode}_{unit}" for mode in modes))
        return Peak(
            precision,
            **{
                mode: tuple(Figure(**fields) for fields in self.figures(entry, f"{mode}_{unit}", _GIGA))
                for mode in modes
            },
        )

    def _check_pattern(self, entry: Table, pattern: str | None) -> None:
        if pattern is not None and pattern not in PATTERNS and streams_of(pattern) is None:
            known = f"{', '.join(PATTERNS)}, or for example `2 loads, 1 stores`"
            raise entry.error("pattern", f"`pattern` cannot be {value_text(pattern)}", f"possible: {known}")

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

    def _duplex(self, table: Table) -> str | None:
        value = table.text("duplex")
        if value not in (None, "half", "full"):
            raise table.error("duplex", f"`duplex` cannot be {value!r}", "write half or full")
        return value
