"""Pieces of a set that others hold: what is left is the same set, and nothing is counted that has too many cases."""

from __future__ import annotations

from itertools import product

import islpy as isl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.domains.isl.covered import has_more_cases, without_covered
from analyzer.domains.isl.sets import points
from analyzer.domains.limits import OverBudget
from analyzer.ir.index import var

_BOUNDS = st.sampled_from(["a > 0", "a > 2", "a < b", "b >= 3", "a = 1", "i < a", "i < b", "i mod 2 = 0", "2i >= a"])
_ALTERNATIVES = st.lists(st.lists(_BOUNDS, min_size=1, max_size=3), min_size=1, max_size=8)


@given(_ALTERNATIVES)
def test_the_set_stays_the_same(alternatives: list[list[str]]) -> None:
    conditions = " or ".join(f"({' and '.join(some)})" for some in alternatives)
    whole = isl.Set(f"[a, b] -> {{ [i] : 0 <= i < 9 and ({conditions}) }}")
    found = without_covered(whole)
    assert found.is_equal(whole)
    assert found.n_basic_set() <= whole.n_basic_set()


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("[n] -> { [i] : 0 <= i < n or 0 <= i < n and n > 4 or 0 <= i < n and n < 40 and i < 7 }", 1),
        ("[n] -> { [i] : 0 <= i < n and (n >= 4 or n <= 1) }", 2),
        ("[n] -> { [i] : 0 <= i < n and i mod 2 = 0 or 0 <= i < 7 and i mod 3 = 0 }", 2),
    ],
)
def test_pieces_within_others_go(text: str, pieces: int) -> None:
    assert without_covered(isl.Set(text)).n_basic_set() == pieces


def test_products_of_alternatives_are_reduced() -> None:
    either = " and ".join(f"(s0 >= {k} or s1 >= {k} or s2 >= {k})" for k in range(1, 7))
    found = points(f"[n, s0, s1, s2] -> {{ [i] : 0 <= i < n and {either} }}")
    count = found.count({name: var(name) for name in ("n", "s0", "s1", "s2")})
    for s0, s1, s2 in product((0, 3, 6), repeat=3):
        holds = all(max(s0, s1, s2) >= k for k in range(1, 7))
        assert count.evaluate({"n": 10, "s0": s0, "s1": s1, "s2": s2}) == (10 if holds else 0)


def test_too_many_cases_are_not_counted() -> None:
    either = " or ".join(f"(s{k} >= 1 and s{k + 1} < {k})" for k in range(45))
    names = [f"s{k}" for k in range(46)]
    found = points(f"[n, {', '.join(names)}] -> {{ [i] : 0 <= i < n and ({either}) }}")
    assert has_more_cases(found._isl, 40)
    assert not has_more_cases(found._isl, 45)
    with pytest.raises(OverBudget):
        found.count({name: var(name) for name in ("n", *names)})


def test_numbers_beyond_64_bits_are_told_apart() -> None:
    """``i >= 10^30`` holds ``i >= 10^30 + 1``, and not the other way round."""
    kept = without_covered(isl.Set(f"{{ [i] : i >= {10**30 + 1} }}").union(isl.Set(f"{{ [i] : i >= {10**30} }}")))
    assert kept.is_equal(isl.Set(f"{{ [i] : i >= {10**30} }}"))
