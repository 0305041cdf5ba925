"""Generic traversals reach every field of every class of the grammar that holds nodes, values or indices."""

from enum import Enum
from itertools import count
from types import UnionType
from typing import Union, get_args, get_origin, get_type_hints

import pytest
from msgspec import Struct
from msgspec.structs import fields

from analyzer.ir import conditions, index, nodes, types, values
from analyzer.ir.index import Extremum, FloorDiv, Poly, TruncDiv, Unknown, const, floor_div, minimum, unknown, var
from analyzer.ir.nodes import (
    And,
    Compare,
    Condition,
    DataDependent,
    Exit,
    Loop,
    Node,
    Not,
    Or,
    Range,
    Statement,
    Strided,
    Truth,
    Uncounted,
)
from analyzer.ir.passes.given import lengths_of
from analyzer.ir.traverse import (
    accesses,
    all_nodes,
    children_of,
    decisive_indices,
    fold,
    indices_of,
    map_accesses,
    map_bodies,
    map_indices,
)
from analyzer.ir.values import (
    Access,
    IndexValue,
    Register,
    Value,
    map_access_indices,
    map_leaves,
    operands_of,
    walk_values,
)
from analyzer.ir.walk import walk_nodes
from analyzer.source import NO_SPAN, Span
from tests.nests import SCALAR, TICK, N, add, element, guard, load, loop, mul, store

_FRESH = count()
_SCOPE = {**vars(types), **vars(index), **vars(values), **vars(nodes)}
_WITH_INDICES = (Statement, IndexValue, Access, Compare, Strided, Poly)


