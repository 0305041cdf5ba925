"""The expected time: by hand on Haswell (4 lanes, 2 loads and 1 store a cycle, 2.3 GHz), one core."""

from math import hypot

import pytest
from msgspec.structs import replace

from analyzer.frontend.known_functions import table
from analyzer.parallelism import Ground
from roofline import estimate, source_text
from roofline.catalog import find_machine
from roofline.machine.hardware import Ports
from roofline.machine.units import Time
from roofline.model.compilers import Code, Compiler, Simd, call_cycles, is_transfer
from roofline.model.expectation.expected import Expected, Holder, in_sequence

HASWELL = find_machine("haswell")
HERTZ = 2.3e9
MISPREDICTED, ENTERED = 18 / 1000, 5 / 1000  # the end of a loop, and its set-up, of each iteration


def expected(body, size=1000, **options):
    text = f"""#include <math.h>
    double f(double *restrict a, double *restrict b, double *restrict c, double s) {{
      for (long i = 8; i < {size} + 8; i++) {{ {body} }} return s; }}"""
    (region,) = estimate(source_text(text), "haswell", cores=1, warm=True, **options).regions
    return region.projections[0]


def cycles(body, **options):
    """Cycles of one iteration with the data in L1."""
    found = expected(body, **options).expected
    return found.time.value * HERTZ / 1000


def nest_cycles(loop, **options):
    """Cycles of one of 1000 iterations."""
    text = f"void f(double *restrict a, double *restrict b) {{ {loop} }}"
    (region,) = estimate(source_text(text), "haswell", cores=1, warm=True, **options).regions
    return region.projections[0].expected.time.value * HERTZ / 1000


def with_window(ports, latency, instructions, lanes=1):
    """Cycles of an element where chains of an iteration go through a window of 192 instructions."""
    return hypot(ports, latency * instructions / 192 / lanes) + ENTERED + MISPREDICTED


def test_a_triad_in_l1_takes_its_ports():
    """Two loads, of which every fourth crosses a line, and a store on two ports for addresses with an index."""
    triad = with_window((2 * 1.25 + 1) / 2 / 4, 4 + 5, 6, 4)
    assert cycles("a[i] = b[i] + s * c[i];") == pytest.approx(triad)


def test_variables_start_at_a_line_and_what_is_behind_a_pointer_at_a_multiple_of_16_bytes():
    """Haswell's ports take three accesses in 1.5 cycles; of vectors of 32 bytes behind pointers a quarter crosses."""
    text = "void f(double s{0}) {{ for (long i = 0; i < 1000; i++) a[i] = b[i] + s * c[i]; }}"
    declared = "double a[1000], b[1000], c[1000];" + text.format("")
    for source, accesses in ((declared, 3), (text.format(", double *restrict a, double *b, double *c"), 3.5)):
        (region,) = estimate(source_text(source), "haswell", cores=1, warm=True).regions
        found = region.projections[0].expected.time.value * HERTZ / 1000
        assert found == pytest.approx(with_window(accesses / 2 / 4, 4 + 5, 6, 4))


@pytest.mark.parametrize(("bytes_before", "cycles_each"), [(0, 1), (16, 2), (8, 2)])
def test_stores_of_amd_cross_halves_of_a_line(bytes_before, cycles_each):
    """Measured on a Zen 3: 1 cycle at multiples of 32 bytes, 2 at others."""
    start = bytes_before // 8
    text = f"double a[2000]; void f(double s) {{ for (long i = {start}; i < {1000 + start}; i++) a[i] = s; }}"
    (region,) = estimate(source_text(text), "epyc-7763", cores=1, warm=True).regions
    found = region.projections[0].expected.time.value * find_machine("epyc-7763").core_hz(1) / 1000
    assert found == pytest.approx(cycles_each / 4, abs=0.03)


def test_cores_that_branch_every_other_cycle_take_two_for_a_short_loop():
    """``a[i] = b[i]`` as gcc -O1 makes it: 2.02 cycles on a Zen 2 (OSACA's validation), one load and one store."""
    text = "void f(double *a, double *b) { for (long i = 0; i < 1000; i++) a[i] = b[i]; }"
    for machine, each in (("zen2", 2), ("epyc-7763", 1)):
        (region,) = estimate(source_text(text), machine, cores=1, warm=True, simd="scalar").regions
        found = region.projections[0].expected.time.value * find_machine(machine).core_hz(1) / 1000
        assert found == pytest.approx(each, abs=0.3)


