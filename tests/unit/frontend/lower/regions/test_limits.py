"""Calls for which there are no operations left to follow them."""

from __future__ import annotations

from collections import Counter

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.fragment.reader import parse_fragment
from analyzer.frontend.lower import Lowered, LowerOptions, lower_unit
from analyzer.frontend.lower.functions.effects import EffectTable
from analyzer.frontend.options import ParseOptions
from analyzer.ir.written.text import region_text
from analyzer.limits.hard_limit import cpu_seconds
from analyzer.source import Language, SourceFile
from tests.hostile import text_of

TEXT = """
int m = 3;
void more(int *n) { *n = 7; m = 8; }
int five(void) { return 5; }
double *last(double *p) { return p + 1; }
void f(int n, double *a)
{
  int k = 3;
  m = 3;
  more(&k);
  for (int i = 0; i < k; i++) a[i] = 1;
  for (int j = 0; j < m; j++) a[j] = 1;
  for (int l = 0; l < five(); l++) *last(a) = 1;
}
void g(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }
"""


def lowered(operations: int) -> Lowered:
    unit = parse_fragment(SourceFile("x.c", TEXT, Language.C), ParseOptions()).unit
    return lower_unit(unit, LowerOptions(operations=operations))


def test_what_is_not_followed_is_reported_and_no_value_from_before_it_is_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("analyzer.frontend.lower.regions.function._FOLLOWED", 0)
    found = lowered(1_000)
    f, g = map(region_text, found.regions)
    assert "i in 0 .. k" in f
    assert "j in 0 .. m" in f
    assert "l in 0 .. 5" not in f
    assert "i in 0 .. n" in g


@pytest.mark.parametrize("operations", [0, 10_000])
def test_within_the_budget_everything_is_followed(operations: int):
    found = lowered(operations)
    assert not found.diagnostics
    text = region_text(found.regions[0])
    assert all(words in text for words in ("i in 0 .. 7", "j in 0 .. 8", "l in 0 .. 5"))


def test_a_file_of_many_functions_ends():
    found = lowered(1)
    assert found.regions == ()
    assert [(item.code, item.form) for item in found.diagnostics] == [("AI213", "left-out")] * 2


@pytest.mark.slow
def test_functions_that_all_call_one_another_are_looked_at_once(monkeypatch: pytest.MonkeyPatch):
    """Whether each has a loop, or calls one that does, was once asked of each anew: a quadratic number of steps."""
    _, text = text_of("mutual", large=True)
    unit = parse_clang(SourceFile("m.c", text.decode(), Language.C), ParseOptions()).unit
    asked: Counter[str] = Counter()
    effects = EffectTable._of_function
    monkeypatch.setattr(EffectTable, "_of_function", lambda table, key: asked.update([key]) or effects(table, key))
    assert len(EffectTable(unit.functions).with_loops()) == 2000
    assert max(asked.values()) <= 2  # for its calls, and for its loops


@pytest.mark.parametrize("operations", [60, 100, 200])
def test_a_slower_machine_lowers_the_same(operations: int, monkeypatch: pytest.MonkeyPatch):
    before = lowered(operations)
    monkeypatch.setattr("analyzer.frontend.lower.regions.unit.cpu_seconds", lambda: 3 * cpu_seconds())
    found = lowered(operations)
    assert (found.regions, found.diagnostics) == (before.regions, before.diagnostics)
