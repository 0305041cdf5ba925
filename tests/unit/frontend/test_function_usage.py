"""What functions call, in which loops, and what else they do."""

from __future__ import annotations

import pytest

from analyzer.frontend.function_usage import function_usage
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import read
from analyzer.source import Language, SourceFile
from analyzer.usage import Clue, FunctionUsage

SOURCE = """#include <stdlib.h>
#include <stdio.h>
void step(int n, double *x);
void run(int n, double *x, int verbose) {
  double *t = malloc(n * sizeof *t);
  for (int k = 0; k < 9; k++) {
    if (verbose)
      printf("%d\\n", k);
    while (x[0] > 0) step(n, x);
  }
  free(t);
}
"""


def usage_of(text: str, language: Language, reader: str) -> dict[str, FunctionUsage]:
    suffix = "c" if language is Language.C else "cpp"
    unit = read(SourceFile(f"x.{suffix}", text, language), ParseOptions(), reader).unit
    return {found.name: found for found in function_usage(unit)}


@pytest.mark.parametrize("reader", ["clang", "fragment"])
def test_calls_and_clues(reader: str) -> None:
    run = usage_of(SOURCE, Language.C, reader)["run"]
    assert [(call.line, call.loops, call.condition) for call in run.calls] == [(9, ((6, 10), (9, 9)), 0)]
    found = {(item.clue, item.line, item.condition) for item in run.clues}
    assert found == {(Clue.ALLOCATES, 5, 0), (Clue.TRANSFERS, 8, 7), (Clue.FREES, 11, 0)}


def test_a_local_container_allocates_nothing_that_stays() -> None:
    text = """#include <map>
#include <vector>
void f(int n, std::map<int, int> &rows) {
  std::vector<double> a(n);
  for (int i = 0; i < n; i++) rows[i] = i;
}
"""
    found = usage_of(text, Language.CXX, "clang")["f"]
    assert [(item.clue, item.line) for item in found.clues] == [(Clue.GROWS, 5)]
