"""Elements that algorithms and methods of containers move or compare, by hand, for given sizes."""

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity
from analyzer.source import Language, SourceFile

INCLUDES = "".join(
    f"#include <{name}>\n" for name in ("algorithm", "array", "list", "tuple", "unordered_map", "vector")
)
PARAMETERS = "std::vector<double> &v, const std::vector<double> &w, int *x, int n, int k"


SIZES = {"v.size": 100, "w.size": 50, "k": 10, "n": 7}


def between(quantity: Quantity, sizes: dict[str, int]) -> tuple[int, int]:
    assert quantity.lower is not None
    assert quantity.upper is not None
    return quantity.lower.evaluate(sizes), quantity.upper.evaluate(sizes)


def both(expected: int | tuple[int, int], more: int = 0) -> tuple[int, int]:
    lower, upper = expected if isinstance(expected, tuple) else (expected, expected)
    return lower + more, upper + more


def region_of(text: str) -> RegionProfile:
    (file,) = analyze(SourceFile("x.cpp", INCLUDES + text, Language.CXX), AnalysisOptions())
    assert [item for item in file.diagnostics if item.code in ("AI001", "AI201", "AI206")] == []
    return next(region for region in file.regions if region.function == "f")


@pytest.mark.parametrize(
    ("body", "loads", "stores"),
    [  # of 100 elements; w has 50
        ("v.erase(v.begin());", 99, 99),
        ("v.erase(v.begin() + k);", 89, 89),
        ("v.erase(v.begin() + k, v.end());", 0, 0),
        ("v.erase(v.begin(), v.begin() + k / 20);", 0, 0),
        ("v.erase(v.begin(), v.begin() + k); v.erase(v.begin());", 90 + 89, 90 + 89),
        ("v.insert(v.begin(), 2.0);", 100, 101),
        ("v.insert(v.end(), w.begin(), w.end());", 50, 50),
        ("v.insert(v.begin() + k, w.begin(), w.end());", 90 + 50, 90 + 50),
        ("for (int i = 0; i < n; i++) v.insert(v.end(), w.begin(), w.end());", 7 * 50, 7 * 50),
        ("v.insert(v.end(), w.begin(), w.end()); for (double &each : v) each *= 2;", 50 + 150, 50 + 150),
        ("v.insert(v.begin() + x[0], 2.0);", (1, 101), (1, 101)),
    ],
)
def test_what_is_behind_an_element_that_goes_or_comes_moves(body, loads, stores):
    region = region_of(f"void f({PARAMETERS}) {{ for (int i = 0; i < 9; i++) x[i] = 0; {body} }}")
    found = [between(quantity, SIZES) for quantity in (region.loads.elements, region.stores.elements)]
    assert found == [both(loads), both(stores, 9)]


@pytest.mark.parametrize(
    ("body", "loads", "stores"),
    [  # of 1024 numbers: each is read, one that stays is read again; at most all move
        ("return std::remove_if(x, x + n, [](int a) { return a > 3; }) - x;", (1024, 2048), (0, 1024)),
        ("return std::remove(x, x + n, 3) - x;", (1024, 2048), (0, 1024)),
        ("return std::unique(x, x + n) - x;", (2 * 1023, 3 * 1023), (0, 1023)),  # each but the first with the last kept
        ("return std::is_sorted(x, x + n);", (2, 2 * 1023), (0, 0)),
        ("return std::lower_bound(x, x + n, k) - x;", (10, 11), (0, 0)),  # halves of 1024: 10 steps and the last one
        ("return std::upper_bound(x, x + n, k) - x;", (10, 11), (0, 0)),
        ("return std::binary_search(x, x + n, k);", (11, 12), (0, 0)),  # and the number that was found
        ("for (int i = 0; i < 5; i++) k += *std::lower_bound(x, x + n, i); return k;", (55, 60), (0, 0)),
    ],
)
def test_what_is_kept_or_found_is_between_nothing_and_all(body, loads, stores):
    region = region_of(f"int f(int *x, int n, int k) {{ {body} }}")
    assert between(region.loads.elements, {"n": 1024, "low.2": 5}) == loads
    assert between(region.stores.elements, {"n": 1024}) == stores


@pytest.mark.parametrize(
    "body",
    [
        "std::unordered_map<int, int> m; auto best = std::max_element(m.begin(), m.end(), "
        "[](const auto &a, const auto &b) { return a.second < b.second; }); n = best->first;",
        "std::list<int> l; n = *std::lower_bound(l.begin(), l.end(), 4);",
    ],
)
def test_nodes_that_cannot_be_assigned_or_subtracted_are_read(body):
    text = f"void f(double *x, int n) {{ for (int i = 0; i < 10; i++) x[i] *= 2; {body} }}"
    (file,) = analyze(SourceFile("x.cpp", INCLUDES + text, Language.CXX), AnalysisOptions())
    assert "AI001" not in [item.code for item in file.diagnostics]


@pytest.mark.parametrize(
    ("kind", "loads"),
    [  # the first members, and where these are equal the second ones; ``<`` asks both ways
        ("std::pair<int, int>", (2, 4)),
        ("std::tuple<int, int>", (2, 4)),
        ("std::array<int, 2>", (2, 4)),
    ],
)
def test_pairs_tuples_and_arrays_are_equal_where_all_members_are(kind, loads):
    text = f"bool f(const {kind} *x, int n) {{ bool all = true; for (int i = 0; i < 9; i++) all &= x[i] == x[i + 1];"
    assert between(region_of(f"{text} return all; }}").loads.elements, {}) == (9 * loads[0], 9 * loads[1])


def test_the_description_of_a_type_is_no_work():
    text = "template <class T> void g(T *x, int n) { puts(typeid(T).name()); puts(typeid(x[0]).name());"
    text += " for (int i = 0; i < n; i++) x[i] *= 2; } void f(double *x, int n) { g(x, n); }"
    region = region_of(f"#include <typeinfo>\n#include <cstdio>\n{text}")
    assert (str(region.work.flops.estimate), region.work.flops.is_exact) == ("n", True)
