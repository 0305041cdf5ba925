"""Subscripts beyond the declared extents of an array, at the sizes that are known: a finding for each dimension.

Loop ranges tell quickly that most subscripts stay inside; for others the elements that are certainly touched are
compared with those of the array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from ..counts.references import references_of
from ..diagnostics import Diagnostic
from ..domains.access_relations import elements
from ..domains.domain import StatementDomain
from ..domains.formula import NotAffine
from ..domains.isl.sets import points
from ..domains.limits import OverBudget
from ..ir.index import Poly
from ..ir.nodes import Array, Region, Strided
from ..ir.values import Access
from ..traffic.program.intervals import Interval, bounds_of

_FLEXIBLE = 1  # extent of an array at the end of a struct that is longer than declared


def beyond_extents(
    region: Region, statements: Sequence[StatementDomain], values: Mapping[str, int]
) -> Iterator[Diagnostic]:
    """Yield a finding for each dimension of an array that certain references leave."""
    arrays = {array.name: extents for array in region.arrays if any(extents := _extents(array, values))}
    found: set[tuple[str, int]] = set()
    for statement in statements:
        named = [one.access for one in references_of(statement) if one.access.array in arrays]
        ranges = _ranges(statement, values) if named else {}
        for access in named:
            extents = arrays[access.array]
            for dimension, end in _left(access, extents, ranges):
                if (access.array, dimension) not in found and _is_left(statement, access, dimension, end, values):
                    found.add((access.array, dimension))
                    yield Diagnostic.of(
                        "AI217",
                        statement.node.span,
                        "beyond",
                        array=access.array,
                        subscript=str(access.subscripts[dimension]),
                        extent=end,
                    )


def _extents(array: Array, values: Mapping[str, int]) -> tuple[int | None, ...]:
    """Return the extents that are known numbers; None for others, and for those that stand for any number."""
    numbers = (_number(extent, values) for extent in array.extents)
    return tuple(None if number is None or number <= _FLEXIBLE else number for number in numbers)


def _number(poly: Poly | None, values: Mapping[str, int]) -> int | None:
    if poly is None or not poly.names() <= values.keys() or poly.unknowns():
        return None
    number = poly.substitute(values).constant
    return number if isinstance(number, int) else None


def _ranges(statement: StatementDomain, values: Mapping[str, int]) -> dict[str, Interval]:
    """Return the widest range of each counter around a statement, and of the sizes their values."""
    ranges: dict[str, Interval] = {name: (value, value) for name, value in values.items()}
    for loop in statement.loops:
        bounds = loop.range
        if not isinstance(bounds, Strided):
            continue
        start, stop = bounds_of(bounds.start, ranges), bounds_of(bounds.stop, ranges)
        if start is not None and stop is not None:
            ranges[loop.iterator] = (start[0], stop[1] - 1) if bounds.step > 0 else (stop[0] + 1, start[1])
    return ranges


def _left(access: Access, extents: Sequence[int | None], ranges: Mapping[str, Interval]) -> Iterator[tuple[int, int]]:
    """Yield the dimensions in which a subscript may leave the array, each with the first index that is outside.

    Where the subscripts before it are numbers, those are the elements from there on, whatever the rows are.
    """
    if len(extents) != len(access.subscripts) or not _has_rows(access, extents):
        return
    before: int | None = 0
    for dimension, (subscript, extent) in enumerate(zip(access.subscripts, extents, strict=True)):
        end = extent
        if before is not None and None not in extents:
            unit = prod(each or 1 for each in extents[dimension + 1 :])
            whole = prod(each or 1 for each in extents)
            end = (whole - before) // unit
            number = subscript.constant
            before = None if number is None else before + number * unit
        reached = None if end is None else bounds_of(subscript, ranges)
        if reached is not None and end is not None and (reached[0] < 0 or reached[1] >= end):
            yield dimension, end


def _has_rows(access: Access, extents: Sequence[int | None]) -> bool:
    """Return whether the elements of an array are one behind the other, as it is declared."""
    stride = access.type.size_bytes
    for own, extent in zip(reversed(access.strides_bytes), reversed(extents), strict=True):
        if own is None or own.constant != stride:
            return False
        stride *= extent or 0
    return True


def _is_left(
    statement: StatementDomain,
    access: Access,
    dimension: int,
    end: int,
    values: Mapping[str, int],
) -> bool:
    """Return whether an element that is certainly touched is outside of the array in a dimension."""
    numbers = statement.domain.names.numbers(values)
    if numbers is None:
        return False
    names = [f"e{number}" for number in range(len(access.subscripts))]
    # isl takes far longer for the difference with the elements inside
    outside = points(f"{{ [{', '.join(names)}] : {names[dimension]} < 0 or {names[dimension]} >= {end} }}")
    try:
        touched = elements(statement, access).image(statement.domain.lower).fixed(numbers)
        return not (touched & outside).is_empty
    except (NotAffine, OverBudget):
        return False
