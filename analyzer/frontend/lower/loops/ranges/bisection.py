"""Loops that divide an interval whichever way data send them: bisection, ``lower_bound``, the search in a grid.

``while (lo < hi) { mid = (lo + hi)/2; if (a[mid] < x) lo = mid + 1; else hi = mid; }``: with d = hi - lo, one way
leaves d - floor(d/2) - 1 of it, the other floor(d/2).  All ways are steps ``floor((d + o)/f)``; a loop that always
takes the one with the least o has the fewest iterations, and one that takes that with the greatest the most.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from .....given_values import trip_of_line
from .....ir.index import ZERO, Atom, FloorDiv, Poly, TruncDiv, floor_div, floor_mod, var
from .....ir.nodes import Compare, Comparison, Condition, DataDependent, Strided
from ....surface import nodes as sx
from ....surface.traverse import walk
from ... import logic
from ...state import State
from ..closed_forms.induction import GeometricStep, geometric_trips
from ..context import LoopContext, Recognized
from ..written.source import LoopSource
from .ends import add_unknowns
from .ways import Ends, distance, ways_through

_LENGTH = "length"
_LONGEST_PERIOD = 16


class _Interval(Struct, frozen=True, kw_only=True):
    """What a loop divides: its ``length`` in terms of the placeholders, and that at ``start``.

    ``before`` is the value of a placeholder in terms of the length, ``differences`` are those of tested variables.
    """

    length: Poly
    start: Poly
    before: Mapping[str, Poly]
    differences: Mapping[str, Poly]

    def after(self, poly: Poly, way: Ends) -> Poly:
        """Return the value of an expression of the placeholders after one way, in terms of the length before it.

        Quotients round down instead of towards zero: what is divided are positions, which are not negative.
        """
        ends = {name: end for name, end in way.items() if end is not None}
        return _rounded_down(_rounded_down(poly.substitute(ends).substitute(self.differences)).substitute(self.before))


def bisection(state: State, source: LoopSource, context: LoopContext) -> Recognized | None:
    """Return the loop as one with a trip count between two logarithms; None where it does not divide an interval."""
    if context.test_last or not _divides(source):
        return None
    parts = logic.conjuncts(context.condition)
    tests = [part for part in parts if isinstance(part, Compare)]
    others = [part for part in parts if not isinstance(part, Compare)]
    if len(tests) != 1 or not all(part.depends_on_data for part in others):
        return None
    ways = ways_through(state, source, context.moving)
    length = distance(tests[0])
    entries = {item.name: item.entry for item in context.moving if item.entry is not None and item.pointer is None}
    interval = None if not ways or length is None else _interval(length, entries, ways)
    if interval is None:
        return None
    steps = [_step(interval.after(interval.length, way)) for way in ways]
    known = [step for step in steps if step is not None]
    if len(known) != len(steps) or len({step.factor for step in known}) != 1:
        return None
    least, most = (choose(known, key=lambda step: step.shift) for choose in (min, max))
    if most.shift > 0:
        return None
    return _recognized(context, interval.start, least, most, others, _within(interval, entries, ways))


def _recognized(
    context: LoopContext,
    start: Poly,
    least: GeometricStep,
    most: GeometricStep,
    others: Sequence[Condition],
    within: Mapping[str, tuple[Poly, Poly]],
) -> Recognized:
    fewest, trips = (geometric_trips(start, ZERO, step) for step in (least, most))
    if 1 - least.shift == least.factor * (1 - most.shift):  # as in bisection: at most one iteration less
        fewest = trips - 1
    number = f"{context.iterator}@"
    values = {number: var(context.iterator)}
    add_unknowns(context, values)
    for name, (first, last) in within.items():
        values[name] = first + floor_mod(values[name] - first, last - first + 1)
    exits = [logic.negate(part) for part in others]
    if exits:
        context.emitter.report("AI204", context.span, "loop", symbol=trip_of_line(context.span.line))
    takes_place: Condition = logic.ALWAYS
    if fewest != trips:
        is_left = DataDependent(f"L{context.span.line}.left", "something is left of the interval")
        takes_place = logic.disjunction([logic.compare(Comparison.LT, var(number), fewest), is_left])
    return Recognized(Strided(ZERO, trips), values, exits=exits, takes_place=takes_place)


def _divides(source: LoopSource) -> bool:
    """Return whether a loop without loops inside divides or shifts something by a constant."""
    trees = [tree for tree in (source.advance, source.body) if tree is not None]
    is_division = False
    for node in itertools.chain.from_iterable(map(walk, trees)):
        if isinstance(node, sx.For | sx.While | sx.Repeated | sx.Skippable | sx.Switch):
            return False
        match node:
            case sx.Binary(operator="/" | ">>", right=sx.Number()) | sx.Assign(operator="/" | ">>", value=sx.Number()):
                is_division = True
    return is_division


def _interval(length: Poly, entries: Mapping[str, Poly], ways: Sequence[Ends]) -> _Interval | None:
    """Return the interval whose length a test compares; None where not all that it consists of is followed."""
    differences = _differences(length, entries, ways)
    length = length.substitute(differences)
    own = [name for name in length.names() if name in ways[0]]
    unit = next((name for name in own if length.coefficient(name).constant in (1, -1)), None)
    if unit is None or any(name not in entries or way[name] is None for way in ways for name in own):
        return None
    start = length.substitute({name: entries[name] for name in own})
    sign = length.coefficient(unit)
    before = {unit: sign * (var(_LENGTH) - (length - sign * var(unit)))}
    return None if start.unknowns() else _Interval(length=length, start=start, before=before, differences=differences)


def _within(interval: _Interval, entries: Mapping[str, Poly], ways: Sequence[Ends]) -> dict[str, tuple[Poly, Poly]]:
    """Return the range of both ends of an interval of which each way leaves a part."""
    ends = {interval.length.coefficient(name).constant: name for name in interval.length.names() if name in ways[0]}
    if ends.keys() != {1, -1}:
        return {}
    last, first = ends[1], ends[-1]
    rises = [interval.after(var(first), way) - _rounded_down(var(first).substitute(interval.before)) for way in ways]
    falls = [_rounded_down(var(last).substitute(interval.before)) - interval.after(var(last), way) for way in ways]
    if not all(map(_is_nonnegative, (*rises, *falls))):
        return {}
    return dict.fromkeys((first, last), (entries[first], entries[last]))


def _differences(distance: Poly, entries: Mapping[str, Poly], ways: Sequence[Ends]) -> dict[str, Poly]:
    """Return tested variables that are the difference of two others, before each iteration and after it."""
    found: dict[str, Poly] = {}
    for name in distance.names() & entries.keys():
        for upper, lower in itertools.permutations(entries.keys() - {name}, 2):
            form = var(upper) - var(lower)
            at_ends = (_difference(way, form) for way in ways)
            if entries[name] == form.substitute(entries) and all(
                end is not None and end == way[name] for way, end in zip(ways, at_ends, strict=True)
            ):
                found[name] = form
                break
    return found


def _difference(way: Ends, form: Poly) -> Poly | None:
    ends = {name: way[name] for name in form.names()}
    known = {name: end for name, end in ends.items() if end is not None}
    return form.substitute(known) if len(known) == len(ends) else None


def _rounded_down(poly: Poly) -> Poly:
    def whole(atom: Atom) -> Poly:
        if isinstance(atom, TruncDiv):
            return floor_div(_rounded_down(atom.numerator), atom.denominator)
        return Poly({(atom,): 1})

    return poly.map_atoms(whole)


def _step(end: Poly) -> GeometricStep | None:
    """Return ``floor((d + o)/f)`` that equals ``end``, a sum of quotients of d; None where there is none.

    Both grow by whole numbers over a period of d, so that one period decides.
    """
    values = _values(end)
    if len(values) < 2:
        return None
    period = len(values) // 2
    slope = (values[period] - values[0]) / period
    if slope <= 0 or slope.numerator != 1 or slope.denominator < 2:
        return None
    factor = slope.denominator
    for offset in range(-4 * factor, 4 * factor + 1):
        if offset % (factor - 1) == 0 and all((d + offset) // factor == at for d, at in enumerate(values, 1)):
            return GeometricStep(factor, True, offset // (factor - 1), True)
    return None


def _is_nonnegative(poly: Poly) -> bool:
    """Return whether a sum of quotients of a length is never below zero."""
    values = _values(poly)
    period = len(values) // 2
    return bool(values) and min(values) >= 0 and all(values[d + period] >= values[d] for d in range(period))


def _values(poly: Poly) -> list[Fraction]:
    """Return the values of a sum of quotients of a length from 1 on, over two periods; none of anything else."""
    period = _period(poly)
    if period is None or period > _LONGEST_PERIOD or not poly.names() <= {_LENGTH}:
        return []
    return [Fraction(poly.evaluate({_LENGTH: d})) for d in range(1, 2 * period + 1)]


def _period(end: Poly) -> int | None:
    """Return the common period of the quotients in a sum; None where it is no sum of quotients of plain sums."""
    period = 1
    for monomial in end.terms:
        match monomial:
            case () | (str(),):
                pass
            case (FloorDiv(numerator=numerator, denominator=denominator),):
                factor = denominator.constant
                plain = all(len(term) <= 1 and all(isinstance(atom, str) for atom in term) for term in numerator.terms)
                if factor is None or factor < 1 or not plain:
                    return None
                period *= factor
            case _:
                return None
    return period
