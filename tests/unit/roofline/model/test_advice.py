"""What would help, and by how much."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import Variant
from analyzer.source import Language, SourceFile
from analyzer.transformations.kinds import Cut
from roofline import estimate, source_text
from roofline.catalog import find_machine
from roofline.model.advice.kinds import REGISTERS, Advice, ReuseData, TransformLoops
from roofline.model.expectation.expected import Holder
from roofline.model.hierarchies import hierarchy_of
from roofline.model.level_bytes import ProjectionOptions
from roofline.report.advice_sentences import advice_text
from tests.caches import Level, with_caches
from tests.projected import NOTHING, region_report

HASWELL = find_machine("haswell")
N = 2_000_000
TRIAD = "for (int i = 0; i < 2000000; i++) A[i] = B[i] + C[i]*D[i];"
STREAMED: list[Level] = [(24 * N, 0, 8 * N), *[(24 * N, 8 * N, 8 * N)] * 3]
TWICE: list[Level] = [(64 * N, 0, 8 * N), *[(64 * N, 8 * N, 8 * N)] * 3]  # as if each line came twice


def advice(text: str, levels: list[Level] | None = None, **options: bool) -> dict[str, Advice]:
    (file,) = analyze(SourceFile("loop.c", text, Language.C), AnalysisOptions())
    profile, traffic = file.regions[0], NOTHING
    if levels is not None:
        hierarchy = hierarchy_of(HASWELL)
        assert hierarchy is not None
        traffic = with_caches(profile, hierarchy, levels)
    found = region_report(profile, [HASWELL], ProjectionOptions(**options), traffic).advice
    return {each.code: each for each in found}


@pytest.mark.parametrize("levels", [None, STREAMED], ids=["compulsory", "cached"])
def test_streaming_stores_save_a_fifth(levels: list[Level] | None) -> None:
    """Of the bytes it is 40/32; it is that of expected times, of which the core has a part."""
    assert advice(TRIAD, levels)["AI401"].gain == pytest.approx(1.19, rel=0.01)
    assert "AI401" not in advice(TRIAD, levels, nontemporal=True)


def test_streaming_stores_save_a_third_of_a_copy_which_has_no_flops() -> None:
    copy = "for (int i = 0; i < 4000000; i++) A[i] = B[i];"
    assert advice(copy)["AI401"].gain == pytest.approx(1.31, rel=0.01)  # of the bytes 24/16


def test_streaming_stores_help_only_where_memory_binds() -> None:
    assert "AI401" not in advice(TRIAD, [*STREAMED[:3], (2400, 800, 800)])


@pytest.mark.parametrize(
    ("levels", "level", "inner", "text"),
    [
        (TWICE, "DRAM", None, "move fewer bytes"),
        ([*TWICE[:3], (8, 0, 0)], "L3", "L2", "reuse data from L2"),
        ([*TWICE[:2], (8, 0, 0), (8, 0, 0)], "L2", "L1", "reuse data from L1"),
        (
            [TWICE[0], (8, 0, 0), (8, 0, 0), (8, 0, 0)],
            "L1",
            REGISTERS,
            "reuse data from registers",
        ),
    ],
)
def test_reuse_goes_one_level_in(levels: list[Level], level: str, inner: str | None, text: str) -> None:
    found = advice(TRIAD, levels)["AI402"]
    assert isinstance(found, ReuseData)
    assert (found.level, found.inner) == (level, inner)
    assert advice_text(found).startswith(text)


def test_fewer_bytes_gain_nothing_where_a_run_waits_for_the_core() -> None:
    """Columns of B keep gcc from vectors: 0.1 ns an iteration for the core, and 0.04 ns for the bytes of L2."""
    text = """void f(double C[n][n], double A[n][n], double B[n][n]) { for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) { C[i][j] *= 2; for (int k = 0; k < n; k++) C[i][j] += 3 * A[i][k] * B[k][j]; } }"""
    (region,) = estimate(source_text(text.replace("n]", "1100]").replace("< n", "< 1100"), "c"), "haswell").regions
    (projection,) = region.nests[0].projections
    assert projection.expected is not None
    assert projection.expected.held_by is Holder.CORE
    assert "AI402" not in [each.code for each in region.nests[0].advice]


def test_accumulators_are_no_help_where_calls_take_the_time() -> None:
    """Only -ffast-math gives glibc's vector functions to gcc; a sum of products has no such calls."""
    head = "double f(int n, const double *a) { double s = 0; for (int i = 0; i < n; i++) s += "
    texts = []
    for body in ("cos(a[i])", "a[i] * a[i]"):
        report = estimate(source_text(f"{head}{body}; return s; }}", "c"), "haswell", sizes={"n": 2000}, cores=1)
        texts += [advice_text(each) for each in report.regions[0].nests[0].advice if each.code == "AI403"]
    assert [text.split(":")[0] for text in texts] == [
        "calls of cos in vectors, and sums in any order (-ffast-math)",
        "several accumulators, or sums in any order (-ffast-math)",
    ]


