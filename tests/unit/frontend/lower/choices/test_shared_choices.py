"""Choices of pointers that share parts: the cost is that of the parts, not of the ways through them."""

from __future__ import annotations

from analyzer.frontend.lower.choices.tables import arrays_of, map_pointers
from analyzer.frontend.lower.names.bindings import Either, Location, Pointer, fold, may_be_null
from analyzer.frontend.lower.names.memory import Memory
from analyzer.frontend.surface import nodes as sx
from analyzer.ir.index import ZERO
from analyzer.ir.nodes import DataDependent


def exchanged(times: int) -> Either:
    """Return the first of two pointers that data exchange so many times: there are 2^times ways to it."""
    first, second = (Pointer(Location(array, (ZERO,), (None,), sx.DOUBLE)) for array in "ab")
    one: Pointer | Either = first
    other: Pointer | Either = second
    for number in range(times):
        condition = DataDependent(f"c{number}", "")
        one, other = Either(condition, other, one), Either(condition, one, other)
    assert isinstance(one, Either)
    return one


def test_each_part_is_folded_once() -> None:
    """Two pointers, two choices after each of 39 exchanges, and the last one."""
    seen = []
    fold(exchanged(40), lambda pointer: seen.append(pointer), lambda chosen, *_: seen.append(chosen))
    assert len(seen) == 2 + 2 * 39 + 1


def test_pointers_behind_2_to_the_40_ways() -> None:
    assert arrays_of(Memory(), exchanged(40)) == {"a", "b"}
    assert not may_be_null(exchanged(40))
    assert len(exchanged(40).conditions) == 40
    assert isinstance(map_pointers(exchanged(40), lambda pointer: pointer), Either)
