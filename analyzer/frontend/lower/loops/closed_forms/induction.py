"""Closed forms of the variables that a loop changes, and the range of its iterator.

A variable v with value ``v + d`` after one iteration, d free of what the loop changes, is ``entry + n*d`` in iteration
n; where d is a polynomial in n, it is summed with Faulhaber's formulas (packed triangular counters).  A variable that
comes back to where it was after a few iterations (``cur = 1 - cur``, ``k = (k + 1) % 3``) is a function of ``n`` modulo
that period.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm

from msgspec import Struct

from .....ir.index import (
    ZERO,
    Atom,
    FloorDiv,
    Log,
    Poly,
    Power,
    TruncDiv,
    const,
    extremum,
    floor_div,
    floor_mod,
    logarithm,
    maximum,
    minimum,
    power,
    single_atom,
    trunc_div,
    var,
)
from ...flow import LoopFacts, is_nonnegative
from ..bounds import ceil_div
from .bounded_sums import bounded_sum
from .phases import following, phases
from .residue_steps import ResidueSteps, residue_steps

COUNT = "@n"
Known = Callable[[Poly], bool]
"""Whether a form in the number of the iteration is known to be >= 0."""

_HALF, _SIXTH = Fraction(1, 2), Fraction(1, 6)
_LONGEST_PERIOD = 8  # iterations: as many as the cache models write out


def closed_forms(
    ends: Mapping[str, tuple[Poly, Poly]],
    rounds: Mapping[str, Poly] | None = None,
    is_nonnegative: Known = lambda poly: False,
) -> dict[str, Poly]:
    """Return the value in iteration ``@n`` of each placeholder that has one, from (entry, end of one iteration).

    Those of counters that go through ``rounds`` are given.
    """
    forms = _exchanged(ends) | dict(rounds or {})
    waiting = {name: parts for name, parts in ends.items() if name not in forms}
    progress = True
    while progress and waiting:
        progress = False
        for name, (entry, end) in list(waiting.items()):
            form = _closed_form(name, entry, end, waiting.keys() | forms.keys(), forms, is_nonnegative)
            if form is not None:
                forms[name] = form
                del waiting[name]
                progress = True
    return forms


def _closed_form(
    name: str, entry: Poly, end: Poly, moving: set[str], forms: Mapping[str, Poly], is_nonnegative: Known
) -> Poly | None:
    change = end - var(name)
    if change.unknowns():
        return None
    if name in change.names() and end.names().isdisjoint(moving):
        return _set_once(entry, end)
    if name not in end.names() and end.names() & moving <= forms.keys():
        return _of_iteration_before(entry, end.substitute(forms))
    if name in change.names():
        steps = steps_by_residue(name, entry, end)
        changing = None if end.names() & moving != {name} else phases(entry, var(name), end)
        return (
            _mirrored(name, entry, end, moving)
            or _periodic(name, entry, end)
            or _exponential(name, entry, end)
            or (None if steps is None else steps.form(COUNT))
            or (None if changing is None else changing.form(var(COUNT)))
            or following(entry, name, end, forms, var(COUNT))
        )
    needed = change.names() & moving
    if not needed <= forms.keys():
        return None
    moved = change.substitute({other: forms[other] for other in needed})
    total = _prefix_sum(moved, is_nonnegative)
    if total is None:
        total = bounded_sum(moved, COUNT, lambda part: _prefix_sum(part, is_nonnegative))
    return None if total is None else entry + total


def _prefix_sum(change: Poly, is_nonnegative: Known) -> Poly | None:
    total = _sum_below(change)
    return _quasi_sum(change, is_nonnegative) if total is None else total


def _set_once(entry: Poly, end: Poly) -> Poly | None:
    """Return the form of a variable that every iteration gives one number: at its entry value in the first one."""
    rise = (end - entry).constant
    return None if rise is None else entry + minimum([const(1), var(COUNT)]) * rise


def _of_iteration_before(entry: Poly, after: Poly) -> Poly | None:
    """Return the form of a variable that each iteration gives a value of its own: that of the one before, or at entry.

    >>> str(_of_iteration_before(const(0), var(COUNT)))
    '@n + max(0, 1 - @n) - 1'
    """
    if after.unknowns() or any(isinstance(atom, Power | Log) for atom in after.nested_atoms()):
        return None
    before = after.substitute({COUNT: var(COUNT) - 1})
    is_first = maximum([ZERO, const(1) - var(COUNT)])
    return before + is_first * (entry - before.substitute({COUNT: ZERO}))


def _mirrored(name: str, entry: Poly, end: Poly, moving: set[str]) -> Poly | None:
    """Return the form of ``c - v``, which is at its entry value in every other iteration."""
    other = end + var(name)
    if name in other.names() or other.names() & moving or entry.unknowns():
        return None
    return entry + floor_mod(var(COUNT), const(2)) * (other - entry * 2)


def _periodic(name: str, entry: Poly, end: Poly) -> Poly | None:
    """Return the form of a variable that starts at a number and returns to it: ``b + s*((n + a) mod period)``."""
    first = entry.constant
    if first is None or end.names() != {name}:
        return None
    values = [first]
    while len(values) <= _LONGEST_PERIOD:
        following = end.evaluate({name: values[-1]})
        if not isinstance(following, int) or following == first:
            break
        values.append(following)
    else:
        return None
    return _from_table(values)


def _exponential(name: str, entry: Poly, end: Poly) -> Poly | None:
    """Return the form of a variable that is multiplied or divided: ``(entry - c)*f^n + c``, ``(entry - c)/f^n + c``."""
    step = geometric_step(name, end)
    if step is None or entry.unknowns():
        return None
    scale, distance = power(step.factor, var(COUNT)), entry - step.shift
    if not step.shrinking:
        return distance * scale + step.shift
    rounded = floor_div(distance, scale) if step.rounds_down or step.shift else trunc_div(distance, scale)
    return rounded + step.shift


def _from_table(values: Sequence[int]) -> Poly | None:
    """Return ``b + s*((n + a) mod period)`` with the given values in the first period, None where there is none."""
    period = len(values)
    for shift in range(period):
        turned = [values[(number - shift) % period] for number in range(period)]
        step = turned[1] - turned[0] if period > 1 else 0
        if turned == [turned[0] + step * number for number in range(period)]:
            return const(turned[0]) + floor_mod(var(COUNT) + shift, const(period)) * step
    return None


def _exchanged(ends: Mapping[str, tuple[Poly, Poly]]) -> dict[str, Poly]:
    """Return the forms of variables that hand their values on in a circle: ``t = p; p = q; q = t``."""
    forms: dict[str, Poly] = {}
    for name in ends:
        circle, following = [name], ends[name][1].as_name
        while following is not None and following in ends and following not in circle:
            circle.append(following)
            following = ends[following][1].as_name
        entries = [ends[each][0] for each in circle]
        if following != name or len(circle) < 2 or any(entry.unknowns() for entry in entries):
            continue
        numbers = [number for entry in entries if (number := entry.constant) is not None]
        if len(circle) == 2:
            forms[name] = entries[0] + floor_mod(var(COUNT), const(2)) * (entries[1] - entries[0])
        elif len(numbers) == len(circle) and (form := _from_table(numbers)) is not None:
            forms[name] = form
    return forms


def _sums_of_powers(n: Poly) -> tuple[Poly, ...]:
    """Return ``sum of m^p for m in 0 .. n-1`` for the powers p from 0: Faulhaber's formulas."""
    return (
        n,
        (n * n - n) * _HALF,
        (n * n * n * 2 - n * n * 3 + n) * _SIXTH,
        (n * n - n) * (n * n - n) * Fraction(1, 4),
    )