def sample(kind):
    """A value of a type in which every index expression is a variable of its own."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple:
        return tuple(sample(part) for part in parts if part is not Ellipsis)
    if origin in (Union, UnionType):
        return sample(sample_of_union(parts))
    if kind is Poly:
        return var(f"x{next(_FRESH)}")
    if isinstance(kind, type) and issubclass(kind, Span):
        return NO_SPAN
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    if isinstance(kind, type) and issubclass(kind, Struct):
        hints = get_type_hints(kind, _SCOPE)
        return kind(**{field.name: sample(hints[field.name]) for field in fields(kind)})
    return {int: 2, bool: True, str: f"s{next(_FRESH)}"}.get(kind)


def sample_of_union(parts):
    """The alternative of a union that holds indices: a statement, an index value, an access, a comparison."""
    return next(kind for kind in (*_WITH_INDICES, *parts) if kind in parts)


def indices_in(item):
    """Every index expression in a value, found by reflection."""
    if isinstance(item, Poly):
        return [item]
    if isinstance(item, tuple):
        return [index for part in item for index in indices_in(part)]
    if not isinstance(item, Struct):
        return []
    return [index for field in fields(item) for index in indices_in(getattr(item, field.name))]


def primed(index):
    return index + var("prime")


@pytest.mark.parametrize("kind", get_args(Node))
def test_every_index_of_a_node_is_reached(kind):
    node = sample(kind)
    found = [index for inner in all_nodes((node,)) for index in indices_of(inner)]
    assert sorted(map(str, found)) == sorted(map(str, indices_in(node)))


@pytest.mark.parametrize("kind", get_args(Node))
def test_every_index_of_a_node_can_be_changed(kind):
    node = sample(kind)

    def changed(inner):
        return map_bodies(map_indices(inner, primed), lambda body: tuple(map(changed, body)))

    assert list(map(str, indices_in(changed(node)))) == [str(primed(index)) for index in indices_in(node)]


@pytest.mark.parametrize("kind", get_args(Range))
def test_every_index_of_a_range_is_reached(kind):
    found = sample(kind)
    node = Loop("i", found, (), NO_SPAN)
    of_iterator = indices_in((found.calls.inner, found.steps)) if isinstance(found, Uncounted) else []
    reached = [*decisive_indices(node), *lengths_of(node), *of_iterator]
    assert sorted(map(str, reached)) == sorted(map(str, indices_in(node)))
    assert indices_in(map_indices(node, primed)) == [primed(index) for index in indices_in(node)]


@pytest.mark.parametrize("kind", get_args(Condition))
def test_every_index_of_a_condition_is_reached(kind):
    condition = sample(kind)
    if kind is not DataDependent:
        assert list(conditions.condition_indices(condition)) == indices_in(condition)
    changed = conditions.map_condition_indices(condition, primed)
    assert indices_in(changed) == [primed(index) for index in indices_in(condition)]


@pytest.mark.parametrize("kind", get_args(Value))
def test_every_index_of_a_value_is_reached(kind):
    statement = Statement(None, sample(kind), NO_SPAN)
    assert list(indices_of(statement)) == indices_in(statement)
    assert indices_in(map_indices(statement, primed)) == [primed(index) for index in indices_in(statement)]


@pytest.mark.parametrize("kind", [*get_args(Value), *get_args(Condition)])
def test_operands_are_all_fields_that_hold_operands(kind):
    item = sample(kind)
    union = Value if kind in get_args(Value) else Condition
    expected = [part for field in fields(item) for part in parts_of(getattr(item, field.name), get_args(union))]
    if kind is DataDependent:  # what it compares has values that are not known: it decides nothing
        expected = []
    assert list((operands_of if union is Value else conditions.operands_of)(item)) == expected


@pytest.mark.parametrize("kind", get_args(Node))
def test_children_are_all_fields_that_hold_nodes(kind):
    node = sample(kind)
    expected = [part for field in fields(node) for part in parts_of(getattr(node, field.name), get_args(Node))]
    assert sorted(map(str, children_of(node))) == sorted(map(str, expected))


@pytest.mark.parametrize("kind", [FloorDiv, TruncDiv, Extremum])
def test_every_name_in_an_atom_is_reached(kind):
    atom = sample(kind)
    poly = Poly({(atom,): 1})
    names = {str(index) for index in indices_in((atom.numerator, atom.denominator) if kind is not Extremum else atom)}
    assert poly.names() == {found for found in poly.nested_atoms() if isinstance(found, str)} == names


def parts_of(item, kinds):
    items = item if isinstance(item, tuple) else (item,)
    return [part for part in items if isinstance(part, kinds)]


def test_headers_come_before_bodies():
    test = store(None, load("e", var("i")))
    whole, header, body = all_nodes([loop("i", 0, N, TICK, header=(test,))])
    assert isinstance(whole, Loop)
    assert (header, body) == (test, TICK)


def test_a_fold_combines_from_the_leaves_upwards():
    nest = loop("i", 0, N, guard(DataDependent("d"), TICK, TICK), loop("j", 0, N, TICK))
    assert fold(nest, lambda node, below: (sum(below) or 1) * (10 if isinstance(node, Loop) else 1)) == 10 * (2 + 10)


def test_other_bodies_leave_conditions():
    inner = guard(DataDependent("d"), TICK)
    assert map_bodies(inner, lambda body: (*body, *body)) == guard(DataDependent("d"), TICK, TICK)
    assert map_bodies(Exit(None, NO_SPAN), lambda _: ()) == Exit(None, NO_SPAN)


def test_the_access_that_is_written_changes_too():
    statement = store(element("a", var("i")), load("a", var("j")))
    moved = map_accesses(statement, lambda access: map_access_indices(access, primed))
    subscripts = [str(access.subscripts[0]) for access, _ in accesses(moved)]
    assert subscripts == ["j + prime", "i + prime"]


def test_leaves_of_values_are_replaced():
    changed = map_leaves(add(SCALAR, mul(SCALAR, SCALAR)), lambda _: Register("b", SCALAR.type))
    assert [leaf.name for leaf in walk_values(changed) if isinstance(leaf, Register)] == ["b", "b", "b"]


def test_leaves_of_conditions_are_replaced():
    both = And((Truth(True), Or((Not(Truth(True)), DataDependent("d")))))
    changed = conditions.map_leaves(both, lambda leaf: Truth(False) if isinstance(leaf, Truth) else leaf)
    assert changed == And((Truth(False), Or((Not(Truth(False)), DataDependent("d")))))


def test_atoms_are_found_in_operands():
    poly = minimum([floor_div(var("i"), 2), const(3)]) + unknown("idx[i]", ["i"])
    assert [type(atom) for atom in poly.nested_atoms()] == [Extremum, FloorDiv, str, Unknown]
    assert poly.names() == {"i"}
    assert [atom.label for atom in poly.unknowns()] == ["idx[i]"]


def test_an_exit_is_passed_wherever_its_guard_stands():
    leaving = guard(DataDependent("c"), Exit(None, NO_SPAN))
    visits = [*walk_nodes((leaving, TICK, guard(DataDependent("d"), leaving, TICK), TICK))]
    assert [len(visit.exits) for visit in visits if visit.node is TICK] == [1, 2, 2]
