"""Facts in comments: they must reach the counts."""

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

TWO = """\
// ai-estimate: assume n=1000
void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2*a[i]; }
void g(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 2*a[i]; }
"""
ROWS = """\
void spmv(int n, const int *row, double *c, const double *b) {
  for (int i = 0; i < n; i++)
    for (int j = row[i]; j < row[i+1]; j++)  // ai-estimate: trip(j)=TRIP
      c[i] += b[j];
}
"""


def profile(text, **options):
    (found,) = analyze(SourceFile("x.c", text, Language.C), AnalysisOptions(**options))
    return found


def flops(region):
    return region.work.flops.estimate.evaluate(region.values)


def test_a_size_holds_in_the_function_below_the_comment_only():
    first, second = profile(TWO).regions
    assert (first.values, second.values) == ({"n": 1000}, {})
    assert flops(first) == 1000
    assert [item.code for item in first.assumptions if "n = 1000" in item.text] == ["AI309"]
    assert not [item for item in second.assumptions if item.code == "AI309"]


def test_the_command_line_goes_before():
    first, second = profile(TWO, defines={"n": "7"}).regions
    assert (first.values, second.values) == ({"n": 7}, {"n": 7})
    assert not [item for item in first.assumptions if item.code == "AI309"]


def test_a_name_that_is_not_declared_is_a_macro_for_the_whole_file():
    text = (
        "// ai-estimate: assume M=64, N=2*M\n\nint unused;\n"
        "void f(double a[N][M]) { for (int i = 0; i < N; i++) a[i][0] *= 2; }"
    )
    (region,) = profile(text).regions
    assert flops(region) == 128
    assert {item.text for item in region.assumptions if item.code == "AI309"} == {
        "M = 64, as the source states",
        "N = 128, as the source states",
    }


def test_a_stated_trip_count_takes_the_place_of_one_that_depends_on_data():
    found = profile(ROWS.replace("TRIP", "n/2"))
    (region,) = found.regions
    assert region.work.flops.estimate.evaluate({"n": 10}) == 50
    assert region.work.flops.is_exact
    assert region.symbols == ("n",)
    assert not [item for item in found.diagnostics if item.code == "AI203"]


def test_a_stated_trip_count_may_name_iterators_around_it_and_bring_sizes():
    (region,) = profile(ROWS.replace("TRIP", "i*width"), defines={"width": "3"}).regions
    assert region.work.flops.estimate.evaluate({"n": 4, "width": 3}) == 3 * (0 + 1 + 2 + 3)
    assert region.values == {"width": 3}


def test_an_early_exit_goes_where_the_number_of_iterations_is_stated():
    text = (
        "int f(int n, double *a) {\n  // ai-estimate: trip(i)=5\n"
        "  for (int i = 0; i < n; i++) { a[i] *= 2; if (a[i] > 1) break; }\n  return 0; }"
    )
    found = profile(text)
    (region,) = found.regions
    assert (flops(region), region.work.flops.is_exact) == (5, True)
    assert not [item for item in found.diagnostics if item.code == "AI204"]


def test_a_name_that_nothing_has_and_a_second_value_are_told():
    def told(items):
        text = TWO.replace("n=1000", items)
        return [item.message for item in profile(text).diagnostics if item.code == "AI005"]

    assert told("n=1000, nn=3") == ["assume nn=3: nothing here is called nn"]
    assert told("n=5, n=6") == ["assume n=6, but line 1 says assume n=5, which holds"]
    assert told("width=4, n=2*width") == []
    assert told("blockDim.x=32, n=1") == ["assume blockDim.x=32: nothing here is called blockDim.x"]


def test_the_block_of_a_kernel_may_be_stated():
    text = "// ai-estimate: assume blockDim.x=32, gridDim.x=4\n__global__ void f(double *a) { a[threadIdx.x] += 1; }\n"
    (found,) = analyze(SourceFile("x.cu", text, Language.CUDA))
    (region,) = found.regions
    assert flops(region) == 128
    assert "AI005" not in [item.code for item in found.diagnostics]
    assert len([item for item in region.assumptions if item.code == "AI309"]) == 2


def test_what_applies_to_nothing_is_told():
    found = profile(ROWS.replace("trip(j)=TRIP", "trip(k)=3, assume q=2*unknown"))
    assert [item.code for item in found.diagnostics if item.code == "AI005"] == ["AI005", "AI005"]
