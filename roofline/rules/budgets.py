"""Rules on demands: AI101 intensity below its budget, AI102 another bound than required, AI104 cannot be checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ..model.intensity import Ratio
from ..model.projection import Bound, Projection
from ..report.sentences import advice_text, reason_text
from .findings import Finding
from .subject import Rule, Subject

_BOUNDS = frozenset({Bound.MEMORY.value, Bound.COMPUTE.value})


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
        doubt = "" if is_certain else " (an estimate: not all of it is known)"
        bound = "" if projection is None else f", {_bound_text(projection)}"
        yield subject.finding(
            "AI101",
            f"intensity {_text(number)} FLOP/byte is below the budget of {_text(least)}"
            f"{subject.on(projection)}{bound}{doubt}",
            hint=_advice(subject),
            budget=float(least),
        )


def other_bound(subject: Subject) -> Iterator[Finding]:
    """Find AI102: the bound is not the one required; one that is too close to call is let pass."""
    wanted = subject.demand.bound
    if wanted is None:
        return
    for _, projection in subject.judged():
        if projection is None or projection.bound is Bound.UNKNOWN:
            continue
        found = {projection.bound.value, (projection.level or "").lower()}
        if wanted.lower() in found or (projection.close_call and wanted in _BOUNDS):
            continue
        yield subject.finding(
            "AI102",
            f"{_bound_text(projection)}{subject.on(projection)}, but {wanted} is required: "
            f"{reason_text(projection.reason)}",
            required=wanted,
        )


def cannot_be_checked(subject: Subject) -> Iterator[Finding]:
    """Find AI104: something is asked of the nest that cannot be decided."""
    demand = subject.demand
    if not demand.is_marked:
        return
    for reason, hint in _reasons(subject):
        yield subject.finding("AI104", f"{_asked(subject)}, but {reason}", hint=hint)


def _reasons(subject: Subject) -> Iterator[tuple[str, str]]:
    profile, demand = subject.profile, subject.demand
    for found in profile.work.not_counted:
        yield f"not all of it is counted: {found.what} (line {found.span.line})", "define it in this file"
        return
    judged = list(subject.judged())
    moves = not subject.nest.moved.total.is_zero  # without bytes no intensity is too low
    if moves and (demand.min_ai is not None or demand.hot):
        for intensity, _ in judged:
            if intensity.number is None and not profile.work.flops.is_zero:
                yield f"its intensity is not a number: {_growth(intensity)}", "give the sizes with -D or assume"
                return
    if demand.bound is not None:
        if not subject.nest.projections:
            yield f"no machine is named to tell whether {demand.bound} is the bound", "give --machine"
        for _, projection in judged:
            if projection is not None and projection.bound is Bound.UNKNOWN:
                yield f"its bound is not known{subject.on(projection)}: {reason_text(projection.reason)}", ""
                return


def _asked(subject: Subject) -> str:
    demand = subject.demand
    if demand.min_ai is not None:
        return f"at least {_text(demand.min_ai)} FLOP/byte is asked of it"
    return f"{demand.bound} is required as its bound" if demand.bound is not None else "it is marked hot"


def _growth(intensity: Ratio) -> str:
    if intensity.value is None:
        return "no limit for large sizes is known"
    how = "grows" if intensity.power > 0 else "falls" if intensity.power < 0 else "varies"
    return f"it {how} with the sizes like {intensity.formula}"


def _bound_text(projection: Projection) -> str:
    level = f" ({projection.level})" if projection.level else ""
    return f"{projection.bound.value}-bound{level}"


def _advice(subject: Subject) -> str:
    return advice_text(subject.nest.advice[0]) if subject.nest.advice else ""


def _text(number: Fraction) -> str:
    """Return ``1/12 = 0.08333``, or the decimals alone where they say all.

    >>> _text(Fraction(1, 12)), _text(Fraction(2, 5))
    ('1/12 = 0.08333', '0.4')
    """
    decimals = f"{float(number):.4g}"
    if Fraction(decimals) == number or number.denominator > 999:
        return decimals
    return f"{number} = {decimals}"


RULES: Mapping[str, Rule] = {"AI101": below_budget, "AI102": other_bound, "AI104": cannot_be_checked}
