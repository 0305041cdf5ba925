"""Calls that there is no time to follow."""

from __future__ import annotations

import pytest

from analyzer.frontend.fragment import parse_fragment
from analyzer.frontend.lower import Lowered, LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.text import region_text
from analyzer.source import Language, SourceFile

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


def lowered(seconds: float) -> Lowered:
    unit = parse_fragment(SourceFile("x.c", TEXT, Language.C), ParseOptions()).unit
    return lower_unit(unit, LowerOptions(seconds=seconds))


def test_what_is_not_followed_is_told_and_no_value_from_before_it_is_kept():
    found = lowered(1e-9)
    f, g = map(region_text, found.regions)
    assert "i in 0 .. k" in f
    assert "j in 0 .. m" in f
    assert "l in 0 .. 5" not in f
    assert {item.code for item in found.diagnostics} >= {"AI208"}
    assert "i in 0 .. n" in g


@pytest.mark.parametrize("seconds", [0, 100])
def test_in_time_everything_is_followed(seconds: float):
    found = lowered(seconds)
    assert not found.diagnostics
    text = region_text(found.regions[0])
    assert all(words in text for words in ("i in 0 .. 7", "j in 0 .. 8", "l in 0 .. 5"))


def test_a_file_of_many_functions_ends(monkeypatch: pytest.MonkeyPatch):
    clock = iter(range(0, 10_000, 4))
    monkeypatch.setattr("time.thread_time", lambda: next(clock))
    found = lowered(2)
    assert [region.name for region in found.regions] == ["f"]
    assert "g is left out: it takes longer than --budget allows" in {item.message for item in found.diagnostics}