@pytest.mark.parametrize(("simd", "measured"), [("scalar", 2.07), (None, 2.08 / 8)])
def test_an_a64fx_takes_two_cycles_for_a_loop_of_one_store(simd, measured):
    """``a[i] = s`` as gcc -O2 and -O3 make it (OSACA's validation): a round of four instructions."""
    text = "void f(double *a, double s) { for (long i = 0; i < 1000; i++) a[i] = s; }"
    (region,) = estimate(source_text(text), "a64fx", cores=1, warm=True, simd=simd).regions
    found = region.projections[0].expected.time.value * find_machine("a64fx").core_hz(1) / 1000
    assert found == pytest.approx(measured, rel=0.1)


def test_loads_of_floating_point_numbers_have_a_latency_of_their_own():
    """Fujitsu, A64FX Microarchitecture Manual 1.8.1, table 7-1: 5 cycles, 8 and 11 of integers, numbers and SVE."""
    text = """void f(double *restrict a, double *b) {
      for (long i = 0; i < 1000; i++) a[i] = (b[i] + b[i + 1] + b[i + 2] + b[i + 3]) * b[i + 4]; }"""
    machine = find_machine("a64fx")
    least = replace(machine, core=replace(machine.core, float_load_latency_cycles=None))
    both = [
        estimate(source_text(text), each, cores=1, warm=True, simd="scalar").regions[0] for each in (machine, least)
    ]
    later, sooner = (region.projections[0].expected.time.value * machine.core_hz(1) / 1000 for region in both)
    assert later**2 - sooner**2 == pytest.approx((44**2 - 41**2) * (12 / 128) ** 2, rel=0.3)


def test_gcc_takes_all_of_sve():
    """Eight elements of an A64FX, of which two vectors and two instructions of control take a cycle."""
    text = "void f(double *restrict a, double *restrict b) { for (long i = 0; i < 1000; i++) a[i] = 2 * b[i]; }"
    (region,) = estimate(source_text(text), "a64fx", cores=1, warm=True).regions
    assert region.projections[0].expected.time.value * find_machine("a64fx").core_hz(1) / 1000 < 2 / 4


def test_scalar_code_takes_each_element_on_its_own():
    """An operation is issued apart from its load, whose address has an index: six, at four a cycle."""
    assert cycles("a[i] = b[i] + s * c[i];", simd="scalar") == pytest.approx(with_window(6 / 4, 4 + 5, 6))
    assert cycles("a[i] = b[i] + s * c[i];", simd="128") == pytest.approx(with_window(6 / 8, 4 + 5, 6, 2))


def test_ports_of_the_width_that_is_used_count_where_they_are_stated():
    assert HASWELL.core is not None
    scalar = Ports(bits=64, loads_per_cycle=0.25, fma_per_cycle=2, stores_per_cycle=1)
    machine = replace(HASWELL, core=replace(HASWELL.core, widths=(scalar,)))
    assert machine.core.ports(32) is machine.core.ports(64) is scalar
    assert machine.core.ports(128).loads_per_cycle == HASWELL.core.loads_per_cycle
    text = """void f(double *restrict a, double *restrict b) { for (long i = 0; i < 1000; i++) a[i] = 2 * b[i]; }"""
    (region,) = estimate(source_text(text), machine, cores=1, warm=True, simd="scalar").regions  # a quarter of a load
    assert region.projections[0].expected.time.value * HERTZ / 1000 == pytest.approx(with_window(4, 4 + 5, 5))


@pytest.mark.parametrize(
    ("machine", "added", "least"), [("haswell", 3, 3), ("core-i9-13900k", 2, 4), ("xeon-8480p", 2, 4)]
)
def test_minima_wait_for_multipliers_where_adders_are_faster(machine, added, least):
    """Golden Cove has adders of its own, that no minimum goes to."""
    hertz = find_machine(machine).core_hz(1)
    for step, each in (("s += a[i];", added), ("s = s < a[i] ? s : a[i];", least)):
        text = f"double f(double *a, double s) {{ for (long i = 0; i < 4000; i++) {step} return s; }}"
        (region,) = estimate(source_text(text), machine, cores=1, warm=True, simd="scalar").regions
        assert region.projections[0].expected.time.value * hertz / 4000 == pytest.approx(each, rel=0.01)


def test_a_sum_waits_unless_it_may_be_reordered():
    assert cycles("s += a[i];") == pytest.approx(3 + ENTERED + MISPREDICTED)
    assert cycles("s += a[i];", reassociate=True) < 1


