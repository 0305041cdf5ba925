"""Loops that a condition on their own bounds lets in, where the bounds differ between calls."""

from msgspec.structs import replace

from analyzer.coverage.averaged import with_run
from analyzer.coverage.binding import NOTHING
from analyzer.coverage.loop_counts import Ratio
from analyzer.coverage.ratios import Ratios
from analyzer.ir.index import const
from analyzer.ir.nodes import Compare, Comparison, Loop
from analyzer.source import Span
from tests.nests import TICK, M, N, guard, loop, region

FUNCTION, LINE = Span("a.c", 1, 9), Span("a.c", 4, 4)


def of_run(where):
    """Three calls, in which the loop over M to N had 20 iterations; one call had none."""
    ticking = replace(loop("i", M, N, TICK), span=LINE)
    entered = replace(guard(Compare(Comparison.GT, N - M, const(0)), ticking), span=where)
    ratios = Ratios(calls=3, trips={("a.c", LINE.line, LINE.column): Ratio(20, 3)}, bodies=(FUNCTION,))
    found = with_run([replace(region(entered), span=FUNCTION)], replace(NOTHING, ratios=ratios, own={"test": ratios}))
    return found.regions[0].body


def test_the_mean_is_that_of_all_calls_also_of_those_without_an_iteration():
    (found,) = of_run(LINE)
    assert isinstance(found, Loop)
    assert not found.range.stop.names() & {"N"}


def test_a_condition_that_the_source_writes_elsewhere_stays():
    (found,) = of_run(Span("a.c", 3, 3))
    assert not isinstance(found, Loop)
