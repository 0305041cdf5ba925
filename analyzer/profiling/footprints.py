"""Footprints of a region and its nests: distinct elements by formula, lines of rows where all sizes are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from ..counts.references import references_of
from ..domains.access_relations import delinearize
from ..domains.domain import StatementDomain, points_at
from ..ir.nodes import MemorySpace, Region, RegionKind, elements_of
from ..ir.passes.same_memory import joined_arrays
from ..ir.values import Access
from ..python.cached_property import cached_property
from ..quantities.quantity import ZERO
from ..traffic.footprint import footprint_of
from ..traffic.results import ArrayFootprint, Extent, Footprint


class Footprints:
    """Counts the elements and lines of some statements of a region.

    ``numbered`` gives the statements with numbers for all sizes, None where sizes are not known.  Without
    ``line_bytes`` no lines are counted.
    """

    def __init__(
        self,
        region: Region,
        *,
        statements: Sequence[StatementDomain],
        values: Mapping[str, int],
        numbered: Callable[[], Sequence[StatementDomain]] | None,
        line_bytes: int | None,
    ) -> None:
        self._statements = statements
        self._iterators = frozenset(loop.iterator for statement in statements for loop in statement.loops)
        self._rows = delinearize(_accesses(statements), self._iterators)
        self._values = values
        self._numbered = None if line_bytes is None else numbered
        sizes = {array.name: n * array.element_bytes for array in region.arrays if (n := elements_of(array))}
        self._same = joined_arrays(region)
        rows = {f"{array.name}[]": n for array in region.arrays if (n := elements_of(array))}
        on_chip = _on_chip(region)
        self._count = partial(footprint_of, line_bytes=line_bytes, on_chip=on_chip, bytes_of=sizes, rows_of=rows)

    def of(self, statements: Sequence[StatementDomain], once: Mapping[str, int] | None = None) -> Footprint:
        """Return the footprint: symbolic elements; lines of rows from their addresses where all sizes are known.

        ``once`` has numbers of iterators, for which alone it is.
        """
        renamed = self.rows_of(statements)
        rows = any(len(renamed.get(access, access).subscripts) > 1 for access in _accesses(statements))
        joined = self._joined(statements, renamed)
        if not rows or self._numbered is None:
            return self._count(_at(statements, once), joined)
        found = self._count(_at(statements, once), joined, sizes=self._values)
        if all(extent.lines.is_exact for extent in (found.read, found.written, found.touched)):
            return found
        bound = self._corresponding(statements)
        return _with_lines(found, self._count(_at(bound, once), self._joined(bound, {})))

    def _joined(
        self, statements: Sequence[StatementDomain], renamed: Mapping[Access, Access]
    ) -> Mapping[Access, Access]:
        """Return the forms of accesses with one name for arrays of a kernel that are the same memory."""
        if not self._same:
            return renamed
        forms = {access: renamed.get(access, access) for access in _accesses(statements)}
        return {each: replace(form, array=self._same.get(form.array, form.array)) for each, form in forms.items()}

    def rows_of(self, statements: Sequence[StatementDomain]) -> Mapping[Access, Access]:
        """Return the delinearised forms of accesses: an array has the rows that all statements of the region show.

        Where these have none in common, such as those of tiles, it has those that some of the statements show.
        """
        others = [access for access in _accesses(statements) if access not in self._rows]
        own = delinearize(others, self._iterators) if len(statements) < len(self._statements) else {}
        return {**own, **self._rows} if own else self._rows

    def _corresponding(self, statements: Sequence[StatementDomain]) -> list[StatementDomain]:
        """Return the statements with numbers for sizes that correspond to some of the region.

        Positions in the schedule identify them; where loops were unrolled with the numbers, locations in the source do.
        """
        if self._positions is not None:
            chosen = {_position(statement) for statement in statements}
            numeric = zip(self._with_numbers, self._positions, strict=True)
            return [statement for statement, position in numeric if position in chosen]
        spans = {statement.node.span for statement in statements}
        return [statement for statement in self._with_numbers if statement.node.span in spans]

    @cached_property
    def _positions(self) -> Sequence[tuple[int, ...]] | None:
        """Return the positions of the statements with numbers, None where they are not those of the others."""
        found = [_position(statement) for statement in self._with_numbers]
        return found if found == [_position(statement) for statement in self._statements] else None

    @cached_property
    def _with_numbers(self) -> Sequence[StatementDomain]:
        return () if self._numbered is None else self._numbered()


def _accesses(statements: Sequence[StatementDomain]) -> Iterator[Access]:
    return (reference.access for statement in statements for reference in references_of(statement))


def _at(statements: Sequence[StatementDomain], once: Mapping[str, int] | None) -> Sequence[StatementDomain]:
    return [replace(each, domain=points_at(each, once)) for each in statements] if once else statements


def _on_chip(region: Region) -> frozenset[str]:
    """Return the arrays of a kernel in shared or thread-local memory."""
    if region.kind is not RegionKind.KERNEL:
        return frozenset()
    return frozenset(array.name for array in region.arrays if array.space in (MemorySpace.SHARED, MemorySpace.LOCAL))


def _position(statement: StatementDomain) -> tuple[int, ...]:
    return tuple(entry for entry in statement.schedule if isinstance(entry, int))


def _with_lines(found: Footprint, exact: Footprint) -> Footprint:
    """Return the element counts of one footprint with the line counts of another, array by array.

    Arrays that only the first one has are not touched at the known sizes.
    """
    by_name = {array.array: array for array in exact.arrays}
    nothing = Extent(ZERO, ZERO, ZERO)
    arrays = []
    for array in found.arrays:
        lines = by_name.get(array.array, ArrayFootprint(array.array, nothing, nothing, nothing))
        read, written = _take_lines(array.read, lines.read), _take_lines(array.written, lines.written)
        arrays.append(ArrayFootprint(array.array, read, written, _take_lines(array.touched, lines.touched)))
    return Footprint(
        exact.line_bytes,
        _take_lines(found.read, exact.read),
        _take_lines(found.written, exact.written),
        _take_lines(found.touched, exact.touched),
        tuple(arrays),
    )


def _take_lines(elements: Extent, lines: Extent) -> Extent:
    return Extent(elements.elements, elements.bytes, lines.lines)
