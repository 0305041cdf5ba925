"""Trip counts that turn out to be symbols only when the iterations are counted."""

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

DIVISORS = """void f(int m, double *a) {
  for (int i = 1; i < m; i++)
    for (int j = 0; j < m / (i * i + 1); j++) a[j] += 1;
}
"""


def region_of(**defines: str):
    (file,) = analyze(SourceFile("x.c", DIVISORS, Language.C), AnalysisOptions(defines=defines))
    return file.regions[0]


def test_they_are_symbols_of_the_region():
    region = region_of()
    assert region.symbols == ("m", "trip_L3")
    assert str(region.work.flops.estimate) == "m*trip_L3 - trip_L3"


def test_their_values_can_be_given():
    region = region_of(trip_L3="7")
    assert region.work.flops.estimate.evaluate({**region.values, "m": 5}) == 28
    assert region_of(m="9", trip_L3="7").work.flops.estimate.evaluate({"m": 9}) == 4 + 1  # 9/2, 9/5
