"""The parts of the report's JSON form that stand alone: counted quantities, intensities, and projections.

Input: values of the analysis and of :mod:`..model.projection`.  Output: plain dictionaries, lists, numbers and text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, assert_never

from analyzer.diagnostics import Field, Phrase
from analyzer.ir.nodes import MemorySpace
from analyzer.quantities.quantity import Quantity
from analyzer.traffic.results import Condition, Occupancy, Request, Reuse
from analyzer.transformations.kinds import Cut, Interchange, Jam, Split, Transformation

from ..model.advice.kinds import (
    Advice,
    AvoidBankConflicts,
    CoalesceAccesses,
    CopyToDevice,
    ReorderSums,
    ReuseData,
    SplitChain,
    StreamingStores,
    TransformLoops,
)
from ..model.core.ceilings import ChainCeiling
from ..model.core.incore import CoreBound
from ..model.ecm import Ecm
from ..model.expectation.expected import Expected
from ..model.expectation.launch import LaunchTime
from ..model.gpu.requests import transaction_bytes
from ..model.intensity import Ratio, number
from ..model.levels import LevelBound
from ..model.projection import Bound, Projection
from ..model.verdicts.reasons import (
    AgainstRidge,
    CoreHolds,
    HeldUntil,
    InstructionsHold,
    IntensityFalls,
    IntensityGrows,
    LongestPart,
    NoBandwidth,
    NoFlops,
    NoPeak,
    NothingCounted,
    NoTraffic,
    NotSound,
    Reason,
    is_of_integers,
)
from ..model.verdicts.scaling import Scaling
from .instruction_form import instructions_form
from .sentences import (
    advice_text,
    bandwidth_text,
    condition_text,
    core_assumption_text,
    reason_text,
    resource_text,
    source_text,
)


def fields_form(fields: Sequence[tuple[str, Field]], text: Callable[[Phrase], str] = str) -> dict[str, Any]:
    """Return the fields of a sentence as an object; ``text`` writes the phrases among them."""
    return {name: field_form(value, text) for name, value in fields}


def field_form(value: Field, text: Callable[[Phrase], str] = str) -> Any:
    """Return a field; a phrase as an object with its text, a fraction as ``1/12``."""
    match value:
        case Phrase():
            return {"text": text(value), "form": value.form, "fields": fields_form(value.fields, text)}
        case tuple():
            return [field_form(item, text) for item in value]
        case Fraction():
            return str(value)
        case _:
            return value


def quantity(found: Quantity, unit: str, values: Mapping[str, int]) -> dict[str, Any]:
    """Return one counted quantity as an object."""
    value = number(found.estimate, values)
    return {
        "symbolic": str(found.estimate),
        "value": value,
        "lower": value if found.is_exact else number(found.lower, values),
        "upper": None if found.upper is None else value if found.is_exact else number(found.upper, values),
        "unit": unit,
        "exactness": found.exactness.value,
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
        "accesses": _rounded(found.accesses),
        "requests": _rounded(found.requests),
        "sectors": None if shared else _rounded(found.sectors),
        "sectors_per_request": None if shared else _rounded(found.sectors_per_request),
        "efficiency": None if shared else _rounded(found.efficiency),
        "passes": _rounded(found.passes) if shared else None,
        "conflict_ways": _rounded(found.conflict_ways) if shared else None,
        "step_bytes": found.step_bytes,
    }


def occupancy_form(found: Occupancy) -> dict[str, Any]:
    """Return how a launch fills a multiprocessor, and in how many waves the grid runs."""
    return {
        "blocks_per_unit": found.blocks_per_unit,
        "warps_per_unit": found.warps_per_unit,
        "limit": found.limit,
        "waves": _rounded(found.waves),
    }


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


def cause_form(reason: Reason) -> dict[str, Any]:
    """Return the kind of a reason with its names and numbers."""
    match reason:
        case AgainstRidge():
            return {
                "kind": "below the ridge" if reason.below else "above the ridge",
                "level": reason.level,
                "intensity": reason.intensity,
                "ridge": reason.ridge.value,
                "ceiling": reason.ceiling.name,
                "flop_per_s": reason.ceiling.rate.value,
                "bytes_per_s": reason.bandwidth.rate.value,
                "figure": reason.bandwidth.figure.kind.value,
            }
        case NoTraffic(ceiling):
            return {"kind": "no traffic", "ceiling": ceiling.name, "flop_per_s": ceiling.rate.value}
        case NoFlops(level, bandwidth):
            kind = bandwidth.figure.kind.value
            return {"kind": "no FLOPs", "level": level, "bytes_per_s": bandwidth.rate.value, "figure": kind}
        case CoreHolds(found):
            busy = {"resource": resource_text(found.bottleneck), "unit": found.bottleneck.unit.value}
            return {"kind": "core", "cycles": found.cycles, "iterations": found.iterations, "line": found.line, **busy}
        case InstructionsHold(ceiling) if isinstance(ceiling, ChainCeiling):
            waits = {name: getattr(ceiling, name) for name in ("value", "cycles", "iterations", "line", "of_loads")}
            return {"kind": "chain", "ceiling": ceiling.name, **waits}
        case InstructionsHold(ceiling):
            assert not isinstance(ceiling, ChainCeiling)
            rates = {"instructions": _rounded(ceiling.instructions), "instructions_per_s": ceiling.rate.value}
            return {"kind": "instructions", "ceiling": ceiling.name, **rates}
        case NothingCounted():
            return {"kind": "nothing counted"}
        case IntensityFalls(symbol, factor, power, formula):
            return {"kind": "intensity falls", "symbol": symbol, "factor": factor, "power": power, "formula": formula}
        case IntensityGrows():
            return {
                "kind": "intensity grows",
                "symbol": reason.symbol,
                "factor": reason.factor,
                "power": reason.power,
                "formula": reason.formula,
                "level": reason.level,
                "ridge": reason.ridge,
                "threshold": reason.threshold,
                "beyond": reason.beyond,
                "ceiling": reason.ceiling.name,
                "flop_per_s": reason.ceiling.rate.value,
            }
        case HeldUntil(level, intensity, conditions, otherwise):
            return {
                "kind": "held until",
                "level": level,
                "intensity": intensity,
                "conditions": [condition_form(condition) for condition in conditions],
                "otherwise": cause_form(otherwise),
            }
        case NoPeak(_, precisions):
            return {"kind": "no peak", "precisions": [precision.value for precision in precisions]}
        case NoBandwidth(_, level):
            return {"kind": "no bandwidth", "level": level}
        case NotSound():
            return {"kind": "contradiction"}
        case LongestPart(share, line, end_line, main):
            return {
                "kind": "longest part",
                "share": share,
                "line": line,
                "end_line": end_line,
                "cause": cause_form(main),
            }
        case _:
            assert_never(reason)


def advice_form(found: Advice) -> dict[str, Any]:
    """Return one suggestion as an object: code, text and gain, and the fields of its kind."""
    form = {"code": found.code, "text": advice_text(found), "gain": found.gain}
    match found:
        case ReorderSums():
            return form
        case ReuseData():
            arrays = {"arrays": list(found.arrays)} if found.arrays else {}
            return {**form, "level": found.level, "inner": found.inner, "ceiling": found.ceiling, **arrays}
        case StreamingStores(arrays) | CoalesceAccesses(arrays) | AvoidBankConflicts(arrays) | CopyToDevice(arrays):
            return {**form, "arrays": list(arrays)}
        case SplitChain():
            return {**form, "value": found.value, "of_loads": found.of_loads}
        case TransformLoops():
            sizes = {"before_bytes": found.before_bytes, "after_bytes": found.after_bytes}
            return {**form, "level": found.level, **sizes, "steps": [step_form(step) for step in found.steps]}
        case _:
            assert_never(found)


def step_form(step: Transformation) -> dict[str, Any]:
    """Return one transformation as an object."""
    match step:
        case Split():
            return {"kind": "split", "loop": step.loop, "lines": list(step.lines), "expanded": list(step.expanded)}
        case Interchange():
            return {
                "kind": "interchange",
                "line": step.line,
                "order": list(step.order),
                "before": list(step.before),
            }
        case Cut():
            return {"kind": "block", "loop": step.inner, "line": step.line, "tile": step.tile, "outside": step.outer}
        case Jam():
            return {"kind": "unroll and jam", "loop": step.outer, "line": step.line, "by": step.by}
        case _:
            assert_never(step)


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


def _rounded(number: float | None) -> int | float | None:
    """Return a number without the noise of sums and quotients, as an integer where it is one."""
    if number is None:
        return None
    value = float(f"{number:.12g}")
    return int(value) if value.is_integer() else value


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
