"""What compilers are likely to make of conditions, of elements that are apart, and of the ends of loops."""

import pytest
from msgspec.structs import replace

from roofline import estimate, source_text
from roofline.catalog import find_machine

PARAMETERS = "double *restrict a, double *restrict b, double *restrict c, int *restrict q, float *restrict f, double s"


def expected(statement, machine="haswell", size=1000, **options):
    text = f"""#include <math.h>
    double f(long n, {PARAMETERS}) {{ for (long i = 0; i < n; i++) {statement} return s; }}"""
    options = {"warm": True, "sizes": {"n": size}, **options}
    (region,) = estimate(source_text(text), machine, cores=1, **options).regions
    return region.projections[0].expected


def cycles(statement, machine="haswell", size=1000, **options):
    found = expected(statement, machine, size, **options)
    core = machine if not isinstance(machine, str) else find_machine(machine)
    return found.time.value * core.core_hz(1) / size


@pytest.mark.parametrize(("machine", "known", "unknown"), [("haswell", 5000, 8000), ("zen4", 20000, 40000)])
def test_branches_are_learnt_as_far_as_a_predictor_remembers(machine, known, unknown):
    statement = "if (b[i] > 1.5) a[i] = 2;"
    learnt, beyond = (cycles(statement, machine, size, simd="scalar") for size in (known, unknown))
    assert learnt < 4 < 8 < beyond


def test_a_learnt_branch_takes_what_correcting_the_first_prediction_does():
    """Of Intel: the end of the loop, a branch that is taken each other time, and three cycles as often."""
    assert cycles("if (b[i] > 1.5) a[i] = 2;", simd="scalar") == pytest.approx(1 + 0.5 + 3 / 2, abs=0.03)
    assert cycles("a[i] = b[i] + 2;", simd="scalar") == pytest.approx(5 / 4, abs=0.04)


def test_conditions_of_several_parts_are_branches_too():
    """A store under a condition is not vectorised in 128 bits, and half of 1000 are predicted when they come again."""
    for parts in ("b[i] > 1.2 && b[i] < 1.7", "b[i] < 1.2 || b[i] > 1.7"):
        assert not expected(f"if ({parts}) a[i] = s;", simd="128", compiler="clang").vectorised
        cold, warm = (cycles(f"if ({parts}) a[i] = s;", simd="scalar", warm=each) for each in (False, True))
        assert cold - warm > (18 + 4 + 5) / 2 - 3


@pytest.mark.parametrize(
    ("statement", "vectorised"),
    [
        ("if (q[i] & 1) s += a[i];", False),
        ("if (b[i] > 1.5) s += f[i];", False),
        ("if (b[i] > 1.5) s += a[i];", True),
        ("if (q[i] & 1) b[i] = a[i];", True),
        ("s += a[i] * b[i];", True),
    ],
)
def test_gcc_sums_in_order_under_a_condition_only_of_the_same_size(statement, vectorised):
    assert expected(statement, "icelake").vectorised is vectorised
    assert expected(statement, "icelake", reassociate=True).vectorised


def test_clang_scatters_and_gathers_into_half_of_avx_512_where_half_is_in_order():
    """An element scattered takes 1.5 cycles, one gathered 5/8."""
    assert cycles("a[6*i] = b[i] * s;", "icelake", 512, compiler="clang") == pytest.approx(1.5, abs=0.1)
    assert cycles("a[i] = b[6*i] * s;", "icelake", 512, compiler="clang") == pytest.approx(5 / 8, abs=0.1)
    assert expected("a[i*n] = b[i] * s;", "icelake", compiler="clang").vectorised
    assert not expected("a[i*n] = b[i*n] * s;", "icelake", compiler="clang").vectorised
    assert not expected("a[6*i] = b[6*i] * c[i];", "icelake", compiler="clang").vectorised
    assert not expected("a[i] = b[6*i] * s;", "haswell", compiler="clang").vectorised


