"""Loops that real numbers count: as often as a compiled program runs them (gcc 12, -O0), else by a symbol."""

import pytest

from tests.rows import file_report

STEP = "x[0] *= 2.0;"


def profile_of(loop):
    return file_report(f"void f(double *x, double h, int n) {{ {loop} }}").regions[0].profile


@pytest.mark.parametrize(
    ("loop", "times", "each"),
    [
        (f"for (double v = 0.1; v < 0.55; v += 0.1) {STEP}", 5, 2),
        (f"for (float v = 0; v <= 1.0f; v += 0.1f) {STEP}", 10, 2),  # the eleventh value is 1.0000001
        (f"for (double v = 0.0; v < 1.0; v += 0.1) {STEP}", 11, 2),  # the eleventh is 0.99999999999999989
        (f"for (double v = 1; v > 1e-3; v *= 0.5) {{ if (n == 7) continue; {STEP} }}", 10, None),
        (f"const double dt = 0.01; double t = 0, s = 1; x[1] = s; while (t < 1.0) {{ {STEP} t += dt; }}", 100, 2),
        (f"for (int i = 0; i < 3; i++) for (double v = 2; v >= 0; v -= 0.5) {STEP}", 15, 2),
    ],
)
def test_literals_alone_count_a_loop(loop, times, each):
    profile = profile_of(loop)
    assert not any(name.startswith("trip_") for name in profile.symbols)
    if each is not None:
        assert (profile.work.flops.estimate.evaluate({}), profile.work.flops.is_exact) == (times * each, True)


@pytest.mark.parametrize(
    "loop",
    [
        f"for (double v = 0; v < 1; v += h) {STEP}",
        f"for (double v = 0; v < 1; v += 0.1) {{ if (x[0] > v) v += 0.5; {STEP} }}",
        f"double t = 0; if (n > 3) t = 0.5; while (t < 1.0) {{ {STEP} t += 0.25; }}",
        f"double t = 0; while (t < 1.0) {{ if (x[0] > 3) continue; {STEP} t += 0.25; }}",
        f"double t = 0; for (int i = 0; i < 3; i++) while (t < 1.0) {{ {STEP} t += 0.25; }}",
    ],
)
def test_other_real_counters_leave_the_number_open(loop):
    assert any(name.startswith("trip_") for name in profile_of(loop).symbols)