def test_what_a_call_without_a_body_takes_is_not_known() -> None:
    text = """double work(int x); double walk(int n, const double *a) {
      double s = 0; for (int i = 0; i < n; i++) s += a[i] CALL; return s; }"""
    codes = []
    for call in ("", "* work(i)"):
        (region,) = estimate(source_text(text.replace("CALL", call), "c"), "haswell", cores=1).regions
        codes.append([each.code for each in region.nests[0].advice])
    assert codes == [["AI403"], []]


def test_what_is_compulsory_cannot_be_reused() -> None:
    """40 B an element move at least: 80 B are twice that, 42 B too little more to say."""
    assert "AI402" not in advice(TRIAD, STREAMED)
    assert advice(TRIAD, TWICE)["AI402"].gain == pytest.approx(80 / 40)
    assert "AI402" not in advice(TRIAD, [*STREAMED[:3], (26 * N, 8 * N, 8 * N)])


STREAMS = {
    "copy": ("for (int i = 0; i < n; i++) x[i] = y[i];", True),
    "in place": ("for (int i = 0; i < n; i++) x[i] = 2 * x[i];", False),
    "scattered": ("for (int i = 0; i < n; i++) x[p[i]] = y[i];", False),
    "strided": ("for (int i = 0; i < n; i++) x[4*i] = y[i];", False),
    "sixteen elements": ("for (int i = 0; i < 16; i++) x[i] = y[i];", False),
    "both members": ("for (int i = 0; i < n; i++) { x[2*i] = y[i]; x[2*i + 1] = z[i]; }", True),
    "rows": ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[i][j] = B[i][j];", True),
    "columns": ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[j][i] = B[i][j];", False),
    "again and again": ("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[j] = B[i][j];", False),
    "now and then": ("for (int i = 0; i < n; i++) if (y[i] > 0) x[i] = y[i];", False),
    "until data end it": ("for (int i = 0; y[i] > 0; i++) x[i] = y[i];", False),  # as short as a text
    "read next": ("for (int i = 0; i < n; i++) x[i] = y[i]; for (int i = 0; i < n; i++) z[i] = x[i] + w[i];", False),
}


@pytest.mark.parametrize(("body", "streams"), STREAMS.values(), ids=STREAMS)
def test_stores_that_stream(body: str, streams: bool) -> None:
    parameters = "int n, int m, int *p, double *x, double *y, double *z, double *w, double A[n][m], double B[n][m]"
    (file,) = analyze(SourceFile("loop.c", f"void f({parameters}) {{ {body} }}", Language.C), AnalysisOptions())
    nest = region_report(file.regions[0], [HASWELL], ProjectionOptions()).nests[0]
    assert ("AI401" in {each.code for each in nest.advice}) is streams


def tiled(gain: float, machine: bool = True) -> list[Advice]:
    """A nest that streams from memory, and the same in tiles with so many times fewer bytes of memory."""
    (file,) = analyze(SourceFile("loop.c", TRIAD, Language.C), AnalysisOptions())
    profile, hierarchy = file.regions[0].nests[0], hierarchy_of(HASWELL)
    assert hierarchy is not None
    memory = (24 * N / gain, 8 * N / gain, 8 * N / gain)
    cuts = (Cut("k.2", 12, 256, "i"), Cut("j", 11, 16, "k.2.block"))
    plain = Variant((), profile, with_caches(profile, hierarchy, STREAMED))
    tiles = Variant(cuts, profile, with_caches(profile, hierarchy, [*STREAMED[:3], memory]))
    found = replace(profile, variants=(plain, tiles))
    machines = [HASWELL] if machine else []
    report = region_report(found, machines, ProjectionOptions(), plain.traffic)
    return [each for each in report.advice if isinstance(each, TransformLoops)]


