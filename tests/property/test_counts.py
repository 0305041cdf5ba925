"""Symbolic counts of drawn loop nests, evaluated at drawn sizes, equal what the interpreter enumerates.

:mod:`.night` draws thousands more.
"""

from __future__ import annotations

from hypothesis import given

from ..oracle.nests import Nest, nest_of_seed, nests
from .agreement import Kind, check_nest


@given(nests(Kind.SYMBOLIC.opacity))
def test_symbolic_counts(nest: Nest):
    check_nest(nest, Kind.SYMBOLIC)


@given(nests(Kind.HEADERS.opacity))
def test_counts_with_loads_in_loop_headers(nest: Nest):
    check_nest(nest, Kind.HEADERS)


@given(nests(Kind.KNOWN_SIZES.opacity))
def test_counts_and_lines_at_known_sizes(nest: Nest):
    check_nest(nest, Kind.KNOWN_SIZES)


@given(nests(Kind.DATA.opacity))
def test_whatever_the_data_say_the_truth_is_inside_the_interval(nest: Nest):
    check_nest(nest, Kind.DATA)


def test_a_seed_gives_the_same_nest_each_time():
    assert repr(nest_of_seed(7)) == repr(nest_of_seed(7)) != repr(nest_of_seed(8))
