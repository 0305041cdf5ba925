"""Footprints: distinct elements and cache lines that a region reads first, writes, and touches.

With access relation A (iteration -> element) and block map b (element -> line): ``elements = card(ran A)`` and
``lines = card(b(ran A))``.  *Read* are the elements whose first use is a read: all elements read, except elements
that some write precedes, found by comparing the first read and the first write of each element in execution order.
At line granularity a line counts as read when it holds an element that is read first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from fractions import Fraction
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from ..cache_lines import DEFAULT_LINE_BYTES
from ..counts.branch_uses import in_any_case
from ..counts.references import Direction, references_of
from ..domains.access_relations import (
    Cell,
    cell_of,
    elements,
    is_linear,
    lines,
    parts_of,
    with_values,
)
from ..domains.domain import StatementDomain
from ..domains.formula import Names, NotAffine
from ..domains.isl.sets import Points, Relation
from ..domains.limits import OverBudget, check
from ..ir.values import Access
from ..quantities.quantity import ZERO, Exactness, Quantity, add, bounded, combined, exact
from ..quantities.quasipolynomial import NOTHING
from .bracket import Bracket, Spread, Touch, bracket_of, spread_of, union_of
from .first_reads import read_first
from .overlaps import Cells, Uses, apart, shared
from .results import ArrayFootprint, Extent, Footprint
from .unknown_elements import distinct, elements_of_a_row, unknown_elements

_EMPTY = Extent(ZERO, ZERO, ZERO)


class _Part(Struct, frozen=True):
    """The elements of one cell: a set, and how many others data choose; whether they are ``certain`` to be in it."""

    cell: Cell
    bracket: Bracket
    irregular: Quantity
    is_certain: bool


def footprint_of(
    statements: Sequence[StatementDomain],
    renamed: Mapping[Access, Access],
    line_bytes: int | None,
    sizes: Mapping[str, int] | None = None,
    on_chip: Set[str] = frozenset(),
    bytes_of: Mapping[str, int] = MappingProxyType({}),
    rows_of: Mapping[str, int] = MappingProxyType({}),
) -> Footprint:
    """Return the distinct elements and lines of every array; ``renamed`` maps accesses to their delinearised form.

    Arrays that are ``on_chip`` (shared memory) are left out.  Data choose among the elements in all ``bytes_of`` one,
    or among the ``rows_of`` one.

    No lines are counted where ``line_bytes`` is None; with ``sizes`` of all symbols they are counted for these, from
    the addresses.
    """
    uses = _collect(statements, renamed)
    arrays: dict[str, Cells] = {}
    for cell, found in uses.items():
        if cell.array in on_chip:
            continue
        arrays.setdefault(cell.array, []).append((cell, found))
    for name, cells in arrays.items():
        for cell, found in cells:
            found.elements = _most_elements(cell, bytes_of.get(name))
            if found.elements is None and name in rows_of:
                found.elements = _elements_of_rows(found, rows_of[name])
    footprints = tuple(_array(name, cells, line_bytes, sizes) for name, cells in arrays.items())
    read, written, touched = (
        (_sum(part) for part in zip(*((f.read, f.written, f.touched) for f in footprints), strict=True))
        if footprints
        else (_EMPTY, _EMPTY, _EMPTY)
    )
    return Footprint(line_bytes or DEFAULT_LINE_BYTES, read, written, touched, footprints)


def _collect(statements: Sequence[StatementDomain], renamed: Mapping[Access, Access]) -> dict[Cell, Uses]:
    uses: dict[Cell, Uses] = {}
    for statement in statements:
        for reference in references_of(statement):
            access = renamed.get(reference.access, reference.access)
            found, width = uses.setdefault(cell_of(access), Uses()), parts_of(access)
            try:
                relation = elements(statement, access)
            except NotAffine:
                found.unknown.append(unknown_elements(statement, reference.direction, access, width))
                found.of_a_row.setdefault(access.subscripts[1:], elements_of_a_row(statement, access))
                continue
            found.affine.append(Touch(statement, statement.domain, reference.direction, access, relation, width))
    return uses


def _most_elements(cell: Cell, size_bytes: int | None) -> int | None:
    """Return how many elements of a cell there are at most in an array of so many bytes."""
    last = cell.strides_bytes[-1].constant if cell.strides_bytes and cell.strides_bytes[-1] is not None else None
    step = abs(last) if isinstance(last, int) and last else cell.size_bytes
    return None if size_bytes is None else size_bytes // step


def _elements_of_rows(uses: Uses, rows: int) -> int | None:
    """Return how many elements references to so many rows, which data choose, use at most; None if that is unknown."""
    each = [number for number in uses.of_a_row.values() if number is not None]
    return rows * sum(each) if each and len(each) == len(uses.of_a_row) else None


def _array(name: str, cells: Cells, line_bytes: int | None, sizes: Mapping[str, int] | None) -> ArrayFootprint:
    try:
        return _counted(name, cells, line_bytes, sizes)
    except OverBudget:
        return _bounded(name, cells, line_bytes)


def _bounded(name: str, cells: Cells, line_bytes: int | None) -> ArrayFootprint:
    """Return an upper bound, an element for each reference: the answer where there is no time for more."""
    extents = []
    for wanted in (Direction.LOAD, Direction.STORE, None):
        bounds: list[tuple[Cell, Quantity]] = []
        for cell, uses in cells:
            found = [t.uses for t in uses.affine if wanted in (None, t.direction)]
            found += [each.uses for each in uses.unknown if wanted in (None, each.direction)]
            bounds.append((cell, _at_most(add(found))))
        lines = () if line_bytes is None else (_scattered_lines(cell, bound, line_bytes) for cell, bound in bounds)
        size = combined((bound, cell.size_bytes) for cell, bound in bounds)
        extents.append(Extent(add(bound for _, bound in bounds), size, add(lines)))
    return ArrayFootprint(name, *extents)


def _at_most(uses: Quantity) -> Quantity:
    """Return the distinct elements of some uses: as many at most, where that is known."""
    if uses.upper is None:
        return bounded(uses.estimate, None)
    return Quantity(uses.upper, NOTHING, uses.upper, Exactness.UPPER)


def _counted(name: str, cells: Cells, line_bytes: int | None, sizes: Mapping[str, int] | None) -> ArrayFootprint:
    """Return the distinct elements and lines; raises ``OverBudget`` after the deadline."""
    groups = apart(cells)
    parts: dict[str, list[list[_Part]]] = {"read": [], "written": [], "touched": []}
    for group in groups:
        check()
        for kind, found in _parts(group).items():
            parts[kind].append(found)
    count = _Counter(_names(cells), [touch for group in groups for _, uses in group for touch in uses.affine])
    extents = (_extent(parts[kind], line_bytes, count, sizes) for kind in ("read", "written", "touched"))
    return ArrayFootprint(name, *extents)


def _parts(group: Cells) -> dict[str, list[_Part]]:
    """Return the sets of elements of cells that may share bytes, for each kind of extent."""
    parts: dict[str, list[_Part]] = {"read": [], "written": [], "touched": []}
    alone = len(group) == 1 or not any(_stores(uses) for _, uses in group)
    for cell, uses in group:
        stores = [touch for touch in uses.affine if touch.direction is Direction.STORE]
        loads = [touch for touch in uses.affine if touch.direction is Direction.LOAD]
        brackets = {
            "read": replace(
                read_first(_in_any_case(uses.affine, ordered=bool(stores))), spread=spread_of(loads, known=not stores)
            ),
            "written": replace(bracket_of(_in_any_case(stores)), spread=spread_of(stores)),
            "touched": replace(bracket_of(_in_any_case(uses.affine, whatever=True)), spread=spread_of(uses.affine)),
        }
        directions = {"read": Direction.LOAD, "written": Direction.STORE, "touched": None}
        for kind, direction in directions.items():
            irregular = distinct(uses.unknown, direction, uses.elements)
            parts[kind].append(_Part(cell, brackets[kind], irregular, alone or kind != "read"))
    return parts


def _stores(uses: Uses) -> bool:
    """Return whether anything is stored."""
    return any(touch.direction is Direction.STORE for touch in uses.affine) or any(
        each.direction is Direction.STORE for each in uses.unknown
    )


def _in_any_case(touches: Sequence[Touch], *, ordered: bool = False, whatever: bool = False) -> list[Touch]:
    """Return the references with the domains in which they are made; of ``whatever`` direction they are alike."""

    def of(touch: Touch) -> tuple[StatementDomain, tuple[Access, Direction | None]]:
        return touch.statement, (touch.access, None if whatever else touch.direction)

    return [
        touch if domain is touch.domain else replace(touch, domain=domain)
        for touch, domain in in_any_case(touches, of, ordered=ordered)
    ]


class _Counter:
    """Counts sets of one array, each once."""

    def __init__(self, names: Names, touches: Sequence[Touch]) -> None:
        self.names = names
        self._touches = touches
        self._known: dict[Points, Quantity] = {}

    def __call__(self, points: Points) -> Quantity:
        """Return the number of points; where that takes too long that of a hull, else one for each reference."""
        try:
            return self.exactly(points)
        except OverBudget:
            pass
        try:
            most = points.hull().count(self.names.meaning)
        except OverBudget:
            return _at_most(add(touch.uses for touch in self._touches))
        return Quantity(most, NOTHING, most, Exactness.UPPER)

    def exactly(self, points: Points) -> Quantity:
        """Return the number of points; raises ``OverBudget``."""
        known = self._known.get(points)
        if known is None:
            self._known[points] = known = exact(points.count(self.names.meaning))
        return known


def _extent(
    groups: list[list[_Part]], line_bytes: int | None, count: _Counter, sizes: Mapping[str, int] | None
) -> Extent:
    measured = [[(part, part.bracket.measure(count)) for part in group] for group in groups]
    found = add(_union_of(group, 1) for group in measured)
    size = add(_union_of(group, None) for group in measured)
    if line_bytes is None:
        return Extent(found, size, ZERO)
    parameters = None if sizes is None else count.names.numbers(sizes)
    parts = [part for group in groups for part in group]
    if sizes is not None and parameters is not None:
        parts = [
            replace(part, cell=with_values(part.cell, sizes), bracket=part.bracket.fixed(parameters)) for part in parts
        ]
    return Extent(found, size, _line_count(parts, line_bytes, count, apart=all(len(group) == 1 for group in groups)))


def _union_of(group: list[tuple[_Part, Quantity]], factor: int | None) -> Quantity:
    """Return the elements of a group, or (None) the bytes."""
    sizes = [
        combined([(affine, f), (part.irregular, f)]) for part, affine in group for f in [factor or part.cell.size_bytes]
    ]
    return sizes[0] if len(sizes) == 1 else shared(sizes, certain=all(part.is_certain for part, _ in group))


def _line_count(parts: list[_Part], line_bytes: int, count: _Counter, *, apart: bool) -> Quantity:
    """Return lines of one array: members of a struct share lines, so cells of the same geometry are united first.

    Cells that are not ``apart`` may share lines whatever their geometry.
    """
    united: dict[object, list[tuple[Cell, Relation, Bracket]]] = {}
    found = [_scattered_lines(part.cell, part.irregular, line_bytes) for part in parts]
    rows = False
    for part in parts:
        cell, bracket = part.cell, part.bracket
        try:
            mapping = lines(cell, line_bytes)
        except NotAffine:
            found.append(_scattered_lines(cell, bracket.measure(count), line_bytes))
            continue
        rows |= not is_linear(cell)
        united.setdefault("linear" if is_linear(cell) else cell.strides_bytes, []).append((cell, mapping, bracket))
    for members in united.values():
        try:
            for _, _, bracket in members:
                bracket.measure(count.exactly)  # lines are not easier to count than the elements in them
            found.append(_mapped(members, count).measure(count.exactly, whole=False))
        except OverBudget:
            found.extend(_scattered_lines(cell, bracket.measure(count), line_bytes) for cell, _, bracket in members)
    if not apart and len(united) > 1:
        return shared(found, certain=all(part.is_certain for part in parts))
    result = add(found)
    return _estimated(result) if rows and result.is_exact else result


def _mapped(members: list[tuple[Cell, Relation, Bracket]], count: _Counter) -> Bracket:
    """Return the lines of several brackets of elements, united."""
    upper = union_of([mapping.image(b.upper) for _, mapping, b in members if b.upper is not None])
    weight = max(b.weight for _, _, b in members)
    spread: Spread | None = None
    if any(b.spread is not None for _, _, b in members):
        uses = (b.measure(count) if b.spread is None else b.spread.uses for _, _, b in members)
        spread = Spread(add(uses), is_distinct=False)
    if all(b.lower is b.upper for _, _, b in members):
        return Bracket(upper, upper, weight, spread)
    lower = union_of([mapping.image(b.lower) for _, mapping, b in members if b.lower is not None])
    return Bracket(upper, lower, weight, spread)


def _estimated(quantity: Quantity) -> Quantity:
    """Return rows assumed to start on line boundaries: right for aligned row lengths, else an estimate."""
    return Quantity(quantity.estimate, quantity.lower, quantity.upper, Exactness.INTERVAL)


def _scattered_lines(cell: Cell, irregular: Quantity, line_bytes: int) -> Quantity:
    """Return lines of accesses with unknown subscripts: from neighbours sharing lines to a line for each."""
    if irregular.is_zero:
        return ZERO
    share = Fraction(min(cell.size_bytes, line_bytes), line_bytes)
    return Quantity(irregular.estimate * share, irregular.lower * share, irregular.upper, Exactness.INTERVAL)


def _names(cells: Cells) -> Names:
    for _, uses in cells:
        for touch in uses.affine:
            return touch.domain.names
    return Names()


def _sum(extents: Iterable[Extent]) -> Extent:
    parts = list(extents)
    return Extent(add(p.elements for p in parts), add(p.bytes for p in parts), add(p.lines for p in parts))
