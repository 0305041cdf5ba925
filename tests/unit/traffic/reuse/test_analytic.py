"""The analytic model on nests whose bytes are known by hand: threads, warm caches, victims, conflicts, data."""

import pytest
from msgspec.structs import replace

from analyzer.ir.nodes import Loop, Mapping
from analyzer.ir.passes.substitute import bind
from analyzer.quantities.quantity import ZERO
from analyzer.traffic.conditions import reuses
from analyzer.traffic.hierarchy import CacheLevel, Hierarchy, Inclusion, parse_hierarchy
from analyzer.traffic.options import CacheOptions
from analyzer.traffic.program.schedules.threads import division
from analyzer.traffic.results import LevelTraffic
from analyzer.traffic.reuse.analytic import analytic_traffic
from analyzer.traffic.reuse.distances import distinct_lines
from analyzer.traffic.stage import may_reuse, reuses_of
from tests.lowering import lower

CACHES = parse_hierarchy("L1:32KiB,L2:1MiB")
COPY = "double *a, *b; for (int i = 0; i < n; i++) b[i] = a[i];"
SUM = "double a[n], s; for (int t = 0; t < 4; t++) for (int i = 0; i < n; i++) s += a[i];"
TRANSPOSE = "double a[n][n], b[n][n]; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[j][i] = a[i][j];"


def region(text, **sizes):
    (found,) = lower(text, defines=sizes).regions
    return bind(found, {symbol.name: symbol.value for symbol in found.symbols if symbol.value is not None})


def moved(text, hierarchy=CACHES, warm=False, **sizes):
    """Bytes read, allocated and written by level served."""
    found = analytic_traffic(region(text, **sizes), hierarchy, warm=warm)
    parts = (found.read.sum(axis=1), found.allocate.sum(axis=1), found.written.sum(axis=1))
    return {name: tuple(float(part[row]) for part in parts) for row, name in enumerate(hierarchy.serving)}


def parallel(found):
    body = tuple(replace(node, mapping=Mapping.THREADS) if isinstance(node, Loop) else node for node in found.body)
    return replace(found, body=body)


def test_a_copy_reads_allocates_and_writes_every_line_once():
    assert moved(COPY, n=8000) == {"L2": (64000, 64000, 64000), "DRAM": (64000, 64000, 64000)}


