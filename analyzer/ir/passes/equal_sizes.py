"""Conditions that sizes are equal, as flags: ``if (a->cols != b->rows) return -1; for ...`` runs for equal sizes alone.

Of two sizes without values hardly any are equal, so that a formula for large sizes would say that nothing runs.  What
is behind such a test is reported as an alternative, ``if a->cols = b->rows``, with one size in terms of the other.
What runs for sizes that differ is reported without a condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..conditions import Leaf, map_leaves
from ..index import Extremum, Number, Poly, const, var
from ..nodes import (
    And,
    Compare,
    Comparison,
    Condition,
    DataDependent,
    Guard,
    Loop,
    Node,
    Not,
    Or,
    Region,
    Symbol,
    SymbolOrigin,
    Truth,
)
from ..traverse import all_nodes, children_of, map_bodies
from .flags import flags_of, sizes_in
from .substitute import bind_nodes

_EQUALITIES = (Comparison.EQ, Comparison.NE)


class _Equality(Struct, frozen=True):
    """Sizes that are equal: the name of the flag, their difference, and the value of one of them where it is solved."""

    flag: str
    difference: Poly
    solved: Mapping[str, Poly | Number]


def with_equal_sizes(region: Region) -> Region:
    """Return the region with flags in place of comparisons of sizes that have to be equal for loops to run."""
    compared = list(_before_loops(region.body))
    if not compared:
        return region
    known = {symbol.name for symbol in region.symbols}
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    in_use = {name for node in all_nodes(region.body) if not isinstance(node, Guard) for name in sizes_in(node)}
    without = [symbol.name for symbol in reversed(region.symbols) if symbol.value is None]
    open_ = sorted(without, key=in_use.__contains__)
    only_chosen = {frozenset((flag.name,)) for flag in flags_of(region, values)}
    found: dict[Poly, _Equality] = {}
    for leaf in compared:
        difference = leaf.difference
        names = difference.names()
        is_open = names <= known and not names.isdisjoint(open_) and names not in only_chosen
        if is_open and not _has_period(difference) and difference not in found:
            flag = f"{leaf.left} = {leaf.right}"
            found[difference] = found[-difference] = _Equality(flag, difference, _solved(difference, open_))
    if not found:
        return region
    differences = {equality.flag: equality.difference for equality in found.values()}
    symbols = (Symbol(flag, None, SymbolOrigin.CONDITION, difference=zero) for flag, zero in differences.items())
    return replace(region, symbols=(*region.symbols, *symbols), body=_flagged(region.body, found))


def _has_period(difference: Poly) -> bool:
    """Return whether it is 0 again and again as sizes grow (``n % 8``), or not a formula of sizes at all."""
    return any(not isinstance(atom, str | Extremum) for atom in difference.atoms())


def _before_loops(nodes: Iterable[Node]) -> Iterator[Compare]:
    """Yield the comparisons for equality that hold wherever some loop runs."""
    for node in nodes:
        if isinstance(node, Guard):
            for branch, holds in ((node.body, True), (node.orelse, False)):
                found = list(_equal(node.condition, holds=holds))
                if found and any(isinstance(inner, Loop) for inner in all_nodes(branch)):
                    yield from found
        yield from _before_loops(children_of(node))


def _equal(condition: Condition, *, holds: bool) -> Iterator[Compare]:
    """Yield the comparisons of which both sides are equal where a condition holds, or where it does not."""
    match condition:
        case Compare(comparison):
            if comparison is (Comparison.EQ if holds else Comparison.NE):
                yield condition
        case And(operands) | Or(operands):
            if isinstance(condition, And) is holds:
                for operand in operands:
                    yield from _equal(operand, holds=holds)
        case Not(operand):
            yield from _equal(operand, holds=not holds)
        case DataDependent() | Truth():
            pass


def _solved(difference: Poly, open_: Sequence[str]) -> Mapping[str, Poly | Number]:
    """Return the value of the first of some sizes that the difference has to the first power alone."""
    for name in open_:
        slope = difference.terms.get((name,))
        if slope in (1, -1):
            rest = difference - slope * var(name)
            if name not in rest.names():
                return {name: -slope * rest}
    return {}


def _flagged(nodes: Iterable[Node], found: Mapping[Poly, _Equality]) -> tuple[Node, ...]:
    """Return nodes with flags in their conditions, and behind these one size in place of the other."""

    def flag_of(leaf: Leaf) -> Condition:
        equality = found.get(leaf.difference) if isinstance(leaf, Compare) else None
        if not isinstance(leaf, Compare) or equality is None or leaf.comparison not in _EQUALITIES:
            return leaf
        return Compare(Comparison.EQ, var(equality.flag), const(1 if leaf.comparison is Comparison.EQ else 0))

    def changed(node: Node) -> Node:
        if not isinstance(node, Guard):
            return map_bodies(node, lambda body: _flagged(body, found))
        condition = map_leaves(node.condition, flag_of)
        branches = []
        for branch, holds in ((node.body, True), (node.orelse, False)):
            inner = _flagged(branch, found)
            for leaf in _equal(node.condition, holds=holds):
                equality = found.get(leaf.difference)
                inner = inner if equality is None else bind_nodes(inner, equality.solved)
            branches.append(inner)
        return replace(node, condition=condition, body=branches[0], orelse=branches[1])

    return tuple(changed(node) for node in nodes)
