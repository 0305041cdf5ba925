"""What runs only where something else holds, and what a store changes that goes through another name."""

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.source import Language, SourceFile

N = 100
LOOP = "for (int i = 0; i < n; i++)"


def region_of(text: str) -> RegionProfile:
    (file,) = analyze(SourceFile("x.c", text, Language.C), AnalysisOptions())
    return next(region for region in file.regions if region.function == "f")


@pytest.mark.parametrize(
    ("body", "loads", "reasons"),
    [
        ("c += x[i] == 1 && y[i] == 2;", (N, 2 * N), ["AI202"]),
        ("c += x[i] == 1 || y[i];", (N, 2 * N), ["AI202"]),
        ("int both = x[i] > 1 && y[i] > 2; c += both;", (N, 2 * N), ["AI202"]),
        ("c += y[i] > 1 && i < k;", (N, N), []),  # numbers in registers, either way
        ("c += i < 10 && y[i] > 1;", (10, 10), []),
        ("c += i < 10 || y[i] > 1;", (N - 10, N - 10), []),
        ("c += eq(x[i], y[i]);", (2 * N, 2 * N), []),  # arguments are values
    ],
)
def test_the_right_operand_runs_where_the_left_one_does_not_decide(body, loads, reasons):
    test = "static int eq(int a, int b) { return a != 3 && b == a; }\n" if "eq(" in body else ""
    text = f"{test}int f(int *x, int *y, int n, int k) {{ int c = 0; {LOOP} {{ {body} }} return c; }}"
    region = region_of(text)
    found = region.loads.elements
    assert found.lower.evaluate({"n": N}) == loads[0]
    assert found.upper.evaluate({"n": N}) <= loads[1]
    (file,) = analyze(SourceFile("x.c", text, Language.C), AnalysisOptions())
    assert sorted({item.code for item in file.diagnostics} & {"AI202"}) == reasons


@pytest.mark.parametrize(
    "alias",
    [
        "int *q = h; {0} q[0] = 5; {0}",
        "int *q; q = h + 1; {0} *(q - 1) = 5; {0}",
        "int *p = h, *q = p; {0} *q = 5; {0}",
    ],
)
def test_a_store_through_another_pointer_changes_the_array(alias):
    loop = "for (int i = 0; i < h[0]; i++) x[i] *= 2;"
    region = region_of(f"void f(int *h, double *x) {{ {alias.format(loop)} }}")
    assert "h[0]" not in str(region.work.flops.estimate)
    assert len(region.work.flops.estimate.symbols) == 2


def elements_of(region: RegionProfile, array: str) -> str:
    (found,) = (each for each in region.distinct.footprint.arrays if each.array == array)
    return str(found.read.elements.estimate)


@pytest.mark.parametrize(
    ("before", "behind", "rows"),
    [
        ("", "", 100),
        (f"{LOOP} r[i] = i * (n ^ i);", "", 100),  # written, but not while the products run
        ("", "r[i] += t;", 100 * 25),
        ("int *q = r;", "q[i] += t;", 100 * 25),
    ],
)
def test_rows_of_a_product_that_is_repeated_are_counted_once(before, behind, rows):
    product = "for (int k = r[i]; k < r[i + 1]; k++) s += a[k];"
    text = f"void f(int *r, double *a, double *y, int n) {{ {before} for (int t = 0; t < 25; t++) {{"
    text += f" for (int i = 0; i < 100; i++) {{ double s = 0; {product} y[i] = s; }}"
    region = region_of(f"{text} for (int i = 0; i < 100; i++) {{ y[i] *= 2; {behind} }} }} }}")
    assert elements_of(region, "a").startswith(f"{rows}*trip_L1")
