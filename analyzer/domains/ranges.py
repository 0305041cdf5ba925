"""Ranges of loops as isl's text, and the constraints on an iterator within its loop."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ..ir.index import var
from ..ir.nodes import Geometric, Loop, Strided, Uncounted, progression
from ..ir.nodes import Mapping as LoopMapping
from .formula import FALSE, Formula, NotAffine

_FEW = 24  # values of a counter, of which a condition has one case each


def extended(formula: Formula, loop: Loop) -> Formula:
    """Return the formula inside a loop: its iterator in scope, known not to be negative where its start says so."""
    scope = formula.scope | {loop.iterator}
    nonnegative, uncountable = formula.nonnegative, formula.uncountable
    match loop.range:
        case Strided(start, stop, step):
            lowest = start if step > 0 else stop + 1
            number = lowest.constant
            if (number is not None and number >= 0) or formula.cannot_be_negative(lowest):
                nonnegative = nonnegative | {loop.iterator}
        case Geometric():
            if progression(loop.range) is None:
                uncountable = uncountable | {loop.iterator}
            nonnegative = nonnegative | {loop.iterator}
        case Uncounted(calls=calls):
            if calls is not None:
                uncountable = uncountable | {loop.iterator}
            nonnegative = nonnegative | {loop.iterator}
    values = dict(formula.values)
    few = _few_values(loop)
    if few:
        values[loop.iterator] = few
    return replace(copied(formula), scope=scope, nonnegative=nonnegative, uncountable=uncountable, values=values)


def _few_values(loop: Loop) -> tuple[int, ...]:
    """Return the values of a sequential counter that takes few of them, each a number; () for others."""
    match loop.range:
        case Strided(start, stop, step) if loop.mapping is LoopMapping.SEQUENTIAL:
            first, last = start.constant, stop.constant
            if first is None or last is None:
                return ()
            return tuple(range(first, last, step)) if 0 < -((first - last) // step) <= _FEW else ()
        case Geometric():
            values = progression(loop.range) or []
            return tuple(values[:-1]) if len(values) <= _FEW else ()
        case _:
            return ()


def copied(formula: Formula) -> Formula:
    """Return a formula whose auxiliary variables are its own."""
    return replace(formula, auxiliaries=dict(formula.auxiliaries), known=dict(formula.known))


def range_of(loop: Loop, name: str, formula: Formula) -> tuple[str, str]:
    """Return constraints of the iterator of a counted loop in the body, and in the header, which sees the last value.

    Raises ``NotAffine`` where its bounds are not affine, or those of a counter that is multiplied no numbers.
    """
    match loop.range:
        case Strided(start, stop, step):
            starts = formula.limits(start, largest=step > 0) if abs(step) == 1 else []
            stops = formula.limits(stop, largest=step < 0)
            return _strided(name, formula.affine(start), formula.affine(stop), step, starts, stops)
        case Geometric():
            values = progression(loop.range)
            if values is None:
                raise NotAffine(loop.iterator)
            body, header = (" or ".join(f"{name} = {v}" for v in some) for some in (values[:-1], values))
            return f"({body})" if body else FALSE, f"({header})"
        case Uncounted(trip):
            parameter = formula.names.parameter(var(trip))
            return f"0 <= {name} < {parameter}", f"0 <= {name} <= {parameter}"


def _strided(
    name: str, start: str, stop: str, step: int, starts: Sequence[str], stops: Sequence[str]
) -> tuple[str, str]:
    """Return the body's and the header's constraints of a loop with constant stride.

    ``starts`` and ``stops`` all hold.
    """
    phase = f" and ({name} - ({start})) mod {abs(step)} = 0" if abs(step) > 1 else ""
    if step > 0:
        first, last = (f"{each} <= {name}" for each in starts or [start]), (f"{name} < {each}" for each in stops)
        ended = f"{name} - {step} < {stop}"
        bound = f"{start} <= {name}"
    else:
        first, last = (f"{name} <= {each}" for each in starts or [start]), (f"{name} > {each}" for each in stops)
        ended = f"{name} + {-step} > {stop}"
        bound = f"{name} <= {start}"
    return " and ".join([*first, *last]) + phase, f"({name} = {start} or ({bound} and {ended})){phase}"