def test_memory_serves_what_no_cache_holds_beside_a_loop_of_unknown_length():
    """Ten passes over two arrays of 64 MB, unless data end them, beside a loop of unknown length: 24 B an element."""
    text = """#include <stdlib.h>
    static void g(int n, const int *c, double *y) { for (int i = 0; i < n; i++) for (int k = 0; k < c[i]; k++) y[i]++; }
    static void h(int n, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] += 3 * x[i]; }
    static double d(int n, const double *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
    int main() { int n = 8000000;
      double *x = malloc(n * sizeof(double)), *y = malloc(n * sizeof(double)), rest = 1; int *c = malloc(n * 4);
      for (int t = 0; t < 10 && rest > 0.1; t++) { g(n, c, y); h(n, x, y); rest = d(n, y); } }"""
    region = estimate(source_text(text), "haswell", cores=1).regions[-1]
    (projection,) = next(nest for nest in region.all_nests if nest.profile.span.line == 3).projections
    assert 1 < projection.expected.time.value / (10 * 24 * 8e6 / 13.9e9) < 1.2  # at the rate of loads, and the core


def test_calls_are_on_top():
    plain = cycles("a[i] = b[i] * s;", simd="scalar")
    assert cycles("a[i] = exp(b[i]) * s;") == pytest.approx(plain + call_cycles("exp"), rel=0.05)
    assert cycles("a[i] = fabs(b[i]);") < 1


@pytest.mark.parametrize(
    ("header", "call"), [("stdlib", "rand"), ("stdlib", "drand48"), ("stdio", "printf"), ("stdio", "putchar")]
)
def test_functions_of_the_library_take_time_and_are_called_in_order(header, call):
    """They are no FLOPs, and what they take is said."""
    arguments = {"printf": '"%g", a[i]', "putchar": "i"}.get(call, "")
    loop = f"for (int i = 0; i < 1000; i++) {{ {call}({arguments}); a[i] = 1; }}"
    text = f"#include <{header}.h>\nvoid f(double *a) {{ {loop} }}"
    (region,) = estimate(source_text(text), "haswell", warm=True).regions
    found = region.projections[0]
    assert region.flops.at() == 0
    assert found.expected.called == (call,)
    assert found.expected.calls * HERTZ / 1000 == pytest.approx(call_cycles(call))
    assert found.expected.time.value > found.expected.calls
    assert region.nests[0].profile.parallelism.ground is Ground.NOT_PROVEN


def test_every_function_that_is_kept_for_its_time_has_one_of_its_own():
    known = table()
    unknown = call_cycles("another")
    assert all(call_cycles(name, bits=512) == call_cycles(name) for name in known.timed)
    assert {name for name in known.transferring if not is_transfer(name)} == set()
    assert {name for name in known.timed if call_cycles(name) == unknown} <= {"random"}


def test_it_is_between_the_bound_and_no_overlap():
    """40 bytes an element come from memory at the rate of the pattern most like the triad."""
    projection = expected("a[i] = b[i] + s * c[i];", size=10**7)
    found = projection.expected
    assert projection.time == found.least
    assert found.least <= found.time <= found.most
    mix = HASWELL.bandwidth_of_mix("DRAM", (16e7, 8e7, 8e7), 1)
    assert found.time.value == pytest.approx(32e7 / mix.rate.value, rel=0.01)


def test_parts_add_up_by_their_probability():
    one = Expected(Time(2.0), Time(1.0), Time(4.0), True)
    assert in_sequence([(one, 1.0), (one, 0.5), (None, 0.0)]) == Expected(Time(3.0), Time(1.5), Time(6.0), True)
    assert in_sequence([(one, 1.0), (None, 1.0)]) is None


def test_a_gpu_and_unknown_sizes_have_none():
    text = source_text("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }")
    assert estimate(text, "haswell").regions[0].projections[0].expected is None
    assert estimate(text, "v100", sizes={"n": 100}).regions[0].projections[0].expected is None


def test_compilers_prefer_256_bits_on_intel():
    skylake = find_machine("xeon-6148")
    assert (Code().bits(skylake), Code(Compiler.ICX, Simd.BITS_512).bits(skylake)) == (256, 512)
    assert (Code(simd=Simd.BITS_512).bits(HASWELL), Code(simd=Simd.SCALAR).bits(HASWELL)) == (256, 0)
    assert Code().bits(find_machine("epyc-9r45")) == 512


def test_a_vector_that_does_not_start_at_its_size_crosses_lines():
    """Of three loads two cross a line every other time, one every fourth; with a store 5.25, two a cycle."""
    text = "for (long i = 8; i < 1008; i++) a[i] = b[i-1] + b[i] + b[i+1];"
    assert nest_cycles(text) == pytest.approx(with_window(5.25 / 2 / 4, 4 + 2 * 3, 8, 4))


