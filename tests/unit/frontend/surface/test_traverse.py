"""Every part of every node class of the surface tree is reached; a part that cannot be reached is an error."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from msgspec import Struct

from analyzer.frontend.surface import nodes as sx
from analyzer.frontend.surface.constructs import construct
from analyzer.frontend.surface.traverse import children, fold, map_children, parts_of, statements_in, walk
from analyzer.source import Span

_AT = Span("x.c", 1, 1)
_X = sx.Variable("x", sx.DOUBLE, sx.Storage.LOCAL, _AT)


def one() -> sx.Number:
    return sx.Number(1, sx.INT, _AT)


def block() -> sx.Block:
    return sx.Block((sx.Evaluate(one(), _AT),), _AT)


_EXAMPLES = [
    one(),
    sx.Text("t", _AT),
    sx.Name(_X, _AT),
    sx.Unary("-", one(), _AT),
    sx.Binary("+", one(), one(), _AT),
    sx.Assign("", one(), one(), _AT),
    sx.Conditional(one(), one(), one(), _AT),
    sx.Call("f", "f", (one(), one()), sx.INT, _AT),
    sx.Launch(
        function="k", name="k", grid=one(), block=one(), shared=one(), arguments=(one(), one()), span=_AT, called=one()
    ),
    sx.Index(one(), one(), _AT),
    sx.Member(one(), "m", _AT),
    sx.Cast(sx.INT, one(), _AT),
    sx.Comma(one(), one(), _AT),
    sx.InitializerList(sx.INT, (one(), one()), _AT),
    sx.OpaqueExpression(construct("aggregate"), (one(), one()), sx.INT, _AT, "", one()),
    sx.Declare(_X, one(), _AT),
    sx.Evaluate(one(), _AT),
    sx.Block((block(), block()), _AT),
    sx.If(one(), block(), block(), _AT),
    sx.For(initial=block(), condition=one(), advance=one(), body=block(), span=_AT),
    sx.While(one(), block(), False, _AT),
    sx.Switch(one(), (sx.Case((one(), None), (block(),), True), sx.Case((one(),), (block(), block()), False)), _AT),
    sx.Return(one(), _AT),
    sx.Break(_AT),
    sx.Continue(_AT),
    sx.Goto("l", _AT),
    sx.Label("l", _AT),
    sx.Skippable("l", block(), _AT, sx.Name(_X, _AT)),
    sx.Repeated("l", block(), _AT),
    sx.OpaqueStatement(construct("inline-assembly"), _AT),
]
_CLASSES = (*get_args(sx.Expression), *get_args(sx.Statement))
_NO_PARTS = (sx.Variable, *get_args(sx.CType))


def held(value: object) -> Iterator[Any]:
    """Nodes in a value, however it holds them; the first on each way down."""
    if isinstance(value, _CLASSES):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from held(item)
    elif isinstance(value, Struct) and not isinstance(value, _NO_PARTS):
        yield from held(fields_of(value))


def fields_of(node: Struct) -> tuple[object, ...]:
    return tuple(getattr(node, name) for name in node.__struct_fields__)


def identities(found: object) -> list[int]:
    return [id(node) for node in found]  # type: ignore[attr-defined]


def test_there_is_an_example_of_every_class() -> None:
    assert {type(example) for example in _EXAMPLES} == set(_CLASSES)


@pytest.mark.parametrize("example", _EXAMPLES, ids=lambda item: type(item).__name__)
def test_every_part_is_a_child(example: Any) -> None:
    assert None not in fields_of(example)
    parts = list(held(fields_of(example)))
    assert identities(children(example)) == identities(parts)
    assert identities(walk(example))[0] == id(example)
    assert set(identities(parts)) <= set(identities(walk(example)))


@pytest.mark.parametrize("example", _EXAMPLES, ids=lambda item: type(item).__name__)
def test_every_part_is_replaced(example: Any) -> None:
    new = {id(part): (block() if isinstance(part, sx.Block) else one()) for part in children(example)}
    changed = map_children(example, lambda part: new[id(part)])
    assert type(changed) is type(example)
    assert identities(children(changed)) == [id(new[id(part)]) for part in children(example)]
    assert map_children(example, lambda part: part) is example


@pytest.mark.parametrize("example", _EXAMPLES, ids=lambda item: type(item).__name__)
def test_folds_see_every_node_once(example: Any) -> None:
    assert fold(example, lambda node, below: 1 + sum(below)) == len(list(walk(example)))
    in_order: list[int] = fold(example, lambda node, below: [id(node), *(item for part in below for item in part)])
    assert in_order == identities(walk(example))


def test_statements_alone() -> None:
    loop = sx.While(one(), block(), False, _AT)
    assert identities(statements_in(loop)) == [id(loop), id(loop.body), id(loop.body.statements[0])]  # type: ignore[union-attr]


def test_long_chains_need_no_recursion() -> None:
    chain: sx.Expression = one()
    for _ in range(5000):
        chain = sx.Binary("+", chain, one(), _AT)
    assert fold(chain, lambda node, below: sum(below) or 1) == 5001


class _Arm(Struct, frozen=True):
    body: sx.Statement


_Arm.__module__ = sx.__name__


class _WithArm(Struct, frozen=True):
    arm: _Arm


class _WithTable(Struct, frozen=True):
    parts: dict[str, sx.Expression]


@pytest.mark.parametrize("kind", [_WithArm, _WithTable])
def test_parts_that_cannot_be_reached_are_errors(kind: type[Struct]) -> None:
    with pytest.raises(TypeError, match=kind.__name__):
        parts_of(kind)
