"""Nests before which one of unknown size runs: their intervals have what is found for any of its sizes."""

import pytest

from analyzer.ir.nodes import Loop
from analyzer.ir.passes.drivers import outermost_loops
from analyzer.traffic.parts.known_part import known_part
from tests.checked import report_of
from tests.lowering import lower

LARGE = 1_000_000  # of doubles: no cache of a Haswell keeps both arrays
BETWEEN = "for (int i = 0; i < 2000; i++) s += x[i]; for (int k = 0; k < m; k++) t += y[k]; NEXT"
NEXT = "for (int i = 0; i < 2000; i++) s += x[i];"
REPEATED = """for (int r = 0; r < 50; r++) {
  for (int i = 0; i < 2000; i++) x[i] = 0;
  for (int k = 0; k < m; k++) t += y[k];
  for (int i = 0; i < 2000; i++) s += x[i];
}"""


def nests(body, **values):
    text = f"double x[2000], y[8000000]; double f(int m) {{ double s = 0, t = 0; {body} return s + t; }}"
    defines = {name: str(value) for name, value in values.items()}
    (region,) = report_of(text, "haswell", defines=defines).files[0].regions
    return region.all_nests


@pytest.mark.parametrize("body", [BETWEEN.replace("NEXT", NEXT), REPEATED])
@pytest.mark.parametrize("m", [10, LARGE, 8 * LARGE])
def test_what_is_found_with_the_size_is_within(body, m):
    last, known = nests(body)[-1].moved.total, nests(body, m=m)[-1].moved.total
    assert last.lower.evaluate({}) <= known.estimate.evaluate({}) <= last.upper.evaluate({})


def test_nothing_or_all_of_it_comes_from_memory():
    """2,000 doubles are 250 lines, which the first nest leaves in the caches and 8 million others push out of them."""
    found = nests(BETWEEN.replace("NEXT", NEXT))[-1].moved.total
    assert (found.lower.evaluate({}), found.upper.evaluate({})) == (0, 250 * 64)
    assert not found.is_exact


def test_repeated_nests_keep_data_that_fit():
    """As if the nest of unknown size touched nothing: 250 lines are filled once, not in each of 50 repetitions."""
    first, _, last = (nest.moved.total.estimate for nest in nests(REPEATED)[1:])
    assert first.evaluate({}) + last.evaluate({}) == pytest.approx(2 * 250 * 64, rel=0.01)  # allocated, written back


def test_loops_without_iterations_stand_for_missing_nests():
    text = "double x[n]; double y[90]; for (r = 0; r < 9; r++) { for (i = 0; i < n; i++) x[i] = 0; LOOP LOOP }"
    (region,) = lower(text.replace("LOOP", "for (j = 0; j < 90; j++) y[j] += 1;")).regions
    part = known_part(region, {})
    (driver,) = (node for node in part.region.body if isinstance(node, Loop))
    missing, *kept = outermost_loops(driver.body)
    assert (part.lacks(missing), missing.body) == (True, ())
    assert [part.lacks(node) for node in (driver, *kept)] == [False, False, False]


def test_a_missing_nest_under_a_condition_counts_too():
    body = BETWEEN.replace("for (int k", "if (m > 5) for (int k").replace("NEXT", NEXT)
    last = nests(body)[-1].moved.total
    assert (last.lower.evaluate({}), last.upper.evaluate({})) == (0, 250 * 64)
