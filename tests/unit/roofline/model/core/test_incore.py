"""In-core throughput against the founding document's vector triad (P6)."""

import pytest

from analyzer.ir.values import Operation
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from roofline.catalog import find_machine
from roofline.model.core.incore import (
    HalfOfDouble,
    NotVectorised,
    Resource,
    Unit,
    core_bound,
    division_cycles,
)


def bound(body, machine="haswell", **options):
    text = f"for (int i = 0; i < N; i++) {body}"
    (file,) = analyze(SourceFile("loop.c", text, Language.C))
    return core_bound(file.regions[0].per_iteration, find_machine(machine), **options)


def test_vector_triad_takes_one_and_a_half_cycles():
    triad = bound("A[i] = B[i] + C[i]*D[i];")
    assert triad.cycles == 1.5
    assert triad.bottleneck == Resource(Unit.LOADS)
    assert triad.per_core.giga == pytest.approx(12.27, abs=0.005)
    assert triad.chip.giga == pytest.approx(171.7, abs=0.05)
    assert triad.l1.giga == pytest.approx(196.3, abs=0.05)


def test_one_add_port_bounds_a_chain_of_additions():
    sums = bound("A[i] = B[i] + 1.0 + 2.0*x + y + z + w;")
    assert sums.bottleneck == Resource(Unit.ADDITIONS)


def test_divisions_occupy_their_unit():
    quotient = bound("A[i] = B[i] / C[i];")
    assert quotient.bottleneck == Resource(Unit.DIVISIONS)
    assert quotient.cycles == find_machine("haswell").core.div_cycles


def test_a_root_below_a_division_is_taken_after_it():
    core = find_machine("haswell").core
    both = bound("A[i] = B[i] / sqrt(C[i]);")
    assert both.bottleneck == Resource(Unit.DIVISIONS_AND_ROOTS)
    assert both.cycles == core.div_cycles + core.sqrt_cycles


@pytest.mark.parametrize(
    ("body", "busy"),
    [
        ("A[i] = x*y/(z*z)*B[i];", None),
        ("{ double c = x/z; A[i] = c*B[i]; }", None),
        ("A[i] = B[i] + 1/C[0];", None),
        ("A[i] = B[i]/(z*z);", "divisions"),
        ("A[i] = x/(z + B[i]);", "divisions"),
        ("A[i] = x/i;", "divisions"),
    ],
)
def test_what_no_iteration_changes_is_computed_before_the_loop(body, busy):
    resources = dict(bound(body).cycles_by_resource)
    assert (Resource(Unit.DIVISIONS) in resources) == (busy is not None)


def test_flops_of_what_is_computed_before_the_loop_count():
    with_division, without = bound("A[i] = x*y/(z*z)*B[i];"), bound("A[i] = x*B[i];")
    assert with_division.cycles == without.cycles
    assert with_division.per_core.value == pytest.approx(4 * without.per_core.value)


def test_single_precision_doubles_the_lanes():
    assert bound("{ float t = 0; A[i] = B[i]; }").iterations == 4


def test_a_gpu_has_no_core_bound():
    assert bound("A[i] = B[i];", "v100") is None


def test_a_sum_in_the_order_of_the_source_waits_for_its_latency():
    """One addition of three cycles after the other, products being made apart: 2 FLOPs in 3 cycles at 2.3 GHz."""
    dot = bound("s += A[i]*B[i];")
    assert (dot.iterations, dot.cycles, dot.bottleneck) == (1, 3, Resource(Unit.LATENCY, "s"))
    assert dot.per_core.giga == pytest.approx(2 / 3 * 2.3)
    assert not dot.vectorised
    assert dot.reassociated_cycles == pytest.approx(1 / 4)


def test_reordered_sums_run_at_full_rate():
    dot = bound("s += A[i]*B[i];", reassociate=True)
    assert (dot.iterations, dot.cycles, dot.bottleneck) == (4, 1, Resource(Unit.LOADS))
    assert dot.assumptions == ()


def test_a_recurrence_waits_whatever_is_allowed():
    for allowed in (False, True):
        prefix = bound("A[i] = A[i-1]*t + B[i];", reassociate=allowed)
        assert (prefix.iterations, prefix.cycles, prefix.bottleneck) == (1, 5, Resource(Unit.LATENCY, "A[i]"))


def test_a_distant_dependence_leaves_room_for_lanes():
    assert bound("A[i] = A[i-4] + B[i];").vectorised
    assert not bound("A[i] = A[i-3] + B[i];").vectorised
    assert dict(bound("A[i] = A[i-6] + B[i];").cycles_by_resource)[Resource(Unit.LATENCY, "A[i]")] == 3 * 4 / 6


