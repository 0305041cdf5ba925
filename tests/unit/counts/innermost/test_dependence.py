from fractions import Fraction

import pytest

from analyzer.counts.innermost.distance import Distances
from analyzer.counts.results import Obstacle, ObstacleKind, Vectorization
from analyzer.ir.index import const, var
from analyzer.ir.types import FP32, FP64
from analyzer.ir.values import Access, Operation
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile

ADD, FMA, MUL, DIV, MAX = Operation.ADD, Operation.FMA, Operation.MUL, Operation.DIV, Operation.MAX


def vectorization(body: str, *, fma: bool = True) -> Vectorization:
    text = f"""
    void f(int n, int m, double *restrict a, double *restrict b, double c[n][n], float *restrict x, int *restrict idx,
           double s, double t) {{
      {body}
      a[0] = s + t;
    }}"""
    (profile,) = analyze(SourceFile("k.c", text, Language.C), AnalysisOptions(fma=fma))
    iteration = profile.regions[0].nests[0].per_iteration
    assert iteration is not None
    return iteration.vectorization


def kinds(found: Vectorization) -> set[ObstacleKind]:
    return {obstacle.kind for obstacle in found.obstacles}


@pytest.mark.parametrize(
    ("also", "certain"),
    [("if (u > s) s = u;", True), ("b[0] = u > t ? u : t;", True), ("if (b[i] > t) a[i] = 0;", False)],
)
def test_what_else_becomes_of_a_value_leaves_its_chain_certain(also: str, certain: bool) -> None:
    """The largest change of a Gauss-Seidel sweep is taken under a condition; the next point waits all the same."""
    found = vectorization(f"for (int i = 1; i < n; i++) {{ double u = a[i-1] + b[i]; a[i] = u; {also} }}")
    chains = [(chain.operations, chain.is_certain) for chain in found.chains if chain.name.startswith("a[")]
    assert chains == [((ADD,), certain)]


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) a[i] = b[i] + t*a[i];",
        "for (int i = 0; i < n; i++) a[i] = a[i+1] + b[i];",
        "for (int i = n - 1; i >= 0; i--) a[i] = a[i-1] + b[i];",
        "for (int i = 0; i < n; i++) a[i] = a[i+n];",
        "for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) c[i][j] = c[i-1][j] + b[j];",
        "for (int i = 0; i < n; i++) { double u = a[i]*2; b[i] = u + 1; }",
        "for (int k = 0; k < n; k++) for (int i = 1; i < n; i++) c[1 - k%2][i] = c[k%2][i-1] + t;",
        "for (int k = 0; k < n; k++) for (int i = 1; i < n; i++) c[2*k + 1][i] = c[2*m][i-1] + t;",
        "for (int i = 0; i < n; i++) a[i] = b[i] >= t ? b[i] : 2*b[i];",
        "for (int i = 0; i < n; i++) { double u; if (b[i] > t) u = 1; else u = b[i]; if (u > s) a[i] = u; }",
    ],
)
def test_independent_iterations_run_side_by_side(body: str) -> None:
    found = vectorization(body)
    assert not found.chains
    assert not found.obstacles


@pytest.mark.parametrize(
    ("body", "operations"),
    [
        ("for (int i = 0; i < n; i++) s += a[i]*b[i];", (FMA,)),
        ("for (int i = 0; i < n; i++) s = a[i] + s;", (ADD,)),
        ("for (int i = 0; i < n; i++) s = fma(a[i], b[i], s);", (FMA,)),
        ("for (int i = 0; i < n; i++) s -= a[i];", (Operation.SUB,)),
        ("for (int i = 0; i < n; i++) s *= a[i];", (MUL,)),
        ("for (int i = 0; i < n; i++) if (a[i] > t) s += a[i];", (ADD,)),
        ("for (int i = 0; i < n; i++) if (a[i] > s) s = a[i];", (MAX,)),
        ("for (int i = 0; i < n; i++) { s += a[i]; s += b[i]; }", (ADD, ADD)),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i] += c[i][j]*b[j];", (FMA,)),
    ],
)
def test_a_reduction_is_a_chain_of_one_operation(body: str, operations: tuple[Operation, ...]) -> None:
    found = vectorization(body)
    (chain,) = found.chains
    assert (chain.operations, chain.distance, chain.is_reduction) == (operations, 1, True)
    assert not found.obstacles