def test_tiles_are_advised_with_what_they_spare() -> None:
    """40 B an element from memory, then half of them: at most twice as fast, as other levels move what they did."""
    (found,) = tiled(2)
    assert (found.code, found.level, found.before_bytes, found.after_bytes) == ("AI405", "DRAM", 40 * N, 20 * N)
    assert found.gain is not None
    assert 1.2 < found.gain <= 2
    assert advice_text(found).startswith(
        "block loop k (line 12) by 256 outside i, then block loop j (line 11) by 16 outside the tiles of k: "
        "DRAM bytes 80 MB -> 40 MB, "
    )


def test_a_transformation_that_gains_less_than_the_doubt_is_not_told() -> None:
    assert not tiled(1.1)


def test_without_a_machine_tiles_have_bytes_but_no_gain() -> None:
    (found,) = tiled(2, machine=False)
    assert advice_text(found).endswith("DRAM bytes 80 MB -> 40 MB")
    assert found.gain is None


def test_sums_that_wait_for_their_latency() -> None:
    """3 cycles for an element against an FMA of 5 for a vector of 4, and a start of 23 for 1000 elements.

    Of the next 1000, 192 are begun meanwhile: four instructions each four of them, in a reorder buffer for 192.
    """
    dot = "for (int r = 0; r < 1000; r++) for (int i = 0; i < 1000; i++) s += A[i]*B[i];"
    assert advice(dot)["AI403"].gain == pytest.approx(3.023 / (1.25 * (1 - 0.192) + 0.023), rel=1e-3)
    assert "AI403" not in advice(dot, reassociate=True)
    assert "AI403" not in advice("for (int i = 0; i < 2000000; i++) s += A[i] + B[i] + C[i] + D[i];"), "memory binds"


@pytest.mark.parametrize(
    ("statement", "gain"),
    [
        ("a[i] /= norm;", 2.64),  # 4 quotients in 28 cycles of 2.3 GHz, 3.04 ns each; 16 bytes from 13.9 GB/s: 1.15 ns
        ("a[i] /= b[i];", None),
        ("a[i] /= 4.0;", None),  # its inverse is exact, and compilers take it
        ("s += a[i] / norm;", None),  # -ffast-math, which the advice on sums names, allows both
    ],
)
def test_a_divisor_that_stays_is_inverted(statement: str, gain: float | None) -> None:
    loop = f"for (int i = 0; i < n; i++) {statement}"
    text = f"double f(int n, double *a, double *b, double norm) {{ double s = 0; {loop} return s; }}"
    (region,) = estimate(source_text(text), "haswell", cores=1).regions
    found = [each.gain for each in region.advice if each.code == "AI414"]
    assert found == ([] if gain is None else [pytest.approx(gain, rel=0.02)])


def test_a_maximum_that_waits_for_itself_has_the_advice_of_sums() -> None:
    """One comparison waits for the one before, four cycles of latency on a Haswell; data are in L2."""
    text = """void f(int n, const double *a, double *x) {
      double m = a[0];
      for (int i = 0; i < n; i++) if (a[i] > m) m = a[i];
      x[0] = m;
    }"""
    (region,) = estimate(source_text(text), "haswell", sizes={"n": 16_000}, cores=1, warm=True).regions
    (found,) = [each for each in region.nests[0].advice if each.code == "AI403"]
    assert found.gain is not None
    assert 2 < found.gain < 5
    (unknown,) = estimate(source_text(text.replace("if (a[i] > m) m = a[i];", "m += a[i];")), "haswell").regions
    texts = [advice_text(each) for each in unknown.nests[0].advice]
    assert any("up to" in text for text in texts)


def test_sums_along_a_list_wait_for_its_loads_in_any_order() -> None:
    """A load of 5 cycles before the next one, longer than an addition of 4."""
    text = """struct node { struct node *next; double v; };
double f(struct node *p) { double s = 0; while (p) { s += p->v; p = p->next; } return s; }"""
    (region,) = estimate(source_text(text), "icelake").regions
    found = {each.code for part in (region, *region.nests) for each in part.advice}
    assert "AI410" in found
    assert "AI403" not in found


DOT = """float dot(int n, const float *x, const float *y) {
    float s = 0;
    for (int i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}"""


def test_what_a_victim_cache_takes_in_again_is_not_spared() -> None:
    """Each line that L2 gets leaves it for L3, also a clean one: 8 MB in and 8 MB out of a stream without reuse."""
    report = estimate(source_text(DOT, "c"), machines="skx", sizes={"n": 1_000_000}, reassociate=True, cores=1)
    (region,) = report.regions
    assert region.projections[0].level == "L3"
    assert "AI402" not in [each.code for each in region.advice]
