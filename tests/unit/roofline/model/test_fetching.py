"""Lines of code that a core fetches, and translations that it waits for."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from roofline import estimate
from roofline.catalog import find_machine
from roofline.estimation import source_text
from roofline.model.expectation.fetching import fetched_cycles
from roofline.model.expectation.pages import Walks, walks_of

ZEN = find_machine("epyc-7763")
assert ZEN.core is not None
WALK_S = 60e-9
GATHER = """double f(int *restrict p, double *restrict a) { double s = 0;
  for (int i = 0; i < N; i++) s += a[p[i]]; return s; }"""
COLUMNS = """double f(int n, double *restrict a) { double s = 0;
  for (int j = 0; j < 600; j++) for (int i = 0; i < n; i++) s += a[i * 600 + j]; return s; }"""


def test_a_loop_of_one_cycle_takes_two_across_lines():
    """Four instructions and their control are 27 bytes: of starts at 0, 16, 32 and 48 only the last one crosses."""
    assert fetched_cycles(ZEN, 1.0, 4, 0) == pytest.approx(5 / 4)
    assert fetched_cycles(ZEN, 2.0, 4, 0) == 2
    assert fetched_cycles(ZEN, 1.0, 4, 1) == pytest.approx(9 / 4)  # a branch that is taken ends a line


def test_wider_cores_and_those_of_intel_fetch_ahead():
    assert fetched_cycles(find_machine("epyc-9r45"), 1.0, 4, 2) == 1
    assert fetched_cycles(find_machine("haswell"), 1.0, 4, 2) == 1


def walks(text, sizes, lines=1e9):
    machine = replace(ZEN, memory=replace(ZEN.memory, page_walk_s=WALK_S))
    (region,) = estimate(source_text(text), machine, sizes=sizes, cores=1).regions
    return walks_of(region.profile, machine, lines)


def test_elements_that_data_choose_beyond_known_pages_wait():
    """4 million places of 48 MB, of which 2048 pages reach 8.4 MB; twelve walks overlap."""
    found = walks(GATHER.replace("N", "4000000"), {})
    beyond = 1 - 2048 * 4096 / 48e6
    assert found.scattered_s == pytest.approx(4e6 * beyond * WALK_S / 12, rel=1e-3)
    assert found.each_s == pytest.approx(beyond * WALK_S, rel=1e-3)
    assert walks(GATHER.replace("N", "4000000"), {}, lines=0).scattered_s == 0


@pytest.mark.parametrize(("rows", "each"), [(1200, 0), (1600, Fraction(4800, 4096))])
def test_a_column_of_more_pages_than_are_known_waits_for_each(rows, each):
    """Rows of 4,800 bytes are a page each; three quarters of 2048 are known in turn."""
    assert walks(COLUMNS, {"n": rows}).strided_s == pytest.approx(600 * rows * min(1, each) * WALK_S / 12)


def test_machines_that_state_no_walks_have_none():
    (region,) = estimate(source_text(COLUMNS), ZEN, sizes={"n": 4000}, cores=1).regions
    assert walks_of(region.profile, ZEN, 1e9) == Walks()
