"""Structural invariants of a region; a violation is a bug of a frontend, hence ``AssertionError``.

Iterators are unique; every name that is used is an iterator in scope or a listed symbol; every array that is accessed
is listed; an access has as many strides as subscripts; no step is 0; an exit names an enclosing loop and is not the
last node of its loop; no placeholder of the lowering is left.
"""

from __future__ import annotations

from collections.abc import Iterable

from .index import Poly
from .nodes import (
    And,
    Compare,
    Condition,
    DataDependent,
    Exit,
    Geometric,
    Guard,
    Loop,
    Node,
    Not,
    Or,
    Region,
    Statement,
    Strided,
    Truth,
    Uncounted,
)
from .traverse import accesses
from .values import Access, IndexValue, walk_values
from .walk import walk


def verify(region: Region) -> None:
    """Raise ``AssertionError`` where the region breaks an invariant."""
    symbols = {symbol.name for symbol in region.symbols}
    arrays = {array.name for array in region.arrays}
    assert len(symbols) == len(region.symbols), "symbols are unique"
    assert len(arrays) == len(region.arrays), "arrays are unique"
    for array in region.arrays:
        for extent in array.extents:
            _check_names([] if extent is None else [extent], symbols, f"extent of {array.name}")
    iterators: set[str] = set()
    for visit in walk(region):
        above = {loop.iterator for loop in visit.loops}
        scope = symbols | above
        node = visit.node
        if isinstance(node, Loop):
            assert node.iterator not in iterators | symbols, f"iterator {node.iterator} is unique"
            iterators.add(node.iterator)
        if isinstance(node, Exit):
            assert node.loop is None or node.loop in above, f"exit of {node.loop} is inside that loop"
        _check_node(node, scope, symbols, arrays)


def _check_node(node: Node, scope: set[str], symbols: set[str], arrays: set[str]) -> None:
    match node:
        case Loop():
            _check_range(node, scope, symbols)
            last = node.body[-1] if node.body else None
            assert not isinstance(last, Exit), f"the body of {node.iterator} does not end in an exit"
        case Guard():
            assert node.body, "a guard has a body"
            _check_condition(node.condition, scope)
        case Statement():
            _check_statement(node, scope, arrays)
        case Exit():
            pass


def _check_range(node: Loop, scope: set[str], symbols: set[str]) -> None:
    where = f"range of {node.iterator}"
    match node.range:
        case Strided(start=start, stop=stop, step=step):
            assert step != 0, where
            _check_bounds([start, stop], scope, where)
        case Geometric(start=start, stop=stop, factor=factor, trip=trip):
            assert factor > 1, where
            assert trip in symbols, where
            _check_bounds([start, stop], scope, where)
        case Uncounted(trip=trip):
            assert trip in symbols, where


def _check_bounds(bounds: list[Poly], scope: set[str], where: str) -> None:
    _check_names(bounds, scope, where)
    assert not any(bound.unknowns() for bound in bounds), f"{where} is known"


def _check_condition(condition: Condition, scope: set[str]) -> None:
    match condition:
        case Compare(left=left, right=right):
            _check_bounds([left, right], scope, "condition")
        case And(operands=operands) | Or(operands=operands):
            assert len(operands) > 1, "a junction has several operands"
            for operand in operands:
                _check_condition(operand, scope)
        case Not(operand=operand):
            _check_condition(operand, scope)
        case DataDependent(name=name):
            assert name, "a data-dependent condition has a name"
        case Truth():
            raise AssertionError("constant conditions are folded")


def _check_statement(statement: Statement, scope: set[str], arrays: set[str]) -> None:
    for access, _ in accesses(statement):
        _check_access(access, scope, arrays)
    for value in walk_values(statement.value):
        if isinstance(value, IndexValue):
            _check_names([value.index], scope, "index value")


def _check_access(access: Access, scope: set[str], arrays: set[str]) -> None:
    assert access.array in arrays, f"array {access.array} is listed"
    assert len(access.subscripts) == len(access.strides_bytes), f"strides of {access.array}"
    strides = [stride for stride in access.strides_bytes if stride is not None]
    _check_names([*access.subscripts, *strides], scope, f"access to {access.array}")


def _check_names(polys: Iterable[Poly], scope: set[str], where: str) -> None:
    for poly in polys:
        missing = poly.names() - scope
        assert not missing, f"{where}: {', '.join(sorted(missing))} in scope"
        assert not any("@" in name for name in poly.names()), where
