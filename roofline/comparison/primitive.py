"""A comparison as plain dictionaries: the JSON document (``comparison.schema.json``), in a stable order."""

from __future__ import annotations

from math import isinf
from typing import Any

from .compare import Comparison, KernelComparison
from .join import Source
from .performance import Performance
from .predictions import Interval, Prediction
from .quantities import Row
from .reasons.sentences import reason_text

SCHEMA_VERSION = 1


def to_primitive(found: Comparison) -> dict[str, Any]:
    """Return the JSON document."""
    tolerance = found.options.tolerance
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "ai-estimate", "version": found.version},
        "verdict": found.verdict.value,
        "machine": None if found.machine is None else {"id": found.machine.id, "name": found.machine.name},
        "flop_policy": found.policy,
        "options": {
            "tolerance": {"default": tolerance.default, **dict(tolerance.stated)},
            "repeated": found.options.repeated,
            "executions": found.options.executions,
            "map": [f"{mapping.measured}={mapping.predicted}" for mapping in found.options.mappings],
        },
        "measured": [
            {
                "path": reading.path,
                "format": reading.format,
                "samples": len(reading.samples),
                "remarks": [{"line": remark.line, "text": remark.text} for remark in reading.remarks],
            }
            for reading in found.readings
        ],
        "diagnostics": [
            {
                "path": diagnostic.span.path,
                "line": diagnostic.span.line,
                "code": diagnostic.code,
                "severity": diagnostic.severity.value,
                "message": diagnostic.message,
            }
            for diagnostic in found.diagnostics
        ],
        "kernels": [_kernel(kernel) for kernel in found.kernels],
        "unmatched": {
            "measured": [{**_source(unjoined.source), "why": unjoined.why} for unjoined in found.unjoined],
            "predicted": [_prediction(prediction) for prediction in found.unmeasured],
        },
    }


def _kernel(kernel: KernelComparison) -> dict[str, Any]:
    pair = kernel.pair
    return {
        "verdict": kernel.verdict.value,
        "joined_by": pair.joined_by,
        "measured": [_source(source) for source in pair.sources],
        "executions": pair.sample.executions,
        "flops_by_precision": {
            "predicted": _by_precision(pair.prediction),
            "measured": dict(pair.sample.flops_by_precision),
        },
        "facts": {fact.name.lower(): value for fact, value in pair.sample.facts.items()},
        "predicted": _prediction(pair.prediction),
        "quantities": [_row(row) for row in kernel.rows],
        "performance": _performance(kernel.performance),
        "reasons": [
            {
                "code": reason.code.value,
                "quantity": reason.quantity,
                "level": reason.level or None,
                "text": reason_text(reason),
                "evidence": dict(reason.evidence),
                "names": dict(reason.names),
            }
            for reason in kernel.reasons
        ],
    }


def _source(source: Source) -> dict[str, Any]:
    sample = source.sample
    return {
        "path": source.path,
        "line": sample.line,
        "format": source.format,
        "name": sample.name,
        "place": None if sample.location is None else f"{sample.location.file}:{sample.location.line}",
        "device": sample.device,
        "grid": None if sample.grid is None else list(sample.grid),
        "block": None if sample.block is None else list(sample.block),
    }


def _prediction(prediction: Prediction) -> dict[str, Any]:
    profile = prediction.region.profile
    return {
        "path": prediction.path,
        "name": profile.name,
        "function": profile.function,
        "line": profile.span.line,
        "end_line": profile.span.end_line,
        "parameters": {symbol: profile.values.get(symbol) for symbol in profile.symbols},
    }


def _by_precision(prediction: Prediction) -> dict[str, float | None]:
    flops = prediction.region.profile.work.flops_by_precision
    numbers = {precision.value: prediction.number(count) for precision, count in flops.items()}
    return {name: None if found is None else found.value for name, found in numbers.items()}


def _row(row: Row) -> dict[str, Any]:
    return {
        "quantity": row.quantity,
        "level": row.level or None,
        "unit": row.unit,
        "predicted": None if row.predicted is None else _interval(row.predicted),
        "measured": row.measured,
        "ratio": row.ratio,
        "tolerance": row.tolerance,
        "verdict": row.verdict.value,
        "source": row.source or None,
        "why": row.why or None,
    }


def _interval(found: Interval) -> dict[str, float | None]:
    return {"value": found.value, "lower": found.lower, "upper": None if isinf(found.upper) else found.upper}


def _performance(found: Performance) -> dict[str, Any]:
    return {
        "unit": found.unit,
        "measured": found.rate,
        "seconds": found.seconds,
        "bound": found.bound,
        "bound_level": found.level,
        "efficiency": found.efficiency,
        "predicted_bound": found.predicted,
        "predicted_level": found.predicted_level,
        "predicted_seconds": found.predicted_seconds,
        "expected_seconds": None if found.expected is None else _interval(found.expected),
        "flops_are_predicted": found.estimated,
    }
