"""Arrays of integers that a function stores itself: what is in them, the rows that it then walks, what it touches.

``if (i > 0) col[k++] = r - m; ... row[r + 1] = k`` and then ``for (k = row[r]; k < row[r + 1]; k++) s += x[col[k]]``:
where counters and numbers alone decide all stores, these are run.  The loops are counted by the elements, and where
these choose what is touched, they are like those that a user gives.  An array that is stored under a condition on data,
in several orders, or with gaps has no elements here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from ..errors import OptionError
from ..frontend.lower.functions.stored_values import StoredElements, number_of
from ..ir.given_array import GivenArray
from ..ir.index import Poly, const, exact_quotient
from ..ir.nodes import Assumption, Exit, Loop, Node, Region, Statement
from ..ir.passes.given import given_in, open_loops, stored_bounds, stored_choices
from ..ir.passes.substitute import bind
from ..ir.passes.summaries import has_summaries
from ..ir.traverse import accesses_in, all_nodes, map_bodies
from ..ir.values import Access
from ..traffic.program.program import NotNumeric
from .executions import Rows, TooManyRows, visit_executions
from .lengths import Measured, with_averages, with_lengths

_MOST_ELEMENTS = 1 << 24  # 4 s of CPU time to run the stores, 8 s to count by them


class _NotKnown(Exception):
    """Something that is stored, or where, is not known."""


def stored_elements(region: Region) -> dict[str, StoredElements]:
    """Return the elements of the arrays of integers that a region stores, and by which it counts loops or chooses."""
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    found: dict[str, StoredElements] = {}
    for array in sorted(stored_bounds(region) | stored_choices(region)):
        if not _is_stored_before(region, array):
            continue
        try:
            elements, loops = _run(bind(region, values), array)
        except (_NotKnown, NotNumeric, TooManyRows):
            continue
        source = f"what {region.function} stores"
        found[array] = StoredElements(GivenArray.of_bytes(array, elements.tobytes(), source=source), loops)
    return found


def with_stored(region: Region, by_elements: Region) -> Measured:
    """Return a region with what stored elements tell: all of them where they choose what it touches, else mean rows."""
    chosen = given_in(by_elements.body)
    if not stored_choices(region).isdisjoint(array.name for array in chosen):
        try:
            found = with_lengths(by_elements)
        except OptionError:  # elements are read that are not stored
            return Measured(region, frozenset(), {}, ())
        if not found.diagnostics:
            note = Assumption.of("AI320", region.span, "elements", values=tuple(sorted(array.name for array in chosen)))
            return replace(found, region=replace(found.region, assumptions=(*found.region.assumptions, note)))
    return _with_mean_rows(region, by_elements)


def _with_mean_rows(region: Region, by_elements: Region) -> Measured:
    """Return a region with the mean trip counts of the same one whose loops stored elements count."""
    open_ones = dict(open_loops(region))
    try:
        means = {trip: mean for trip, mean in with_lengths(by_elements).trips.items() if trip in open_ones}
        found = with_averages(region, means)
    except OptionError:  # elements are read that are not stored
        return Measured(region, frozenset(), {}, ())
    notes = (
        Assumption.of("AI320", open_ones[trip].span, "stored", trip=f"{trip} = {float(mean):.6g}")
        for trip, mean in means.items()
    )
    return replace(
        found,
        region=replace(found.region, assumptions=(*region.assumptions, *notes)),
        settled=frozenset(open_ones[trip].span.line for trip in means),
    )


def _is_stored_before(region: Region, array: str) -> bool:
    """Return whether nothing stores to an array once something reads it, nor in a call that is not inlined."""
    stored, read = -1, len(region.body)
    for number, node in enumerate(region.body):
        uses = [is_store for access, is_store in accesses_in((node,)) if access.array == array]
        if any(uses):
            stored = number
        if not all(uses):
            read = min(read, number)
    return stored < read and not has_summaries(region.body)


def _run(region: Region, array: str) -> tuple[NDArray[np.int64], int]:
    """Return the elements that a region stores to an array, and the outermost loops that do; raises ``_NotKnown``."""
    elements = np.zeros(0, dtype=np.int64)
    is_stored = np.zeros(0, dtype=bool)
    loops = 0
    for node in region.body:
        stores = [access for access, is_store in accesses_in((node,)) if is_store and access.array == array]
        if not stores:
            continue
        loops += isinstance(node, Loop)
        pairs = _pairs(node, array)
        end = int(max((positions.max() for positions, _ in pairs if len(positions)), default=-1)) + 1
        if end > _MOST_ELEMENTS or any(positions.min() < 0 for positions, _ in pairs if len(positions)):
            raise _NotKnown
        if end > len(elements):
            elements = np.concatenate([elements, np.zeros(end - len(elements), dtype=np.int64)])
            is_stored = np.concatenate([is_stored, np.zeros(end - len(is_stored), dtype=bool)])
        for positions, numbers in pairs:
            elements[positions], is_stored[positions] = numbers, True
        if any((elements[positions] != numbers).any() for positions, numbers in pairs):
            raise _NotKnown  # the order of the stores decides
    if not loops or not is_stored.all():
        raise _NotKnown
    return elements, loops


_Pair = tuple[NDArray[np.int64], NDArray[np.int64]]


def _pairs(node: Node, array: str) -> list[_Pair]:
    """Return positions and numbers of all stores of a node to an array."""
    if any(isinstance(each, Exit) for each in all_nodes((node,))):
        raise _NotKnown
    pairs: list[_Pair] = []

    def visit(each: Node, rows: Rows) -> None:
        if not isinstance(each, Statement) or not _is_store(each, array):
            return
        number = number_of(each.value)
        position = _position(each.target) if isinstance(each.target, Access) and not each.target.atomic else None
        if number is None or position is None or not rows.is_certain:
            raise _NotKnown
        pairs.append((rows.value(position), rows.value(number)))

    visit_executions(_only_stores((node,), array), visit, needed=_indices)
    return pairs


def _position(access: Access) -> Poly | None:
    """Return the number of an element from the start of its array on, rows one after the other; None where unknown."""
    if access.member or any(subscript.unknowns() for subscript in access.subscripts):
        return None
    offset = const(access.offset_bytes)
    for subscript, stride in zip(access.subscripts, access.strides_bytes, strict=True):
        if stride is None:
            return None
        offset += subscript * stride
    return exact_quotient(offset, access.type.size_bytes)


def _is_store(node: Node, array: str) -> bool:
    return isinstance(node, Statement) and isinstance(node.target, Access) and node.target.array == array


def _only_stores(nodes: Sequence[Node], array: str) -> tuple[Node, ...]:
    """Return the nodes that store to an array, and those around them."""
    kept = (node for node in nodes if any(_is_store(each, array) for each in all_nodes((node,))))
    return tuple(map_bodies(node, lambda body: _only_stores(body, array)) for node in kept)


def _indices(statement: Statement) -> Iterator[Poly]:
    """Yield what decides where a statement stores, and what."""
    number = number_of(statement.value)
    if isinstance(statement.target, Access):
        yield from statement.target.subscripts
    if number is not None:
        yield number
