"""Values of the user in regions: loops that run as often as is given, and values that no region can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import log2

from ..errors import OptionError
from ..frontend.lower.kernels.kernel import plain_name
from ..given_values import GivenValues, given_values, is_trip, trip_of_line
from ..ir.index import Number, Poly, Power
from ..ir.nodes import Loop, Region, SymbolOrigin
from ..ir.passes.stated_trips import Stated, ending_early, with_mean
from ..ir.passes.steps import trip_of
from ..ir.traverse import all_nodes, decisive_indices
from ..options import AnalysisOptions

_BITS = 256  # beyond which products of sizes are no floating-point numbers
_END = 1 << _BITS


def with_given_trips(region: Region, given: GivenValues) -> Stated:
    """Return the region in which loops that data may end run as often as the user says (``trip_L12``)."""
    lines: set[int] = set()
    for loop, ends, name, number in _given_trips(region, given):
        region = with_mean(region, loop, name, number)
        lines |= {loop.span.line, *ends}
    return Stated(region, frozenset(lines))


def _given_trips(region: Region, given: GivenValues) -> Iterator[tuple[Loop, frozenset[int], str, Number]]:
    """Yield the loops that data may end, the lines of what ends them, and the name and number of iterations given."""
    numbers = given.holding_in((region.function, plain_name(region.function)))
    if any(is_trip(name) for name in numbers):
        for loop, ends in ending_early(region.body):
            name = trip_of_line(loop.span.line)
            if name in numbers:
                yield loop, ends, name, numbers[name]


def check_values(regions: Sequence[Region], given: GivenValues, options: AnalysisOptions) -> None:
    """Raise ``OptionError`` for values that regions cannot have; ``given`` are those of runs and arrays too."""
    _check_averages(regions, given.averages)
    _check_trips(regions, given_values(options.defines))
    if given.values:
        _check_magnitudes(regions)


def _check_trips(regions: Iterable[Region], given: GivenValues) -> None:
    """Raise ``OptionError`` for more iterations than the header of a loop allows that data may end before."""
    for region in regions:
        stated = given.holding_in((region.function, plain_name(region.function)))
        sizes = {name: value for name, value in stated.items() if isinstance(value, int)}
        for loop, _, name, number in _given_trips(region, given):
            trip = trip_of(loop)
            most = None if trip is None else trip.substitute(sizes).constant
            if most is not None and number > max(most, 0):
                allowed = f"the loop in line {loop.span.line} has {max(most, 0)} iterations at most"
                raise OptionError(f"-D {name}={float(number):g}: {allowed}", hint="give a number that it can have")


def _check_magnitudes(regions: Iterable[Region]) -> None:
    """Raise ``OptionError`` for sizes at which a bound or subscript, such as ``1 << n``, is far beyond any integer."""
    for region in regions:
        values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
        for node in all_nodes(region.body):
            for index in decisive_indices(node):
                if _is_too_large(index.substitute(values) if values else index):
                    why = f"a number of more than {_BITS} bits at these sizes"
                    raise OptionError(f"{node.span.path}:{node.span.line}: {why}", hint="give smaller sizes")


def _is_too_large(index: Poly) -> bool:
    powers = (atom for atom in index.nested_atoms() if isinstance(atom, Power)) if index.forms else ()
    exponents = [(atom.exponent.constant, atom.base) for atom in powers]
    is_large_power = any(number is not None and number * log2(base) >= _BITS for number, base in exponents)
    return is_large_power or not all(-_END < number < _END for number in index.terms.values())


def _check_averages(regions: Iterable[Region], averages: Mapping[str, Fraction]) -> None:
    """Raise ``OptionError`` for a size that is not whole; averages are for trip counts."""
    for symbol in (symbol for region in regions for symbol in region.symbols):
        average = averages.get(symbol.name)
        if average is not None and symbol.origin is not SymbolOrigin.TRIP_COUNT:
            hint = "only trip counts (trip_L12) and probabilities (prob_L12) may be fractions"
            raise OptionError(f"-D {symbol.name}={float(average):g} is not a whole number", hint=hint)