def test_a_store_that_crosses_a_line_takes_intel_three_cycles():
    """Half of the vectors of 32 bytes cross a line: 1 and 3 cycles on Haswell; on a Zen 3 all cross a half: 2 each."""
    text = """void f(double *restrict a, double *restrict b) {
      for (long i = 9; i < 1009; i++) a[i] = 2 * b[i - 1]; }"""
    for machine, mean in (("haswell", (1 + 3) / 2), ("epyc-7763", 2)):
        (region,) = estimate(source_text(text), machine, cores=1, warm=True).regions
        found = region.projections[0].expected.time.value * find_machine(machine).core_hz(1) / 1000
        assert found == pytest.approx(mean / 4 + ENTERED, abs=0.05)


def test_halves_of_converted_vectors_take_the_port_of_conversions_on_intel():
    """Of two conversions of four, and one move of a half, on one port, for 8 elements; clang loads four at a time.

    Of clang five instructions a vector, and two of control for four of them, are issued in fours.
    """
    text = "for (long i = 8; i < 1008; i++) a[i] = f[i] * 2;"
    for compiler, each in (("gcc", 3 / 8), ("clang", 4.5 / 16)):
        source = f"double a[2000]; float f[2000]; void g(void) {{ {text} }}"
        (region,) = estimate(source_text(source), "haswell", cores=1, warm=True, compiler=compiler).regions
        assert region.projections[0].expected.time.value * HERTZ / 1000 == pytest.approx(each, abs=0.06)


def test_gcc_makes_no_vectors_of_a_sum_in_order_of_what_data_choose():
    """An FMA of 5 cycles, or an addition of 3 behind a product."""
    chosen = """double f(double *a, double *b, int *p, double s) {
      for (int i = 0; i < 1000; i++) s += a[p[i]] * b[i]; return s; }"""
    for text, each in ((chosen, 5), (chosen.replace("a[p[i]]", "a[i]"), 3)):
        (region,) = estimate(source_text(text), "haswell", cores=1, warm=True).regions
        assert region.projections[0].expected.time.value * HERTZ / 1000 == pytest.approx(each, rel=0.02)


def test_sums_in_vectors_wait_for_their_own_vector():
    """gcc has one accumulator, an addition of 3 cycles for 4 elements; clang four of them."""
    assert cycles("s += a[i];", reassociate=True) == pytest.approx(3 / 4 + ENTERED + MISPREDICTED)
    assert cycles("s += a[i];", reassociate=True, compiler="clang") < 3 / 8


def test_a_copy_is_a_call_of_memcpy_whatever_the_flags():
    assert cycles("a[i] = b[i];", simd="scalar") == cycles("a[i] = b[i];")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_copy_between_arrays_that_may_overlap_stays_a_loop(compiler):
    """One store a cycle, in scalar code and in vectors of two."""
    text = "void f(double *a, double *b) { for (long i = 0; i < 1000; i++) a[i] = b[i]; }"
    for simd, lanes in (("scalar", 1), ("128", 2)):
        (region,) = estimate(source_text(text), "haswell", cores=1, warm=True, simd=simd, compiler=compiler).regions
        found = region.projections[0].expected.time.value * HERTZ / 1000
        assert found == pytest.approx(1 / lanes + ENTERED + MISPREDICTED, abs=0.01)


def test_loads_that_wait_for_loads_take_the_latency_of_their_level():
    """4 cycles each from L1 (on Zen 2 as well), and 1 to make an address of an int (2 on AMD)."""
    text = "double f(int *restrict p) { int t = 0; for (long i = 0; i < 1000; i++) t = p[t]; return t; }"
    for machine, hertz, each in (("haswell", HERTZ, 4 + 1), ("epyc-7452", 2.35e9, 4 + 2)):
        (region,) = estimate(source_text(text), machine, cores=1, warm=True).regions
        assert region.projections[0].expected.time.value * hertz / 1000 == pytest.approx(each, rel=0.01)
    text = """struct node { struct node *next; };
    void *f(struct node *p) { for (int i = 0; i < 1000; i++) p = p->next; return p; }"""
    (region,) = estimate(source_text(text), "haswell", cores=1, warm=True).regions
    assert region.projections[0].expected.time.value * HERTZ / 1000 == pytest.approx(4, rel=0.01)


