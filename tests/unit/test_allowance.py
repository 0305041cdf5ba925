"""The last limit of a part of the analysis."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress

import pytest

from analyzer.allowance import Overrun, after, allowance, reason
from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile
from tests.hostile import text_of


def spin() -> None:
    while True:
        pass


def test_python_code_that_does_not_end_is_interrupted():
    with pytest.raises(Overrun), allowance(0.01):
        spin()


def careless() -> None:
    with suppress(Overrun):
        spin()


def test_what_swallows_the_interruption_counts_as_interrupted():
    with pytest.raises(Overrun), allowance(0.01):
        careless()


class Slow:
    """Its destructor takes longer than allowed."""

    def __del__(self):
        with suppress(StopIteration):
            spin()


def test_an_interrupted_destructor_is_not_reported(capfd):
    with pytest.raises(Overrun), allowance(0.01):
        Slow()
    assert capfd.readouterr().err == ""


def test_nothing_is_left_behind():
    before, report = signal.getsignal(signal.SIGVTALRM), sys.unraisablehook
    with allowance(10):
        pass
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)
    assert signal.getsignal(signal.SIGVTALRM) == before
    assert sys.unraisablehook is report


def test_what_follows_gets_less_but_never_none():
    assert (after(8), after(0.06), after(0)) == (4, 0.05, 0)


@pytest.mark.parametrize("error", [Overrun(), MemoryError(), RecursionError()])
def test_reasons_differ(error):
    assert reason(error) not in {reason(other) for other in (Overrun(), MemoryError(), RecursionError())} - {
        reason(error)
    }


def test_a_function_that_asks_for_too_much_costs_only_itself():
    _, calls = text_of("calls_with_loops", large=True)
    text = calls.decode() + "void g(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }\n"
    (found,) = analyze(SourceFile("calls.c", text, Language.C), AnalysisOptions(budget_s=0.02))
    assert "g" in [region.name for region in found.regions]
    assert any(told.code == "AI208" and "takes too long" in told.message for told in found.diagnostics)


def test_deep_loops_between_minima_and_maxima_stay_in_one_piece():
    _, text = text_of("nest_min_max", large=True)
    (found,) = analyze(SourceFile("nest.c", text.decode(), Language.C), AnalysisOptions(budget_s=1))
    assert [region.name for region in found.regions] == ["f"]
