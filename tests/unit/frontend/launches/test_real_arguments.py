"""Real numbers that a launch gives a kernel, and those of its own variables: trip counts and conditions by hand."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.launches.series import series_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.profiling.counting.profiler import profile_region
from analyzer.source import Language, SourceFile

KERNEL = """
struct Step {{ float dt; int n; }};
__global__ void k(float *x, int n, float h, double w, Step s) {{ {body} }}
int main() {{ float *x; float h = 0.25f; Step s = {{0.125f, 3}}; cudaMalloc(&x, 4096); {host} }}
"""
LAUNCH = "k<<<1, 1>>>(x, 32, h, 2.5, s);"
LOOP = " for (int j = 0; j < m; j++) x[j] += 1.0f;"


def flops(body, host=LAUNCH):
    """FLOPs of one launch (an addition for each iteration): a number, or a formula of the trip count."""
    text = KERNEL.format(body=body, host=host)
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    launches, _ = launches_of(unit, [], None, {})
    return str(profile_region(lower_unit(unit, LowerOptions(launches=launches)).regions[0]).work.flops.estimate)


@pytest.mark.parametrize(
    ("number", "trips"),
    [
        ("(int)floorf(1.0f / h)", 4),
        ("(int)(1.0f / h)", 4),
        ("(int)ceil(w)", 3),
        ("(int)(2 * w)", 5),
        ("(int)(n * h)", 8),
        ("(int)(1.0f / s.dt)", 8),
        ("(int)sqrtf(n / 2 / (h * h))", 16),
    ],
)
def test_a_whole_number_made_of_a_real_argument(number, trips):
    with_loop, alone = (flops(f"int m = {number};" + loop) for loop in (LOOP, " x[m] = 0;"))
    assert int(with_loop) - int(alone or 0) == trips


def test_a_variable_that_is_never_assigned_again_keeps_its_number():
    assert (
        flops("float span = 1.0f; float r = span / h; int m = (int)floorf(r);" + LOOP) == "6"
    )  # with the quotient and floor
    assert not flops("float r = 1.0f / h; if (x[0] > 2) r = 2.0f; int m = (int)floorf(r);" + LOOP).isdigit()
    assert not flops("float r = 1.0f; for (int q = 0; q < 3; q++) { int m = (int)r;" + LOOP + " r = r * 2; }").isdigit()
    assert not flops("h = h * x[0]; int m = (int)(1.0f / h);" + LOOP).isdigit()


def test_another_rounding_may_give_another_whole_number():
    """``h*h + 3.9375`` is 4, with an FMA or without: that they agree is not known here."""
    assert not flops("int m = (int)(h * h + 3.9375f);" + LOOP).isdigit()
    assert flops("int m = (int)(h * h + 3.5f);" + LOOP).isdigit()


@pytest.mark.parametrize(
    ("condition", "count"), [("h > 0.1f", 1), ("h == 0.25f && w < 2", 2), ("s.dt < h", 1), ("w == 2.5", 1)]
)
def test_a_condition_on_real_arguments_is_decided(condition, count):
    assert flops(f"if ({condition}) x[0] += 1.0f; else x[0] = (x[0] + 1.0f) * x[1];") == str(count)


def test_numbers_that_differ_between_launches_are_not_known():
    host = "for (int t = 0; t < 3; t++) { k<<<1, 1>>>(x, 32, h, 2.5, s); h = h / 2; }"
    assert not flops("int m = (int)(1.0f / h);" + LOOP, host).isdigit()
    assert flops("int m = (int)w;" + LOOP, host) == "2"


def test_launches_of_a_kernel_are_counted_together_by_what_all_of_them_have():
    host = LAUNCH + LAUNCH.replace("h", "0.5f")
    unit = parse_clang(SourceFile("x.cu", KERNEL.format(body="", host=host), Language.CUDA), ParseOptions()).unit
    (series,) = series_of(launches_of(unit, [], None, {})[0])
    assert [(dict(item.reals), item.most) for item in series.launches] == [({"w": 2.5, "s.dt": 0.125}, 2)]
