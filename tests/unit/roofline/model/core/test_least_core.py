"""The fewest cycles of a core: what no compiler can beat.

By hand on Haswell: 4 lanes, 2 loads and 1 store a cycle, an addition in 3 cycles, an FMA in 5.
"""

import pytest
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from roofline.catalog import find_machine
from roofline.model.core.ceilings import core_of
from roofline.model.core.incore import Resource, Unit
from roofline.model.core.least_core import waited_share

HASWELL = find_machine("haswell")


def least(text, reassociate=False, machine=HASWELL, **sizes):
    defines = {name: str(value) for name, value in sizes.items()}
    (file,) = analyze(SourceFile("loop.c", text, Language.C), AnalysisOptions(defines=defines))
    return core_of(file.regions[0], machine, 1, reassociate=reassociate)


def cycles(body, **options):
    """Cycles of one iteration."""
    found = least(f"for (int i = 0; i < N; i++) {body}", **options)
    return found.cycles / found.iterations


def test_the_shorter_of_an_addition_and_an_fma_is_waited_for():
    assert cycles("s += A[i]*B[i];") == 3
    assert cycles("A[i] = A[i-1]*t + B[i];") == 5


def test_an_addition_whose_latency_is_not_stated_may_take_no_time():
    """The product may be apart, so that the sum waits for the addition alone; a factor waits for the FMA."""
    assert HASWELL.core is not None
    silent = replace(HASWELL, core=replace(HASWELL.core, add_latency_cycles=None))
    assert cycles("s += A[i]*B[i];", machine=silent) == 2 / 2 / 4  # two loads a cycle, of four elements
    assert cycles("A[i] = A[i-1]*t + B[i];", machine=silent) == 5


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("A[i] = B[2*i];", 1 / 4),
        ("{ A[2*i] = B[2*i]; A[2*i+1] = B[2*i+1]; }", 2 / 4),
        ("A[3*i] = s;", 1 / 2),
        ("{ A[3*i] = s; A[3*i+1] = s; }", 3 / 4),
        ("A[4*i] = s;", 1 / 2),
        ("A[8*i] = s;", 1 / 2),
        ("{ float t = B[i]; A[i] = t*C[i]; }", 1 / 4),
        ("A[i] = B[idx[i]];", 1 / 4 + 1 / 16),
    ],
)
def test_what_a_compiler_may_vectorise_is(body, expected):
    """A vector of four has one store or two loads a cycle; elements of their own four loads or two stores."""
    assert cycles(body) == pytest.approx(expected, abs=0.07)


@pytest.mark.parametrize(
    "repeated",
    [
        "for (int t = 0; t < 500; t++) { LOOP if (A[7] < e) break; }",
        "int t = 0; while (t < 500 && A[7] > e) { LOOP t++; }",
        "for (int t = 0; t < 500; t++) { if (B[t] > e) { LOOP } }",
    ],
)
def test_data_that_decide_how_often_a_loop_is_entered_shorten_no_chain(repeated):
    """A sum of each j, four side by side: 3 cycles for each addition but the 192 * 4 that the window may hold."""
    sums = "for (int j = 0; j < 30; j++) { s = 0; for (int i = 0; i < 10000; i++) s += A[i]; C[j] = s; }"
    found = least(repeated.replace("LOOP", sums))
    assert found.cycles / found.iterations == pytest.approx(3 / 4 * waited_share(10_000, 768))


@pytest.mark.parametrize(("condition", "share"), [("j != i", 1), ("j % 4 == 0", 1 / 4), ("A[j] > 0", 0)])
def test_a_sum_waits_where_counters_let_it_add(condition, share):
    """Of 10,000 iterations those that add hand the sum on, as if the others were not there; four rows side by side."""
    body = f"{{ s = 0; for (int j = 0; j < 10000; j++) if ({condition}) s += A[j]; B[i] = s; }}"
    found = least(f"for (int i = 0; i < 10000; i++) {body}")
    own = dict(found.cycles_by_resource).get(Resource(Unit.LATENCY, "s"), 0)
    expected = 3 / 4 * share * waited_share(10_000 * share, 192 * 4) if share else 0
    assert own / found.iterations == pytest.approx(expected, rel=1e-3)