@pytest.mark.parametrize(
    ("body", "operations", "distance"),
    [
        ("for (int i = 1; i < n; i++) a[i] = a[i-1]*t + b[i];", (FMA,), 1),
        ("for (int i = 2; i < n; i++) a[i] = a[i-2] + b[i];", (ADD,), 2),
        ("for (int i = 4; i < n; i += 2) a[i] = a[i-4] + b[i];", (ADD,), 2),
        ("for (int i = n - 2; i >= 0; i--) a[i] = a[i+1] / b[i];", (DIV,), 1),
        ("for (int i = 0; i < n; i++) { s += a[i]; b[i] = s; }", (ADD,), 1),
        ("for (int i = 0; i < n; i++) s = s*t + a[i];", (FMA,), 1),
        ("for (int i = 0; i < n; i++) s = fma(s, t, a[i]);", (FMA,), 1),
        ("for (int i = 0; i < n; i++) s = fma(t, s, a[i]);", (FMA,), 1),
        ("for (int i = 0; i < n; i++) s = a[i] - s;", (Operation.SUB,), 1),
        ("for (int i = 1; i < n; i++) { a[i] = b[i-1] + 1; b[i] = a[i]*t; }", (ADD, MUL), 1),
    ],
)
def test_a_recurrence_keeps_iterations_apart(body: str, operations: tuple[Operation, ...], distance: int) -> None:
    found = vectorization(body)
    (chain,) = found.chains
    assert (chain.operations, chain.distance, chain.is_reduction) == (operations, distance, False)
    assert {o.distance for o in found.obstacles if o.kind is ObstacleKind.DEPENDENCE} == {distance}


@pytest.mark.parametrize(
    ("update", "waits"),
    [
        ("if (j != i) s -= a[i*n+j];", Fraction(1)),  # all but one
        ("if (j % 4 == 0) s += a[j];", Fraction(1, 4)),
        ("if (j < i) s += a[j]; else s -= a[j];", Fraction(1, 2)),  # of both operations, one of them in each iteration
        ("double u = s; if (j != i) u *= a[j]; s = u + 1;", Fraction(1)),
        ("if (j == i) s += a[j];", Fraction(0)),
        ("if (j != i) if (a[j] > t) s += a[j];", Fraction(0)),  # data may skip it
        ("if (j % 4) s = a[j]; s += b[j];", Fraction(0)),  # starts anew
        ("double u = t; if (j != i) u = s*a[j]; s = u;", Fraction(0)),
    ],
)
def test_conditions_on_counters_leave_a_sum_its_chain(update: str, waits: Fraction) -> None:
    nest = "for (int i = 0; i < n; i++) {{ s = 0; for (int j = 0; j < n; j++) {{ {update} }} b[i] = s; }}"
    assert [chain.share for chain in vectorization(nest.format(update=update)).chains if chain.name == "s"] == [waits]


def test_without_contraction_the_chain_has_both_operations() -> None:
    found = vectorization("for (int i = 1; i < n; i++) a[i] = a[i-1]*t + b[i];", fma=False)
    assert found.chains[0].operations == (MUL, ADD)


def test_gauss_seidel_waits_for_its_left_neighbour() -> None:
    found = vectorization(
        "for (int i = 1; i < n-1; i++) for (int j = 1; j < n-1; j++)"
        " c[i][j] = (c[i-1][j] + c[i][j-1] + c[i][j+1] + c[i+1][j])*0.25;"
    )
    assert found.chains[0].operations == (ADD, ADD, ADD, MUL)
    assert kinds(found) == {ObstacleKind.DEPENDENCE}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("for (int i = 0; i < n; i++) a[i] = b[idx[i]];", ObstacleKind.INDIRECT),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[j] = c[j][i];", ObstacleKind.STRIDE),
        ("for (int i = 0; i < n; i++) a[2*i] = b[2*i];", ObstacleKind.STRIDE),
        ("for (int i = 0; i < n; i++) a[i] = b[i] + x[i];", ObstacleKind.MIXED_TYPES),
        ("for (int i = 0; i < n; i++) a[i] = exp(b[i]);", ObstacleKind.CALL),
        ("for (int i = 0; i < n; i++) a[idx[i]] += b[i];", ObstacleKind.DEPENDENCE),
        ("for (int i = 0; i < n; i++) a[2*i] = a[i];", ObstacleKind.DEPENDENCE),
    ],
)
def test_obstacles(body: str, kind: ObstacleKind) -> None:
    assert kind in kinds(vectorization(body))


def test_simd_is_taken_at_its_word() -> None:
    loop = "for (int i = 1; i < n; i++) a[i] = a[i-1] + b[i];"
    found = vectorization("#pragma omp simd\n" + loop)
    assert found.asserted
    assert not found.obstacles
    assert vectorization(loop).obstacles == (Obstacle(ObstacleKind.DEPENDENCE, ("a[i]",), 1),)


