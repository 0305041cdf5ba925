"""The sentences of a report: reasons, advice, capacity conditions and reuses as text.

Input: values of the model with kinds, names and numbers.  Output: text without layout.  The JSON form, the rules and
every renderer take their sentences from here; nothing reads them back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from analyzer.counts.results import Obstacle, ObstacleKind
from analyzer.ir.values import Operation
from analyzer.parallelism import Ground, Parallelism
from analyzer.traffic.results import Condition

from ..machine.units import format_rate, format_share
from ..model.core.ceilings import (
    Ceiling,
    CeilingName,
    ChainCeiling,
    ComputedOnce,
    CoreCycles,
    InstructionCeiling,
    PartlyFused,
    PeakFigures,
)
from ..model.core.incore import (
    CoreAssumption,
    HalfOfDouble,
    NotVectorised,
    Resource,
    ShareOfFullWidth,
    Unit,
)
from ..model.levels import LevelBound
from ..model.verdicts.projected import kind_of_ceiling
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
)
from .source_names import counter_text, loop_text, next_use_text, spelled
from .waiting import waits_text

TOO_CLOSE = "too close to call"
_DIVISIONS = {Operation.DIV: "division", Operation.SQRT: "square root"}
_WHOLE = 0.995  # of the cycles: a loop with more is as good as alone


def reason_text(reason: Reason) -> str:
    """Return why a region is bound as it is, as one sentence without a full stop."""
    match reason:
        case AgainstRidge():
            named = "intensity" if reason.outermost else f"{reason.level} intensity"
            return f"{named} {reason.intensity:.4g} FLOP/byte is {_ridge_text(reason)}"
        case HeldUntil():
            return f"{reason_title(reason)}; else {reason_text(reason.otherwise)}"
        case LongestPart():
            lines = f"s {reason.line}-{reason.end_line}" if reason.end_line != reason.line else f" {reason.line}"
            main = reason_text(reason.reason)
            return f"the sum of its parts: {format_share(reason.share)} of the time in line{lines}, where {main}"
        case _:
            title, detail = reason_title(reason), _detail_text(reason)
            return f"{title}: {detail}" if detail else title


def ground_text(reason: Reason) -> str:
    """Return the reason without the region's own intensity, so that it is the same for many regions."""
    if isinstance(reason, AgainstRidge) and reason.outermost:
        return _ridge_text(reason)
    return reason_text(reason)


_NOTHING = "no FLOPs and no memory traffic are counted"


def reason_title(reason: Reason) -> str:
    """Return the reason in a few words, for a list."""
    match reason:
        case AgainstRidge():
            return f"{'below' if reason.below else 'above'} the ridge of {reason.level}"
        case NoTraffic():
            return "no memory traffic"
        case NoFlops() | CoreHolds() | InstructionsHold():
            return "no FLOPs"
        case NothingCounted(large):
            return "it does not run for large sizes (give sizes with -D)" if large else _NOTHING
        case IntensityFalls():
            return f"intensity falls like {_growth(reason)}; give sizes with -D"
        case IntensityGrows():
            return f"intensity grows like {_growth(reason)}"
        case HeldUntil():
            beyond = " or ".join(_beyond_text(condition) for condition in reason.conditions)
            beyond = beyond or "caches do not hold what is reused"
            intensity = f", {reason.intensity:.4g} FLOP/byte," if reason.intensity else ""
            return f"{reason.level}-bound{intensity} once {beyond}"
        case NoPeak():
            names = [found.value for found in reason.precisions]
            missing = ", ".join(f"[peaks.{name}]" for name in names)
            return f"{reason.machine} states no peak for {', '.join(names)}, so that no roof is known (add {missing})"
        case NoBandwidth():
            return f"{reason.machine} states no bandwidth for {reason.level}"
        case NotSound():
            return "its figures contradict themselves"
        case LongestPart():
            return "the sum of its parts"
        case _:
            assert_never(reason)


def _detail_text(reason: Reason) -> str:
    """Return the text after the title of a reason and a colon; empty where the title says it all."""
    match reason:
        case NoTraffic(ceiling):
            core = f": {source_text(ceiling)}" if ceiling.is_core else ""
            return f"{_ceiling_text(ceiling)} is the bound{core}"
        case NoFlops(level, bandwidth):
            rate, kind = format_rate(bandwidth.rate.value, "B/s"), bandwidth.figure.kind.value
            return f"{level} bandwidth of {rate} ({kind}) is the bound"
        case CoreHolds(cycles):
            return f"the core is the bound: {cycles_text(cycles)}"
        case InstructionsHold(ceiling):
            verb = "are" if ceiling.name is CeilingName.INTEGER else "is"
            return f"{ceiling.name} {verb} the bound: {waits_text(ceiling)}"
        case IntensityGrows():
            beyond = f"{beyond_text(reason)}-bound"
            core = f" ({source_text(reason.ceiling)})" if reason.beyond is None and reason.ceiling.is_core else ""
            below = f"{reason.level}-bound while that is below {reason.ridge:.4g} FLOP/byte, {beyond} beyond"
            if reason.threshold is not None:
                up_to = f"{reason.level}-bound up to {reason.symbol} = {reason.threshold:.0f}, {beyond} beyond"
                below = beyond if reason.is_beyond else up_to
            return f"{below} if the caches hold the data{core}; give sizes with -D"
        case _:
            return ""


