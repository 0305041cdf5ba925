"""Counts of nests whose loops multiply, divide, or end at a root, as formulas."""

import pytest

from analyzer.domains.series import nest
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile


def flops(body: str) -> str:
    (file,) = analyze(SourceFile("x.c", f"void f(int n, int m, double *x) {{ {body} }}", Language.C))
    (region,) = file.regions
    assert region.work.flops.is_exact
    assert not any(name.startswith("trip") for name in region.symbols)
    return str(region.work.flops.estimate)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("for (int i = 1; i < n; i *= 2) x[i] += 1;", "ceil(log2(n))"),
        ("for (int i = 1; i <= n; i *= 2) x[i] += 1;", "floor(log2(n)) + 1"),
        ("for (int i = 4; i <= n; i *= 2) x[i] += 1;", "floor(log2(n)) - 1"),
        ("for (int i = m; i < n; i *= 3) x[i] += 1;", "floor(log3(floor((n - 1)/m))) + 1"),
        ("for (int i = n; i > 1; i = (i + 1) / 2) x[i] += 1;", "floor(log2(n - 1)) + 1"),
        ("for (int i = 1; i < n; i = 2 * i + 1) x[i] += 1;", "floor(log2(n))"),
        ("for (int i = 1; i * i <= n; i++) x[i] += 1;", "floor(sqrt(n))"),
        ("for (int i = 2; i <= n / i; i++) x[i] += 1;", "floor(sqrt(n)) - 1"),
        ("for (int i = 0; i < m; i++) for (int j = 1; j < n; j *= 2) x[i] += 1;", "m*ceil(log2(n))"),
        ("for (int l = 0; l < m; l++) for (int j = 0; j < 1 << l; j++) x[j] += 1;", "2^m - 1"),
        ("for (int d = 1; d <= n; d++) for (int k = d; k <= n; k += d) x[k] += 1;", "sum(floor(n/(t + 1)) for t < n)"),
        ("for (int d = 1; d <= 5000000; d++) for (int k = d; k <= 5000000; k += d) x[k] += 1;", "77896938"),
        # the grids of a multigrid from the coarsest one on, of 4, 8, 16 and 32, and one of them
        ("for (int l = 3; l >= 0; l--) for (int j = 0; j < 1 << (5 - l); j++) x[j] += 1;", str(4 + 8 + 16 + 32)),
        ("for (int l = 0; l < 3; l++) for (int j = 0; j < 1 << (5 - l); j++) x[j] += 1;", str(32 + 16 + 8)),
        ("for (int j = 0; j < 1 << (5 - n); j++) x[j] += 1;", "2^(5 - n) if 2^(5 - n) >= 1; else 0"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < i * i; j++) x[j] += 1;", "1/3*n^3 - 1/2*n^2 + 1/6*n"),
    ],
)
def test_formulas(body: str, text: str) -> None:
    found = flops(body)
    assert found.removeprefix("m - 1 if m is a power of 2; else ") == text


@pytest.mark.parametrize(
    "body",
    [
        "for (int k = 2; k <= 1024; k *= 2) for (int j = k / 2; j > 0; j /= 2) x[j] += 1;",
        "for (int k = 1024; k > 1; k /= 2) for (int j = 1; j < k; j *= 2) x[j] += 1;",
    ],
)
def test_a_bitonic_sort_of_known_length_has_as_many_passes_as_one_of_any(body: str) -> None:
    """Passes of 1, 2, ... and 10 exchanges: the outer loop, whose trip count is a number, is no dimension either."""
    (file,) = analyze(SourceFile("x.c", f"void f(double *x) {{ {body} }}", Language.C))
    (region,) = file.regions
    assert (str(region.work.flops.estimate), region.work.flops.is_exact) == (str(10 * 11 // 2), True)


@pytest.mark.parametrize(("condition", "sides"), [("i < m", {True}), ("x[i] > 0", {True, False})])
def test_a_path_is_counted_once_for_each_side_of_its_conditions_on_data(
    condition: str, sides: set[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, made = nest.count_of, []

    def count_of(path, names, *, optimistic):
        made.append((path, optimistic))
        return counted(path, names, optimistic=optimistic)

    monkeypatch.setattr(nest, "count_of", count_of)
    body = f"for (int i = 1; i < n; i *= 2) {{ x[i] += 1; if ({condition}) {{ x[i] += 2; x[0] += 1; }} }}"
    analyze(SourceFile("x.c", f"void f(int n, int m, double *x) {{ {body} }}", Language.C))
    keys = [(*map(id, path), optimistic) for path, optimistic in made]
    assert len(keys) == len(set(keys))
    assert {optimistic for _, optimistic in made} == sides
