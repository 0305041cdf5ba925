"""Rules on demands: AI101 intensity below its budget, AI102 another bound than required, AI104 cannot be checked,
AI115 too far from what could be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.diagnostics import Phrase

from ..model.intensity import Ratio
from ..model.projection import Bound, Projection
from ..model.verdicts.projected import BOUND_BY_CORE
from .findings import Finding
from .sentences import Shown
from .subject import Rule, Subject

_BOUNDS = frozenset({Bound.MEMORY.value, *(kind.value for kind in BOUND_BY_CORE)})


def below_budget(subject: Subject) -> Iterator[Finding]:
    """Find AI101: the intensity is below the one that is asked for."""
    least = subject.demand.min_ai
    if least is None:
        return
    for intensity, projection in subject.judged():
        number = intensity.number
        if number is None or number >= least:
            continue
        is_certain = intensity.lower is None or (intensity.upper is not None and intensity.upper < least)
        fields: dict[str, Shown] = {
            "intensity": number,
            "budget": least,
            "on": subject.on(projection),
            "bound": "" if projection is None else Phrase.of("AI101", "bound", bound=bound_phrase(projection)),
            "doubt": "" if is_certain else Phrase.of("AI101", "doubt"),
        }
        facts = {"budget": float(least)}
        if subject.nest.advice:
            yield subject.finding("AI101", "below-advised", {**fields, "advice": subject.nest.advice[0]}, facts=facts)
        else:
            yield subject.finding("AI101", "below", fields, facts=facts)


def other_bound(subject: Subject) -> Iterator[Finding]:
    """Find AI102: the bound is not the one required; one that is too close to call is let pass."""
    wanted = subject.demand.bound
    if wanted is None or not _is_a_bound(wanted, subject):
        return
    for _, projection in subject.judged():
        if projection is None or projection.bound is Bound.UNKNOWN:
            continue
        found = {projection.bound.value, (projection.level or "").lower()}
        if wanted.lower() in found or (projection.close_call and wanted in _BOUNDS):
            continue
        yield subject.finding(
            "AI102",
            "other",
            {
                "bound": bound_phrase(projection),
                "on": subject.on(projection),
                "required": wanted,
                "reason": projection.reason,
            },
            facts={"required": wanted},
        )


def too_far(subject: Subject) -> Iterator[Finding]:
    """Find AI115: the bytes of memory are more times those of any order of the operations than the budget allows."""
    most, levels = subject.demand.max_distance, subject.nest.best
    distance = levels[-1].distance if levels else None
    if most is None or distance is None or distance <= most:
        return
    found = levels[-1]
    fields: dict[str, Shown] = {
        "distance": distance,
        "level": found.level,
        "budget": most,
        "now": found.now,
        "most": found.flops / found.least_bytes,
    }
    yield subject.finding("AI115", "far", fields, facts={"distance": distance, "budget": float(most)})


def cannot_be_checked(subject: Subject) -> Iterator[Finding]:
    """Find AI104: something is asked of the nest that cannot be decided."""
    profile, demand = subject.profile, subject.demand
    if not demand.is_marked:
        return
    asked = _asked(subject)
    for found in profile.work.not_counted:
        yield subject.finding("AI104", "not-counted", {"asked": asked, "what": found.what, "line": found.span.line})
        return
    judged = list(subject.judged())
    moves = not subject.nest.moved.total.is_zero  # without bytes no intensity is too low
    if moves and (demand.min_ai is not None or demand.hot):
        for intensity, _ in judged:
            if intensity.number is None and not profile.work.flops.is_zero:
                yield subject.finding("AI104", "no-number", {"asked": asked, "growth": _growth(intensity)})
                return
    if demand.max_distance is not None and not subject.nest.best and moves:
        yield subject.finding("AI104", "no-least", {"asked": asked})
    if demand.bound is not None:
        if not subject.nest.projections:
            yield subject.finding("AI104", "no-machine", {"asked": asked, "bound": demand.bound})
        elif not _is_a_bound(demand.bound, subject):
            fields: dict[str, Shown] = {"asked": asked, "bound": demand.bound, "bounds": _bounds_of(subject)}
            yield subject.finding("AI104", "no-such-bound", fields)
            return
        for _, projection in judged:
            if projection is not None and projection.bound is Bound.UNKNOWN:
                on, reason = subject.on(projection), projection.reason
                yield subject.finding("AI104", "no-bound", {"asked": asked, "on": on, "reason": reason})
                return


def _bounds_of(subject: Subject) -> tuple[str, ...]:
    """Return what may bound a loop on the machines: kinds, and levels."""
    levels = (name for found in subject.nest.projections for name in found.machine.level_names)
    return (*sorted(_BOUNDS), *dict.fromkeys(levels))


def _is_a_bound(word: str, subject: Subject) -> bool:
    return word.lower() in map(str.lower, _bounds_of(subject))


def _asked(subject: Subject) -> Phrase:
    demand = subject.demand
    if demand.min_ai is not None:
        return Phrase.of("AI104", "asked-intensity", budget=demand.min_ai)
    if demand.bound is not None:
        return Phrase.of("AI104", "asked-bound", bound=demand.bound)
    if demand.max_distance is not None:
        return Phrase.of("AI104", "asked-distance", budget=demand.max_distance)
    return Phrase.of("AI104", "asked-hot")


def _growth(intensity: Ratio) -> Phrase:
    if intensity.value is None:
        return Phrase.of("AI104", "no-limit")
    formula = intensity.formula
    if intensity.power > 0:
        return Phrase.of("AI104", "grows", formula=formula)
    if intensity.power < 0:
        return Phrase.of("AI104", "falls", formula=formula)
    return Phrase.of("AI104", "varies", formula=formula)


def bound_phrase(projection: Projection) -> Phrase:
    """Return the bound of a nest, with the level that binds."""
    if projection.level:
        return Phrase.of("AI102", "bound-level", bound=projection.bound.value, level=projection.level)
    return Phrase.of("AI102", "bound", bound=projection.bound.value)


RULES: Mapping[str, Rule] = {"AI101": below_budget, "AI102": other_bound, "AI104": cannot_be_checked, "AI115": too_far}
