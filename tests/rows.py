"""Source text to the counts of its functions at given sizes, for tests of what a reader understands."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from analyzer.ir.values import Operation
from analyzer.quantities.quantity import Quantity
from roofline.estimation import estimate, source_text
from roofline.options import EstimateOptions, WhichConditions
from roofline.report.report import FileReport

DATA = Path(__file__).parent / "data"


class Row(NamedTuple):
    """FLOPs, bytes of all loads and stores, and bytes of the distinct elements, at some sizes."""

    flops: float
    loads: float
    stores: float
    read: float
    written: float
    exact: bool


def file_report(text: str, name: str = "x.cpp", defines: dict[str, str] | None = None) -> FileReport:
    """Return the report of a text, without a machine."""
    options = EstimateOptions(defines=defines or {}, conditions=WhichConditions.NEVER)
    (report,) = estimate(source_text(text, name), (), options).files
    return report


def rows(text: str, name: str = "x.cpp", size: int = 1_000, **sizes: int) -> dict[str, Row]:
    """Return the counts of each function, with ``size`` for every symbol that ``sizes`` has no number for."""
    found: dict[str, Row] = {}
    for region in file_report(text, name).regions:
        profile = region.profile
        values = dict.fromkeys(profile.symbols, size) | dict(profile.values) | sizes
        quantities = (
            profile.work.flops,
            profile.loads.bytes,
            profile.stores.bytes,
            profile.footprint.read.bytes,
            profile.footprint.written.bytes,
        )
        numbers = (float(quantity.estimate.evaluate(values)) for quantity in quantities)
        found[profile.name] = Row(*numbers, exact=all(quantity.is_exact for quantity in quantities))
    return found


def operations(text: str, name: str = "x.cpp", size: int = 1_000) -> dict[str, dict[tuple[Operation, str], float]]:
    """Return the operations of each function by kind and precision."""
    found: dict[str, dict[tuple[Operation, str], float]] = {}
    for region in file_report(text, name).regions:
        values = dict.fromkeys(region.profile.symbols, size) | dict(region.profile.values)
        kinds: dict[tuple[Operation, str], float] = {}
        for key, quantity in region.profile.work.operations.items():
            kind = (key.operation, key.precision.value)
            kinds[kind] = kinds.get(kind, 0.0) + _at(quantity, values)
        found[region.profile.name] = kinds
    return found


def _at(quantity: Quantity, values: dict[str, int]) -> float:
    return float(quantity.estimate.evaluate(values))


def codes(text: str, name: str = "x.cpp") -> list[tuple[str, int]]:
    """Return code and line of each finding."""
    return [(found.code, found.span.line) for found in file_report(text, name).profile.diagnostics]