def _ridge_text(reason: AgainstRidge) -> str:
    ceiling, bandwidth = reason.ceiling, reason.bandwidth
    text = (
        f"{'below' if reason.below else 'above'} the ridge {reason.ridge.value:.4g} FLOP/byte of "
        f"{_ceiling_text(ceiling)} "
        f"over {reason.level} ({format_rate(bandwidth.rate.value, 'B/s')}, {bandwidth.figure.kind.value})"
    )
    if not reason.below and isinstance(ceiling.source, CoreCycles | InstructionCeiling | ChainCeiling):
        text += f": {source_text(ceiling)}"
    return text + close_text(reason)


def close_text(reason: AgainstRidge) -> str:
    """Return what to add where bandwidth and ceiling are too close to call, "" where they are not."""
    if reason.spread is None:
        return ""
    return f"; {TOO_CLOSE}: figures of this machine differ by up to {reason.spread:.3g} times"


def _ceiling_text(ceiling: Ceiling) -> str:
    return f"the {ceiling.name} ceiling ({format_rate(ceiling.rate.value)})"


def source_text(ceiling: Ceiling) -> str:
    """Return the origin of a ceiling's rate."""
    match ceiling.source:
        case PeakFigures(peaks):
            return "; ".join(f"{precision}: {text}" for precision, text in peaks)
        case PartlyFused(share):
            return f"{format_share(share)} of the instructions are FMA"
        case ComputedOnce(share):
            part = format_share(share)
            return f"{part} of the FLOPs repeat others or stay the same in a loop: compilers compute them once"
        case CoreCycles():
            return cycles_text(ceiling.source)
        case InstructionCeiling() | ChainCeiling():
            return waits_text(ceiling.source)
        case _:
            assert_never(ceiling.source)


def cycles_text(found: CoreCycles) -> str:
    """Return the cycles of the core with the resource that takes them."""
    several = f"{found.iterations} iterations" if found.iterations > 1 else "1 iteration"
    where = f", {format_share(found.share)} of the core's cycles in line {found.line}" if found.share < _WHOLE else ""
    assumed = map(core_assumption_text, found.assumptions)
    cycles = f"{found.cycles:.4g} cycle{'' if found.cycles == 1 else 's'}"
    return "; ".join((f"{cycles} for {several}: {resource_text(found.bottleneck)}{where}", *assumed))


def resource_text(resource: Resource) -> str:
    """Return the name of what limits the core."""
    match resource.unit:
        case Unit.LATENCY:
            return f"latency of {resource.value}"
        case Unit.LOAD_LATENCY:
            return f"latency of loads that wait for one another ({resource.value}), in the innermost cache"
        case _:
            return str(resource.unit.value)


def core_assumption_text(assumption: CoreAssumption) -> str:
    """Return what the model of the core takes for granted."""
    match assumption:
        case NotVectorised(obstacles, sums):
            reasons = [
                *map(obstacle_text, obstacles),
                *(f"{name} is accumulated in the order of the source" for name in sums),
            ]
            return f"not vectorised: {'; '.join(dict.fromkeys(reasons))}"
        case HalfOfDouble(operation):
            return f"an fp32 {_DIVISIONS[operation]} takes half of an fp64 one"
        case ShareOfFullWidth(operation):
            return f"a scalar {_DIVISIONS[operation]} takes its share of a full-width one"
        case _:
            assert_never(assumption)