def test_an_element_that_another_store_may_change_goes_through_memory():
    """The sum of 3 cycles, and a store that is forwarded to a load of 4."""
    text = """double f(double *restrict c, double *restrict a, long k) {
      for (long j = 0; j < 1000; j++) { c[k] += a[j]; c[j + 7] = 0; } return 0; }"""
    (region,) = estimate(source_text(text), "haswell", cores=1, warm=True, sizes={"k": 1}).regions
    assert region.projections[0].expected.time.value * HERTZ / 1000 == pytest.approx(3 + 4, rel=0.01)


def test_arrays_that_may_be_one_go_through_memory():
    """Stores to s may change q[k], unless one of them is promised to be alone."""
    text = """void f(double *{} s, double *q, double *a, long k) {{
      for (long j = 0; j < 1000; j++) {{ s[j] += a[j]; q[k] += a[j]; }} }}"""
    found = [
        estimate(source_text(text.format(word)), "haswell", cores=1, warm=True, sizes={"k": 1}).regions[0]
        for word in ("", "restrict")
    ]
    (slow, fast) = (region.projections[0].expected.time.value * HERTZ / 1000 for region in found)
    assert (slow, fast) == (pytest.approx(7, rel=0.01), pytest.approx(3, rel=0.01))


def test_a_long_chain_needs_more_iterations_than_the_window_holds():
    """A load of 4 cycles and 20 products of 5, in 24 instructions of 192, and two units, which need 10 cycles."""
    text = f"for (long i = 8; i < 1008; i++) a[i] = {' * '.join(['b[i]'] * 21)};"
    assert nest_cycles(text, simd="scalar") == pytest.approx(hypot(10, (4 + 20 * 5) * 24 / 192), rel=0.01)


def test_more_arrays_than_a_compiler_compares_stay_scalar():
    terms = " + ".join(f"{name}[i]" for name in "bcdefghjkl")
    names = ", ".join(f"double *{name}" for name in "abcdefghjkl")

    def cycles_of(word, compiler):
        text = f"void f({names.replace('*a', '*' + word + 'a')}) {{ for (long i = 0; i < 1000; i++) a[i] = {terms}; }}"
        (region,) = estimate(source_text(text), "haswell", cores=1, warm=True, compiler=compiler).regions
        return region.projections[0].expected.vectorised

    assert (cycles_of("", "gcc"), cycles_of("", "clang")) == (True, False)
    assert cycles_of("restrict ", "clang")


def test_fmin_is_a_call_without_fast_math():
    assert cycles("a[i] = fmin(b[i], s);") > 9
    assert cycles("a[i] = fmin(b[i], s);", reassociate=True) < 1
    assert cycles("a[i] = fmin(b[i], s);", compiler="clang") < 1


def integers(body, **options):
    """Cycles of one of 1000 iterations on integers."""
    text = f"""unsigned f(unsigned *restrict p, unsigned *restrict q, unsigned t) {{
      for (long i = 0; i < 1000; i++) {{ {body} }} return t; }}"""
    (region,) = estimate(source_text(text), "haswell", cores=1, warm=True, **options).regions
    return region.projections[0].expected.time.value * HERTZ / 1000


def test_integers_that_each_iteration_hands_on_wait_for_one_another():
    """A product of 3 cycles and an addition of 1; a shift and an addition."""
    assert integers("t = t * 1664525u + q[i];") == pytest.approx(3 + 1 + ENTERED + MISPREDICTED)
    assert integers("t = (t >> 1) + q[i];") == pytest.approx(2 + ENTERED + MISPREDICTED)
    assert integers("t += q[i];") < 1, "sums of integers may be taken in any order"


def test_conditions_on_data_are_mispredicted_in_scalar_code_alone():
    """Half of 13 cycles behind a load of 4 and a comparison of 5; a run of 1000 is learnt where it is repeated."""
    text = """double f(double *restrict a, double s, long n) {
      for (long i = 0; i < n; i++) if (a[i] > 1.5) s += a[i] * 2; return s; }"""

    def taken(size, **options):
        (region,) = estimate(source_text(text), "haswell", cores=1, sizes={"n": size}, **options).regions
        return region.projections[0].expected.time.value * HERTZ / size

    cold, warm = (taken(1000, simd="scalar", warm=each) for each in (False, True))
    assert cold - warm > (13 + 4 + 5) / 2 - 3
    assert taken(1000, warm=False, reassociate=True) < warm + 1


