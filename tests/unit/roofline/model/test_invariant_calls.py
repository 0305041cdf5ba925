"""Calls with the same arguments in each iteration: by the compiler before the loop, or advised to be."""

from __future__ import annotations

import pytest

from roofline import estimate, source_text

LOOP = (
    "#include <math.h>\nvoid f(int n, double *x, double *y, double *k, double e) {{ {}for (int i = 0; i < n; i++) {} }}"
)


def region_of(statement, before="", **options):
    text = LOOP.format(before, statement)
    return estimate(source_text(text), "icelake", sizes={"n": 1000}, cores=1, warm=True, **options).regions[0]


def seconds(*texts, **options):
    return region_of(*texts, **options).projections[0].expected.time.value


def advised(statement):
    return [each for nest in region_of(statement).nests for each in nest.advice if each.code == "AI419"]


@pytest.mark.parametrize("call", ["exp(e)", "exp(k[0])", "pow(e, 3.5)"])
def test_a_call_that_may_set_errno_is_made_each_time_and_advised_before_the_loop(call):
    (advice,) = advised(f"x[i] = y[i] * {call};")
    assert (advice.functions, advice.lines) == ((call.split("(")[0],), (2,))
    once = seconds("x[i] = y[i] * s;", f"double s = {call}; ")
    assert advice.gain == pytest.approx(seconds(f"x[i] = y[i] * {call};") / once, rel=0.15)  # and the one call


@pytest.mark.parametrize("statement", ["x[i] = y[i] * sin(e);", "x[i] = exp(y[i]);", "x[i] = e = exp(e);"])
def test_calls_that_set_no_errno_or_are_of_other_values_are_not_advised(statement):
    assert not advised(statement)


def test_a_compiler_moves_calls_that_set_no_errno():
    sine = "x[i] = y[i] * sin(e);"
    assert seconds(sine) == seconds("x[i] = y[i] * e;") < seconds(sine, compiler="clang") / 5
