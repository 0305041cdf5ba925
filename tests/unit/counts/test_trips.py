"""Trip counts that turn out to be symbols only when the iterations are counted."""

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

DOUBLING = """void f(int m, double *a) {
  for (int i = 1; i < m; i *= 2)
    for (int j = 0; j < i; j++) a[j] += 1;
}
"""


def region_of(**defines: str):
    (file,) = analyze(SourceFile("x.c", DOUBLING, Language.C), AnalysisOptions(defines=defines))
    return file.regions[0]


def test_they_are_symbols_of_the_region():
    region = region_of()
    assert region.symbols == ("m", "trip_L2", "trip_L3")
    assert str(region.work.flops.estimate) == "trip_L2*trip_L3"


def test_their_values_can_be_given():
    region = region_of(trip_L2="4", trip_L3="7")
    assert region.work.flops.estimate.evaluate(region.values) == 28
    assert region_of(m="9", trip_L3="7").work.flops.estimate.evaluate({}) == 1 + 2 + 4 + 8