@pytest.mark.parametrize(
    ("drawn", "cycles"),
    [
        ("std::normal_distribution<double> d; for (auto &x : v) x = d(g);", 90),
        ("std::uniform_real_distribution<float> d(-1, 1); for (auto &x : v) x = d(g);", 43),
        ("std::uniform_int_distribution<> d(1, 6); for (auto &x : v) x = d(g);", 29),
        ("for (auto &x : v) x = g() % 6;", 20),
    ],
)
def test_random_numbers_take_the_time_of_their_distribution(drawn, cycles):
    text = f"#include <random>\n#include <vector>\nvoid f(std::vector<double> &v) {{ std::mt19937 g(1); {drawn} }}"
    source = source_text(text, "x.cpp")
    (region,) = estimate(source, "haswell", cores=1, sizes={"v.size": 10_000}).regions
    taken = region.projections[0].expected.time.value * HERTZ / 10_000
    assert cycles < taken < cycles + 5


@pytest.mark.parametrize(
    "body",
    [
        "if (a[i] < s) s = a[i]; else if (a[i] > t) t = a[i];",
        "if (a[i] < s) { s = a[i]; k = i; }",
        "if (t < a[i]) { t = a[i]; k = i; } else if (s > a[i]) s = a[i];",
    ],
)
def test_new_extremes_are_rare_and_predicted(body):
    """About log(n) of n elements are; half of them mispredicted would take (13 + 4 + 5) / 2 cycles each."""
    text = f"""double f(double *restrict a, double s, double t, long k, long n) {{
      for (long i = 0; i < n; i++) {{ {body} }} return s + t + k; }}"""
    (region,) = estimate(source_text(text), "haswell", cores=1, sizes={"n": 1_000}, simd="scalar").regions
    assert region.projections[0].expected.time.value * HERTZ / 1_000 < 8


def test_a_bound_of_warm_caches_holds_whatever_they_keep():
    """Of 40 MB a cache of 35 MiB may keep all but 3 MB from one run to the next."""
    text = "void f(double *restrict a) { for (long i = 0; i < 5000000; i++) a[i] = 0; }"
    cold, warm = (
        estimate(source_text(text), "haswell", cores=1, warm=each).regions[0].projections[0].time.value
        for each in (False, True)
    )
    assert warm < cold / 1.5


def test_a_bound_of_repeated_nests_holds_where_caches_are_not_modelled():
    """12 kB lie in L1 from the second repetition on; of 480 MB the memory serves all but what the caches hold."""
    text = """double a[N], b[N], c[N]; void f(void) { for (int r = 0; r < 100; r++) {
      for (int i = 0; i < N; i++) c[i] = a[i] + b[i];
      for (int i = 0; i < N; i++) a[i] = c[i] * b[i]; } }"""

    def taken(size, cache):
        source = source_text(text.replace("N", str(size)))
        return estimate(source, "haswell", cores=1, cache=cache).regions[0].projections[0].time.value

    assert taken(500, "compulsory") == pytest.approx(taken(500, "analytic"), rel=0.1)
    assert taken(20_000_000, "compulsory") == pytest.approx(taken(20_000_000, "analytic"), rel=0.2)


def test_bytes_of_repeated_nests_beside_unknown_ones_are_an_interval():
    """120 kB of three arrays lie in caches between 100 repetitions, unless the nest of unknown size replaces them.

    Only the first repetition takes them from memory, and writes one back, in any case.
    """
    text = """double a[5000], b[5000], c[5000]; void f(double *d, int n) { for (int r = 0; r < 100; r++) {
      for (int i = 0; i < 5000; i++) c[i] = a[i] + b[i];
      for (int i = 0; i < n; i++) d[i] *= 2; } }"""
    nest = estimate(source_text(text), "haswell").regions[0].all_nests[1]
    assert (nest.bytes.lower, nest.bytes.upper) == (5000 * 4 * 8, 100 * 5000 * 4 * 8)


def test_the_range_ends_where_all_comes_from_memory_that_a_nest_of_unknown_size_may_replace():
    """120 kB of three arrays, 100 times: 12 MB at 13.9 GB/s or slower, if no repetition finds them in caches."""
    text = """double a[5000], b[5000], c[5000]; void f(double *d, int n) { for (int r = 0; r < 100; r++) {
      for (int i = 0; i < 5000; i++) c[i] = a[i] + b[i];
      for (int i = 0; i < n; i++) d[i] *= 2; } }"""
    (projection,) = estimate(source_text(text), "haswell", cores=1).regions[0].all_nests[1].projections
    found = projection.expected
    assert found.time.value < 12e6 / 20e9 < found.most.value


