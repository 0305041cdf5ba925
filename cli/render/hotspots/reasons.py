"""For the hotspots that matter one sentence on why they are bound as they are, and one on what would help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from analyzer.parallelism import Ground
from analyzer.profiling.excess import FAR
from analyzer.quantities.quasipolynomial import Count
from analyzer.traffic.results import Condition
from roofline.machine.units import format_rate
from roofline.model.advice.kinds import Advice, ReuseData, TransformLoops
from roofline.model.best import BestIntensity
from roofline.model.core.ceilings import Ceiling, CeilingName, ChainCeiling, CoreCycles, InstructionCeiling
from roofline.model.expectation.expected import Holder
from roofline.model.projection import Bound, Projection
from roofline.model.verdicts.projected import kind_of
from roofline.model.verdicts.reasons import AgainstRidge, CoreHolds, HeldUntil, IntensityGrows, NoFlops, Reason
from roofline.report.advice_sentences import advice_text
from roofline.report.sentences import (
    beyond_text,
    close_text,
    cycles_text,
    limit_text,
    reason_text,
    reason_title,
    source_text,
)
from roofline.report.source_names import spelled
from roofline.report.transformed import step_text

from ..words.numbers import decimal_text
from ..words.remarks import Remark
from .hotspots import MOST_OF_TIME, Hotspot, OnMachine
from .rows import heading_label, label_of, percent_text
from .weights import ASSUMED_SIZE, at_common_sizes, borders_of

_MOST_REASONS = 3
_THREADS = "threads."  # begins the symbols of a launch that is not known
_MOST_NAMES = 3
_MOST_SYMBOLS = 4
_LEAST_SHARE = 0.05
_LEAST_NAMED = 1e-3
_LONGEST_FORMULA = 48
_LONGEST_REASON = 240
_LONGEST_CONDITIONS = 200
_WHILE_HELD = " while the caches hold the data"
_NAMES = {Bound.LATENCY: CeilingName.LATENCY, Bound.ISSUE: CeilingName.ISSUE}  # of the same words as the column "bound"
_NEAR_ROOF = 0.5
_FAR_MORE = 2  # times what a change gains
_MOST_OF_DATA = 0.5
_HOLDERS = {
    "start": "the start of the launch",
    "latency": "loads and results that its warps wait for",
    "issue": "the start of instructions",
    "fp32": "the fp32 units",
    "fp64": "the fp64 units",
    "integers": "the integer units",
    "special functions": "the units of special functions",
    "loads and stores": "the load and store units",
    "matrix units": "the matrix units",
    "barriers": "barriers",
    "atomic updates": "atomic updates of one element",
}
_ON_MISSES = frozenset({"AI209", "AI211", "AI404"})


class Note(Struct, frozen=True):
    """A label and a text; ``kind`` is the bound that it explains, if any."""

    label: str
    text: str
    kind: Bound | None = None


def notes_of(spots: Sequence[Hotspot], *, names_all: bool = False) -> Iterator[Note]:
    """Yield why the heaviest of the hotspots are bound so, what would help them, and which sizes their times need.

    Of these a few are named, or all.
    """
    total = sum(spot.weight for spot in spots)
    heaviest = sorted(spots, key=lambda spot: -spot.weight)
    groups = _alike([spot for spot in heaviest[1:] if spot.weight >= _LEAST_SHARE * total], heaviest[:1])
    if spots and spots[0].first.bound is Bound.UNKNOWN and not any(spots[0] in group for group in groups):
        yield from _reason(spots[:1])
    for held in groups:
        yield from _reason(held)
        yield from _help(held)
    yield from cores_of(heaviest)
    yield from _on_conditions(heaviest)
    yield from _sizes([*spots[:1], *heaviest], names_all=names_all)


def _alike(others: Sequence[Hotspot], first: Sequence[Hotspot]) -> Sequence[Sequence[Hotspot]]:
    """Return hotspots in groups that one part of the machine limits, at all sizes or at large ones."""
    groups: dict[tuple[object, ...], list[Hotspot]] = {}
    for spot in (*first, *others):
        projection = spot.first.projection
        key: tuple[object, ...] = (None,)
        if projection is not None:
            key = (projection.bound, projection.level, isinstance(projection.reason, HeldUntil))
        groups.setdefault(key, []).append(spot)
    return list(groups.values())[:_MOST_REASONS]


def _reason(spots: Sequence[Hotspot]) -> Iterator[Note]:
    reason = spots[0].first.reason
    if reason is not None:
        found = spots[0].first
        text = f"{why_text(reason)}{_calls_text(found.projection)}{_holder_text(found)}"
        also = f"; {_limit_of(found)} also limits {_names(spots[1:])}" if len(spots) > 1 else ""
        yield Note(label_of(spots[0]), text + also, found.bound)


def _limit_of(found: OnMachine) -> str:
    """Return the part of the machine that limits a nest, at large sizes where another one limits small ones."""
    level = None if found.projection is None else found.projection.level
    return f"{level} bandwidth" if level is not None else "the core"


def _calls_text(projection: Projection | None) -> str:
    """Return that calls of the library take most of the time, where they do."""
    expected = None if projection is None else projection.expected
    if expected is None or expected.share_of_calls < MOST_OF_TIME:
        return ""
    return f"; calls of {', '.join(expected.called)} take {percent_text(expected.share_of_calls)} of the expected time"


def _holder_text(found: OnMachine) -> str:
    """Return what takes longest in a run that is expected to stay far below its roof, but for calls of the library."""
    expected = None if found.projection is None else found.projection.expected
    if expected is None or not found.share_of_roof or found.share_of_roof > _NEAR_ROOF:
        return ""
    launch = expected.launch
    reached = f"; a run is expected to reach {percent_text(found.share_of_roof)} of this roof"
    if launch is None:
        is_said = expected.held_by is Holder.BYTES and found.bound is Bound.MEMORY
        if expected.held_by is None or is_said or expected.share_of_calls >= MOST_OF_TIME:
            return ""
        code = ", whose code is not vectorised" if expected.held_by is Holder.CORE and not expected.vectorised else ""
        return f"{reached}, held by {expected.held_by.value}{code}"
    if found.projection is not None and launch.holder == found.projection.level:
        return reached + (", which counts the fewest bytes possible" if not found.moved.is_exact else "")
    return f"{reached}, held by {_HOLDERS.get(launch.holder, f'{launch.holder} bandwidth')}"


def why_text(reason: Reason) -> str:
    """Return what limits a nest, as one sentence without a full stop; without formulas that are too long to read."""
    match reason:
        case AgainstRidge(below=True):
            intensity, peak = decimal_text(float(f"{reason.intensity:.3g}")), reason.ceiling.rate.value
            needed = f"the {reason.ridge.value:.3g} that the core needs for its {format_rate(peak, digits=3)}"
            return f"{_bandwidth(reason)} limits: {intensity} FLOP/byte is below {needed}{close_text(reason)}"
        case AgainstRidge():
            return f"{_ceiling(reason.ceiling)}{close_text(reason)}"
        case CoreHolds(cycles):
            return f"{_core_limit(cycles)} limits, {cycles_text(cycles)}"
        case NoFlops(level, bandwidth):
            rate = format_rate(bandwidth.rate.value, "B/s", digits=3)
            return f"{level} bandwidth ({rate}, {bandwidth.figure.kind.value}) limits, as there are no FLOPs"
        case HeldUntil():
            return _held(reason)
        case IntensityGrows():
            return _growing(reason)
        case _:
            text = reason_text(reason)
            return text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON].rpartition(' ')[0]} … (-v)"


def _bandwidth(reason: AgainstRidge) -> str:
    rate = format_rate(reason.bandwidth.rate.value, "B/s", digits=3)
    return f"{reason.level} bandwidth ({rate}, {reason.bandwidth.figure.kind.value})"


def _ceiling(ceiling: Ceiling) -> str:
    is_reasoned = isinstance(ceiling.source, CoreCycles | InstructionCeiling | ChainCeiling)
    why = f" ({source_text(ceiling)})" if is_reasoned else ""
    name = _core_limit(ceiling.source) if isinstance(ceiling.source, CoreCycles) else ceiling.name
    return f"{name} limits, {format_rate(ceiling.rate.value, digits=3)}{why}"


def _core_limit(cycles: CoreCycles) -> CeilingName:
    """Return the name of what the core lacks, which is the kind of bound that the row of the nest has."""
    return _NAMES.get(kind_of(cycles.bottleneck), CeilingName.CORE)


def _held(reason: HeldUntil) -> str:
    limits = " and ".join(map(_limit, reason.conditions))
    where = "the caches hold what is reused" if not limits or len(limits) > _LONGEST_FORMULA else limits
    intensity = f", {reason.intensity:.3g} FLOP/byte" if reason.intensity else ", as there are no FLOPs"
    large = f"{reason.level} bandwidth limits large sizes{intensity}"
    return f"{large}; while {where}, {why_text(reason.otherwise).removesuffix(_WHILE_HELD)}"


def _limit(condition: Condition) -> str:
    return limit_text(condition) + (" bytes" if condition.threshold is None else "")


def _growing(reason: IntensityGrows) -> str:
    if reason.is_beyond and reason.beyond is None:
        return _ceiling(reason.ceiling) + _WHILE_HELD
    beyond = beyond_text(reason)
    if reason.symbol is None or reason.threshold is None:
        limits = f"{reason.level} limits below {reason.ridge:.3g} FLOP/byte, {beyond} beyond"
    elif reason.is_beyond:
        limits = f"{beyond} limits"
    else:
        limits = f"{reason.level} limits up to {spelled(reason.symbol)} = {reason.threshold:.0f}, {beyond} beyond"
    formula = spelled(reason_title(reason).removeprefix("intensity grows like "))
    grows = f" as {formula}" if len(formula) <= _LONGEST_FORMULA else " with the sizes"
    return f"intensity grows{grows}: {limits}{_WHILE_HELD}"


def _help(spots: Sequence[Hotspot]) -> Iterator[Note]:
    """Yield the first finding and the first advice of a group, with the codes that explain them, and its limits."""
    finding = next(((spot, found) for spot in spots for found in _that_matter(spot)), None)
    if finding is not None:
        yield Note(f"  {label_of(finding[0])}", str(finding[1]))
    yield from _advice(spots)
    yield from _at_best(spots)
    if spots[0].held and len(spots[0].held) <= _LONGEST_CONDITIONS:
        yield Note(f"  {label_of(spots[0])} caches", spots[0].held)


def _advice(spots: Sequence[Hotspot]) -> Iterator[Note]:
    """Yield what helps one of the nests, and what transforms the loop that repeats them, what saves more time first."""
    found: list[tuple[float, Note]] = []
    for spot in spots:
        heading = spot.heading
        if heading is not None and heading.advice:
            below = sum(each.weight for each in spots if each.heading == heading)
            found.append(_speed_up(heading_label(spot, heading), heading.advice[0], below))
            break
    for spot in spots:
        best = best_advice(spot.advice)
        if best is not None:
            found.append(_speed_up(label_of(spot), best, spot.weight))
            break
    yield from (note for _, note in sorted(found, key=lambda pair: -pair[0]))


def _speed_up(label: str, advice: Advice, weight: float) -> tuple[float, Note]:
    """Return what of a weight an advice saves, as far as that is known, and the note."""
    gain = advice.gain if isinstance(advice, TransformLoops) else None
    note = Note(f"  to speed up {label}", f"{advice_text(advice)} [{advice.code}]")
    return (weight * (1 - 1 / gain) if gain else 0.0), note


def _that_matter(spot: Hotspot) -> Iterator[Remark]:
    """Yield the findings on a nest, those on misses only where nothing else than bytes is known to bind it."""
    of_bytes = spot.first.bound in (None, Bound.MEMORY)
    return (found for found in spot.findings if of_bytes or found.code not in _ON_MISSES)


def _at_best(spots: Sequence[Hotspot]) -> Iterator[Note]:
    """Yield how few bytes of the level that binds any order of the operations moves, where that is far from now."""
    for spot in spots:
        level = None if spot.first.projection is None else spot.first.projection.level
        found = next((each for each in spot.best if each.level == level), None)
        if found is not None and found.most is not None and (found.distance or 0) >= FAR and _says_much(spot, found):
            least, now = (format_rate(size, "B", digits=3) for size in (found.least_bytes, found.now_bytes))
            reached = ""
            if found.steps and found.reached_bytes is not None:
                steps = ", then ".join(map(step_text, found.steps))
                reached = f", {format_rate(found.reached_bytes, 'B', digits=3)} if you {steps}"
            text = f"no order moves less than {least} from {level} ({now} now{reached}), {found.most:.3g} FLOP/byte"
            yield Note(f"  {label_of(spot)} at best", text)
            return


def _says_much(spot: Hotspot, best: BestIntensity) -> bool:
    """Return whether the fewest bytes are most of the data: conditions on data leave few of them certain."""
    moved = spot.profile.compulsory_traffic
    data = sum(at_common_sizes(part.estimate, spot.profile) for part in (moved.read_bytes, moved.write_bytes))
    return best.least_bytes >= _MOST_OF_DATA * data


def best_advice(advice: Sequence[Advice]) -> Advice | None:
    """Return the first advice: a change of the source before reuse of data in general, unless this gains far more."""
    change = next((found for found in advice if not isinstance(found, ReuseData)), None)
    reuse = next((found for found in advice if isinstance(found, ReuseData)), None)
    if change is None or reuse is None or change.gain is None:
        return change or reuse
    return reuse if reuse.gain > _FAR_MORE * change.gain else change


def _names(spots: Sequence[Hotspot]) -> str:
    names = list(dict.fromkeys(map(label_of, spots)))
    more = len(names) - _MOST_NAMES
    return ", ".join([*names[:_MOST_NAMES], *([f"{more} more"] if more > 0 else [])])


def cores_of(spots: Sequence[Hotspot]) -> Iterator[Note]:
    """Yield that times are for more cores than the source uses as it stands."""
    least = _LEAST_NAMED * sum(spot.weight for spot in spots)
    free = [spot for spot in spots if _is_free(spot) and spot.weight >= least]
    if free:
        used = free[0].first.projection
        assert used is not None
        count = used.machine.unit_count(used.options.cores)
        which = "these nests" if len(free) == len(spots) else _names(free)
        yield Note(
            "cores",
            f"figures are for all {count}, as iterations of {which} are independent; the source uses one (--cores 1)",
        )


def _is_free(spot: Hotspot) -> bool:
    projection, found = spot.first.projection, spot.profile.parallelism
    if projection is None or found is None or projection.machine.gpu is not None:
        return False
    return found.ground is Ground.INDEPENDENT and projection.machine.unit_count(projection.options.cores) > 1


def _on_conditions(spots: Sequence[Hotspot]) -> Iterator[Note]:
    """Yield which nests run only where a condition on data holds, or for one value of a flag."""
    of_data = [spot for spot in spots if spot.is_conditional]
    if of_data:
        verb = "runs" if len(of_data) == 1 else "run"
        yield Note(
            "conditional",
            f"{_names(of_data)} {verb} where a condition on data holds; the order counts that as likely as not",
        )
    alternatives: dict[str, list[Hotspot]] = {}
    shown: list[Hotspot] = []
    for spot in spots:
        when = spot.profile.when if spot.profile.assumed else ()
        if when and spot.is_alternative:
            alternatives.setdefault(" and ".join(when), []).append(spot)
        elif when and not spot.is_conditional:
            shown.append(spot)
    for chosen, several in alternatives.items():
        verb = "is" if len(several) == 1 else "are"
        yield Note("alternatives", f"{_names(several)} {verb} shown for {chosen}, which costs most (-v has the others)")
    if shown:
        conditions = list(dict.fromkeys(condition for spot in shown for condition in spot.profile.when))
        more = f" and {len(conditions) - 1} more" if len(conditions) > 1 else ""
        verb = "is" if len(shown) == 1 else "are"
        yield Note("alternatives", f"{_names(shown)} {verb} shown for {conditions[0]}{more} (-v has each)")


def _sizes(spots: Sequence[Hotspot], *, names_all: bool) -> Iterator[Note]:
    """Yield which sizes the times of the hotspots ask for."""
    asking = [(spot, (spot.flops.estimate, spot.first.moved.estimate)) for spot in spots if spot.time is None]
    unknown = dict.fromkeys(
        spelled(name)
        for spot, (flops, moved) in asking
        for name in sorted({*flops.symbols, *moved.symbols} - spot.profile.values.keys())
        if not name.startswith(("?", _THREADS))
    )
    launched = {
        spot.within or spot.caller: axes for spot, both in asking if (axes := set().union(*map(_axes_of_launch, both)))
    }
    for kernel, axes in list(launched.items())[:1]:
        size = "grid=64x64,block=16x16" if "y" in axes else "grid=1024,block=256"
        yield Note("times", f"need a launch, as in --launch '{kernel}:{size}'")
    if unknown:
        counts = [(count, spot) for spot, both in asking for count in both]
        values = {spelled(name): 20 for count, _ in counts for name in count.exponents}
        several = [(count, spot) for count, spot in counts if len(count.symbols) > 1]
        values |= {spelled(name): 1 for count, spot in several for name in borders_of(count, spot.profile)}
        named = [*unknown] if names_all else [*unknown][:_MOST_SYMBOLS]
        given = " ".join(f"-D {_quoted(name)}={values.get(name, ASSUMED_SIZE)}" for name in named)
        more = f" and {len(unknown) - len(named)} more (--all)" if len(unknown) > len(named) else ""
        yield Note("times", f"need sizes, as in {given}{more}")


def _axes_of_launch(count: Count) -> set[str]:
    """Return the axes of a launch that is not known, of which a count has the number of threads."""
    return {name.removeprefix(_THREADS) for name in count.symbols if name.startswith(_THREADS)}


def _quoted(name: str) -> str:
    return name if name.replace("_", "").replace(".", "").isalnum() else f"'{name}'"
