"""Symbolic counts of drawn loop nests, evaluated at drawn sizes, equal what the interpreter enumerates."""

from __future__ import annotations

from hypothesis import given

from analyzer.profile import profile_region

from ..oracle.interpreter import run
from ..oracle.nests import Nest, Opacity, nests
from .agreement import check, covers

OPAQUE = Opacity(conditions=True, trips=True, returns=True)


@given(nests())
def test_symbolic_counts(nest: Nest):
    profile = profile_region(nest.region)
    for sizes in nest.sizes:
        check(profile, nest.region, sizes)


@given(nests(Opacity(headers=True)))
def test_counts_with_loads_in_loop_headers(nest: Nest):
    profile = profile_region(nest.region)
    for sizes in nest.sizes:
        check(profile, nest.region, sizes)


@given(nests())
def test_counts_and_lines_at_known_sizes(nest: Nest):
    profile, sizes = profile_region(nest.bound), nest.sizes[0]
    check(profile, nest.region, sizes)
    footprint, lines = profile.footprint, run(nest.region, sizes).lines()
    assert covers(footprint.written.lines, sizes, lines.stored)
    assert covers(footprint.touched.lines, sizes, lines.either)
    assert covers(footprint.read.lines, sizes, lines.read_first)


@given(nests(OPAQUE))
def test_whatever_the_data_say_the_truth_is_inside_the_interval(nest: Nest):
    profile = profile_region(nest.region)
    for sizes in nest.sizes:
        for choose in (True, False, lambda name, where: sum(where.values()) % 3 == 0):
            check(profile, nest.region, sizes, choose)