_SUMS = _sums_of_powers(var(COUNT))


def _sum_below(change: Poly) -> Poly | None:
    """Return ``sum of change(m) for m in 0 .. n-1``: of powers of m up to 3, and of ``b^m``; else None."""
    total = ZERO
    for monomial, number in change.terms.items():
        degree = monomial.count(COUNT)
        powers = [atom for atom in monomial if isinstance(atom, Power) and atom.exponent == var(COUNT)]
        rest = tuple(atom for atom in monomial if atom != COUNT and atom not in powers)
        factor = Poly({rest: number})
        if degree >= len(_SUMS) or COUNT in factor.names():
            return None
        if not powers:
            total = total + factor * _SUMS[degree]
            continue
        base = powers[0].base
        share = Fraction(number, base - 1)
        if degree or len(powers) > 1 or share.denominator != 1:
            return None
        total = total + Poly({rest: int(share)}) * (power(base, var(COUNT)) - 1)
    return total


def _quasi_sum(change: Poly, is_nonnegative: Known) -> Poly | None:
    """Return ``sum of change(m) for m in 0 .. n-1`` of a form with remainders: ``if ((i + m) % 3 == 1) v++``.

    In the iterations ``p*q + r`` of a residue r by the period p it is a polynomial in q, of which there are
    ``floor((n + p - 1 - r)/p)``.

    >>> odd = floor_mod(var(COUNT), const(2))
    >>> str(_quasi_sum(odd, lambda each: False))
    'floor(@n/2)'
    """
    rounded = rounded_down(change, is_nonnegative)
    divisors = [atom.denominator.constant for atom in _divisions(rounded)]
    period = lcm(*(divisor for divisor in divisors if divisor))
    if not divisors or not all(divisors) or not 1 < period <= _LONGEST_PERIOD:
        return None
    forms = [rounded.substitute({COUNT: var(COUNT) * period + residue}) for residue in range(period)]
    if len(set(forms)) == 1 and COUNT not in forms[0].names():
        return var(COUNT) * forms[0]
    total = ZERO
    for residue, form in enumerate(forms):
        parts = _sum_below(form)
        if parts is None:
            return None
        total = total + parts.substitute({COUNT: floor_div(var(COUNT) + (period - 1 - residue), const(period))})
    return total


