"""Numbers as text, and the examples in the renderers' documentation."""

from __future__ import annotations

from fractions import Fraction

from analyzer.ir.index import var
from analyzer.quantities.quantity import Exactness, Quantity, exact
from analyzer.quantities.quasipolynomial import polynomial
from cli.render.words.amounts import amount_text
from cli.render.words.numbers import fraction_text, intensity_text, number_text, quantity_text
from roofline.model.intensity import Ratio
from tests.rows import file_report

N = var("N")


def test_quantities() -> None:
    twice, once = polynomial(N * 2), polynomial(N)
    assert quantity_text(exact(twice), {}) == "2*N"
    assert quantity_text(exact(twice), {"N": 1_000_000}) == "2,000,000"
    estimate = Quantity(once, polynomial(N * 0), twice, Exactness.INTERVAL)
    assert quantity_text(estimate, {}) == "~ N (between 0 and 2*N)"
    assert quantity_text(estimate, {}, short=True) == "~ N"
    assert quantity_text(Quantity(once, once, once, Exactness.UPPER), {"N": 3}) == "<= 3"


def test_what_the_most_iterations_of_unknown_ones_make_is_an_upper_bound() -> None:
    loop = "double f(double x) { int n = 0; do { x = 0.5 * x + 1; if (++n == 100) break; } while (x > 3); return x; }"
    flops = file_report(loop).regions[0].profile.work.flops
    assert (quantity_text(flops, {}, short=True), amount_text(flops, {})) == ("<= 200", "<= 200")
    given = file_report(loop, defines={"trip_L1": "9"}).regions[0].profile
    assert quantity_text(given.work.flops, given.values, short=True) == "18"


def test_sums_over_halves_begin_with_what_powers_of_two_make_of_them() -> None:
    loops = "for (int l = 1; l < n; l <<= 1) for (int i = 0; i < n; i += 2 * l) x[i] += x[i + l];"
    flops = file_report(f"void f(int n, double *x) {{ {loops} }}").regions[0].profile.work.flops
    assert quantity_text(flops, {}, short=True).startswith("n - 1 if n is a power of 2; else sum(")


def test_large_numbers_stay_exact_where_people_can_read_them() -> None:
    assert number_text(2 * 1000**3) == "2,000,000,000"
    assert number_text(2 * 1000**3, short=True) == "2e9"
    assert number_text(Fraction(1, 3)) == "0.33333"


def test_fractions() -> None:
    assert fraction_text(Fraction(9, 16)) == "9/16 = 0.5625"
    assert fraction_text(Fraction(10**6, 3)) == "1000000/3 = 333,333"


def test_intensities() -> None:
    assert intensity_text(Ratio(Fraction(1, 12))) == "1/12 = 0.08333"
    assert intensity_text(Ratio(Fraction(1, 16), 1, formula="N/16")) == "N/16 (grows)"
    assert intensity_text(Ratio(Fraction(2), -1, formula="2/N")) == "2/N (falls)"
    assert intensity_text(Ratio(None)) == "no bytes"
    interval = Ratio(Fraction(1, 14), lower=Fraction(1, 14), upper=Fraction(1, 10))
    assert intensity_text(interval) == "~ 1/14 = 0.07143 (0.07143 to 0.1)"