@pytest.mark.parametrize(("n", "times"), [(4000, 1), (4096, 1), (4097, 4), (9000, 4)])
def test_what_is_swept_again_stays_while_it_fits(n, times):
    lines = -(-n * 8 // 64)
    assert moved(SUM, n=n)["L2"] == (times * lines * 64, 0, 0)
    assert moved(SUM, n=n)["DRAM"] == (lines * 64, 0, 0)


def test_runs_are_counted_alike_however_many_are_gathered_together(monkeypatch):
    stencil = """double a[n][n], b[n][n];
      for (int i = 2; i < n - 2; i++) for (int j = 2; j < n - 2; j++) if (i + j < n)
        b[i][j] = a[i-2][j] + a[i][j-2] + a[i][j] + a[i][j+2] + a[i+2][j];"""
    together = moved(stencil, n=600)
    monkeypatch.setattr(distinct_lines, "_RUNS_APART", 50)
    assert moved(stencil, n=600) == together


def test_a_warm_cache_has_no_cold_misses():
    assert moved(SUM, n=4000, warm=True) == {"L2": (0, 0, 0), "DRAM": (0, 0, 0)}
    assert moved(SUM, n=8000, warm=True) == {"L2": (4 * 64000, 0, 0), "DRAM": (0, 0, 0)}


def test_nests_are_told_apart():
    text = "double *a, *b; for (int i = 0; i < n; i++) a[i] = 1; for (int j = 0; j < n; j++) b[j] = a[j];"
    found = analytic_traffic(region(text, n=2000), CACHES, warm=False)
    assert (found.read + found.allocate)[0].tolist() == [16000, 16000]
    references = LevelTraffic("register", "references", 1, ZERO, ZERO, ZERO)
    second = found.of(references, lambda _driver, nest: nest == "j").levels[1]
    assert second.read_bytes.estimate.is_zero


@pytest.mark.parametrize("asked", [{0}, {1}, {2}, {0, 2}])
def test_nests_that_are_not_asked_for_only_fill_the_caches(asked):
    text = """
        double a[n], b[n]; for (int i = 0; i < n; i++) a[i] = i; for (int j = 0; j < n; j++) b[j] += a[j];
        for (int k = 0; k < n; k += 2) b[k] = a[k];"""
    whole = analytic_traffic(region(text, n=9000), CACHES, warm=False)
    some = analytic_traffic(region(text, n=9000), CACHES, warm=False, asked=lambda position, _: position in asked)
    for of_whole, of_some in zip(
        (whole.read, whole.allocate, whole.written), (some.read, some.allocate, some.written), strict=True
    ):
        assert of_some[:, sorted(asked)].tolist() == of_whole[:, sorted(asked)].tolist()


def test_threads_have_their_own_caches_and_their_part_of_shared_ones():
    work = parallel(region(SUM.replace("for (int t = 0; t < 4; t++) ", ""), n=16000))
    assert division(work.body, 4, 1).times == {"i": 4}
    text = "double *a, s; for (int i = 0; i < n; i++) for (int t = 0; t < 4; t++) s += a[i];"
    work = parallel(region(text, n=16000))
    shared = Hierarchy((CacheLevel("L1", 32 << 10), CacheLevel("L2", 1 << 20, shared_by=4)), units=4)
    found = analytic_traffic(work, shared, warm=False)
    assert found.read.sum(axis=1).tolist() == [128000, 128000]
    assert "AI307" in {note.code for note in found.remarks()}


def test_a_victim_cache_joins_the_one_inside_it():
    victim = Hierarchy((CacheLevel("L2", 256 << 10), CacheLevel("L3", 256 << 10, inclusion=Inclusion.VICTIM)), "DRAM")
    lines = 48 * 1024 // 8
    found = moved(SUM, victim, n=48 * 1024)
    assert found["L3"] == (4 * lines * 64, 0, 4 * lines * 64)
    assert found["DRAM"] == (lines * 64, 0, 0)


def test_power_of_two_rows_conflict_and_the_note_says_how_to_pad():
    sets = parse_hierarchy("L1:32KiB/8,L2:1MiB/16")
    text = "double a[512][512], s; for (int j = 0; j < 512; j++) for (int i = 0; i < 64; i++) s += a[i][j];"
    found = analytic_traffic(region(text), sets, warm=False)
    assert found.read[0].sum() == 512 * 64 * 64
    (note,) = [note for note in found.remarks() if note.code == "AI404"]
    assert "4096 bytes apart" in note.text
    padded = text.replace("a[512][512]", "a[512][520]")
    assert moved(padded, sets)["L2"][0] == 64 * 64 * 64


def test_planes_in_the_same_sets_conflict_and_rows_that_are_padded_do_not_help():
    """Nine planes of 64 rows: 32 KiB each, and 64 * 520 * 8 bytes of padded ones, are multiples of 4 KiB apart."""
    sets = parse_hierarchy("L1:32KiB/8,L2:1MiB/16")
    planes = " + ".join(f"a[{plane}][i][j]" for plane in range(9))
    text = f"double a[9][64][512], s; for (int i = 0; i < 64; i++) for (int j = 0; j < 512; j++) s += {planes};"
    for rows in ("a[9][64][512]", "a[9][64][520]"):
        found = analytic_traffic(region(text.replace("a[9][64][512]", rows)), sets, warm=False)
        (note,) = [note for note in found.remarks() if note.code == "AI404"]
        assert "9 lines of a that are used together are multiples of 4096 bytes apart" in note.text
    further = text.replace("a[9][64][512]", "a[9][65][520]")
    assert moved(further, sets)["L2"][0] == 9 * 64 * 512 * 8


def test_data_that_is_about_as_large_as_the_cache_is_undecided():
    found = analytic_traffic(region(SUM, n=4097), CACHES, warm=False)
    assert "AI209" in {note.code for note in found.remarks()}


def test_random_elements_lie_between_once_each_and_a_line_per_access():
    text = "double x[m], y[n]; int c[n]; for (int i = 0; i < n; i++) y[i] = x[c[i]];"
    found = analytic_traffic(region(text, n=100000, m=100000), CACHES, warm=False)
    regular = 100000 * 4 + 100000 * 8
    total = (found.read + found.allocate)[0].sum()
    assert 100000 * 8 + regular <= total <= 100000 * 64 + regular
    assert total == pytest.approx(115_260 * 64, rel=0.01)  # counted by an exact simulation of random indices
    assert "AI211" in {note.code for note in found.remarks()}


def test_conditions_are_exact_polynomials():
    (first, *_) = reuses(lower(TRANSPOSE).regions[0], CACHES)
    assert (first.array, first.loop, str(first.working_set)) == ("b", "i", "72*n")
    assert [condition.threshold for condition in first.conditions] == [454, 14562]
    stencil = (
        "double a[n][n], b[n][n]; for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
        " b[i][j] = a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1];"
    )
    found = {(reuse.array, reuse.loop): reuse for reuse in reuses(lower(stencil).regions[0], CACHES)}
    assert found["a", "i"].conditions[0].threshold == pytest.approx(1024, abs=8)


def test_conditions_are_as_by_hand_in_bytes_of_elements():
    product = (
        "double a[n][m], b[m][k], c[n][k]; for (int i = 0; i < n; i++) for (int p = 0; p < m; p++)"
        " for (int j = 0; j < k; j++) c[i][j] += a[i][p] * b[p][j];"
    )
    found = {(reuse.array, reuse.loop): str(reuse.working_set) for reuse in reuses(lower(product).regions[0], CACHES)}
    assert found["c", "p"] == "16*k"
    assert found["b", "i"].startswith("8*k*m")


ROWS = "double a[n][m], x[n], s; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) "


@pytest.mark.parametrize(
    ("text", "grows"),
    [
        (COPY, False),
        ("double a[n], b[n]; for (int i = 1; i < n - 1; i++) b[i] = a[i-1] + a[i+1] + a[0];", True),
        ("double a[n], b[n]; for (int i = 1; i < n - 1; i++) b[i] = a[i-1] + a[i+1];", False),
        ("double a[m], b[n]; for (int i = 0; i < n; i++) b[i] = a[i] + a[i + k];", True),
        ("double a[n], b[n]; for (int i = 0; i < n; i++) b[i] = a[i] + a[99 - i];", True),
        ("double x[m], b[n]; int c[n]; for (int i = 0; i < n; i++) b[i] = x[c[i]];", True),
        (TRANSPOSE, True),
        (ROWS + "s += a[i][j] * a[i][j+1];", False),
        (ROWS + "s += a[i][j] * a[i+1][j];", True),
        (ROWS + "s += a[i][j] * x[j];", True),
        (ROWS + "s += a[i][2*j + 1];", False),
        (ROWS + "s += a[j][j];", True),
        (ROWS + "{ if (j == 0) x[i] = 0; x[i] += a[i][j]; }", True),
        ("double a[n][m], y[n]; for (i = 0; i < n; i++) { for (j = 0; j < m; j++) a[i][j] = 0; y[i] = 0; }", True),
        ("double a[n], s; for (i = 0; i < n; i++) s += a[i]; for (j = 0; j < n; j++) s += a[j];", True),
    ],
)
def test_one_nest_through_arrays_reuses_nothing_at_a_growing_distance(text: str, grows: bool) -> None:
    whole = lower(text).regions[0]
    options = CacheOptions(hierarchies=(CACHES,), conditions=True)
    assert reuses_of(whole, {}, options) == reuses(whole, CACHES)
    assert may_reuse(whole) is grows


def test_sizes_stay_within_rows_of_fixed_length():
    sweep = (
        "double a[120][120], b[120][120]; for (int t = 0; t < s; t++) for (int i = 1; i < n - 1; i++)"
        " for (int j = 1; j < n - 1; j++) b[i][j] = a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1];"
    )
    found = {(reuse.array, reuse.loop): str(reuse.working_set) for reuse in reuses(lower(sweep).regions[0], CACHES)}
    assert found["a", "t"].startswith("16*n^2")
    assert reuses(lower(sweep.replace("120", "20")).regions[0], CACHES) == ()


def test_reuses_of_different_distance_have_no_condition():
    rows = (
        "double a[n][n], x[n], y[n], t; for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) t += a[i][j] * x[j];"
        " for (int j = 0; j < n; j++) y[j] += a[i][j] * t; }"
    )
    found = {(reuse.array, reuse.loop) for reuse in reuses(lower(rows).regions[0], CACHES)}
    assert ("a", "i") in found
    assert ("y", "i") not in found


def test_a_shared_victim_cache_keeps_its_ways():
    """Arrays of 104,000 bytes for each of 64 threads, behind 64 KiB of its own and 64 KiB of 4 MiB: all of them miss.

    The sets of the shared cache are shared as well; one way for each thread would let a part of ``c`` stay.
    """
    levels = (CacheLevel("L2", 64 << 10, 16), CacheLevel("L3", 4 << 20, 16, shared_by=64, inclusion=Inclusion.VICTIM))
    text = "double a[n], b[n], c[n]; for (int i = 0; i < n; i++) b[i] = c[i]; for (int j = 0; j < n; j++) c[j] = a[j];"
    size = 64 * 13_000
    found = analytic_traffic(parallel(region(text, n=size)), Hierarchy(levels, units=64), warm=False)
    assert (found.read + found.allocate)[1].tolist() == pytest.approx([2 * 8 * size, 2 * 8 * size], rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("first", ["", "double *t = a[k]; a[k] = a[p[k]]; a[p[k]] = t;", "b[k] = b[n-1-k];"])
def test_what_is_swept_and_stored_again_and_again_is_written_as_often_as_it_is_read(first):
    """LU: in step k all (n-k)^2 elements are read and written again while these are more than L3 holds."""
    rows = "for (int i = 0; i < n; i++) a[i] = c[i]; for (int i = 0; i < n; i++) p[i] = i;"
    update = "for (int i = k + 1; i < n; i++) for (int j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j];"
    text = f"double **a, **c, b[3000]; int p[3000]; {rows} for (int k = 0; k < n; k++) {{ {first} {update} }}"
    found = moved(text, parse_hierarchy("L1:32KiB/8,L2:256KiB/8,L3:35MiB/16"), n=3000)["DRAM"]
    swept = sum(8 * m * m for m in range(2142, 3000))
    assert found == (pytest.approx(swept, rel=0.15), pytest.approx(0, abs=1e6), pytest.approx(swept, rel=0.15))
