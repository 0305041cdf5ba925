"""Counts of a run to values of symbols: trip counts, probabilities, and the sizes that trip counts follow from.

``trip_L12`` and ``prob_L12`` are ratios of sums (:mod:`.measured`).  A size is that for which the loops of its function
run as often as they did: the outermost first, each with what is known by then; where the function was called with
several sizes the mean must be whole, or there is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from ..diagnostics import Diagnostic
from ..frontend.surface.nodes import Function
from ..given_values import TRIP, line_of, symbol_of
from ..ir.branches import PROBABILITY
from ..ir.index import Number, Poly
from ..ir.nodes import Compare, Comparison, Guard, Loop, Region, Strided, SymbolOrigin
from ..ir.walk import walk
from ..source import Span
from .counts import ExecutionCounts, FileCounts
from .flow import Location
from .function_objects import with_algorithms
from .loop_counts import Ratio
from .measured import Measured, counts_of, is_named, measured
from .ratios import Ratios, ratios_of, together

_TRIED = (1, 2, 16, 1024, 1 << 20)  # sizes at which a trip count must grow with the size
_LARGEST = 1 << 40


class Bound(Struct, frozen=True):
    """What a run gives: ``values`` by symbol (``NAME@FUNCTION`` in one function), as ``-D`` takes them.

    ``ratios`` are those of loops and conditions by location, of all instances of a template together; ``own`` those of
    a function that was counted alone, by its name.  None of them is of what is ``given`` otherwise.  ``settled``
    are the lines of loops and conditions of which nothing is open any more.
    """

    values: Mapping[str, str]
    ratios: Ratios
    own: Mapping[str, Ratios]
    given: frozenset[str]
    settled: frozenset[int]
    diagnostics: tuple[Diagnostic, ...]


NOTHING = Bound({}, Ratios(), {}, frozenset(), frozenset(), ())


def bound_values(
    path: str, functions: Iterable[Function], regions: Iterable[Region], counts: ExecutionCounts, given: Iterable[str]
) -> Bound:
    """Return the values for the functions of a source and of its headers; what is ``given`` otherwise is left out."""
    functions, regions = tuple(functions), tuple(regions)
    own_first = sorted(functions, key=lambda function: function.span.path != path)
    is_given = frozenset(given) | {symbol_of(name) for name in given}
    found, diagnostics = _counted(own_first, counts)
    shared = _of_libraries(regions, found)
    found = with_algorithms(found, functions, regions)
    named: dict[str, list[Measured]] = {}
    ratios: dict[str, list[Ratios]] = {}
    for function, one in found:
        named.setdefault(function.name, []).append(one)
        ratios.setdefault(function.name, []).append(ratios_of(function.span, one, is_given))
    measured_ = [one for _, one in found]
    values = _ratios(measured_, shared)
    values |= _of_instances(named, values, shared)
    equal = frozenset[int]().union(*(one.equal for one in measured_))
    never = frozenset[int]().union(*(one.never for one in measured_))
    for region in regions:
        alike = named.get(region.function, ())
        if any(one.calls for one in alike):
            values |= {f"{name}@{region.function}": "0" for name in _never_entered(region, never)}
        if len(alike) == 1 and not alike[0].is_mean:
            loops = _loops_of(region, alike[0])
            sizes = _sizes(region, loops, equal, is_given)
            values |= {f"{name}@{region.function}": str(value) for name, value in sizes.items()}
            diagnostics += _differences(loops, sizes)
    kept = {name: value for name, value in values.items() if name not in given and symbol_of(name) not in given}
    return Bound(
        values=kept,
        ratios=together(each for alike in ratios.values() for each in alike),
        own={name: alike[0] for name, alike in ratios.items() if len(alike) == 1 and not named[name][0].is_mean},
        given=is_given,
        settled=frozenset(line for one in measured_ for line, _ in (*one.trips, *one.probabilities)),
        diagnostics=tuple(dict.fromkeys(diagnostics)),
    )


def _counted(
    functions: Iterable[Function], counts: ExecutionCounts
) -> tuple[list[tuple[Function, Measured]], list[Diagnostic]]:
    """Return what a run says of each function, and what of the counts does not fit the source."""
    found: list[tuple[Function, Measured]] = []
    diagnostics: list[Diagnostic] = []
    files: dict[str, FileCounts | None] = {}
    functions = list(functions)
    moved = {function.span.path for function in functions if _has_moved(function, counts.of_file(function.span.path))}
    for function in functions:
        where = function.span.path
        if where not in files:
            files[where] = counts.of_file(where)
        file = files[where]
        of_function = None if file is None else counts_of(function, file)
        if file is None:
            continue
        if of_function is None:
            diagnostics += _stale(function, file)
            continue
        counted, is_mean = of_function
        if counted.end_line not in (0, function.span.end_line):
            diagnostics.append(
                Diagnostic.of("AI008", function.span, "ended", name=function.name, line=counted.end_line)
            )
            continue
        if where in moved and not counted.end_line:
            continue  # no tool says where it ended, and another one of the file stood elsewhere
        one = measured(function, counted, is_mean=is_mean)
        found.append((function, one))
        at = (Span(where, line, line) for line in (*one.unclear, *one.missing))
        forms = ["several"] * len(one.unclear) + ["missing"] * len(one.missing)
        diagnostics += [Diagnostic.of("AI008", span, form) for span, form in zip(at, forms, strict=True)]
    return found, diagnostics


def _of_libraries(regions: Iterable[Region], found: Iterable[tuple[Function, Measured]]) -> frozenset[int]:
    """Return the lines of counted loops and conditions on which a call of a library has loops of its own.

    Those stand where the call does, so that the names of such a line (``trip_L12``) are those of several loops.
    """
    locations: dict[str, set[Location]] = {}
    for function, one in found:
        counted = (*one.trips, *one.probabilities)
        locations.setdefault(function.span.path, set()).update(counted)
    lines = {(path, line) for path, own in locations.items() for line, _ in own}
    loops = {
        (visit.node.span.path, *_location(visit.node))
        for region in regions
        for visit in walk(region)
        if isinstance(visit.node, Loop)
    }
    return frozenset(
        line for path, line, column in loops if (path, line) in lines and (line, column) not in locations[path]
    )


def _ratios(found: Iterable[Measured], shared: frozenset[int]) -> dict[str, str]:
    """Return the trip counts and probabilities of lines; where instances of a template share one, that of all of them.

    A line that has several, or is ``shared`` with a library, has no names for them.
    """
    sums: dict[str, Ratio] = {}
    several = {f"{kind}{line}" for line in shared for kind in (TRIP, PROBABILITY)}
    for one in found:
        for kind, ratios in ((TRIP, one.trips), (PROBABILITY, one.probabilities)):
            on_line = Counter(line for line, _ in ratios)
            several |= {f"{kind}{line}" for line, number in on_line.items() if number > 1}
            for (line, _), ratio in ratios.items():
                sums[f"{kind}{line}"] = sums.get(f"{kind}{line}", Ratio(0, 0)).plus(ratio)
    return {name: str(ratio.value) for name, ratio in sums.items() if name not in several}


def _of_instances(
    found: Mapping[str, Sequence[Measured]], ratios: Mapping[str, str], shared: frozenset[int]
) -> dict[str, str]:
    """Return the ratios of instances of a template that differ from those of all instances."""
    values: dict[str, str] = {}
    for function, alike in found.items():
        if len(alike) == 1:
            own = _ratios(alike, shared)
            values |= {f"{name}@{function}": value for name, value in own.items() if ratios.get(name, value) != value}
    return values


def _loops_of(region: Region, own: Measured) -> list[tuple[Loop, Ratio]]:
    """Return the loops of the region's own text that ran to their ends, outermost first, with their ratios."""
    first, last = region.span.line, region.span.end_line
    found: dict[Location, Loop] = {}
    for visit in walk(region):
        node = visit.node
        inside = isinstance(node, Loop) and first <= node.span.line <= last and node.span.path == region.span.path
        if isinstance(node, Loop) and inside and _location(node) in own.trips.keys() - own.ended_early:
            found.setdefault(_location(node), node)
    return [(loop, own.trips[location]) for location, loop in found.items()]


def _location(loop: Loop) -> Location:
    return loop.span.line, loop.span.column


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
    equations = [(trip, ratio.value) for loop, ratio in loops if (trip := trip_of(loop)) is not None]
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


def trip_of(loop: Loop) -> Poly | None:
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
        trip = trip_of(loop)
        number = None if trip is None else trip.substitute(sizes).constant
        if number is None or max(number, 0) == ratio.value:
            continue
        yield Diagnostic.of(
            "AI008", loop.span, "differs", expected=max(number, 0), iterations=ratio.part, entered=ratio.whole
        )


def _has_moved(function: Function, file: FileCounts | None) -> bool:
    return file is not None and counts_of(function, file) is None and any(_stale(function, file))


def _stale(function: Function, file: FileCounts) -> Iterator[Diagnostic]:
    """Yield that a function stands in other lines than when the counts were recorded."""
    for counts in file.functions:
        if counts.line and is_named(counts, function):
            yield Diagnostic.of("AI008", function.span, "stale", name=function.name, line=counts.line)
            return
