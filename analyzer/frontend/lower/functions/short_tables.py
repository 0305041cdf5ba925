"""Integers that a function stores itself in short arrays of its own, each once: ``int n[2] = {rows, columns};``.

Input: a region as it was lowered.  Output: for each short local array of integers the elements that are stored once,
outside of loops, by a value in the sizes of the function; with these it is lowered again.  Loops that store to such
an array run step by step then, so that strides that follow from extents are known, too.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....ir.index import Poly
from ....ir.nodes import Region, Statement, elements_of
from ....ir.traverse import statements
from ....ir.values import Access, Load, walk_values
from .stored_values import BETWEEN, number_of, position_of

LONGEST = 8  # elements

Tables = Mapping[str, Mapping[int, Poly]]


def short_arrays(region: Region) -> frozenset[str]:
    """Return the short local arrays of integers; none of a region that loads from none."""
    short = {
        array.name
        for array in region.arrays
        if array.local and array.element.scalar.is_integer and array.element.lanes == 1
        if 0 < (elements_of(array) or 0) <= LONGEST
    }
    if not short:
        return frozenset()
    loads = (
        load.access.array
        for visit in statements(region)
        if isinstance(visit.node, Statement)
        for load in walk_values(visit.node.value)
        if isinstance(load, Load)
    )
    return frozenset() if short.isdisjoint(loads) else frozenset(short)


def short_tables(region: Region, arrays: frozenset[str]) -> dict[str, dict[int, Poly]]:
    """Return the elements of some arrays that are stored by values that are known; none where others change.

    What an array starts with may be stored over, as long as nothing has loaded from it.
    """
    found: dict[str, dict[int, Poly | None]] = {name: {} for name in arrays}
    open_: set[str] = set()
    loaded: set[str] = set()
    outside = {id(node) for node in region.body}
    for node in (visit.node for visit in statements(region) if isinstance(visit.node, Statement)):
        loaded.update(load.access.array for load in walk_values(node.value) if isinstance(load, Load))
        target = node.target
        if not isinstance(target, Access):
            continue
        for name in arrays.intersection(target.array.split(BETWEEN)):
            position, value = position_of(target), number_of(node.value)
            number = None if position is None else position.constant
            is_stored = number in found[name] and name in loaded
            if number is None or is_stored or name != target.array or id(node) not in outside:
                open_.add(name)
            else:
                is_known = value is not None and all(map(str.isidentifier, value.names()))
                found[name][number] = value if is_known else None
    return {
        name: {number: value for number, value in elements.items() if value is not None}
        for name, elements in found.items()
        if name not in open_
    }
