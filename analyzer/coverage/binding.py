"""Counts of a run to values of symbols: trip counts, probabilities, and the sizes that trip counts follow from.

``trip_L12`` and ``prob_L12`` are ratios of sums (:mod:`.measured`).  A size is that for which the loops of its function
run as often as they did: the outermost first, each with what is known by then; where the function was called with
several sizes the mean must be whole, or there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..frontend.surface.nodes import Function
from ..given_values import TRIP, line_of
from ..ir.branches import PROBABILITY
from ..ir.index import Number, Poly
from ..ir.nodes import Compare, Comparison, Guard, Loop, Region, Strided, SymbolOrigin
from ..ir.traverse import walk
from ..source import Span
from .counts import ExecutionCounts, FileCounts
from .measured import Measured, Ratio, counts_of, is_named, measured

_TRIED = (1, 2, 16, 1024, 1 << 20)  # sizes at which a trip count must grow with the size
_LARGEST = 1 << 40


class Chance(Struct, frozen=True):
    """How often a condition held of all evaluations, without the ``!`` in front of one that ``is_negated``."""

    ratio: Ratio
    is_negated: bool


class Bound(Struct, frozen=True):
    """What a run gives: ``values`` by symbol (``NAME@FUNCTION`` in one function), as ``-D`` takes them.

    ``trips`` are the ratios of loops by file and line, and ``ended_early`` those that something in them may end;
    ``chances`` are the ratios of conditions as the source writes them.
    ``settled`` are the lines of loops and conditions of which nothing is open any more.
    """

    values: Mapping[str, str]
    trips: Mapping[tuple[str, int], Ratio]
    ended_early: frozenset[tuple[str, int]]
    chances: Mapping[tuple[str, int], Chance]
    settled: frozenset[int]
    diagnostics: tuple[Diagnostic, ...]


NOTHING = Bound({}, {}, frozenset(), {}, frozenset(), ())


def bound_values(
    path: str, functions: Iterable[Function], regions: Iterable[Region], counts: ExecutionCounts, given: Iterable[str]
) -> Bound:
    """Return the values for the functions of a source and of its headers; what is ``given`` otherwise is left out."""
    own_first = sorted(functions, key=lambda function: function.span.path != path)
    found: dict[str, Measured] = {}
    named: dict[str, list[Measured]] = {}
    files: dict[str, FileCounts | None] = {}
    diagnostics: list[Diagnostic] = []
    for function in own_first:
        where = function.span.path
        if where not in files:
            files[where] = counts.of_file(where)
        file = files[where]
        if file is None:
            continue
        of_function = counts_of(function, file)
        if of_function is None:
            diagnostics += _stale(function, file)
            continue
        counted, is_mean = of_function
        if counted.end_line not in (0, function.span.end_line):
            diagnostics.append(
                Diagnostic.of("AI008", function.span, "ended", name=function.name, line=counted.end_line)
            )
            continue
        found[function.key] = measured(function, counted, is_mean=is_mean)
        named.setdefault(function.name, []).append(found[function.key])
    values = _ratios(found.values())
    values |= _of_instances(named, values)
    equal = frozenset[int]().union(*(one.equal for one in found.values()))
    never = frozenset[int]().union(*(one.never for one in found.values()))
    for region in regions:
        alike = named.get(region.function, ())
        if any(one.calls for one in alike):
            values |= {f"{name}@{region.function}": "0" for name in _never_entered(region, never)}
        if len(alike) == 1 and not alike[0].is_mean:
            loops = _loops_of(region, alike[0])
            sizes = _sizes(region, loops, equal, frozenset(given))
            values |= {f"{name}@{region.function}": str(value) for name, value in sizes.items()}
            diagnostics += _differences(loops, sizes)
    diagnostics += [
        Diagnostic.of("AI008", Span(path, line, line), "several") for one in found.values() for line in one.unclear
    ]
    kept = {name: value for name, value in values.items() if name not in given and name.partition("@")[0] not in given}
    settled = {line for one in found.values() for line in (*one.trips, *one.probabilities)}
    paths = {function.key: function.span.path for function in own_first}
    trips: dict[tuple[str, int], Ratio] = {}
    for key, one in found.items():
        for line, ratio in one.trips.items():
            trips[paths[key], line] = trips.get((paths[key], line), Ratio(0, 0)).plus(ratio)
    early = frozenset((paths[key], line) for key, one in found.items() for line in one.ended_early)
    chances = _chances((paths[key], one) for key, one in found.items())
    return Bound(kept, trips, early, chances, frozenset(settled), tuple(dict.fromkeys(diagnostics)))


def _ratios(found: Iterable[Measured]) -> dict[str, str]:
    """Return the trip counts and probabilities; where instances of a template share a line, that of all of them."""
    sums: dict[str, Ratio] = {}
    for one in found:
        named = {f"{TRIP}{line}": ratio for line, ratio in one.trips.items()}
        named |= {f"{PROBABILITY}{line}": ratio for line, ratio in one.probabilities.items()}
        for name, ratio in named.items():
            sums[name] = sums.get(name, Ratio(0, 0)).plus(ratio)
    return {name: str(ratio.value) for name, ratio in sums.items()}


def _chances(found: Iterable[tuple[str, Measured]]) -> dict[tuple[str, int], Chance]:
    """Return the ratios of conditions by file and line, those of all instances of a template together."""
    chances: dict[tuple[str, int], Chance] = {}
    for path, one in found:
        for line, ratio in one.probabilities.items():
            before = chances.get((path, line), Chance(Ratio(0, 0), False)).ratio
            chances[path, line] = Chance(before.plus(ratio), line in one.negated)
    return chances


def _of_instances(found: Mapping[str, Sequence[Measured]], ratios: Mapping[str, str]) -> dict[str, str]:
    """Return the ratios of instances of a template that differ from those of all instances."""
    values: dict[str, str] = {}
    for function, alike in found.items():
        if len(alike) == 1:
            own = _ratios(alike)
            values |= {f"{name}@{function}": value for name, value in own.items() if ratios[name] != value}
    return values


def _loops_of(region: Region, own: Measured) -> list[tuple[Loop, Ratio]]:
    """Return the loops of the region's own text that ran to their ends, outermost first, with their ratios."""
    first, last = region.span.line, region.span.end_line
    found: dict[int, Loop] = {}
    for visit in walk(region):
        node = visit.node
        inside = isinstance(node, Loop) and first <= node.span.line <= last and node.span.path == region.span.path
        if isinstance(node, Loop) and inside and node.span.line in own.trips.keys() - own.ended_early:
            found.setdefault(node.span.line, node)
    return [(loop, own.trips[line]) for line, loop in found.items()]


