"""Rules on bytes, level by level; the first that fits a level is its reason.

Spills are reported as well, wherever local memory was used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analyzer.quantities.quantity import add

from ...machine.hardware import MachineKind
from ...machine.machine import Machine
from ...measured.results import DRAM, Fact
from ..predictions import PredictedBytes
from ..quantities import Row
from .codes import Code
from .reason import Case, Reason, alike

Rule = Callable[[Case, Row, PredictedBytes], Reason | None]

_MUCH_LESS = 0.75
_MOST_CHANNELS = 16
_INNER = {"L2": ("L1",), "L3": ("L2", "L1"), DRAM: ("L3", "L2", "L1")}


def memory_reasons(case: Case) -> Iterator[Reason]:
    """Yield one reason for each level whose bytes differ, as far as a rule fits."""
    yield from _spills(case)
    for row in case.rows:
        if row.quantity not in ("bytes", "bytes read", "bytes written") or not case.differs(row.quantity, row.level):
            continue
        predicted = case.prediction.bytes_at(row.level)
        if predicted is None or (row.quantity != "bytes" and case.differs("bytes", row.level)):
            continue
        yield from _first(case, row, predicted)


def _first(case: Case, row: Row, predicted: PredictedBytes) -> Iterator[Reason]:
    rules: tuple[Rule, ...] = (
        _no_write_allocate,
        _write_allocate,
        _some_channels,
        _granularity,
        _every_reference,
        _warm,
        _reuse,
    )
    for rule in rules:
        found = rule(case, row, predicted)
        if found is not None:
            yield found
            return


def _no_write_allocate(case: Case, row: Row, predicted: PredictedBytes) -> Reason | None:
    """Recognise as many bytes as without the reads for stores that the prediction has."""
    base = _side(predicted, row)
    if not predicted.write_allocate or row.quantity == "bytes written":
        return None
    if not alike(row.measured, base - predicted.write_allocate):
        return None
    evidence = {"write_allocate_bytes": predicted.write_allocate}
    return Reason(Code.NO_WRITE_ALLOCATE, row.quantity, row.level, evidence)


def _write_allocate(case: Case, row: Row, predicted: PredictedBytes) -> Reason | None:
    """Recognise more bytes by as many as are stored: stores read their lines first, which the prediction omits."""
    profile = case.prediction.region.profile
    stores = case.prediction.number(profile.compulsory_traffic.write_allocate_bytes)
    extra = max(stores.value if stores is not None else 0.0, 0.0) or predicted.write.value
    if predicted.write_allocate or not extra or row.quantity == "bytes written":
        return None
    if not alike(row.measured, _side(predicted, row) + extra):
        return None
    return Reason(Code.WRITE_ALLOCATE, row.quantity, row.level, {"stored_bytes": extra})


def _some_channels(case: Case, row: Row, predicted: PredictedBytes) -> Reason | None:
    """Recognise reads and writes that are the same whole part of the predicted: some memory channels were counted."""
    read, write = (case.row(f"bytes {side}", row.level) for side in ("read", "written"))
    if row.level != DRAM or read is None or write is None or not read.ratio or not write.ratio:
        return None
    channels = round(1 / read.ratio)
    if not 2 <= channels <= _MOST_CHANNELS or not all(
        alike(found.ratio or 0.0, 1 / channels) for found in (read, write)
    ):
        return None
    return Reason(Code.SOME_CHANNELS, row.quantity, DRAM, {"channels": float(channels)})


def _granularity(case: Case, row: Row, predicted: PredictedBytes) -> Reason | None:
    """Recognise as many bytes as another unit of transfer gives: elements instead of lines, or the reverse."""
    if row.quantity != "bytes":
        return None
    profile = case.prediction.region.profile
    elements, lines = profile.compulsory_traffic, profile.compulsory_line_traffic
    candidates = {
        "elements": add((elements.read_bytes, elements.write_bytes)),
        "elements and the reads for stores": add(
            (elements.read_bytes, elements.write_allocate_bytes, elements.write_bytes)
        ),
        "whole lines": add((lines.read_bytes, lines.write_bytes)),
        "whole lines and the reads for stores": add((lines.read_bytes, lines.write_allocate_bytes, lines.write_bytes)),
    }
    for name, quantity in candidates.items():
        size = case.prediction.number(quantity)
        if size is not None and not alike(predicted.total.value, size.value) and alike(row.measured, size.value):
            return Reason(Code.GRANULARITY, "bytes", row.level, {"bytes": size.value}, {"unit": name})
    return None


def _every_reference(case: Case, row: Row, predicted: PredictedBytes) -> Reason | None:
    """Recognise as many bytes as all references of the source: no register and no cache held anything."""
    profile = case.prediction.region.profile
    size = case.prediction.number(add((profile.loads.bytes, profile.stores.bytes)))
    if row.quantity != "bytes" or size is None or alike(predicted.total.value, size.value):
        return None
    if not alike(row.measured, size.value):
        return None
    return Reason(Code.EVERY_REFERENCE, "bytes", row.level, {"bytes": size.value})


def _warm(case: Case, row: Row, predicted: PredictedBytes) -> Reason | None:
    """Recognise much less from memory where everything that is touched fits the last cache."""
    machine = _machine(case)
    if row.level != DRAM or row.quantity == "bytes written" or machine is None or not machine.levels:
        return None
    footprint = case.prediction.region.profile.footprint
    touched = case.prediction.number(footprint.touched.lines)
    last = machine.levels[-1]
    capacity = float(last.capacity_bytes * last.instances)
    if touched is None or row.measured > _MUCH_LESS * _side(predicted, row):
        return None
    size = touched.value * footprint.line_bytes
    if size > capacity:
        return None
    evidence = {"footprint_bytes": size, "capacity_bytes": capacity}
    return Reason(Code.WARM_CACHES, row.quantity, DRAM, evidence, {"cache": last.name})


def _reuse(case: Case, row: Row, predicted: PredictedBytes) -> Reason | None:
    """Recognise less or more than predicted, for no plainer reason."""
    if row.level not in _INNER or row.quantity == "bytes written":
        return None
    if case.prediction.region.caches is None:
        return Reason(Code.NO_CACHES, row.quantity, row.level, {}, {"level": row.level})
    ratio = row.measured / _side(predicted, row) if _side(predicted, row) else 0.0
    inner = next((level for level in _INNER[row.level] if case.row("bytes", level) is not None), None)
    names = {"cache": inner or "the caches inside"}
    evidence = {"ratio": ratio}
    if inner is not None and case.agrees("bytes", inner):
        evidence[f"{inner}_ratio"] = (case.row("bytes", inner) or row).ratio or 1.0
    code = Code.CACHE_REUSE if row.measured < _side(predicted, row) else Code.LESS_CACHE_REUSE
    return Reason(code, row.quantity, row.level, evidence, names)


def _spills(case: Case) -> Iterator[Reason]:
    """Recognise local memory, which is in no source: spilled registers, or arrays of a thread."""
    local = case.sample.facts.get(Fact.LOCAL_BYTES, 0.0)
    if local <= 0:
        return
    l1 = case.sample.bytes_at("L1")
    evidence = {"local_bytes": local}
    if l1 is not None and l1.total:
        evidence["share_of_L1"] = local / l1.total
    yield Reason(Code.SPILLS, "bytes", "L1", evidence)


def _side(predicted: PredictedBytes, row: Row) -> float:
    """Return the predicted bytes of the row's direction."""
    sides = {"bytes": predicted.total, "bytes read": predicted.read, "bytes written": predicted.write}
    return sides[row.quantity].value


def _machine(case: Case) -> Machine | None:
    """Return the CPU or GPU of the comparison."""
    projection = case.prediction.projection
    if projection is None or projection.machine.kind is MachineKind.TPU:
        return None
    return projection.machine
