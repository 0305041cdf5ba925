"""Projections as JSON: the bound with its reason, ceilings, levels, the core, ECM and what is expected."""

from __future__ import annotations

from typing import Any

from ...model.core.incore import CoreBound
from ...model.ecm import Ecm
from ...model.expectation.expected import Expected
from ...model.expectation.gpu.launch import LaunchTime
from ...model.gpu.requests import transaction_bytes
from ...model.levels import LevelBound
from ...model.projection import Bound, Projection
from ...model.verdicts.reasons import (
    is_of_integers,
)
from ...model.verdicts.scaling import Scaling
from ..sentences import (
    bandwidth_text,
    core_assumption_text,
    reason_text,
    resource_text,
    source_text,
)
from .counted import ratio_form
from .instructions import instructions_form
from .reasons import cause_form


def projection_form(projection: Projection) -> dict[str, Any]:
    """Return one projection as an object."""
    ceiling = projection.ceiling
    return {
        "machine": projection.machine.id,
        "bound": projection.bound.value,
        "level": projection.level,
        "arithmetic": _arithmetic(projection),
        "convention": projection.moved.convention.value,
        "bytes": str(projection.moved.total.estimate),
        "intensity": ratio_form(projection.intensity),
        "attainable_flop_per_s": None if projection.attainable is None else projection.attainable.value,
        "attainable_range": None
        if projection.attainable_range is None
        else [rate.value for rate in projection.attainable_range],
        "bytes_per_s": None if projection.bandwidth_rate is None else projection.bandwidth_rate.value,
        "iterations_per_s": projection.iterations_per_s,
        "time_s": None if projection.time is None else projection.time.value,
        "estimated_time_s": None if projection.estimated_time is None else projection.estimated_time.value,
        "expected": None if projection.expected is None else _expected(projection.expected),
        "too_close_to_call": projection.close_call,
        "ceiling": None if ceiling is None else ceiling.name,
        "ridge": None if ceiling is None or ceiling.ridge is None else ceiling.ridge.value,
        "ceilings": [
            {
                "name": found.name,
                "flop_per_s": found.rate.value,
                "ridge": None if found.ridge is None else found.ridge.value,
                "source": source_text(found),
            }
            for found in projection.ceilings
        ],
        "core": None if projection.core is None else _core(projection.core),
        "ecm": None if projection.ecm is None else _ecm(projection.ecm),
        "scaling": _scaling(projection.scaling),
        "levels": [_level(projection, level) for level in projection.levels],
        "instructions": None if projection.instructions is None else instructions_form(projection.instructions),
        "reason": reason_text(projection.reason),
        "cause": cause_form(projection.reason),
        "units": projection.machine.unit_count(projection.options.cores),
    }


def _arithmetic(projection: Projection) -> str | None:
    """Return the kind of arithmetic that binds; None where something else does."""
    if projection.bound is not Bound.COMPUTE:
        return None
    return "integer" if is_of_integers(projection.reason) else "floating-point"


def _level(projection: Projection, level: LevelBound) -> dict[str, Any]:
    size = transaction_bytes(projection.machine, level.level)
    return {
        "level": level.level,
        "bytes": str(level.bytes.estimate),
        "bytes_per_s": level.bandwidth.rate.value,
        "transaction_bytes": size,
        "transactions_per_s": level.bandwidth.rate.transactions(size).value if size else None,
        "source": bandwidth_text(level),
        "intensity": ratio_form(level.intensity),
        "flop_per_s": None if level.rate is None else level.rate.value,
    }


def _core(core: CoreBound) -> dict[str, Any]:
    return {
        "iterations": core.iterations,
        "cycles": core.cycles,
        "bottleneck": resource_text(core.bottleneck),
        "vectorised": core.vectorised,
        "assumptions": [core_assumption_text(found) for found in core.assumptions],
        "reassociated_cycles": core.reassociated_cycles,
        "resources": [
            {
                "resource": resource_text(resource),
                "unit": resource.unit.value,
                "value": resource.value or None,
                "cycles": cycles,
            }
            for resource, cycles in core.cycles_by_resource
        ],
        "flop_per_s_per_core": core.per_core.value,
        "flop_per_s": core.chip.value,
        "l1_bytes_per_s_per_core": core.l1.value,
    }


def _expected(found: Expected) -> dict[str, Any]:
    ends = {"time_s": found.time, "least_s": found.least, "most_s": found.most}
    own = {"vectorised": found.vectorised} if found.launch is None else {"launch": _launch(found.launch)}
    return {name: time.value for name, time in ends.items()} | own


def _launch(found: LaunchTime) -> dict[str, Any]:
    return {
        "start_s": found.start,
        "busiest_unit": found.busiest,
        "busiest_unit_s": found.units,
        "latency_s": found.alone,
        "levels": [{"level": name, "time_s": seconds} for name, seconds in found.levels],
        "matrix_units_s": found.matrix,
        "rounds": found.rounds,
        "warps_per_unit": found.warps_per_unit,
    }


def _ecm(ecm: Ecm) -> dict[str, Any]:
    names = ("L1", *(transfer.outer for transfer in ecm.transfers))
    return {
        "iterations": ecm.iterations,
        "line_bytes": ecm.line_bytes,
        "overlapping_cycles": ecm.overlapping,
        "non_overlapping_cycles": ecm.non_overlapping,
        "transfers": [
            {"between": transfer.between, "bytes": transfer.bytes, "cycles": transfer.cycles}
            for transfer in ecm.transfers
        ],
        "predictions": [{"level": name, "cycles": cycles} for name, cycles in zip(names, ecm.predictions, strict=True)],
        "saturation_cores": ecm.saturation_cores,
        "flop_per_s": ecm.flop_per_s,
        "notation": ecm.notation,
        "prediction": ecm.prediction,
    }


def _scaling(scaling: Scaling | None) -> dict[str, Any] | None:
    if scaling is None:
        return None
    return {
        "saturation_cores": scaling.saturation_cores,
        "points": [
            {"cores": point.cores, "flop_per_s": point.rate.value, "bound": point.bound} for point in scaling.points
        ],
    }
