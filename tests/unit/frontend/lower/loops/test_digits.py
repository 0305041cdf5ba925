"""Loops over the bits or digits of a number: as many as its type has where data give it, else exact."""

import pytest

from analyzer.quantities.quantity import Exactness
from tests.rows import file_report

LOOP = """double f({kind} *m, double *w) {{
  double s = 0;
  for (int i = 0; i < 100; i++) {{ {kind} x = m[i]; {loop} }}
  return s;
}}"""


@pytest.mark.parametrize(
    ("kind", "loop", "most"),
    [
        ("unsigned", "while (x) { s += w[i]; x &= x - 1; }", 32),
        ("unsigned long", "for (; x != 0; x &= x - 1) s += w[i];", 64),
        ("unsigned char", "while (x > 0) { s += w[i]; x >>= 1; }", 8),
        ("unsigned", "while (x) { s += w[i]; x /= 10; }", 10),  # 4294967295
        ("int", "while (x > 0) { s += w[i]; x /= 10; }", 10),  # 2147483647
        ("unsigned", "while (x >= 1) { s += w[i]; x /= 16; }", 8),
    ],
)
def test_a_number_that_data_give_has_at_most_the_digits_of_its_type(kind, loop, most):
    flops = file_report(LOOP.format(kind=kind, loop=loop)).regions[0].profile.work.flops
    assert (flops.lower.evaluate({}), flops.upper.evaluate({})) == (0, 100 * most)
    assert flops.exactness is Exactness.INTERVAL


@pytest.mark.parametrize("loop", ["while (x) { s += w[i]; x -= 2; }", "while (x != 1) { s += w[i]; x /= 2; }"])
def test_other_loops_have_a_symbol_for_their_trip_count(loop):
    symbols = file_report(LOOP.format(kind="unsigned", loop=loop)).regions[0].profile.symbols
    assert any(name.startswith("trip_") for name in symbols)


@pytest.mark.parametrize("x", [0, 1, 3, 7, 255, 256])
def test_bits_of_a_parameter_that_is_given_are_counted(x):
    """What the loop stores in the parameter does not have the value that is given for it."""
    text = "double f(unsigned x, double *w) { double s = 0; while (x) { s += w[0]; x &= x - 1; } return s; }"
    flops = file_report(text, defines={"x": str(x)}).regions[0].profile.work.flops
    assert (flops.estimate.evaluate({}), flops.is_exact) == (x.bit_count(), True)


def test_a_parameter_that_data_set_later_does_not_have_the_given_value():
    text = "void f(int n, int *k, double *w) { if (n > 10) n = k[0]; for (int i = 0; i < n; i++) w[i] += 1; }"
    profile = file_report(text, defines={"n": "30"}).regions[0].profile
    assert "n.2" in profile.symbols
    assert "n.2" not in profile.values
    assert profile.work.flops.estimate.evaluate({**profile.values, "n.2": 7}) == 7