@pytest.mark.parametrize(
    ("header", "trip"),
    [
        ("int i = 0; i < 8; i++", 8),
        ("int i = 1; i < 8; i += 3", 3),
        ("int i = 7; i >= 0; i -= 2", 4),
        ("int i = 0; i < n; i++", None),
    ],
)
def test_trip_counts_that_the_source_states(header: str, trip: int | None) -> None:
    assert vectorization(f"for ({header}) s += b[i];").trip == trip


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 2, -1])
@pytest.mark.parametrize(("by", "other"), [(1, 1), (2, 2), (1, 2), (2, 1), (3, 0), (-1, 1)])
def test_no_dependence_is_overlooked(by: int, other: int, step: int) -> None:
    """``a[by*i + x] = f(a[other*i + y])`` against the iterations enumerated: no lane may read what another writes."""
    values = range(8, 24, step) if step > 0 else range(23, 7, step)
    for apart in range(-5, 6):
        head = f"int i = 8; i < 24; i += {step}" if step > 0 else f"int i = 23; i > 7; i -= {-step}"
        found = vectorization(f"for ({head}) a[{by}*i + 60] = a[{other}*i + {60 - apart}] + t;")
        written = {by * i + 60: position for position, i in enumerate(values)}
        reads = ((position, written.get(other * i + 60 - apart)) for position, i in enumerate(values))
        true = [position - before for position, before in reads if before is not None and before < position]
        told = [o.distance for o in found.obstacles if o.kind is ObstacleKind.DEPENDENCE]
        if true and other:
            assert told, (by, other, step, apart)
            assert min(told) <= min(true)
        elif by == other:
            assert not told, (by, other, step, apart)


RED_BLACK = """
for (int i = 1; i < n-1; i++)
  for (int j = 1; j < n-1; j++)
    if ((i + j) % 2 == 0)
      c[i][j] = 0.25*(c[i-1][j] + c[i][j-{left}] + c[i][j+1] + c[i+1][j]);
"""


def test_points_of_one_colour_do_not_wait_for_one_another() -> None:
    assert not vectorization(RED_BLACK.replace("{left}", "1")).obstacles
    (obstacle,) = vectorization(RED_BLACK.replace("{left}", "2")).obstacles
    assert obstacle.distance == 2


def test_a_start_taken_from_data_is_no_indirect_access() -> None:
    found = vectorization("for (int i = 0; i < n; i++) for (int k = idx[i]; k < idx[i+1]; k++) a[i] += b[k];")
    assert ObstacleKind.INDIRECT not in kinds(found)


@pytest.mark.parametrize(("offset", "apart"), [(0, False), (4, False), (8, True)])
def test_a_member_that_lies_in_another_one_depends_on_it(offset: int, apart: bool) -> None:
    """A store of 8 bytes at the start of each element, and a load of 4 bytes at an offset in it."""
    stride = (const(16),)
    store = Access("u", (var("i"),), stride, FP64)
    load = Access("u", (var("i") - 1,), stride, FP32, offset_bytes=offset)
    assert (Distances("i", 1).between(store, load) == 0) is apart


@pytest.mark.parametrize(
    ("nest", "side_by_side"),
    [
        (
            "for (int j = 0; j < 9; j++) {{ s = 0; for (int i = 0; i < {end}; i++) s += a[i] * b[i]; b[j + 9] = s; }}",
            False,
        ),
        ("for (int j = 0; j < 9; j++) {{ s = 0; for (int i = 0; i < {end}; i++) s += a[i] * b[i]; t += s; }}", True),
        ("for (int i = 0; i < {end}; i++) s += a[i] * b[i];", False),
        ("for (int j = 0; j < 9; j++) for (int i = 0; i < {end}; i++) s += a[i] * b[i];", False),
    ],
)
def test_sums_of_a_loop_around_run_side_by_side(nest: str, side_by_side: bool) -> None:
    """Where trips are constant (gcc 12 with -O2 does so), nothing reads what is stored, and each sum begins anew."""
    for end, expected in (("4000", side_by_side), ("n", False)):
        (chain,) = vectorization(nest.format(end=end)).chains
        assert chain.side_by_side is expected


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("y[i] = x[(i + 1) % w];", 1),
        ("y[i] = x[i % w] + z[i % w];", 1),
        ("y[i] = x[i % w] + z[(i + 1) % w];", 2),
        ("y[i] = x[i / w];", 1),
        ("y[i] = x[i % 8] + x[i];", 0),
        ("y[i] = x[w % n + i];", 0),
        ("y[i] = i % w;", 1),
    ],
)
def test_divisions_in_subscripts_by_what_is_no_constant(body: str, number: int) -> None:
    text = f"void f(int n, int w, int *y, const int *x, const int *z) {{ for (int i = 0; i < n; i++) {body} }}"
    (file,) = analyze(SourceFile("a.c", text, Language.C), AnalysisOptions())
    assert file.profile.regions[0].inner_loops[0].iteration.vectorization.divides == number