def test_what_fills_no_round_of_vectors_goes_one_by_one():
    """LLVM has four vectors of four in a round: of 1023 iterations 15 are left, each as slow as one; gcc: 2 + 1."""
    whole, left = (cycles("a[i] = b[i] * s;", size=size, compiler="clang") * size for size in (1024, 1023))
    each = (whole - 18 - 5) / 1024
    assert left - whole == pytest.approx(15 * 3 * each - each, rel=0.02)
    whole, left = (cycles("a[i] = b[i] * s;", size=size) * size for size in (1024, 1023))
    assert left - whole == pytest.approx(2 * 4 * each - each, rel=0.2)


def test_a_core_that_states_no_roots_takes_them_half_as_long_again_as_quotients():
    """Four quotients of Haswell take 28 cycles, one 14; of a core without both, a quotient takes 4 and a root 6."""
    haswell = find_machine("haswell")
    assert haswell.core is not None
    silent = replace(haswell, core=replace(haswell.core, sqrt_cycles=None, sqrt_scalar_cycles=None))
    assert cycles("a[i] = sqrt(b[i]);", silent) == pytest.approx(1.5 * 28 / 4, abs=0.05)
    none = replace(silent, core=replace(silent.core, div_cycles=None, div_scalar_cycles=None))
    assert cycles("a[i] = s / b[i];", none, simd="scalar") == pytest.approx(4, abs=0.06)
    assert cycles("a[i] = sqrt(b[i]) + 1;", none, simd="scalar", reassociate=True) == pytest.approx(6, abs=0.08)


def test_approximations_of_quotients_are_those_of_x86():
    statement = "f[i] = 1.5f / (f[i] + 0.5f);"
    assert cycles(statement, reassociate=True) < 0.5 * cycles(statement)
    assert cycles(statement, "grace", reassociate=True) == pytest.approx(cycles(statement, "grace"), rel=0.01)


def test_the_position_of_the_least_element_waits_for_a_load_of_gcc():
    """A load of 4 cycles from the position that the iteration before selected, and 1 to extend its sign; no bound."""
    text = """int f(long n, double *restrict a) { int k = 0;
      for (long i = 1; i < n; i++) if (a[i] < a[k]) k = i; return k; }"""

    def found(compiler):
        (region,) = estimate(
            source_text(text), "haswell", cores=1, warm=True, sizes={"n": 1001}, compiler=compiler
        ).regions
        projection = region.projections[0]
        each = find_machine("haswell").core_hz(1) / 1000
        return projection.time.value * each, projection.expected.time.value * each

    assert found("gcc") == pytest.approx((found("clang")[0], 4 + 1), abs=0.05)
    assert found("clang")[0] < 1 < found("clang")[1] < 2


@pytest.mark.parametrize(
    ("sum_of_row", "waits"),
    [("s += a[64*i + j] * b[64*i + j];", False), ("s = s > a[64*i + j] ? s : a[64*i + j];", True)],
)
def test_lanes_of_a_sum_over_rows_are_new_in_each_row_of_gcc(sum_of_row, waits):
    """Six rows of 64 overlap in 352 instructions; a maximum starts from the one before, 4 cycles for 4 lanes."""
    options = {"size": 64, "compiler": "gcc", "reassociate": True, "simd": "256"}
    found = cycles(f"for (long j = 0; j < 64; j++) {sum_of_row}", "icelake", **options)
    assert (found / 64 > 0.9) is waits


@pytest.mark.parametrize(
    ("compiler", "distance", "lanes", "waited"),
    [("gcc", 3, 2, 20), ("gcc", 5, 4, 20), ("gcc", 9, 4, 20), ("gcc", 4, 4, 0), ("clang", 3, 1, 0)],
)
def test_recurrences_over_some_elements_wait_for_their_stores(compiler, distance, lanes, waited):
    """A load that takes up two stores waits for both; LLVM makes none.  FMAs take 4 cycles."""
    found = cycles(
        f"if (i >= {distance}) a[i] = 0.5 * a[i-{distance}] + b[i];", "icelake", compiler=compiler, simd="256"
    )
    back = -((lanes - 1 - distance) // lanes)
    assert found == pytest.approx((4 + waited) / (back * lanes), rel=0.1)
