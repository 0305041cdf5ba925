"""Rows of sparse matrices in a kernel: as long, on average, as what was allocated for all of them leaves for each.

A loop that goes along a row from ``ptr[r]`` to ``ptr[r + 1]`` comes to ``val[k]``: where ``val`` has room for so many
elements, and ``ptr`` for so many rows and one more, the quotient is the mean trip count, if nothing was allocated in
vain.  Rows that do not overlap are not longer.  Threads that share a row go along it in steps, each of them a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from msgspec.structs import replace

from ..index import Poly
from ..nodes import Assumption, Loop, Region, Uncounted
from ..traverse import accesses_in, all_nodes
from ..values import Access


def with_allocated_rows(regions: Iterable[Region]) -> tuple[Region, ...]:
    """Return the regions with the mean trip counts of loops over rows whose elements the host allocates."""
    return tuple(map(_with_rows, regions))


def _with_rows(region: Region) -> Region:
    if region.launch is None or not region.launch.array_bytes:
        return region
    known = {symbol.name for symbol in region.symbols if symbol.value is not None} | dict(region.averages).keys()
    element_bytes = {array.name: array.element_bytes for array in region.arrays}
    elements = {
        name: size // element_bytes[name] for name, size in region.launch.array_bytes if element_bytes.get(name)
    }
    found: dict[str, Fraction] = {}
    notes = []
    for node in all_nodes(region.body):
        if isinstance(node, Loop) and isinstance(node.range, Uncounted) and node.range.trip not in known | found.keys():
            array, mean = min(_means(node, elements), key=lambda each: each[1], default=("", None))
            if mean is not None and node.range.length is None and node.range.steps is None:
                found[node.range.trip] = mean
                trip = f"{node.range.trip} = {float(mean):.4g}"
                notes.append(Assumption.of("AI326", node.span, "rows", trip=trip, array=array))
    if not found:
        return region
    return replace(region, likely=tuple(found.items()), assumptions=(*region.assumptions, *notes))


def _means(loop: Loop, elements: Mapping[str, int]) -> Iterator[tuple[str, Fraction]]:
    """Yield the arrays that a loop over a row goes along, with the mean trip count by their size."""
    ends = {access.array for access, _ in accesses_in(loop.header)} & elements.keys()
    for access, _ in accesses_in(loop.body):
        start = _start_of_row(access, loop.iterator)
        if start is not None and start[0] in ends and elements.get(access.array) and elements[start[0]] > 1:
            yield access.array, Fraction(elements[access.array], (elements[start[0]] - 1) * start[1])


def _start_of_row(access: Access, iterator: str) -> tuple[str, int] | None:
    """Return the array that says where the row of an access starts, and the step along it; None of other accesses."""
    if len(access.subscripts) != 1:
        return None
    (subscript,) = access.subscripts
    starts = {atom.array for atom in subscript.unknowns() if atom.array}
    step = _coefficient(subscript, iterator)
    return (starts.pop(), step) if len(starts) == 1 and step else None


def _coefficient(subscript: Poly, iterator: str) -> int:
    factor = subscript.terms.get((iterator,), 0)
    return int(factor) if factor == int(factor) and factor > 0 else 0
