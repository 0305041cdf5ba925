"""What given arrays tell of a region: the number, or the exact average, of the iterations of each loop that they count.

The sum of the iterations over all executions of a loop is exact, so that work which is the same in each iteration is.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..errors import OptionError
from ..ir.given_array import GivenArray
from ..ir.index import Element, Poly, given_elements
from ..ir.nodes import Loop, Node, Region, Statement, Uncounted
from ..ir.passes.given import counted_loops, deciding, given_in
from ..ir.passes.substitute import bind
from ..ir.traverse import accesses, all_nodes
from ..ir.values import Access
from ..traffic.program.program import NotNumeric
from .executions import Rows, TooManyRows, visit_executions
from .guards import with_counted_guards


class Measured(Struct, frozen=True):
    """A region with its trip counts, and what was found: loops that are settled, by line, averages, and misfits."""

    region: Region
    settled: frozenset[int]
    trips: dict[str, Fraction]
    diagnostics: tuple[Diagnostic, ...]


class _Sums:
    """Executions and iterations by the symbol of the trip count, and the positions at which arrays are read."""

    def __init__(self) -> None:
        self.executions: dict[str, int] = {}
        self.iterations: dict[str, int] = {}
        self.reached: dict[GivenArray, tuple[int, int, int]] = {}

    def add(self, node: Node, rows: Rows) -> None:
        """Add some executions of a loop or statement."""
        for poly in deciding(node):
            for element in given_elements(poly):
                self._reach(element, rows, node.span.line)
        if isinstance(node, Loop) and isinstance(node.range, Uncounted) and node.range.length is not None:
            trip = node.range.trip
            lengths = rows.value(node.range.length)
            self.executions[trip] = self.executions.get(trip, 0) + int(rows.weight.sum())
            self.iterations[trip] = self.iterations.get(trip, 0) + int((lengths.clip(min=0) * rows.weight).sum())

    def _reach(self, element: Element, rows: Rows, line: int) -> None:
        found = rows.extremes(element.index)
        if found is None or not isinstance(element.table, GivenArray):
            return
        least, most, at = self.reached.get(element.table, (*found, line))
        furthest = line if found[0] < least or found[1] > most else at
        self.reached[element.table] = (min(least, found[0]), max(most, found[1]), furthest)


def with_lengths(region: Region) -> Measured:
    """Return the region with the trip counts that its given arrays tell; as it is where sizes are not known.

    Raises ``OptionError`` where an array is shorter than the loops need.
    """
    if not given_in(region.body):
        return Measured(region, frozenset(), {}, ())
    source, region = region, with_counted_guards(region)
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    bound = bind(region, values)
    sums = _Sums()
    try:
        visit_executions(bound.body, sums.add)
    except NotNumeric:
        return Measured(source, frozenset(), {}, ())
    except TooManyRows:
        found = Diagnostic.of("AI009", region.span, "too-many", name=region.name)
        return Measured(source, frozenset(), {}, (found,))
    for array, (least, most, line) in sums.reached.items():
        _check_length(array, least, most, region.span.path, line)
    averages = {
        trip: Fraction(sums.iterations[trip], executions) if executions else Fraction(0)
        for trip, executions in sums.executions.items()
    }
    return replace(with_averages(region, averages), diagnostics=tuple(dict.fromkeys(_outside(bound))))


def _check_length(array: GivenArray, least: int, most: int, path: str, line: int) -> None:
    if least < 0:
        hint = "give the array that this source reads, and the sizes that belong to it"
        raise OptionError(f"element {least} of {array.name} is read", path=path, line=line, hint=hint)
    if most >= array.count:
        hint = "give the array that belongs to these sizes, or the sizes that belong to it with -D"
        message = f"{array.name} is given with {array.count} elements, and element {most} is read"
        raise OptionError(message, path=path, line=line, hint=hint)


def with_averages(region: Region, averages: dict[str, Fraction]) -> Measured:
    """Return the region with these trip counts; raises ``OptionError`` where another one is given."""
    given = {symbol.name: symbol.value for symbol in region.symbols} | dict(region.averages)
    for trip, average in averages.items():
        if given.get(trip) not in (None, average):
            hint = "leave it out, or give other arrays"
            raise OptionError(f"-D {trip}={given[trip]}: the arrays given make it {float(average):g}", hint=hint)
    whole = {trip: int(average) for trip, average in averages.items() if average.denominator == 1}
    symbols = tuple(replace(one, value=whole.get(one.name, one.value)) for one in region.symbols)
    parts = {trip: average for trip, average in averages.items() if trip not in whole}
    settled = frozenset(
        loop.span.line
        for loop in counted_loops(region.body)
        if isinstance(loop.range, Uncounted) and loop.range.trip in averages
    )
    changed = replace(region, symbols=symbols, averages=tuple({**dict(region.averages), **parts}.items()))
    return Measured(changed, settled, averages, ())


def _outside(region: Region) -> Iterator[Diagnostic]:
    """Yield the elements of given arrays that are outside of what they choose elements of."""
    extents = {array.name: array.extents[0] for array in region.arrays if len(array.extents) == 1}
    for node in all_nodes(region.body):
        for access, _ in accesses(node) if isinstance(node, Statement) else ():
            extent = extents.get(access.array)
            count = None if extent is None else extent.constant
            element = _alone(access)
            if count is None or element is None:
                continue
            array, shift = element
            if array.least + shift < 0 or array.most + shift >= count:
                yield Diagnostic.of(
                    "AI009",
                    node.span,
                    "outside",
                    array=array.name,
                    least=array.least,
                    most=array.most,
                    gathered=access.array,
                    last=count - 1 - shift,
                )


def _alone(access: Access) -> tuple[GivenArray, int] | None:
    """Return the array whose elements, and a number added to them, are the subscript of a reference."""
    if len(access.subscripts) != 1:
        return None
    (subscript,) = access.subscripts
    elements = [atom for atom in subscript.atoms() if isinstance(atom, Element)]
    if len(elements) != 1:
        return None
    table, shift = elements[0].table, (subscript - Poly({(elements[0],): 1})).constant
    return (table, shift) if isinstance(table, GivenArray) and shift is not None else None
