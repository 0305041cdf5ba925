"""Drawn functions of several nests: rows add up, names and order of counters and nests change nothing but caches."""

from __future__ import annotations

import pytest

from analyzer.traffic.hierarchy import parse_hierarchy
from tests.night import BY_NIGHT

from ..oracle.drawn_nests import drawn
from .several import check_fetches, check_program, rows_of

SEEDS = 100 if BY_NIGHT else 8


@pytest.mark.parametrize("seed", range(SEEDS))
def test_rows_are_those_of_the_nests(seed: int) -> None:
    check_program(seed)


@pytest.mark.parametrize("caches", ["L1:512/4,L2:8KiB/8", "L1:1KiB/4,L2:4KiB/8"])
def test_a_cache_of_half_the_size_is_told_apart(caches: str) -> None:
    program = drawn(83)
    rows = rows_of(program)
    check_fetches(program, rows)
    with pytest.raises(AssertionError, match="simulated"):
        check_fetches(program, rows, parse_hierarchy(caches))