def obstacle_text(obstacle: Obstacle) -> str:
    """Return what keeps a loop from running in vector lanes."""
    subjects = obstacle.subjects
    match obstacle.kind:
        case ObstacleKind.DEPENDENCE if not subjects:
            return "there are too many pairs of accesses to tell which iterations depend on one another"
        case ObstacleKind.DEPENDENCE if len(subjects) > 1:
            return f"{' and '.join(subjects)} may be the same element in different iterations"
        case ObstacleKind.DEPENDENCE:
            apart = "the iteration" if obstacle.distance == 1 else f"{obstacle.distance} iterations"
            return f"{subjects[0]} needs the result of {apart} before"
        case ObstacleKind.INDIRECT:
            return f"{subjects[0]} is accessed indirectly"
        case ObstacleKind.STRIDE if obstacle.stride_bytes is None:
            return f"{subjects[0]} is walked with a stride that is not one element"
        case ObstacleKind.STRIDE:
            return f"{subjects[0]} is walked with a stride of {obstacle.stride_bytes} bytes"
        case ObstacleKind.MIXED_TYPES if len(subjects) > 1:
            return f"{' and '.join(subjects)} are mixed"
        case ObstacleKind.MIXED_TYPES:
            return f"there are no vectors of {subjects[0]}"
        case ObstacleKind.CALL:
            return f"{subjects[0] if subjects else 'a function'} is called"
        case ObstacleKind.CONTROL:
            return "the number of iterations is not known before the loop"
        case _:
            assert_never(obstacle.kind)


def bandwidth_text(level: LevelBound) -> str:
    """Return the origin of a level's bandwidth."""
    stores = f"; times {level.store_factor:.3g} for the stores that overlap the loads" if level.store_factor > 1 else ""
    return level.bandwidth.text + stores


def beyond_text(reason: IntensityGrows) -> str:
    """Return what limits large sizes if the caches hold the data: a level, or the kind of bound of the ceiling."""
    return reason.beyond or kind_of_ceiling(reason.ceiling).value


def _growth(reason: IntensityFalls | IntensityGrows) -> str:
    if reason.symbol is None:
        return reason.formula
    power = "" if reason.power == 1 else f"^{reason.power}"
    return f"{reason.factor:.4g}*{reason.symbol}{power}"


def condition_text(condition: Condition, arrays: Sequence[str] = ()) -> str:
    """Return a capacity condition; ``arrays`` are those for which it holds alike, if several."""
    return f"{condition.level} {held_text(condition, arrays)} while {limit_text(condition)}"


def held_text(condition: Condition, arrays: Sequence[str] = (), *, with_size: bool = True) -> str:
    """Return a cache's contents, their next use, and bytes: ``holds a for the next iteration of j (8*n bytes)``."""
    held, where = ", ".join(arrays or (condition.array,)), next_use_text(condition.loop, carried=condition.carried)
    size = f" ({spelled(str(condition.working_set))} bytes)" if with_size else ""
    return f"holds {held} for {where}{size}"


def limit_text(condition: Condition) -> str:
    """Return up to which sizes a condition holds: ``n <= 1000``, or an inequality of bytes with several sizes."""
    if condition.threshold is not None:
        return f"{spelled(condition.parameter)} <= {condition.threshold}"
    return f"{spelled(str(condition.working_set))} <= {condition.capacity_bytes}"


def _beyond_text(condition: Condition) -> str:
    """Return beyond which sizes a condition does not hold: ``n > 1000``, or an inequality of bytes with several."""
    if condition.threshold is not None:
        return f"{spelled(condition.parameter)} > {condition.threshold}"
    return f"{spelled(str(condition.working_set))} > {condition.capacity_bytes}"


def cores_text(found: Parallelism, used: int) -> str:
    """Return on how many cores a nest runs and why; ``used`` of those in use."""
    loop, iterations = loop_text(found.iterator), counter_text(found.iterator)
    match found.ground:
        case Ground.PRAGMA | Ground.LIBRARY if found.threads is not None:
            return f"{used}, as many as the source asks for (line {found.line})"
        case Ground.PRAGMA:
            return f"all {used}: a pragma makes {loop} parallel"
        case Ground.LIBRARY:
            return f"all {used}: {found.name} runs {loop} in parallel"
        case Ground.INDEPENDENT:
            iterations = f"each loop inside {loop_text(found.name)}" if found.name else iterations
            if used == 1:
                return f"one: iterations of {iterations} are independent, but too few each time for threads"
            return f"all {used}, as iterations of {iterations} are independent; as it stands one runs them: --cores 1"
        case Ground.BESIDE:
            return f"one: nothing makes {loop} parallel, as others here; --cores changes nothing"
        case Ground.DEPENDENCE:
            return f"one: iterations of {iterations} may depend on one another by {found.name}; --cores changes nothing"
        case Ground.REDUCTION:
            adds = f"iterations of {iterations} add to {found.name} in order"
            return f"1: {adds}; --cores changes nothing without --reassociate"
        case Ground.END:
            return f"one: {loop} may end early; --cores changes nothing"
        case Ground.NOT_PROVEN:
            return f"one: that iterations of {iterations} are independent is not proven; --cores changes nothing"
        case _:
            assert_never(found.ground)