def test_sweeps_that_data_end_may_be_those_that_add_nothing():
    sweep = "for (int i = 0; i < 4000; i++) { s = 0; for (int j = 0; j < 4000; j++) if (t > 50) s += A[j]; B[i] = s; }"
    found = least(f"for (int t = 0; t < 100 && C[0] > e; t++) {{ {sweep} C[0] = B[0]; }}")
    assert found is None  # nothing is certain


def test_sweeps_that_data_end_leave_a_sum_its_chain():
    """Of Jacobi's method: n*n - n additions in a sweep, four rows side by side, however many sweeps there are."""
    sweep = "for (int i = 0; i < 4000; i++) { s = 0; for (int j = 0; j < 4000; j++) if (j != i) s += A[j]; B[i] = s; }"
    found = least(f"for (int t = 0; t < 100 && C[0] > e; t++) {{ {sweep} C[0] = B[0]; }}")
    own = dict(found.cycles_by_resource)[Resource(Unit.LATENCY, "s")] / found.iterations
    assert own == pytest.approx(3 / 4 * waited_share(4000, 768), rel=1e-3)


def test_a_loop_that_data_end_may_end_at_once():
    body = "{ s = 0; for (int i = 0; i < 10000; i++) { s += A[i]; if (A[i] < e) break; } C[t] = s; }"
    found = least(f"for (int t = 0; t < 500; t++) {body}")
    assert all(own < 1 for resource, own in found.cycles_by_resource if resource.unit is Unit.LATENCY)


def test_four_accumulators_are_one_vector():
    body = "{ s += A[4*i]; t += A[4*i+1]; u += A[4*i+2]; v += A[4*i+3]; }"
    assert cycles(body) == 3
    assert cycles(body, reassociate=True) == 1


@pytest.mark.parametrize(
    ("body", "instructions", "lanes", "unit"),
    [
        ("H[i] = ((K[i] * 3 ^ K[i] >> 7) * 5 ^ K[i] << 3) * 9;", 3 + 2 / 4 + 2 / 2, 8, Unit.INTEGERS),
        ("H[i] = K[i] << 5 | K[i] >> 27;", 1, 8, Unit.STORES),
        ("C[i] = (D[i] ^ D[i] << 1 ^ D[i] << 2 ^ D[i] << 3 ^ D[i] << 4) * D[i] * D[i];", 2 + 4 / 4 + 4 / 2, 32, None),
    ],
)
def test_integers_take_units_of_their_own(body, instructions, lanes, unit):
    """Three instructions a cycle, each on 8 integers, or on 32 bytes; a rotation is one, and two xors may be."""
    arrays = "unsigned H[4096], K[4096]; unsigned char C[4096], D[4096];"
    found = least(f"{arrays} void f(int N) {{ for (int i = 0; i < N; i++) {body} }}")
    own = dict(found.cycles_by_resource)[Resource(Unit.INTEGERS)] / found.iterations
    assert own == pytest.approx(instructions / lanes / 3)
    assert unit is None or found.bottleneck.unit is unit


@pytest.mark.parametrize(
    ("body", "loads"),
    [
        ("p = next[p];", 1),
        ("p = next[(p ^ K) & 255];", 1),
        ("p = next[(p ^ next[i]) & 255] ^ (p >> 8);", 1),
        ("p = p < K ? next[p] : p + 1;", 0),
        ("if (p < K) p = next[p];", 0),
    ],
)
def test_loads_that_wait_for_one_another_take_the_latency_of_the_innermost_cache(body, loads):
    """Four cycles each on Haswell; what a branch may choose is predicted, and waits for nothing."""
    text = f"int f(int N, int K, const int *next, int p) {{ for (int i = 0; i < N; i++) {body} return p; }}"
    bound = least(text, N=100_000)
    found = {} if bound is None else dict(bound.cycles_by_resource)
    waited = {resource.value: cycles for resource, cycles in found.items() if resource.unit is Unit.LOAD_LATENCY}
    assert waited == ({"p": pytest.approx(4 * loads, rel=0.02)} if loads else {})


