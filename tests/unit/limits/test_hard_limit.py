"""The last limit of a part of the analysis."""

from __future__ import annotations

import importlib
import math
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from analyzer.limits.hard_limit import (
    ENDED,
    READ,
    REUSED,
    Account,
    Overrun,
    cause_of,
    count_children,
    cpu_seconds,
    give_up,
    hard_limit,
    remaining,
)
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from tests.hostile import _functions, beside_innocent, text_of


def spin() -> None:
    while True:
        pass


def test_python_code_that_does_not_end_is_interrupted():
    with pytest.raises(Overrun), hard_limit(0.01):
        spin()


def spend(seconds: float) -> None:
    end = cpu_seconds() + seconds
    while cpu_seconds() < end:
        pass


@pytest.mark.skipif(sys.platform != "linux", reason="no timer of both times")
def test_time_in_the_system_counts():
    def make_pages() -> None:
        while True:
            bytearray(1 << 26)

    began = os.times().user
    with pytest.raises(Overrun), hard_limit(0.2):
        make_pages()
    assert os.times().user - began < 0.2


def test_children_that_have_ended_count():
    def spin_in_two() -> None:
        subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.3: pass"], check=True)
        count_children()
        spin()

    began = time.process_time()
    with pytest.raises(Overrun), hard_limit(0.4):
        spin_in_two()
    assert time.process_time() - began < 0.4


def careless() -> None:
    with suppress(Overrun):
        spin()


def test_what_swallows_the_interruption_counts_as_interrupted():
    with pytest.raises(Overrun), hard_limit(0.01):
        careless()


def need_two(found):
    _, _ = found


def fail_without_the_rest():
    careless()
    need_two(["half of what a callback collects"])


def test_what_fails_without_what_was_swallowed_counts_as_interrupted():
    with pytest.raises(Overrun), hard_limit(0.01):
        fail_without_the_rest()


def test_a_failure_before_the_limit_stays_one():
    with pytest.raises(ValueError, match="not enough"), hard_limit(10):
        need_two(["one"])


class Slow:
    """Its destructor takes longer than allowed."""

    def __del__(self):
        with suppress(StopIteration):
            spin()


def test_an_interrupted_destructor_is_not_reported(capfd):
    with pytest.raises(Overrun), hard_limit(0.01):
        Slow()
    assert capfd.readouterr().err == ""


def test_nothing_is_left_behind():
    before, report = signal.getsignal(signal.SIGVTALRM), sys.unraisablehook
    with hard_limit(10):
        pass
    assert remaining() == math.inf
    assert signal.getsignal(signal.SIGVTALRM) == before
    assert sys.unraisablehook is report


def test_an_allowance_inside_another_leaves_that_in_force():
    def twice() -> None:
        with pytest.raises(Overrun), hard_limit(0.01):
            spin()
        with hard_limit(10):
            spin()

    with pytest.raises(Overrun), hard_limit(0.05):
        twice()
    spend(0.1)
    assert remaining() == math.inf


def test_a_module_is_never_loaded_by_half(tmp_path, monkeypatch):
    """As numpy once was, which then had no ``prod`` for all other files."""
    (tmp_path / "slow_to_load.py").write_text("import time\nwhile time.process_time() < END: pass\nlast = 1\n")
    text = (tmp_path / "slow_to_load.py").read_text().replace("END", str(time.process_time() + 0.3))
    (tmp_path / "slow_to_load.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))

    def load() -> None:
        importlib.import_module("slow_to_load")
        spin()

    with pytest.raises(Overrun), hard_limit(0.02):
        load()
    assert sys.modules.pop("slow_to_load").last == 1


def test_an_account_holds_what_was_spent_before():
    assert Account(0).left(1) == math.inf
    assert 9.9 < Account(10).left(1) <= 10
    give_up({}, earlier_s=4)
    try:
        assert 13.9 < Account(10).left(ENDED) <= 14
        assert Account(10).left(READ) / Account(10).left(ENDED) == pytest.approx(READ / ENDED, abs=0.01)
    finally:
        give_up({})


def test_small_budgets_leave_room_for_the_start_of_the_program():
    assert Account(1).left(REUSED) < 1.31 < 15 < Account(10).left(REUSED)


def test_children_are_in_the_time():
    before = cpu_seconds()
    subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.2: pass"], check=True)
    assert cpu_seconds() - before > 0.2


@pytest.mark.parametrize("error", [Overrun(), MemoryError(), RecursionError()])
def test_reasons_differ(error):
    assert cause_of(error) not in {cause_of(other) for other in (Overrun(), MemoryError(), RecursionError())} - {
        cause_of(error)
    }


def test_a_function_that_asks_for_too_much_costs_only_itself():
    _, calls = text_of("calls_with_loops", large=True)
    text = calls.decode() + "void g(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }\n"
    (found,) = analyze(SourceFile("calls.c", text, Language.C), AnalysisOptions(budget_s=5))
    assert "g" in [region.name for region in found.regions]
    assert {told.code for told in found.diagnostics} & {"AI208", "AI213"}


@pytest.mark.slow
def test_deep_loops_between_minima_and_maxima_stay_in_one_piece():
    _, text = text_of("nest_min_max", large=True)
    (found,) = analyze(SourceFile("nest.c", text.decode(), Language.C), AnalysisOptions(budget_s=15))
    assert [region.name for region in found.regions] == ["f"]


def left_out(count: int, reported_s: float) -> list[str]:
    options = AnalysisOptions(budget_s=20, reported_s=reported_s)
    (found,) = analyze(SourceFile("f.c", _functions(count), Language.C), options)
    texts = [told.message for told in found.diagnostics if told.code == "AI213"]
    assert len(found.regions) + len(texts) == count
    return texts


def test_the_time_of_the_report_is_in_the_account():
    assert left_out(20, reported_s=0) == []
    texts = left_out(20, reported_s=2)
    assert 11 < len(texts) < 17
    assert sum("its report takes longer" in text for text in texts) <= len(texts) / 4, "the others are not counted"


def test_a_region_for_whose_report_there_is_no_time_is_left_out():
    loops = "for (int i = 0; i < n; i++) a[i] += 1;\n" * 5
    text = f"void f(int n, double *a) {{ a[0] = 1; }}\nvoid g(int n, double *a) {{ {loops} }}\n{_functions(1)}"
    options = AnalysisOptions(budget_s=20, reported_s=8)
    (found,) = analyze(SourceFile("f.c", text, Language.C), options)
    assert [region.name for region in found.regions] == ["f0"]
    assert [told.message for told in found.diagnostics if told.code == "AI213" and "sizes" not in told.message] == [
        "g is left out: its report takes longer than --budget allows"
    ]


@pytest.mark.slow
def test_macros_that_never_end_cost_only_themselves():
    _, bomb = text_of("fragment_macro_bomb", large=True)
    text = beside_innocent("fragment_macro_bomb", bomb).decode()
    (found,) = analyze(SourceFile("bomb.c", text, Language.C), AnalysisOptions(budget_s=20))
    assert [region.name for region in found.regions] == ["innocent"]
    assert "AI213" in {told.code for told in found.diagnostics}
