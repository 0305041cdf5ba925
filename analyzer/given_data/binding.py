"""Given arrays and matrices bound to regions: names, sizes, trip counts, extents, and what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from operator import eq

from msgspec import Struct, field
from msgspec.structs import replace

from ..diagnostics import Diagnostic
from ..errors import OptionError
from ..frontend.lower.functions.stored_values import StoredElements
from ..ir.conditions import leaves
from ..ir.given_array import GivenArray
from ..ir.index import Element, Poly, const, given_elements
from ..ir.nodes import Array, Assumption, Compare, Comparison, Guard, Loop, Node, Region, Strided
from ..ir.passes.given import deciding, given_in, open_loops, stepped_loops, stored_bounds, stored_choices
from ..ir.traverse import all_nodes
from .model import GivenData, Matrix
from .texts import PARTS
from .usage import Use, uses_of

Stored = Mapping[str, Mapping[str, StoredElements]]

_MOST_NAMED = 8
_BEHIND_POINTERS = "[]"  # of rows that are blocks of their own


class Arrays(Struct, frozen=True):
    """The arrays of a source whose elements are given, by their names there, and sizes that matrices have.

    ``sizes`` are values of symbols (``NAME@FUNCTION``), as ``-D`` takes them; ``matrices`` are the names of those that
    were bound by how they are used.
    """

    by_name: Mapping[str, GivenArray]
    sizes: Mapping[str, str] = field(default_factory=dict)
    matrices: tuple[str, ...] = ()


class BoundRegions(Struct, frozen=True):
    """Regions with what given arrays tell; ``settled`` are the lines of loops of which nothing is open any more."""

    regions: tuple[Region, ...]
    settled: frozenset[int]
    diagnostics: tuple[Diagnostic, ...]


def bound_arrays(given: GivenData, probed: Iterable[Region]) -> Arrays:
    """Return the arrays, those of matrices that are not bound by how the ``probed`` regions use them included.

    Raises ``OptionError`` where several matrices are given without names, or roles contradict each other.
    """
    found = dict(given.by_name)
    sizes: dict[str, str] = {}
    uses = uses_of(probed) if given.matrices or given.named else ()
    known = [(matrix, use) for matrix, use in product(given.named, uses) if _is_used(matrix, use)]
    for name in {name for _, use in known for name in use.arrays}:
        found.pop(name, None)  # they may count from 1
    for matrix, use in known:
        _bind(matrix, use, found, sizes)
    if given.matrices:
        if len(given.matrices) > 1 and uses:
            hint = "write --matrix csr:rowptr,col,val=FILE for each"
            raise OptionError("several matrices are given without the arrays that hold them", hint=hint)
        for use in uses:
            _bind(given.matrices[0], use, found, sizes)
        return Arrays(found, sizes, (given.matrices[0].name,) if uses else ())
    return Arrays(found, sizes)


def _is_used(matrix: Matrix, use: Use) -> bool:
    return matrix.format == use.format and all(map(eq, matrix.arrays, use.arrays))


def _bind(matrix: Matrix, use: Use, found: dict[str, GivenArray], sizes: dict[str, str]) -> None:
    from .formats import array_of, width_of  # here, as numpy is seldom needed

    for part, name, first in zip(PARTS[use.format], use.arrays, use.firsts, strict=False):
        array = array_of(matrix, use.format, part, name, first if part != "val" else 0)
        if found.get(name, array) != array:
            hint = f"name the arrays: --matrix {use.format}:{','.join(use.arrays)}=FILE"
            raise OptionError(f"{name} is used as an array of several kinds of matrices", hint=hint)
        found[name] = array
    for symbol, value in ((use.rows, matrix.rows), (use.width, width_of(matrix) if use.width else 0)):
        if symbol:
            sizes[f"{symbol}@{use.function}"] = str(value)


def sizes_of(regions: Iterable[Region]) -> dict[str, str]:
    """Return sizes that follow from the lengths of given arrays, as ``NAME@FUNCTION``.

    ``for (i = 0; i < n; i++) ... rowptr[i + 1]`` has as many iterations as the array has elements, less one; so has a
    kernel with ``if (i < n)`` threads.
    """
    found: dict[str, str] = {}
    for region in regions:
        open_ones = {symbol.name for symbol in region.symbols if symbol.value is None}
        indices = [
            element for node in all_nodes(region.body) for poly in deciding(node) for element in given_elements(poly)
        ]
        for node in all_nodes(region.body) if indices else ():
            for name, position in _ends(node):
                sizes = set(_lengths_along(indices, position)) if name in open_ones else set()
                if len(sizes) == 1:
                    found[f"{name}@{region.function}"] = str(sizes.pop())
    return found


def _ends(node: Node) -> Iterator[tuple[str, Poly]]:
    """Yield symbols below which a node keeps an index from 0 on, or up to which from 1 on, and the index from 0 on."""
    match node:
        case Loop(iterator=iterator, range=Strided(start=start, stop=stop, step=1), mapping=mapping):
            size = (stop - start).as_name
            if size is not None and start.constant in (0, 1) and not mapping.is_of_grid:
                yield size, Poly({(iterator,): 1}) - start
        case Guard(condition=condition):
            for leaf in leaves(condition):
                if isinstance(leaf, Compare) and leaf.comparison is Comparison.LT and leaf.right.as_name is not None:
                    yield leaf.right.as_name, leaf.left


def _lengths_along(indices: Iterable[Element], position: Poly) -> Iterator[int]:
    """Yield for each given array that is read at ``position + c`` how many positions it has elements for."""
    furthest: dict[GivenArray, int] = {}
    for element in indices:
        ahead = (element.index - position).constant
        if ahead is not None and isinstance(element.table, GivenArray):
            furthest[element.table] = max(furthest.get(element.table, ahead), ahead)
    for array, ahead in furthest.items():
        yield array.count - ahead


def with_given(regions: Iterable[Region], arrays: Arrays) -> BoundRegions:
    """Return the regions with the extents and trip counts that given arrays tell, and a note of what was bound.

    Raises ``OptionError`` where an array is shorter than the loops need.
    """
    if not arrays.by_name:
        return BoundRegions(tuple(regions), frozenset(), ())
    from .lengths import with_lengths  # here, as numpy is seldom needed

    found = [with_lengths(_with_extents(region, arrays)) for region in regions]
    return BoundRegions(
        tuple(_with_note(one.region, one.trips, arrays) for one in found),
        frozenset[int]().union(*(one.settled for one in found)),
        tuple(diagnostic for one in found for diagnostic in one.diagnostics),
    )


def with_run_loops(regions: Iterable[Region]) -> BoundRegions:
    """Return the regions with the trip counts that the values of their sizes tell by running the loops."""
    regions = tuple(regions)
    if not any(map(stepped_loops, regions)):
        return BoundRegions(regions, frozenset(), ())
    from .stepped import with_steps  # here, as numpy is seldom needed

    found = [with_steps(region) for region in regions]
    return BoundRegions(tuple(one.region for one in found), frozenset[int]().union(*(one.settled for one in found)), ())


def with_stored_rows(
    regions: Iterable[Region], keys: Mapping[str, str], lowered: Callable[[Stored], Sequence[Region]]
) -> BoundRegions:
    """Return the regions with what elements of arrays tell that the same function stores: rows, and what is touched.

    ``keys`` are those of functions by their names; ``lowered`` are the regions once more, with these elements of the
    arrays of each function.
    """
    regions = tuple(regions)
    whole = {
        region.function: region
        for region in regions
        if region.function in keys and (stored_bounds(region) or stored_choices(region))
    }
    if not whole:
        return BoundRegions(regions, frozenset(), ())
    from .stored import stored_elements, with_stored  # here, as numpy is seldom needed

    stored = {keys[name]: elements for name, region in whole.items() if (elements := stored_elements(region))}
    by_elements = {region.function: region for region in (lowered(stored) if stored else ())}
    found = {
        name: with_stored(region, by_elements[name])
        for name, region in whole.items()
        if keys[name] in stored and name in by_elements
    }
    changed = tuple(
        found[region.function].region if whole.get(region.function) is region and region.function in found else region
        for region in regions
    )
    settled = frozenset().union(*(one.settled for one in found.values()))
    still = {loop.span.line for region in changed for _, loop in open_loops(region)}
    return BoundRegions(changed, settled - still, ())


def used_in(regions: Iterable[Region], arrays: Arrays) -> frozenset[str]:
    """Return the names of the given arrays on which regions depend, and of the matrices that are bound by their use."""
    found = set(arrays.matrices)
    for region in regions:
        found |= {array.name for array in given_in(region.body)}
        found |= {array.name for array in region.arrays if _is_length(arrays.by_name.get(array.name))}
    return frozenset(found)


def names_of(regions: Iterable[Region]) -> frozenset[str]:
    """Return the arrays of integers that may be given."""
    arrays = (array for region in regions for array in region.arrays)
    return frozenset(array.name for array in arrays if array.element.scalar.is_integer and array.element.lanes == 1)


def _is_length(array: GivenArray | None) -> bool:
    return array is not None and not array.is_integer


def _with_extents(region: Region, arrays: Arrays) -> Region:
    """Return a region whose arrays without an extent have as many elements as they are given with."""

    def known(array: Array) -> Array:
        given = arrays.by_name.get(array.name)
        is_open = array.extents == (None,) and not array.name.endswith(_BEHIND_POINTERS)
        return array if given is None or not is_open else replace(array, extents=(const(given.count),))

    return replace(region, arrays=tuple(map(known, region.arrays)))


def _with_note(region: Region, trips: Mapping[str, Fraction], arrays: Arrays) -> Region:
    """Return a region with what it takes from given arrays as an assumption."""
    used = used_in((region,), replace(arrays, matrices=()))
    texts = [f"{name} has the {array.count} elements of {array.source}" for name, array in _sorted(arrays, used)]
    texts += [f"{name} = {float(trip):.6g}" for name, trip in sorted(trips.items())]
    if not texts:
        return region
    more = ("...",) if len(texts) > _MOST_NAMED else ()
    note = Assumption.of("AI320", region.span, "bound", values=(*texts[:_MOST_NAMED], *more))
    return replace(region, assumptions=(*region.assumptions, note))


def _sorted(arrays: Arrays, used: frozenset[str]) -> Sequence[tuple[str, GivenArray]]:
    return [(name, array) for name, array in sorted(arrays.by_name.items()) if name in used]