def test_what_data_may_skip_takes_no_time():
    assert cycles("{ if (A[i] > 0) B[i] = C[i] / A[i]; }") == pytest.approx(1 / 8)
    assert least("for (int i = 0; i < N; i++) if (A[i] > 0) s += A[i];").bottleneck.unit is not Unit.LATENCY


def test_minima_and_integers_wait_for_nothing():
    assert cycles("s = A[i] > s ? A[i] : s;") == pytest.approx(1 / 8)


def test_fast_math_approximates_single_quotients():
    body = "float *restrict f, float *restrict g) { for (int i = 0; i < n; i++) f[i] = 1.0f / g[i]; }"
    exact, fast = (least(f"void k(int n, {body}", reassociate=allowed, n=1000) for allowed in (False, True))
    assert exact.bottleneck.unit is Unit.DIVISIONS
    assert Unit.DIVISIONS not in {resource.unit for resource, _ in fast.cycles_by_resource}


def test_sums_that_restart_overlap():
    """192 instructions hold 768 iterations, four to a vector: of 10,000 a time 92 % of 3 cycles are waited for."""
    rows = "for (int i = 0; i < M; i++) { double s = 0; for (int j = 0; j < N; j++) s += A[i][j]*x[j]; y[i] = s; }"
    long, short = least(rows, M=100, N=10_000), least(rows, M=100, N=51)
    assert long.cycles == pytest.approx(3 * (10_000 - 768) / 10_000)
    assert short.bottleneck.unit is Unit.LOADS
    assert least(rows).cycles == 3, "without sizes those of large ones"


def test_a_sum_over_all_does_not_restart():
    assert least("for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) s += A[i][j];", M=100, N=51).cycles == 3


@pytest.mark.parametrize(("trip", "window"), [(10, 3), (10, 10), (10, 25), (3, 1000), (7, 50)])
def test_the_share_is_what_a_window_allows(trip, window):
    """Operations in order, each after that before it in its chain, and when that ``window`` before it has retired."""
    done: list[int] = []
    retired: list[int] = []
    for number in range(200 * trip):
        before = done[-1] if number % trip else 0
        left = retired[number - window - 1] if number > window else 0
        done.append(max(before, left) + 1)
        retired.append(max(done[-1], retired[-1] if retired else 0))
    waited = done[-1] / (200 * trip)
    assert waited_share(trip, window) <= waited * 1.01


def test_the_time_of_a_nest_is_the_sum_over_its_loops():
    text = """for (int r = 0; r < R; r++) {
      for (int i = 0; i < N; i++) s += A[i]*B[i];
      for (int i = 0; i < N; i++) C[i] = A[i] + B[i]; }"""
    found = least(text, R=10, N=1000)
    assert found.nest_seconds == pytest.approx(10 * 1000 * (3 + 1 / 4) / 2.3e9)
    assert found.bottleneck == Resource(Unit.LATENCY, "s")


def test_a_column_walk_may_be_exchanged_with_the_loop_around():
    """One store of four lanes a cycle where loops are exchanged; of single elements two."""
    columns = "for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) A[i*N+j] = 2 * B[j];"
    assert least(columns, N=1000).nest_seconds == pytest.approx(1e6 / 4 / 2.3e9)
    assert least("for (int i = 0; i < N; i++) A[8*i] = s;", N=1000).nest_seconds == pytest.approx(1000 / 2 / 2.3e9)


def certain(text, reassociate=False, **sizes):
    """Cycles that are certain, whatever the registers hold."""
    return least(text, reassociate, **sizes).certain_seconds * 2.3e9


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (int j = 0; j < 51; j++) s += A[51*i+j] * B[j];", 51 / 4 / 2),
        ("for (int j = 0; j < 51; j++) s += A[i+j] * B[51*i+j];", 52 / 4 / 2),
        ("for (int j = 8*i; j < 8*i + 8; j++) C[j] = A[j] * B[j];", 8 / 4),
        ("D[i] = B[i] + B[i+1] + B[i+2];", 1 / 4),
    ],
)
def test_registers_may_hold_what_other_iterations_meet_again(body, expected):
    """One load of each new element at two vectors of four a cycle (``B[j]``: none), a store at one.

    Sums in any order wait for nothing, and share ``B[i+1] + B[i+2]``.
    """
    assert certain(f"for (int i = 0; i < 1000; i++) {body}", reassociate=True) == pytest.approx(
        1000 * expected, rel=0.01
    )