NEWTON = """for (int i = 0; i < 1000; i++) {
  double x = 0.5; for (int k = 0; k < 4; k++) x = x * (2 - a[i] * x); b[i] = x; }"""


def test_a_short_loop_is_written_out_into_vectors_of_the_loop_around():
    """Four products and four FMAs of four lanes, two a cycle, in chains of 44 cycles; gcc -O2 leaves the loop."""
    assert nest_cycles(NEWTON) == pytest.approx(with_window(1, 4 + 4 * (5 + 5), 12, 4), rel=0.03)
    assert nest_cycles(NEWTON, simd="scalar") > 3


def test_a_short_loop_that_starts_where_the_loop_around_is_is_written_out():
    rows = "for (int i = 0; i < 1000; i++) { double t = 0; for (int j = i; j < i + END; j++) t += a[j]; b[i] = t; }"
    assert nest_cycles(rows.replace("END", "9")) == pytest.approx(2.25, abs=0.5)  # additions, one a cycle
    assert nest_cycles(rows.replace("END", "90")) > 90


def test_a_bound_of_short_loops_is_that_of_the_code_written_out():
    product = """for (int i = 0; i < 1000; i++) for (int j = 0; j < 4; j++) {
      double t = 0; for (int k = 0; k < 4; k++) t += a[16*i + 4*j + k] * b[k]; a[16*i + 4*j] = t; }"""
    sums = [" + ".join(f"a[16*i + {4 * j + k}] * b[{k}]" for k in range(4)) for j in range(4)]
    written = "".join(f"a[16*i + {4 * j}] = {each};" for j, each in enumerate(sums))
    bounds = []
    for body in (product, f"for (int i = 0; i < 1000; i++) {{ {written} }}"):
        text = f"void f(double *restrict a, double *restrict b) {{ {body} }}"
        (region,) = estimate(source_text(text), "haswell", cores=1, warm=True).regions
        bounds.append(region.projections[0].time.value)
    assert bounds[0] <= bounds[1] * 1.01


def test_clang_makes_no_vectors_of_an_element_that_three_iterations_load():
    three, two = "a[i] = b[i-1] + b[i] + b[i+1];", "a[i] = b[i-1] + b[i+1];"
    scalar = cycles(three, simd="scalar")
    assert cycles(three) < scalar / 2
    assert cycles(three, compiler="clang") == pytest.approx(2, rel=0.1)  # two additions, one a cycle
    for other in ("a[i] = b[i] + b[i-1] + b[i+1];", two, three.replace("b[i+1]", "c[i+1]")):
        assert cycles(other, compiler="clang") < scalar / 2.5


def test_clang_gathers_what_is_far_apart_with_avx_512():
    text = """void f(double *restrict a, double *restrict b) {
      for (int i = 0; i < 1000; i++) b[i] = a[6*i] * 2; }"""

    def found(machine, compiler):
        code = {"compiler": compiler, "simd": "512"}
        (region,) = estimate(source_text(text), machine, cores=1, warm=True, **code).regions
        return region.projections[0].expected

    assert found("icelake", "clang").vectorised
    assert not found("icelake", "gcc").vectorised
    assert not found("haswell", "clang").vectorised


def test_intel_gathers_what_data_choose_with_avx_512():
    """Eight floats in 5 cycles (Ice Lake); elsewhere a load and a move of each into its vector, one move a cycle."""
    text = """void f(float *restrict a, float *restrict b, int *restrict p) {
      for (int i = 0; i < 1000; i++) b[i] = a[p[i]] * 2; }"""
    for compiler in ("gcc", "clang"):
        for machine, each in (("icelake", 5 / 8), ("haswell", 2), ("epyc-9654", 1)):
            (region,) = estimate(source_text(text), machine, cores=1, warm=True, compiler=compiler).regions
            found = region.projections[0].expected.time.value * find_machine(machine).core_hz(1) / 1000
            assert found == pytest.approx(each, abs=0.1)


def test_short_vectors_are_made_where_they_save_cycles():
    """Four loads two elements apart, and four moves on one port, against four loads at two a cycle."""
    apart = "a[i] = b[4*i] + b[4*i+3];"
    for compiler in ("gcc", "clang"):
        assert expected("a[i] = b[i] + c[i];", simd="128", compiler=compiler).expected.vectorised
        assert cycles(apart, simd="128", compiler=compiler) == cycles(apart, simd="scalar", compiler=compiler)
        assert not expected(apart, simd="128", compiler=compiler).expected.vectorised


