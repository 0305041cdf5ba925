"""Trip counts by running the variables of a loop: averages over all of its executions, derived by hand."""

from fractions import Fraction

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.given_data import stepped
from analyzer.given_data.binding import with_run_loops
from analyzer.source import SourceFile, language_of

BITS = "for (int j = i; j > 0; j &= j - 1) x[j] += 1;"


def trips(body, n=65):
    """Return the averages of the loops of ``f`` that running them tells."""
    text = f"void f(int n, int m, int *c, float *x) {{ for (int i = 1; i <= n; i++) {{ {body} }} }}"
    unit = parse_clang(SourceFile("f.c", text, language_of("f.c")), ParseOptions()).unit
    regions = lower_unit(unit, LowerOptions(defines={} if n is None else {"n": n})).regions
    (region,) = with_run_loops(regions).regions
    whole = {one.name: one.value for one in region.symbols if one.name.startswith("trip")}
    return [value for value in {**whole, **dict(region.averages)}.values() if value is not None]


@pytest.mark.parametrize(
    ("body", "average"),
    [
        (BITS, 3),  # 6*32 bits of 0 to 63, and 1 + 2 of 64 and 65
        ("for (int j = i; j > 0; j -= j & -j) x[j] += 1;", 3),
        ("for (unsigned j = i; j != 0; j -= j & -j) x[j] += 1;", 3),
        ("for (int j = i; j % 2 == 0; j /= 2) x[j] += 1;", Fraction(63, 65)),  # floor(65/2) + floor(65/4) + ...
        ("int a = 65, b = i; while (b) { int r = a % b; a = b; b = r; x[0] += 1; } if (i > 1) break;", None),
        (
            "int j = i; do { x[j] += 1; j = j > 60 ? j - 60 : 0; } while (j > 0);",
            Fraction(65 + 5, 65),
        ),  # 61 to 65 twice
    ],
)
def test_iterations_of_all_executions_are_averaged(body, average):
    assert trips(body) == ([] if average is None else [average])


@pytest.mark.parametrize(
    "body",
    [
        f"if (c[i]) {BITS}",  # which of them run is not known, nor how many of these iterations are theirs
        f"for (int k = 0; k < c[i]; k++) {BITS}",
        f"if (x[i] > 2) return; {BITS}",
        "for (int j = i; j > 0 && x[j] > 0; j &= j - 1) x[j] += 1;",
        "for (int j = c[i]; j > 0; j &= j - 1) x[j] += 1;",
        "unsigned h = i; while (h % 1024) { h = h * 1664525u + 1013904223u; x[0] += 1; }",  # wraps around
        "int j = i; while (j != 0) { j = j / 2 * 2 + 1; x[0] += 1; }",  # does not end
    ],
)
def test_what_may_not_run_so_often_stays_a_symbol(body):
    assert trips(body) == []


def test_without_sizes_they_stay_symbols():
    assert trips(BITS, n=None) == []


def test_too_many_steps_stay_a_symbol(monkeypatch):
    monkeypatch.setattr(stepped, "MOST_STEPS", 1000)
    assert trips(BITS) == []
