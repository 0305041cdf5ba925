"""Work that nobody can count from the source is told where it is, with how often it runs."""

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.quantities.quantity import Exactness
from analyzer.source import Language, SourceFile
from roofline.estimation import estimate, source_text

UNKNOWN = "double g(double x);\ndouble *h(int i);\nint m(int i);\nvoid put(double x);\n"
SELF = "double r(double x) { return x < 1 ? x : r(x - 1); }\n"


def region_of(body: str, before: str = UNKNOWN + SELF):
    text = f"{before}void f(int n, double *a) {{\n{body}\n}}\n"
    (file,) = analyze(SourceFile("x.c", text, Language.C), AnalysisOptions())
    return file.regions[-1]


def rest_of(region) -> list[tuple[str, str]]:
    return [(str(found.what), str(found.runs.estimate)) for found in region.work.not_counted]


@pytest.mark.parametrize(
    ("body", "rest"),
    [
        ("for (int i = 0; i < n; i++) a[i] = 2 * g(a[i]);", [("call of g", "n")]),
        ("for (int i = 0; i < n; i++) a[i] = g(a[i]) + g(2);", [("call of g", "2*n")]),
        ("for (int i = 0; i < n; i++) put(a[i]);", [("call of put", "n")]),
        ("for (int i = 0; i < n; i++) h(i)[0] = a[i];", [("call of h", "n"), ("the target of this assignment", "n")]),
        ("for (int i = 0; i < n; i++) a[m(i)] = 1;", [("call of m", "n")]),
        ("for (int i = 0; i < m(n); i++) a[i] = 1;", [("call of m", "trip_L7 + 1")]),
        ("for (int i = 0; i < n; i++) if (i % 2) a[i] = r(a[i]);", []),  # its calls are the iterations of a loop
        ("for (int i = 0; i < n; i++) a[i] = __builtin_ia32_rsqrtps(a[i]);", [("call of __builtin_ia32_rsqrtps", "n")]),
        ("for (int i = 0; i < n; i++) a[i] = sqrt(a[i]);", []),
        ('for (int i = 0; i < n; i++) printf("%g", a[i]);', []),
    ],
)
def test_what_is_not_known_is_told_with_how_often_it_runs(body, rest):
    assert rest_of(region_of(body)) == rest


def test_flops_are_a_lower_bound_where_something_is_not_counted():
    region = region_of("for (int i = 0; i < n; i++) a[i] *= g(a[i]);\nfor (int i = 0; i < n; i++) a[i] += 1;")
    flops = [(str(part.work.flops.estimate), part.work.flops.exactness) for part in (region, *region.nests)]
    assert flops == [("2*n", Exactness.LOWER), ("n", Exactness.LOWER), ("n", Exactness.EXACT)]
    for part, expected in zip((region, *region.nests), (False, False, True), strict=True):
        quantities = [part.loads.bytes, part.stores.elements, part.footprint.touched.bytes]
        quantities += [
            part.register_traffic.read_bytes,
            part.compulsory_traffic.write_bytes,
            part.work.flop_instructions,
        ]
        assert {quantity.is_exact for quantity in quantities} == {expected}
        assert part.per_iteration.exact is expected
    assert [note.text for note in region.assumptions if note.code == "AI214"] == [
        "f is incomplete: call of g is not counted"
    ]


def test_an_interval_with_something_on_top_has_no_upper_bound():
    region = region_of("for (int i = 0; i < n; i++) { a[i] += 1; if (a[i] > 0) a[i] *= g(a[i]); }")
    flops = region.work.flops
    assert (flops.exactness, str(flops.lower), str(flops.estimate), flops.upper) == (
        Exactness.LOWER,
        "n",
        "3/2*n",
        None,
    )


def test_where_nothing_is_counted_all_is_unknown():
    region = region_of("for (int i = 0; i < n; i++) put(1);")
    assert region.work.flops.exactness is region.loads.bytes.exactness is Exactness.UNKNOWN


def test_bytes_of_caches_are_lower_bounds_as_well():
    text = "void put(double); void f(double *a) { for (int i = 0; i < 1000; i++) { a[i] += 1; put(a[i]); } }"
    (file,) = estimate(source_text(text), "haswell").files
    (region,) = file.regions
    assert (region.moved.total.exactness, region.moved.total.upper) == (Exactness.LOWER, None)
    (projection,) = region.projections
    assert (projection.intensity.lower, projection.intensity.upper) == (0, None)


def test_a_call_of_an_unknown_function_below_a_condition_has_an_interval_of_calls():
    region = region_of("for (int i = 0; i < n; i++) if (a[i] > 0) a[i] *= g(a[i]);")
    (found,) = region.work.not_counted
    assert (str(found.runs.lower), str(found.runs.most)) == ("0", "n")
