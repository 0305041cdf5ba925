"""Which arrays of a source hold a sparse matrix, by how it uses them: regions in which nothing is given -> roles.

* ``for (k = P[i]; k < P[i + 1]; k++) ... x[C[k]] ... v[k]``: row pointers P, columns C and elements v of CSR.
* ``for (k = 0; k < L[i]; k++) ... x[C[i][k]]``: lengths L and columns C of rows of their own, also ``x[C[i*m + k]]``.
* ``x[C[k*n + i]]`` in loops over ``i`` and ``k``: columns of ELLPACK, element by element; ``x[C[i*w + k]]``: by rows.
* ``y[R[k]] += v[k] * x[C[k]]``: the rows and columns of a matrix in coordinates.

The regions are lowered with every array of integers taken for one that is given (:class:`EveryArray`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from ..ir.given_array import GivenArray
from ..ir.index import Element, Number, Poly, given_elements
from ..ir.nodes import Loop, Region, Statement, Strided
from ..ir.passes.given import counted_loops, lengths_of
from ..ir.traverse import accesses, all_nodes
from ..ir.values import Access
from ..ir.walk import Visit, statements

_ANY_ROW = 1 << 20  # elements of rows behind pointers, of a table whose rows have lengths of their own


class EveryArray(Mapping[str, GivenArray]):
    """Takes every array for one that is given, with elements that are not known."""

    def __getitem__(self, name: str) -> GivenArray:
        """Return an array of this name."""
        return GivenArray.of_bytes(name, b"", source="", row=_ANY_ROW)

    def __iter__(self) -> Iterator[str]:
        """Yield nothing: the names are not known."""
        return iter(())

    def __len__(self) -> int:
        """Return 0."""
        return 0


class Use(Struct, frozen=True, kw_only=True):
    """Arrays that one region uses as those of a matrix: the ``format`` and its arrays, in the order of its parts.

    ``rows`` and ``width`` are the symbols that loops over the rows, and over a row of ELLPACK, run to; empty where
    these are others.  ``firsts`` are the numbers from which each of the arrays counts what it chooses: 0, or 1 as in
    Fortran.
    """

    format: str
    arrays: tuple[str, ...]
    function: str
    rows: str = ""
    width: str = ""
    firsts: tuple[int, ...] = ()


def uses_of(regions: Iterable[Region]) -> tuple[Use, ...]:
    """Return the matrices that regions use, each once."""
    found: dict[Use, None] = {}
    for region in regions:
        firsts = _firsts(region)
        for use in (*_by_pointers(region), *_by_lengths(region), *_by_elements(region)):
            found[replace(use, firsts=tuple(firsts.get(name, 0) for name in use.arrays))] = None
    return tuple(found)


def _firsts(region: Region) -> dict[str, int]:
    """Return 1 for the arrays whose elements choose others only less one: ``x[col[k] - 1]``."""
    shifts: dict[str, set[Number]] = {}
    for node in all_nodes(region.body):
        for access, _ in accesses(node) if isinstance(node, Statement) else ():
            waiting = [*access.subscripts]
            while waiting:
                index = waiting.pop()
                for element in given_elements(index):
                    waiting.append(element.index)
                    if index.terms.get((element,)) == 1 and isinstance(element.table, GivenArray):
                        shifts.setdefault(element.table.name, set()).add(index.terms.get((), 0))
    return {name: 1 for name, found in shifts.items() if found == {-1}}


def _by_pointers(region: Region) -> Iterator[Use]:
    for loop in counted_loops(region.body):
        (length,) = lengths_of(loop)
        pointers = _pointers(length)
        if pointers is None:
            continue
        inside = [node for node in all_nodes(loop.body) if isinstance(node, Statement)]
        uses = [access for node in inside for access, _ in accesses(node)]
        columns = {
            element.table.name: None
            for access in uses
            for subscript in access.subscripts
            for element in subscript.unknowns()
            if isinstance(element, Element)
            and isinstance(element.table, GivenArray)
            and element.table.name != pointers.name
            and any(inner.table == pointers for inner in given_elements(element.index))
        }
        if len(columns) != 1:
            continue
        values = {
            access.array: None
            for access in uses
            if access.array not in columns and _is_of_row(access, pointers) and _is_float(region, access.array)
        }
        (column,) = columns
        arrays = (pointers.name, column, *(values if len(values) == 1 else ()))
        yield Use(format="csr", arrays=arrays, function=region.function, rows=_rows(region, length))


def _by_lengths(region: Region) -> Iterator[Use]:
    for loop in counted_loops(region.body):
        (length,) = lengths_of(loop)
        (lengths, *others) = given_elements(length)
        if others or length != Poly({(lengths,): 1}) or not isinstance(lengths.table, GivenArray):
            continue
        inside = [node for node in all_nodes(loop.body) if isinstance(node, Statement)]
        uses = [access for node in inside for access, _ in accesses(node)]
        columns = {
            element.table.name: None
            for access in uses
            for element in _chosen_by(access)
            if isinstance(element.table, GivenArray) and element.index.coefficient(loop.iterator).constant == 1
        }
        if len(columns) != 1:
            continue
        (column,) = columns
        places = [access.subscripts for access in uses if access.array == column]
        values = {
            access.array: None for access in uses if access.subscripts in places and _is_float(region, access.array)
        }
        arrays = (lengths.table.name, column, *(values if len(values) == 1 else ()))
        yield Use(format="rows", arrays=arrays, function=region.function, rows=_rows(region, length))


def _pointers(length: Poly) -> GivenArray | None:
    """Return the array of which a length is the difference between two neighbours, also in strides."""
    elements = sorted(given_elements(length), key=lambda element: element.label)
    if len(elements) != 2 or elements[0].table != elements[1].table:
        return None
    apart = (elements[0].index - elements[1].index).constant
    table = elements[0].table
    return table if apart in (1, -1) and isinstance(table, GivenArray) else None


def _is_of_row(access: Access, pointers: GivenArray) -> bool:
    """Return whether an element is one of a row: its index starts where the pointer says."""
    return any(
        isinstance(atom, Element) and atom.table == pointers
        for subscript in access.subscripts
        for atom in subscript.atoms()
    )


def _is_float(region: Region, array: str) -> bool:
    return any(each.name == array and not each.element.scalar.is_integer for each in region.arrays)


def _rows(region: Region, length: Poly) -> str:
    """Return the symbol that the loop over rows runs to."""
    names = length.names()
    for node in all_nodes(region.body):
        if isinstance(node, Loop) and node.iterator in names and _is_of_source(node):
            assert isinstance(node.range, Strided)
            start, stop = node.range.start, node.range.stop
            ends = (stop - start,) if node.range.step == 1 and start.constant in (0, 1) else ()
            if node.range.step == -1 and stop.constant == -1:
                ends = (start + 1,)
            for end in ends:
                if end.as_name is not None:
                    return end.as_name
    return ""


def _is_of_source(loop: Loop) -> bool:
    """Return whether the source has a loop with bounds, and a launch does not give them."""
    return isinstance(loop.range, Strided) and not loop.mapping.is_of_grid


def _by_elements(region: Region) -> Iterator[Use]:
    gathers: dict[tuple[tuple[str, ...], Poly], dict[str, bool]] = {}
    scopes: dict[tuple[tuple[str, ...], Poly], Visit] = {}
    for visit in statements(region):
        assert isinstance(visit.node, Statement)
        for access, write in accesses(visit.node):
            for element in _chosen_by(access):
                assert isinstance(element.table, GivenArray)
                key = (tuple(loop.iterator for loop in visit.loops), element.index)
                writes = gathers.setdefault(key, {})
                writes[element.table.name] = writes.get(element.table.name, False) or write
                scopes[key] = visit
    for (iterators, index), arrays in gathers.items():
        columns = [name for name, is_written in arrays.items() if not is_written]
        rows = [name for name, is_written in arrays.items() if is_written]
        loops = [loop for loop in scopes[iterators, index].loops if loop.iterator in index.names()]
        if len(columns) == 1 and len(rows) == 1 and len(loops) == 1:
            yield Use(format="coo", arrays=(rows[0], columns[0]), function=region.function)
        elif len(columns) == 1 and not rows and len(loops) == 2 and all(map(_is_of_source, loops)):
            yield from _ellpack(region, columns[0], index, loops[0], loops[1])


def _chosen_by(access: Access) -> Iterator[Element]:
    """Yield the elements of integers that alone choose what a reference touches."""
    for subscript in access.subscripts:
        for element in given_elements(subscript):
            if not given_elements(element.index):
                yield element


def _ellpack(region: Region, column: str, index: Poly, outer: Loop, inner: Loop) -> Iterator[Use]:
    ends = [
        loop.range.stop.as_name
        if isinstance(loop.range, Strided) and _is_of_source(loop) and loop.range.start.constant == 0
        else None
        for loop in (outer, inner)
    ]
    along = [index.coefficient(loop.iterator) for loop in (outer, inner)]
    if along[0].constant == 1 and along[1].constant != 1:
        format_ = "ell"
    elif along[1].constant == 1 and along[0].constant != 1:
        format_ = "ellrow"
    else:
        return
    yield Use(format=format_, arrays=(column,), function=region.function, rows=ends[0] or "", width=ends[1] or "")