def test_roots_that_may_set_errno_stay_scalar():
    assert expected("a[i] = sqrt(b[i]);", compiler="clang").expected.vectorised
    assert not expected("a[i] = sqrt(b[i]);", compiler="clang", simd="128").expected.vectorised
    assert expected("a[i] = sqrt(b[i]);", compiler="clang", simd="128", reassociate=True).expected.vectorised


def test_llvm_makes_no_short_vectors_of_what_data_choose():
    text = """void f(double *restrict a, double *restrict b, int *restrict p) {
      for (int i = 0; i < 900; i++) a[i] = b[p[i]]; }"""
    for simd, vectorised in (("128", False), ("256", True)):
        (region,) = estimate(source_text(text), "icelake", cores=1, warm=True, compiler="clang", simd=simd).regions
        assert region.projections[0].expected.vectorised is vectorised


def test_functions_in_fp32_cost_less():
    assert call_cycles("expf") < call_cycles("exp")
    assert call_cycles("tanf", bits=512) == call_cycles("tan", bits=512) / 2


def is_vectorised(body, parameters="double *restrict a, double *restrict b", machine="haswell", **options):
    text = f"void f({parameters}) {{ for (long i = 0; i < 1000; i++) {{ {body} }} }}"
    (region,) = estimate(source_text(text), machine, cores=1, warm=True, **options).regions
    return region.projections[0].expected.vectorised


@pytest.mark.parametrize(
    ("body", "parameters"),
    [
        ("if (b[i] > 1.5) a[i] = b[i] * 2; else a[i] = b[i] + 2;", "double *restrict a, double *restrict b"),
        ("if (p[i] > 9) p[i] = 9;", "unsigned char *p"),
        ("a[i] = (double)p[i];", "double *restrict a, long *restrict p"),
    ],
)
def test_what_takes_registers_of_masks_is_not_vectorised_without(body, parameters):
    """As ``gcc -O3 -fopt-info-vec`` of version 12 says for haswell and skylake-avx512."""
    assert not is_vectorised(body, parameters)
    assert is_vectorised(body, parameters, machine="xeon-8380")


def test_conditions_are_computed_ahead_where_no_exception_counts_and_stored_under_masks_of_avx2():
    arms = "if (b[i] > 1.5) a[i] = b[i] * 2; else a[i] = b[i] + 2;"
    assert is_vectorised(arms, reassociate=True)
    assert is_vectorised(arms, compiler="clang")
    assert is_vectorised("if (b[i] > 1.5) a[i] = 2;")


@pytest.mark.parametrize(
    ("body", "parameters", "shuffled"),
    [
        # two permutations of two registers for each vector of four of a reference: two instructions each, one a cycle
        ("a[i] = b[3*i] + b[3*i+1] * b[3*i+2];", "double *restrict a, double *restrict b", 3 * 2 * 2 / 4),
        # bytes to words, ints and longs: 2, 4 and 8 registers for 32, and half as many to take halves apart
        ("t += p[i];", "unsigned char *p", 1.5 * (2 + 4 + 8) / 32),
        # bytes that are stored as bytes stay bytes: one vector of 32 a cycle, four instructions and two of control
        ("p[i] = p[i] + q[i];", "unsigned char *restrict p, unsigned char *restrict q", None),
        # products that are shifted are words: 3 for each register of words in, 2 for the one of bytes out
        ("p[i] = p[i] * q[i] >> 8;", "unsigned char *restrict p, unsigned char *restrict q", 2 * 1.5 * 2 / 32 + 2 / 32),
    ],
)
def test_elements_are_moved_between_registers(body, parameters, shuffled):
    """Cycles of an iteration with the data in L1, behind what it takes to begin."""
    text = f"long f({parameters}) {{ long t = 0; for (long i = 0; i < 1000; i++) {{ {body} }} return t; }}"
    (region,) = estimate(source_text(text), "haswell", cores=1, warm=True).regions
    found = region.projections[0].expected.time.value * HERTZ / 1000
    expected_cycles = 6 / 4 / 32 if shuffled is None else shuffled
    assert found == pytest.approx(expected_cycles, rel=0.15, abs=0.03)


@pytest.mark.parametrize(
    ("statement", "holder"),
    [
        ("a[i] = (b[i] + s) / (c[i] + 1.5) / (b[i] - s) / (c[i] - 1.5);", Holder.CORE),
        ("a[i] = b[i] + s * c[i];", Holder.BYTES),
    ],
)
def test_what_holds_a_nest(statement, holder):
    """Three divisions take 84 cycles for 4 elements of 32 bytes; a triad waits for memory."""
    assert expected(statement, size=10**7).expected.held_by is holder