def _divisions(form: Poly) -> list[FloorDiv | TruncDiv]:
    """Return the quotients in which the iteration is divided."""
    nested = (atom for atom in form.nested_atoms() if isinstance(atom, FloorDiv | TruncDiv))
    return [atom for atom in nested if COUNT in Poly({(atom,): 1}).names()]


def period_of(rounded: Poly) -> int | None:
    """Return after how many iterations a form repeats; None where it does not, or after many."""
    divisors = [atom.denominator.constant for atom in rounded.nested_atoms() if isinstance(atom, FloorDiv)]
    if rounded.names() != {COUNT} or not divisors or not all(divisors):
        return None
    period = lcm(*(divisor for divisor in divisors if divisor))
    is_periodic = period <= _LONGEST_PERIOD and rounded.substitute({COUNT: var(COUNT) + period}) == rounded
    return period if is_periodic else None


def steps_by_residue(name: str, entry: Poly, end: Poly) -> ResidueSteps | None:
    """Return the steps of a variable that rises by what its own remainder decides; None for others."""
    start, change = entry.constant, end - var(name)
    if start is None or start < 0 or change.names() != {name}:
        return None
    rise = rounded_down(change.substitute({name: var(COUNT)}), lambda poly: False)
    period = period_of(rise)
    if period is None:
        return None
    return residue_steps(start, period, lambda value: _whole(rise.evaluate({COUNT: value})))


def _whole(number: object) -> int | None:
    return number if isinstance(number, int) else None


def rounded_down(form: Poly, is_nonnegative: Known) -> Poly:
    """Return a form with floors for quotients of what is never negative, as ``@n`` is not."""

    def rounded(atom: Atom) -> Poly:
        if isinstance(atom, str):
            return var(atom)
        operands = [rounded_down(operand, is_nonnegative) for operand in atom.operands]
        is_division = isinstance(atom, TruncDiv) and (operands[1].constant or 0) > 0
        if is_division and (_is_positive(operands[0]) or is_nonnegative(operands[0])):
            return floor_div(*operands)
        return atom.rebuilt(operands)

    return form.map_atoms(rounded)


def _is_positive(form: Poly) -> bool:
    """Return whether a form is made of the number of the iteration and of numbers that are not negative alone."""
    is_linear = form.names() == {COUNT} and form.is_linear_in(COUNT)
    return is_linear and all(number > 0 for number in form.terms.values())


