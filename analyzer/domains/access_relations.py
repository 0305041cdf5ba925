"""Access relations: which elements, and which cache lines, an iteration touches.

Elements of one *cell* (an array seen through one member and one number of subscripts) form one integer space.
A linearised subscript ``a[i*N + j]`` with a symbolic ``N`` is not affine; it is split into ``(i, j)`` with strides
``(N, 1)`` on the assumption that the inner part stays inside its row (Grosser et al., *Optimistic delinearization of
parametrically sized arrays*, ICS 2015).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise

from msgspec import Struct
from msgspec.structs import replace

from ..ir.index import Atom, Monomial, Poly, const, floor_div, indicated, var
from ..ir.nodes import Strided
from ..ir.values import Access
from .counter_digits import in_digits
from .domain import Iteration, Schedule, StatementDomain
from .formula import Formula, NotAffine
from .isl.sets import Relation, points, relation
from .limits import OverBudget


class Cell(Struct, frozen=True):
    """A space of elements that may coincide: same array, member, width and dimensions."""

    array: str
    offset_bytes: int
    size_bytes: int
    strides_bytes: tuple[Poly | None, ...]


def cell_of(access: Access) -> Cell:
    """Return the space that an access belongs to; vectors that begin at any element are in that of the elements."""
    return Cell(access.array, access.offset_bytes, access.type.size_bytes // parts_of(access), access.strides_bytes)


def parts_of(access: Access) -> int:
    """Return how many elements a vector covers that lies in an array of smaller ones; 1 for all others."""
    stride = access.strides_bytes[-1].constant if access.strides_bytes and access.strides_bytes[-1] else None
    wide = access.type.lanes > 1 and stride is not None and 0 < stride < access.type.size_bytes
    return access.type.size_bytes // stride if wide and stride and access.type.size_bytes % stride == 0 else 1


def with_values(cell: Cell, values: Mapping[str, int]) -> Cell:
    """Return the same space with numbers for its strides."""
    strides = (None if stride is None else const(stride.evaluate(values)) for stride in cell.strides_bytes)
    return replace(cell, strides_bytes=tuple(strides))


def elements(statement: StatementDomain, access: Access) -> Relation:
    """Map an iteration of the statement to the elements that the access touches; raises ``NotAffine``."""
    formula = statement.formula.renewed()
    image = [formula.affine(subscript) for subscript in in_digits(access.subscripts, statement.loops, formula)]
    return _relation(statement, image, formula, width=parts_of(access))


def never_meet(statement: StatementDomain, one: Access, other: Access) -> bool:
    """Return whether two accesses of one array surely have different elements in each iteration of a statement.

    Members at other offsets of the same structures are different elements.
    """
    cells = cell_of(one), cell_of(other)
    if cells[0] != cells[1]:
        same = replace(cells[0], offset_bytes=cells[1].offset_bytes) == cells[1]
        return same and parts_of(one) == parts_of(other) == 1
    if parts_of(one) > 1 or parts_of(other) > 1:
        return False
    apart = tuple(left - right for left, right in zip(one.subscripts, other.subscripts, strict=True))
    try:
        met = elements(statement, replace(other, subscripts=apart)).image(statement.domain.upper)
    except (NotAffine, OverBudget):
        return False
    return not met.meets(points(f"{{ [{', '.join('0' for _ in apart)}] }}"))


def runs_on(statement: StatementDomain, access: Access) -> bool:
    """Return whether the last subscript may run beyond its row, as ``p[k]`` does over all rows of ``a[n][m]``.

    The other subscripts are numbers: what is said of these alone, as others are assumed to stay in their rows.
    """
    if len(access.subscripts) < 2 or not _is_flat(access):
        return False
    row = floor_div(_known(access.strides_bytes[-2]), _known(access.strides_bytes[-1]))
    formula = statement.formula.renewed()
    try:
        last, length = formula.affine(access.subscripts[-1]), formula.affine(row)
    except NotAffine:
        return True
    dims = ", ".join(statement.domain.names.iterator(name) for name in statement.domain.iterators)
    condition = formula.close([f"({last} < 0 or {last} >= {length})"])
    outside = f"{statement.domain.names.parameters_in(condition)} -> {{ [{dims}] : {condition} }}"
    return points(outside).meets(statement.domain.upper)


def whole_rows(statement: StatementDomain, access: Access) -> Relation | None:
    """Map the first iteration of a loop over all elements of whole rows to these, row by row; None where it is no such.

    That is ``for (k = 0; k < n*m; k++) p[k]`` of ``a[n][m]``.  Dimensions before the first of known strides stay.
    """
    kept = max((number + 1 for number, stride in enumerate(access.strides_bytes) if stride is None), default=0)
    *leading, last = access.subscripts[kept:]
    loop = next((loop for loop in statement.loops if var(loop.iterator) == last), None)
    if (
        any(subscript.terms for subscript in leading)
        or loop is None
        or not isinstance(loop.range, Strided)
        or loop.range.step != 1
    ):
        return None
    strides = [_known(stride) for stride in access.strides_bytes[kept:]]
    extents = [floor_div(one, other) for one, other in pairwise(strides)]
    whole = floor_div(strides[0], strides[-1])
    rows = floor_div(loop.range.stop, whole)
    exact = all(extent * stride == outer for extent, (outer, stride) in zip(extents, pairwise(strides), strict=True))
    if loop.range.start.terms or not exact or rows * whole != loop.range.stop:
        return None
    formula = statement.formula.renewed()
    try:
        sizes = [formula.affine(extent) for extent in (rows, *extents)]
        starts = [formula.affine(subscript) for subscript in access.subscripts[:kept]]
    except NotAffine:
        return None
    dims = ", ".join(statement.domain.names.iterator(name) for name in statement.domain.iterators)
    first = f"{statement.domain.names.iterator(loop.iterator)} = 0"
    inside = [f"0 <= e{k} and e{k} < {size}" for k, size in enumerate(sizes, kept)]
    condition = formula.close([first, *(f"e{k} = {start}" for k, start in enumerate(starts)), *inside])
    image = ", ".join(f"e{k}" for k in range(kept + len(sizes)))
    return relation(f"{statement.domain.names.parameters_in(condition)} -> {{ [{dims}] -> [{image}] : {condition} }}")


def _is_flat(access: Access) -> bool:
    known = all(stride is not None for stride in access.strides_bytes[-2:])
    return known and all(subscript.constant is not None for subscript in access.subscripts[:-1])


def _known(stride: Poly | None) -> Poly:
    return const(0) if stride is None else stride


def schedule(statement: StatementDomain, length: int, *, write: bool) -> Relation:
    """Map an iteration of the statement to its time in its outermost loop.

    A statement reads before it writes.
    """
    moments = [_moment(statement, entry) for entry in _inside(statement.schedule)]
    padding = ["0"] * (length - len(moments))
    return _relation(statement, [*moments, *padding, "1" if write else "0"], statement.formula.renewed())


def wholly_before(one: Schedule, other: Schedule) -> bool | None:
    """Return whether all executions of one position come before all of another, or all after.

    None where they alternate.
    """
    for here, there in zip(one, other, strict=False):
        if isinstance(here, Iteration) or isinstance(there, Iteration):
            return None
        if here != there:
            return here < there
    return None


def lines(cell: Cell, line_bytes: int) -> Relation:
    """Map an element to its cache line; raises ``NotAffine`` where even the innermost stride is unknown.

    With constant strides lines are those of the address, the array starting on a line boundary.  Behind the last
    symbolic stride they are those of the address in its row, and every row is assumed to start on a line boundary.
    """
    dims = [f"e{k}" for k in range(len(cell.strides_bytes))]
    strides = [None if stride is None else stride.constant for stride in cell.strides_bytes]
    kept = max((number + 1 for number, stride in enumerate(strides) if stride is None), default=0)
    if kept and kept == len(dims):
        raise NotAffine("stride of the last dimension")
    inside = zip(strides[kept:], dims[kept:], strict=True)
    address = " + ".join([*(f"{stride}*{dim}" for stride, dim in inside), str(cell.offset_bytes)])
    image = ", ".join([*dims[:kept], f"floor(({address})/{line_bytes})"])
    return relation(f"{{ [{', '.join(dims)}] -> [{image}] }}")


def units(cell: Cell, unit_bytes: int, kept: int) -> Relation:
    """Map an element to the units of so many bytes in it: behind the leading dimensions that are ``kept``, by address.

    The unit divides the offset, the size, and all strides of the other dimensions, which are numbers.
    """
    dims = [f"e{k}" for k in range(len(cell.strides_bytes))]
    strides = [stride.constant for stride in cell.strides_bytes[kept:] if stride is not None]
    terms = [f"{stride // unit_bytes}*{dim}" for stride, dim in zip(strides, dims[kept:], strict=True) if stride]
    start = " + ".join([str(cell.offset_bytes // unit_bytes), *terms])
    same = [f"k{k} = e{k}" for k in range(kept)]
    inside = [f"u >= {start}", f"u < {start} + {cell.size_bytes // unit_bytes}"]
    image = ", ".join([*(f"k{k}" for k in range(kept)), "u"])
    return relation(f"{{ [{', '.join(dims)}] -> [{image}] : {' and '.join([*same, *inside])} }}")


def is_linear(cell: Cell) -> bool:
    """Return whether lines of the cell are found from constant strides."""
    return all(stride is not None and stride.constant is not None for stride in cell.strides_bytes)


def delinearize(accesses: Iterable[Access], iterators: frozenset[str]) -> Mapping[Access, Access]:
    """Split linearised subscripts of symbolic row lengths; maps each access that changes to its new form.

    All accesses of one array with the same strides are split alike, by the row lengths that any of them shows.
    """
    groups: dict[tuple[str, tuple[Poly | None, ...]], list[Access]] = {}
    for access in accesses:
        groups.setdefault((access.array, access.strides_bytes), []).append(access)
    return {access: new for members in groups.values() for access, new in _in_rows(members, iterators).items()}


def _in_rows(members: Sequence[Access], iterators: frozenset[str]) -> Mapping[Access, Access]:
    """Return accesses of the same strides with the subscripts split that have rows; {} where none has."""
    found = [
        _row_lengths(subscripts, iterators) for subscripts in zip(*(each.subscripts for each in members), strict=True)
    ]
    strides = members[0].strides_bytes
    rows = [None if stride is None else each for each, stride in zip(found, strides, strict=True)]
    if not any(rows):
        return {}
    split = [
        (stride,) if lengths is None or stride is None else tuple(Poly({row: 1}) * stride for row in lengths)
        for lengths, stride in zip(rows, strides, strict=True)
    ]
    changed: dict[Access, Access] = {}
    for access in members:
        parts = (
            (subscript,) if lengths is None else _split(subscript, lengths)
            for subscript, lengths in zip(access.subscripts, rows, strict=True)
        )
        changed[access] = replace(access, subscripts=tuple(chain(*parts)), strides_bytes=tuple(chain(*split)))
    return changed


def _relation(statement: StatementDomain, image: list[str], formula: Formula, width: int = 1) -> Relation:
    """Map the iterations of a statement to a vector of expressions, which may use auxiliary variables.

    The last one is the first of ``width`` values.
    """
    dims = ", ".join(statement.domain.names.iterator(name) for name in statement.domain.iterators)
    results = ", ".join(f"e{k}" for k in range(len(image)))
    equal = [f"e{k} = {expression}" for k, expression in enumerate(image)]
    if width > 1:
        equal[-1:] = [f"e{len(image) - 1} >= {image[-1]}", f"e{len(image) - 1} < {image[-1]} + {width}"]
    condition = formula.close(equal)
    parameters = statement.domain.names.parameters_in(condition)
    return relation(f"{parameters} -> {{ [{dims}] -> [{results}] : {condition} }}")


def _inside(schedule: Schedule) -> Schedule:
    """Return the schedule without the dimension that distinguishes the outermost loop from its neighbours."""
    iterations = (index for index, entry in enumerate(schedule) if isinstance(entry, Iteration))
    return schedule[next(iterations, len(schedule) - 1) :]


def _moment(statement: StatementDomain, entry: int | Iteration) -> str:
    if isinstance(entry, int):
        return str(entry)
    name = statement.domain.names.iterator(entry.iterator)
    return f"-{name}" if entry.downwards else name


def _row_lengths(subscripts: Sequence[Poly], iterators: frozenset[str]) -> list[Monomial] | None:
    """Return symbolic factors of iterators, longest first and ending with (); None where they are no chain."""
    factors: set[Monomial] = {()}
    for subscript in subscripts:
        for monomial in subscript.terms:
            inside = [atom for atom in monomial if _depends(atom, iterators)]
            if len(inside) > 1:
                return None
            if inside and indicated(inside[0]) is None:
                factors.add(tuple(atom for atom in monomial if atom is not inside[0]))
    ordered = sorted(factors, key=len, reverse=True)
    chained = all(_quotient(longer, shorter) is not None for longer, shorter in pairwise(ordered))
    return ordered if len(ordered) > 1 and chained else None


def _split(subscript: Poly, rows: list[Monomial]) -> tuple[Poly, ...]:
    """Give every term to the longest row length that divides it and leaves no symbol on an iterator.

    What is added where an iterator has a value (:func:`indicated`) belongs to the row length of this iterator.
    """
    parts: list[Poly] = [const(0) for _ in rows]
    for monomial, number in subscript.terms.items():
        added = next((atom for atom in monomial if indicated(atom) is not None), None)
        steps = () if added is None else Poly({(added,): 1}).names()
        own = [row for row in rows if any(subscript.terms.get(_times(row, name)) for name in steps)]
        for row in (*own, *rows):
            rest = _quotient(monomial, row)
            if rest is not None:
                parts[rows.index(row)] += Poly({rest: number})
                break
    return tuple(parts)


def _times(row: Monomial, name: str) -> Monomial:
    return next(iter((Poly({row: 1}) * var(name)).terms))


def _quotient(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    rest = list(monomial)
    for atom in divisor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def _depends(atom: Atom, iterators: frozenset[str]) -> bool:
    return not Poly({(atom,): 1}).names().isdisjoint(iterators)
