"""Subscripts in the digits of the counters that they divide."""

from __future__ import annotations

from itertools import product

import pytest

from analyzer.domains.counter_digits import in_digits
from analyzer.domains.formula import Formula, Names
from analyzer.domains.isl.sets import relation
from analyzer.ir.index import Poly, const, floor_div, floor_mod, trunc_div, var
from analyzer.ir.nodes import Loop, Strided
from analyzer.source import Span

LANE, BLOCK = var("t"), var("b")
EXTENTS = {"b": 3, "t": 128}


def elements(
    subscripts: list[Poly], *, nonnegative: frozenset[str] = frozenset("tb")
) -> tuple[str, set[tuple[int, ...]]]:
    """Return isl's text of what the subscripts touch, and its elements."""
    names = Names()
    loops = [
        Loop(name, Strided(const(0), const(extent), 1), (), Span("", depth, depth))
        for depth, (name, extent) in enumerate(EXTENTS.items())
    ]
    for depth, name in enumerate(EXTENTS):
        names.enter(name, depth)
    formula = Formula(names, frozenset(EXTENTS), nonnegative)
    image = [formula.affine(each) for each in in_digits(subscripts, loops, formula)]
    body = formula.close([f"e{k} = {text}" for k, text in enumerate(image)])
    text = f"{{ [i0, i1] -> [{', '.join(f'e{k}' for k in range(len(image)))}] : {body} }}"
    found: set[tuple[int, ...]] = set()
    domain = f"{{ [i0, i1] : 0 <= i0 < {EXTENTS['b']} and 0 <= i1 < {EXTENTS['t']} }}"
    import islpy as isl

    isl.Set(domain).apply(relation(text)._isl).foreach_point(
        lambda point: found.add(
            tuple(point.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(len(image)))
        )
    )
    return body, found


CASES = {
    "quotient and remainder": [floor_div(LANE, 4), floor_mod(LANE, 4)],
    "C's division, of a remainder": [
        trunc_div(LANE - 32 * trunc_div(LANE, 32), 16),
        LANE
        + 16 * trunc_div(128 * BLOCK + LANE, 32)
        - 16 * trunc_div(LANE - 32 * trunc_div(LANE, 32), 16)
        - 32 * trunc_div(LANE, 32),
    ],
    "a quotient of a quotient": [
        floor_div(floor_div(LANE, 32), 2),
        floor_mod(floor_div(LANE, 32), 2),
        floor_mod(LANE, 32),
    ],
    "four at a time": [floor_div(4 * LANE, 64), floor_mod(4 * LANE, 64) + BLOCK],
    "more numbers than whole digits": [floor_div(LANE, 48), floor_mod(LANE, 48)],
}


@pytest.mark.parametrize("name", CASES)
def test_digits_touch_the_same_elements(name: str) -> None:
    body, found = elements(CASES[name])
    assert "floor" not in body
    assert found == {
        tuple(int(each.evaluate({"b": b, "t": t})) for each in CASES[name]) for b, t in product(range(3), range(128))
    }


@pytest.mark.parametrize(
    "subscripts",
    [
        [floor_div(LANE, 32)],
        [floor_div(LANE, 6), floor_mod(LANE, 4)],
        [floor_div(LANE + BLOCK, 4), floor_mod(LANE, 4)],
        [floor_div(LANE + 2, 4), floor_mod(LANE + 2, 4)],
    ],
    ids=["divided once", "6 and 4", "divided with another", "begins within a digit"],
)
def test_what_has_no_digits_stays(subscripts: list[Poly]) -> None:
    body, found = elements(subscripts)
    assert "floor" in body
    assert found == {
        tuple(int(each.evaluate({"b": b, "t": t})) for each in subscripts) for b, t in product(range(3), range(128))
    }


def test_counters_that_may_be_negative_stay() -> None:
    body, _ = elements([floor_div(LANE, 4), floor_mod(LANE, 4)], nonnegative=frozenset("b"))
    assert "floor" in body
