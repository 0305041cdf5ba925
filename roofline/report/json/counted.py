"""Counted quantities, intensities, conditions and requests as JSON: plain dictionaries, lists, numbers and text."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from analyzer.ir.launches import Registers
from analyzer.ir.nodes import MemorySpace
from analyzer.quantities.quantity import Quantity
from analyzer.traffic.results import Condition, Occupancy, Request, Reuse

from ...model.intensity import Ratio, number
from ..sentences import (
    condition_text,
)


def quantity(found: Quantity, unit: str, values: Mapping[str, int]) -> dict[str, Any]:
    """Return one counted quantity as an object; ``holds_if`` where its formula needs more than positive sizes."""
    value = number(found.estimate, values)
    needed = "" if value is not None else " and ".join(map(str, found.estimate.limits))
    return {
        "symbolic": str(found.estimate),
        "value": value,
        "lower": value if found.is_exact else number(found.lower, values),
        "upper": None if found.upper is None else value if found.is_exact else number(found.upper, values),
        "unit": unit,
        "exactness": found.exactness.value,
        **({"holds_if": needed} if needed else {}),
    }


def ratio_form(found: Ratio) -> dict[str, Any]:
    """Return an intensity: exact fraction, decimal value, and how it grows where it is no number."""
    return {
        "fraction": fraction_text(found.number),
        "value": None if found.number is None else float(found.number),
        "lower": None if found.lower is None else float(found.lower),
        "upper": None if found.upper is None else float(found.upper),
        "factor": None if found.value is None else float(found.value),
        "power": found.power,
        "formula": found.formula or None,
        "holds_for": "given sizes" if found.exact else "all sizes" if found.holds_for_all else "large sizes",
        "unit": "flop/byte",
    }


def fraction_text(value: Fraction | None) -> str | None:
    """Return ``1/12``."""
    return None if value is None else str(value)


def condition_form(found: Condition) -> dict[str, Any]:
    """Return one capacity condition as an object."""
    return {
        "text": condition_text(found),
        "level": found.level,
        "array": found.array,
        "loop": found.loop,
        "carried": found.carried,
        "working_set": str(found.working_set),
        "capacity_bytes": found.capacity_bytes,
        "parameter": found.parameter,
        "parameters": list(found.parameters),
        "threshold": found.threshold,
    }


def reuse_form(found: Reuse) -> dict[str, Any]:
    """Return one reuse as an object; its working set is a formula of the sizes, in bytes."""
    return {
        "array": found.array,
        "loop": found.loop,
        "line": found.line,
        "carried": found.carried,
        "working_set": str(found.working_set),
        "conditions": [condition_form(condition) for condition in found.conditions],
    }


def request_form(found: Request) -> dict[str, Any]:
    """Return the requests of one reference: sectors are those of global memory, ways those of the banks."""
    shared = found.space is MemorySpace.SHARED
    return {
        "text": found.text,
        "line": found.line,
        "array": found.array,
        "space": found.space.value,
        "write": found.write,
        "size_bytes": found.size_bytes,
        "accesses": rounded(found.accesses),
        "requests": rounded(found.requests),
        "sectors": None if shared else rounded(found.sectors),
        "sectors_per_request": None if shared else rounded(found.sectors_per_request),
        "efficiency": None if shared else rounded(found.efficiency),
        "passes": rounded(found.passes) if shared else None,
        "conflict_ways": rounded(found.conflict_ways) if shared else None,
        "step_bytes": found.step_bytes,
        "exactness": "exact" if found.is_exact else "estimate",
    }


def occupancy_form(found: Occupancy) -> dict[str, Any]:
    """Return how a launch fills a multiprocessor, and in how many waves the grid runs."""
    return {
        "blocks_per_unit": found.blocks_per_unit,
        "warps_per_unit": found.warps_per_unit,
        "limit": found.limit,
        "waves": rounded(found.waves),
        "registers": None if found.registers is None else _registers_form(found.registers, found),
    }


def _registers_form(registers: Registers, found: Occupancy) -> dict[str, Any]:
    """Return the registers of a thread, within what, and where they are from."""
    return {
        "value": registers.likely,
        "lower": registers.least,
        "upper": registers.most,
        "source": "predicted" if found.registers_are_predicted else "given",
    }


def rounded(number: float | None) -> int | float | None:
    """Return a number without the noise of sums and quotients, as an integer where it is one."""
    if number is None:
        return None
    value = float(f"{number:.12g}")
    return int(value) if value.is_integer() else value
