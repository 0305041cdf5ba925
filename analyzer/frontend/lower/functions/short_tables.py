"""Integers that a function stores itself in short arrays of its own, each once: ``int n[2] = {rows, columns};``.

Input: a region as it was lowered.  Output: for each short array of integers that the function makes, on the stack, by
``new`` or as a container, the elements that are stored once, outside of loops, by a value in the sizes of the function;
with these it is lowered again.  Loops that store to such an array, or whose positions in it decide what runs, run step
by step then, so that strides that follow from extents are known, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ....ir.index import Poly
from ....ir.nodes import Guard, Loop, Node, Region, Statement, Uncounted, elements_of
from ....ir.traverse import all_nodes, decisive_indices
from ....ir.values import Access, Load, walk_values
from ...surface import nodes as sx
from ..logic import depends_on_data
from .stored_values import BETWEEN, number_of, position_of

LONGEST = 8  # elements

Tables = Mapping[str, Mapping[int, Poly]]


def short_arrays(region: Region, storage: Mapping[sx.Variable, str]) -> frozenset[str]:
    """Return the short arrays of integers that a function makes, and loads from.

    ``storage`` are the arrays of its variables.  Of those of any length only such as have known elements count.
    """
    made = {name for variable, name in storage.items() if _makes(variable)}
    integers = [array for array in region.arrays if array.element.scalar.is_integer and array.element.lanes == 1]
    local = {array.name for array in integers if array.local and 0 < (elements_of(array) or 0) <= LONGEST}
    heap = (array for array in integers if not array.local and array.name in made)
    others = {array.name for array in heap if (elements_of(array) or 0) <= LONGEST}
    if not local and not others:
        return frozenset()
    loads = {
        load.access.array
        for node in all_nodes(region.body)
        if isinstance(node, Statement)
        for load in walk_values(node.value)
        if isinstance(load, Load)
    }
    tables = short_tables(region, frozenset(others & loads))
    listed = {name for name, elements in tables.items() if elements}
    return frozenset(local | listed) if loads & (local | listed) else frozenset()


def _makes(variable: sx.Variable) -> bool:
    """Return whether an array that has the name of a variable is memory of the function."""
    return variable.storage is sx.Storage.LOCAL and not variable.reference and isinstance(variable.type, sx.PointerT)


def may_decide(tables: Tables, body: Sequence[Node], changed: Collection[str]) -> bool:
    """Return whether elements of known tables, at positions that a loop has ``changed``, may decide what it does."""
    if not any(tables.values()):
        return False
    nodes = all_nodes(body)
    return any(_is_open(node) for node in nodes) and any(_takes_from(tables, node, changed) for node in nodes)


def _is_open(node: Node) -> bool:
    """Return whether it is not known how often a loop runs, whether a condition holds, or what is referred to."""
    match node:
        case Loop(range=Uncounted()):
            return True
        case Guard(condition=condition) if depends_on_data(condition):
            return True
        case _:
            return any(index.unknowns() for index in decisive_indices(node))


def _takes_from(tables: Tables, node: Node, changed: Collection[str]) -> bool:
    """Return whether a statement loads from a known table at a position in some names."""
    loads = walk_values(node.value) if isinstance(node, Statement) else ()
    found = (load.access for load in loads if isinstance(load, Load) and tables.get(load.access.array))
    return any(not subscript.names().isdisjoint(changed) for access in found for subscript in access.subscripts)


def short_tables(region: Region, arrays: frozenset[str]) -> dict[str, dict[int, Poly]]:
    """Return the elements of some arrays that are stored by values that are known; none where others change.

    What an array starts with may be stored over, as long as nothing has loaded from it.
    """
    found: dict[str, dict[int, Poly | None]] = {name: {} for name in arrays}
    open_: set[str] = set()
    loaded: set[str] = set()
    outside = {id(node) for node in region.body}
    for node in (node for node in all_nodes(region.body) if isinstance(node, Statement)):
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