def _sizes(
    region: Region, loops: Iterable[tuple[Loop, Ratio]], equal: frozenset[int], given: frozenset[str]
) -> dict[str, int]:
    """Return the sizes that follow from the loops with one unknown size in their trip count, and from equalities."""
    unknown = {
        symbol.name
        for symbol in region.symbols
        if symbol.value is None and symbol.origin is not SymbolOrigin.TRIP_COUNT and symbol.name not in given
    }
    known: dict[str, Number] = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    found: dict[str, int] = {}
    equations = [(trip, ratio.value) for loop, ratio in loops if (trip := _trip(loop)) is not None]
    for left, value in (*equations, *((difference, Fraction(0)) for difference in _zeros(region, equal))):
        term = left.substitute({**known, **found})
        names = term.names()
        if len(names) == 1 and names <= unknown:
            (name,) = names
            size = _solved(term, name, value)
            if size is not None:
                found[name] = size
    return found


def _never_entered(region: Region, never: frozenset[int]) -> Iterator[str]:
    """Yield the trip counts of loops that were never entered, in a function that ran."""
    for symbol in region.symbols:
        if symbol.origin is SymbolOrigin.TRIP_COUNT and line_of(symbol.name) in never:
            yield symbol.name


def _zeros(region: Region, equal: frozenset[int]) -> Iterator[Poly]:
    """Yield what was 0 each time that the conditions of these lines were evaluated."""
    for visit in walk(region):
        if isinstance(visit.node, Guard) and visit.node.span.line in equal:
            match visit.node.condition:
                case Compare(Comparison.EQ | Comparison.NE, left, right):
                    if not (left - right).unknowns():
                        yield left - right
                case _:
                    pass


def _trip(loop: Loop) -> Poly | None:
    """Return the trip count of a loop with a step of one, as long as it is not negative."""
    match loop.range:
        case Strided(start, stop, 1):
            trip = stop - start
        case Strided(start, stop, -1):
            trip = start - stop
        case _:
            return None
    return None if trip.unknowns() else trip


def _solved(trip: Poly, name: str, value: Fraction) -> int | None:
    """Return the whole number of at most 2^40 at which a trip count that grows with a name has a value.

    None also of one that is divided by the name: the step of a loop.
    """
    try:
        return _solution(trip, name, value)
    except ZeroDivisionError:
        return None


def _solution(trip: Poly, name: str, value: Fraction) -> int | None:
    if any(trip.evaluate({name: one}) >= trip.evaluate({name: 2 * one}) for one in _TRIED):
        falls = Fraction(trip.evaluate({name: 0})) - value  # n - i of a loop that starts at a size
        return int(falls) if falls.denominator == 1 and trip.evaluate({name: int(falls)}) == value else None
    low, high = _TRIED[0], _LARGEST
    if trip.evaluate({name: 0}) == value:
        return 0
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if trip.evaluate({name: middle}) < value else (low, middle)
    return low if trip.evaluate({name: low}) == value else None


def _differences(loops: Iterable[tuple[Loop, Ratio]], sizes: Mapping[str, int]) -> Iterator[Diagnostic]:
    """Yield the loops whose trip count is known and differs from that of the run, if nothing ends them early."""
    for loop, ratio in loops:
        trip = _trip(loop)
        number = None if trip is None else trip.substitute(sizes).constant
        if number is None or max(number, 0) == ratio.value:
            continue
        yield Diagnostic.of(
            "AI008", loop.span, "differs", expected=max(number, 0), iterations=ratio.part, entered=ratio.whole
        )


def _stale(function: Function, file: FileCounts) -> Iterator[Diagnostic]:
    """Yield that a function stands in other lines than when the counts were recorded."""
    for counts in file.functions:
        if counts.line and is_named(counts, function):
            yield Diagnostic.of("AI008", function.span, "stale", name=function.name, line=counts.line)
            return
