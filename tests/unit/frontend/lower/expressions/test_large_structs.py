"""Copies of structures with many members: what a variable held before is gone, whatever of the copy is known."""

import pytest

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile

BODY = """
void f(struct s *all, int m, double *x) {
  struct s l = {0};
  l.n = 7;
  l = all[m];
  for (int i = 0; i < l.n; i++) x[i] += l.w[i];
}
"""


@pytest.mark.parametrize("members", [3, 50, 200])
def test_a_copy_replaces_the_members_of_a_variable(members):
    others = "".join(f"int m{k};" for k in range(members))
    text = f"struct s {{ int n; double *w; {others} }};{BODY}"
    (file,) = analyze(SourceFile("a.c", text, Language.C), AnalysisOptions(functions=("f",)))
    (region,) = file.profile.regions
    assert region.work.flops.is_exact
    (symbol,) = region.work.flops.estimate.symbols
    assert region.work.flops.estimate.evaluate({symbol: 5}) == 5