def in_terms_of(form: Poly, iterator: Poly, entry: Poly, step: int) -> Poly:
    """Return a closed form with the iteration number expressed by the iterator that starts at ``entry``."""
    travelled = iterator - entry
    if abs(step) == 1:
        return form.substitute({COUNT: travelled * step})
    slope = form.coefficient(COUNT)
    if form.substitute({COUNT: ZERO}) + slope * var(COUNT) == form and all(
        isinstance(number, int) and number % step == 0 for number in slope.terms.values()
    ):
        per_unit = Poly({monomial: int(number) // step for monomial, number in slope.terms.items()})
        return form.substitute({COUNT: ZERO}) + per_unit * travelled
    count = floor_div(travelled, step) if step > 0 else floor_div(-travelled, -step)
    return form.substitute({COUNT: count})


def trip_count(start: Poly, stop: Poly, step: int, loops: Iterable[LoopFacts]) -> Poly:
    """Return the number of iterations, never negative."""
    length = ceil_div(stop - start, step) if step > 0 else ceil_div(start - stop, -step)
    return length if is_nonnegative(length, list(loops)) else maximum([ZERO, length])


class GeometricStep(Struct, frozen=True):
    """One iteration multiplies the distance of a variable from ``shift`` by ``factor``, or divides it (``shrinking``).

    A division ``rounds_down``, or towards zero.
    """

    factor: int
    shrinking: bool
    shift: int
    rounds_down: bool


def geometric_step(name: str, end: Poly) -> GeometricStep | None:
    """Return what an iteration does to a variable: ``2*v``, ``2*v + 1``, ``v/2``, ``(v + 1)/2``; None for other ends.

    ``v*f + o`` multiplies the distance from ``-o/(f - 1)``; ``(v + o)/f`` divides that from ``o/(f - 1)``.

    >>> geometric_step("v", floor_div(var("v") + 1, const(2))).shift
    1
    """
    if end.names() != {name}:
        return None
    added = end.terms.get((), 0)
    moved = end - added
    match single_atom(moved):
        case FloorDiv(numerator, denominator) | TruncDiv(numerator, denominator) as division:
            factor, offset = denominator.constant, (numerator - var(name)).constant
            if factor is None or factor < 2 or offset is None or not isinstance(added, int):
                return None
            shift = Fraction(offset + added * factor, factor - 1)
            rounds_down = isinstance(division, FloorDiv)
            return GeometricStep(factor, True, int(shift), rounds_down) if shift.denominator == 1 else None
    factor = moved.coefficient(name).constant
    if factor is None or factor < 2 or moved != var(name) * factor or not isinstance(added, int):
        return None
    shift = Fraction(-added, factor - 1)
    return GeometricStep(factor, False, int(shift), True) if shift.denominator == 1 else None


def geometric_next(value: Poly, step: GeometricStep) -> Poly:
    """Return what one iteration makes of a value that it multiplies."""
    return (value - step.shift) * step.factor + step.shift


def geometric_trips(start: Poly, stop: Poly, step: GeometricStep) -> Poly:
    """Return the number of iterations from a start above the shift to a stop that is not below it.

    >>> str(geometric_trips(var("n"), const(0), GeometricStep(2, True, 0, True)))
    'floor(log2(n)) + 1'
    """
    first, end = start - step.shift, stop - step.shift
    if step.shrinking:
        return logarithm(step.factor, floor_div(first, end + 1)) + 1
    return logarithm(step.factor, ceil_div(end, first), up=True)


def geometric_trip(start: Poly, stop: Poly, step: GeometricStep) -> int | None:
    """Return the number of iterations where start and stop are numbers, else None."""
    value, end = start.constant, stop.constant
    if value is None or end is None or value <= step.shift or (step.shrinking and end < step.shift):
        return None
    return geometric_trips(start, stop, step).constant


def once(start: Poly, stop: Poly, step: int) -> Poly:
    """Return the stop of a loop that runs at least once."""
    return extremum(step > 0, [stop, start + (1 if step > 0 else -1)])
