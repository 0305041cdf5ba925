"""Elements of one array that several types see: ``p = (Body *)x`` of floats ``x``, rows through a flat pointer.

Input: the references of one array by cell.  Output: groups of cells that share no byte.  Cells of a group whose strides
are numbers become one cell of *units*, the largest common part of their elements, so that each byte counts once: with
``u`` the greatest common divisor of all offsets, sizes and strides, element ``e`` is the ``size / u`` units from
``(offset + sum stride_k * e_k) / u`` on.  Where strides are symbols only bounds of the union are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from msgspec import Struct, field
from msgspec.structs import replace

from ..domains.access_relations import Cell, runs_on, units, whole_rows
from ..ir.index import Poly, const
from ..quantities.large_values import large_values
from ..quantities.quantity import ZERO, Exactness, Quantity, add
from ..quantities.quasipolynomial import NOTHING, Count
from .bracket import Touch
from .unknown_elements import UnknownElements


class Uses(Struct):
    """Affine references of one cell, references of it whose elements are not known, and how many elements there are.

    Those that ``run_on`` over several rows have elements in common with others whose number is not known.
    ``of_a_row`` is how many elements of a row, by the subscripts in it, those use whose rows data choose.
    """

    affine: list[Touch] = field(default_factory=list)
    unknown: list[UnknownElements] = field(default_factory=list)
    elements: int | None = None
    run_on: bool = False
    of_a_row: dict[tuple[Poly, ...], int | None] = field(default_factory=dict)


Cells = list[tuple[Cell, Uses]]


def apart(cells: Cells) -> list[Cells]:
    """Return the cells of one array in groups that share no byte: of several cells where their union is not known."""
    groups: list[Cells] = []
    several = len({touch.access.subscripts[:-1] for _, uses in cells for touch in uses.affine}) > 1
    parts = (part for cell, uses in cells for part in _by_rows(cell, uses)) if several else cells
    for one in parts:
        touching = [group for group in groups if any(may_overlap(one[0], other[0]) for other in group)]
        groups = [group for group in groups if group not in touching]
        groups.append([*(member for group in touching for member in group), one])
    return [[_united(group)] if len(group) > 1 and _kept(group) is not None else group for group in groups]


def _by_rows(cell: Cell, uses: Uses) -> Cells:
    """Return references that run on over several rows apart from those that stay in theirs, where there are both.

    Where strides are numbers they are all counted by address, and where all of whole rows is used row by row.
    """
    running = [touch for touch in uses.affine if runs_on(touch.statement, touch.access)]
    if not running:
        return [(cell, uses)]
    if all(stride is not None and stride.constant is not None for stride in cell.strides_bytes):
        return [_united([(cell, uses)])]
    changed = {id(touch): _row_by_row(touch) for touch in running}
    inside = [changed.get(id(touch), touch) for touch in uses.affine]
    found = [(cell, replace(uses, affine=[touch for touch in inside if touch is not None]))]
    flat: dict[object, list[Touch]] = {}
    for touch in running:
        if changed[id(touch)] is None:
            flat.setdefault(touch.access.subscripts[:-1], []).append(touch)
    return [*found, *((cell, Uses(touches, run_on=True)) for touches in flat.values())]


def _row_by_row(touch: Touch) -> Touch | None:
    relation = whole_rows(touch.statement, touch.access)
    return None if relation is None else replace(touch, relation=relation)


def may_overlap(one: Cell, other: Cell) -> bool:
    """Return whether two different cells may share a byte: all but different members of one structure."""
    if one.strides_bytes != other.strides_bytes:
        return True
    first, second = sorted((one, other), key=lambda cell: cell.offset_bytes)
    if first.offset_bytes + first.size_bytes > second.offset_bytes:
        return True
    last = one.strides_bytes[-1].constant if one.strides_bytes and one.strides_bytes[-1] is not None else None
    return isinstance(last, int) and second.offset_bytes + second.size_bytes > first.offset_bytes + abs(last)


def shared(parts: Sequence[Quantity], *, certain: bool) -> Quantity:
    """Return the size of a union of sets of which only the sizes are known: between the largest of them and their sum.

    Nothing of it is ``certain`` where the sets are what may be left out.
    """
    total = add(parts)
    counted = [part for part in parts if not part.is_zero]
    if len(counted) < 2:
        alone = counted[0] if counted else ZERO
        return alone if certain else Quantity(alone.estimate, NOTHING, alone.upper, _weaker(alone))
    most = _largest([part.estimate for part in counted])
    least = _largest([part.lower for part in counted]) if certain else NOTHING
    return Quantity(most, least, total.upper, _weaker(total))


def _weaker(quantity: Quantity) -> Exactness:
    return Exactness.INTERVAL if quantity.upper is not None else Exactness.UNKNOWN


def _largest(counts: Sequence[Count]) -> Count:
    at = large_values([count.chambers for count in counts])
    return max(counts, key=lambda count: count.evaluate(at))


def _kept(group: Cells) -> int | None:
    """Return how many leading dimensions all cells have alike, up to the last whose stride is no number.

    None where such a stride is in a dimension that is not alike.
    """
    if any(uses.run_on for _, uses in group):
        return None
    strides = [cell.strides_bytes for cell, _ in group]
    kept = 0
    while all(len(each) > kept for each in strides) and len({each[kept] for each in strides}) == 1:
        kept += 1
    rest = [stride for each in strides for stride in each[kept:]]
    if any(stride is None or not isinstance(stride.constant, int) for stride in rest):
        return None
    while kept and (last := strides[0][kept - 1]) is not None and isinstance(last.constant, int):
        kept -= 1
    return kept


def _united(group: Cells) -> tuple[Cell, Uses]:
    """Return the cell of units of several cells, and their references as those to its units."""
    kept = _kept(group)
    assert kept is not None
    unit = gcd(*(number for cell, _ in group for number in _measures(cell, kept)))
    found = Uses()
    for cell, uses in group:
        parts, mapping = cell.size_bytes // unit, units(cell, unit, kept)
        for touch in uses.affine:
            relation = touch.relation.then(mapping)
            found.affine.append(replace(touch, relation=relation, width=touch.width * parts))
        found.unknown += [replace(each, uses=each.uses * parts) for each in uses.unknown]
        if uses.elements is not None:
            found.elements = max(found.elements or 0, uses.elements * parts)
    first = group[0][0]
    return Cell(first.array, 0, unit, (*first.strides_bytes[:kept], const(unit))), found


def _measures(cell: Cell, kept: int) -> list[int]:
    """Return all numbers of bytes that an address of the cell is made of."""
    strides = [stride.constant for stride in cell.strides_bytes[kept:] if stride is not None]
    return [cell.offset_bytes, cell.size_bytes, *(stride for stride in strides if isinstance(stride, int))]