def test_obstacles_leave_scalar_rates():
    for body in ("A[i] = B[idx[i]];", "A[i] = B[2*i];", "{ float t = B[i]; A[i] = t*C[i]; }"):
        found = bound(body)
        assert (found.iterations, found.vectorised) == (1, False)
        assert isinstance(found.assumptions[0], NotVectorised)


def test_scalar_divisions_have_their_own_time():
    quotient = bound("A[i] = A[i-1] / B[i];")
    busy = dict(quotient.cycles_by_resource)
    assert (busy[Resource(Unit.DIVISIONS)], busy[Resource(Unit.LATENCY, "A[i]")]) == (14, 20)


def test_what_is_not_stated_is_derived_in_favour_of_the_core():
    core = find_machine("apple-m1").core
    assert division_cycles(core, Operation.DIV, "fp64", 2) == (1, None)
    assert division_cycles(core, Operation.DIV, "fp64", 1)[0] == 0.5
    assert division_cycles(core, Operation.DIV, "fp32", 4) == (0.5, HalfOfDouble(Operation.DIV))
    haswell = find_machine("haswell").core
    assert division_cycles(haswell, Operation.DIV, "fp32", 8) == (14, None)
    assert division_cycles(haswell, Operation.DIV, "fp32", 1) == (7, None)


def test_an_fma_takes_a_multiplier_and_no_adder():
    busy = dict(bound("A[i] = B[i]*C[i] + D[i]*E[i];").cycles_by_resource)
    assert (busy[Resource(Unit.MULTIPLICATIONS)], busy[Resource(Unit.ARITHMETIC)]) == (1, 1)
    assert Resource(Unit.ADDITIONS) not in busy


def test_separate_adders_and_multipliers_work_at_once():
    text = "for (int i = 0; i < N; i++) A[i] = (B[i] + x)*y;"
    (file,) = analyze(SourceFile("loop.c", text, Language.C))
    busy = dict(core_bound(file.regions[0].per_iteration, find_machine("epyc-7763")).cycles_by_resource)
    assert (busy[Resource(Unit.ADDITIONS)], busy[Resource(Unit.MULTIPLICATIONS)], busy[Resource(Unit.ARITHMETIC)]) == (
        0.5,
        0.5,
        0.5,
    )


def test_short_sums_are_unrolled():
    text = "for (int i = 0; i < N; i++) for (int k = 0; k < {trip}; k++) A[i] += B[k];"
    found = []
    for trip in (16, 17):
        (file,) = analyze(SourceFile("loop.c", text.format(trip=trip), Language.C))
        found.append(core_bound(file.regions[0].per_iteration, find_machine("haswell")).vectorised)
    assert found == [True, False]


@pytest.mark.parametrize(("target", "lanes", "cycles"), [("s", 1, 3), ("t[0]", 1, 3), ("t[i]", 4, 1)])
def test_a_short_sum_that_goes_on_over_the_loop_outside_waits_for_itself(target, lanes, cycles):
    text = f"for (int i = 0; i < N; i++) for (int k = 0; k < 9; k++) {target} += B[9*i + k];"
    (file,) = analyze(SourceFile("loop.c", text, Language.C))
    bound = core_bound(file.regions[0].per_iteration, find_machine("haswell"))
    assert (bound.iterations, bound.cycles) == (lanes, cycles)


def test_complex_numbers_take_two_loads_for_each_vector_of_their_parts():
    text = "#include <complex.h>\nvoid f(int n, double complex *a, double complex *b)"
    text += "{ for (int i = 0; i < n; i++) a[i] = b[i]; }"
    (file,) = analyze(SourceFile("k.c", text, Language.C))
    busy = dict(core_bound(file.regions[0].nests[0].per_iteration, find_machine("haswell")).cycles_by_resource)
    assert (busy[Resource(Unit.LOADS)], busy[Resource(Unit.STORES)]) == (2 / 2, 2 / 1)


def test_a_division_by_a_power_of_two_is_a_product():
    """Its inverse is exact, so that compilers multiply: no divider, and one instruction with what is added."""
    for divisor in ("4.0", "0.5f", "-8"):
        assert bound(f"A[i] = B[i]/{divisor};").bottleneck == bound("A[i] = B[i]*3.0;").bottleneck
        assert bound(f"A[i] = B[i]/{divisor};").cycles == bound("A[i] = B[i]*3.0;").cycles
    assert bound("A[i] = B[i]/3.0;").bottleneck.unit == Unit.DIVISIONS
