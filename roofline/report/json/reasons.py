"""Reasons, advice and the fields of sentences as JSON: their kind, with names and numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, assert_never

from analyzer.diagnostics import Field, Phrase
from analyzer.transformations.kinds import (
    Box,
    Coarsen,
    Cut,
    Exchange,
    Fuse,
    Interchange,
    Jam,
    Narrow,
    Pad,
    Reshape,
    Separate,
    Split,
    Stage,
    Transformation,
    Turn,
    Widen,
)

from ...model.advice.kinds import (
    Advice,
    AvoidBankConflicts,
    CallOnce,
    CoalesceAccesses,
    CopyToDevice,
    HoldElements,
    MultiplyByInverse,
    ReorderSums,
    ReuseData,
    SplitChain,
    StreamingStores,
    TransformLoops,
)
from ...model.core.ceilings import ChainCeiling
from ...model.verdicts.reasons import (
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
)
from ..advice_sentences import advice_text
from ..sentences import resource_text
from .counted import condition_form, rounded


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


def cause_form(reason: Reason) -> dict[str, Any]:
    """Return the kind of a reason with its names and numbers."""
    match reason:
        case AgainstRidge():
            return _against_ridge(reason)
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
            rates = {"instructions": rounded(ceiling.instructions), "instructions_per_s": ceiling.rate.value}
            return {"kind": "instructions", "ceiling": ceiling.name, **rates}
        case NothingCounted(large):
            return {"kind": "nothing counted", **({"large_sizes_only": True} if large else {})}
        case IntensityFalls(symbol, factor, power, formula):
            return {"kind": "intensity falls", "symbol": symbol, "factor": factor, "power": power, "formula": formula}
        case IntensityGrows():
            own = ("symbol", "factor", "power", "formula", "level", "ridge", "threshold", "beyond")
            roof = {"ceiling": reason.ceiling.name, "flop_per_s": reason.ceiling.rate.value}
            return {"kind": "intensity grows", **{name: getattr(reason, name) for name in own}, **roof}
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


def _against_ridge(reason: AgainstRidge) -> dict[str, Any]:
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
        case MultiplyByInverse(lines):
            return {**form, "lines": list(lines)}
        case HoldElements(elements):
            return {**form, "elements": list(elements)}
        case CallOnce(functions, lines):
            return {**form, "functions": list(functions), "lines": list(lines)}
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
        case Box():
            sides = [
                {
                    "loop": each.loop,
                    "line": each.line,
                    "tile": each.side,
                    "skew": each.skew,
                    "backwards": each.is_backwards,
                    "lean": {"loop": each.second, "by": each.lean} if each.lean else None,
                }
                for each in step.sides
            ]
            return {"kind": "block nest", "outermost": step.sides[0].outermost, "sides": sides}
        case Jam():
            return {"kind": "unroll and jam", "loop": step.outer, "line": step.line, "by": step.by}
        case Separate():
            members = list(step.members)
            return {"kind": "structure of arrays", "line": step.line, "array": step.array, "members": members}
        case Pad():
            arrays = [{"array": each.array, "row": each.row, "by": list(each.by)} for each in step.arrays]
            return {"kind": "padding", "line": step.line, "arrays": arrays}
        case Narrow():
            return {"kind": "single precision", "line": step.line, "arrays": list(step.arrays)}
        case Fuse():
            return {"kind": "fusion", "lines": list(step.lines), "loops": list(step.loops), "arrays": list(step.arrays)}
        case Stage():
            tiles = [{"array": each.array, "extents": list(each.extents)} for each in step.arrays]
            return {"kind": "shared tiles", "loop": step.loop, "line": step.line, "tile": step.tile, "arrays": tiles}
        case Turn():
            tiles = [{"array": each.array, "extents": list(each.extents)} for each in step.arrays]
            return {"kind": "transposed tiles", "line": step.line, "arrays": tiles}
        case Widen():
            return {"kind": "vectors", "line": step.line, "by": step.by, "arrays": list(step.arrays)}
        case Coarsen():
            return {"kind": "results of a thread", "line": step.line, "by": list(step.by)}
        case Exchange():
            return {"kind": "exchange of x and y", "line": step.line}
        case Reshape():
            return {"kind": "block shape", "line": step.line, "block": list(step.block)}
        case _:
            assert_never(step)