def test_sums_that_overlap_share_additions_where_any_order_will_do():
    """A sum of nine that moves on by one: each element is loaded once at least, at two vectors of four a cycle."""
    moving = "for (int i = 0; i < 4000; i++) { double t = 0; for (int j = i; j < i + 9; j++) t += B[j]; s += t * t; }"
    assert certain(moving, reassociate=True) == pytest.approx(4008 / 4 / 2, rel=0.01)


@pytest.mark.parametrize(
    ("body", "divisions"),
    [
        ("A[i] = B[i] / s;", 0),
        ("A[i] = B[i] / 3;", 0),
        ("{ A[i] = s / B[i]; C[i] = t / B[i]; }", 1),
        ("A[i] = s / B[i] / C[i];", 1),
        ("A[i] = s / B[i] + t / C[i];", 2),
    ],
)
def test_quotients_are_products_where_reciprocals_may_be_taken(body, divisions):
    """Haswell divides four numbers in 28 cycles; a store takes 1, loads half of one each."""
    stores = 1 + body.count("C[i] =")
    expected = max(28 * divisions, stores) / 4
    assert cycles(body, reassociate=True) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("{ s ^= s << 13; s ^= s >> 7; s ^= s << 17; }", 3),  # a shift and a bitwise operation at a time
        ("{ h ^= q[i]; h *= 16777619u; }", 1),
        ("{ s = s * 1664525u + 1013904223u; q[i] = s; }", 1),
        ("h = (h << 5) + h + q[i];", 1),
    ],
)
def test_integers_of_several_kinds_wait_for_one_another(body, expected):
    text = f"void f(unsigned *q, unsigned s, unsigned h) {{ for (int i = 0; i < 100000; i++) {body} q[0] = s + h; }}"
    found = least(text)
    assert found.cycles / found.iterations == expected
    assert found.bottleneck.unit is Unit.LATENCY


def test_minima_along_a_row_wait_for_one_another():
    """The row of an edit distance: an addition and a minimum from each element to the next."""
    text = """void f(int n, int *row, const int *cost) { for (int i = 1; i < n; i++) {
    int left = row[i - 1] + 1, up = row[i] + cost[i]; row[i] = left < up ? left : up; } }"""
    found = least(text, n=100_000)
    assert found.bottleneck.unit is Unit.LATENCY
    assert found.cycles / found.iterations == pytest.approx(1, rel=0.01)


@pytest.mark.parametrize(
    "body",
    [
        "s += q[i];",
        "{ s += q[i]; h += s; }",
        "if (q[i] & 1) s = (s >> 1) ^ 7;",
        "for (int k = 0; k < 32; k++) { s = (s << 1) | (h & 1); h >>= 1; }",
    ],
)
def test_other_integers_wait_for_nothing_that_is_certain(body):
    text = f"void f(unsigned *q, unsigned s, unsigned h) {{ for (int i = 0; i < 100000; i++) {body} q[0] = s + h; }}"
    found = least(text)
    assert found is None or found.bottleneck.unit is not Unit.LATENCY


def test_a_register_with_the_name_of_another_is_followed_through_subscripts():
    """Each load of the table waits for the one before, at least 4 cycles of L1; the first ``c`` is another one."""
    text = """unsigned t[256]; void f(unsigned char *b, unsigned *o) {
    for (int n = 0; n < 256; n++) {
      unsigned c = n; for (int k = 0; k < 8; k++) c = c & 1 ? 9 ^ (c >> 1) : c >> 1; t[n] = c; }
    unsigned c = 7; for (int i = 0; i < 1000000; i++) c = t[(c ^ b[i]) & 255] ^ (c >> 8); *o = c; }"""
    assert least(text).bottleneck.unit is Unit.LOAD_LATENCY
