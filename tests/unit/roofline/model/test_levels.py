"""The roofline with the bytes of every level, against numbers worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.source import Language, SourceFile
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.results import Convention, RegionTraffic
from roofline.catalog import find_machine
from roofline.model.hierarchies import hierarchy_of
from roofline.model.level_bytes import ProjectionOptions
from roofline.model.projection import Bound, Projection
from roofline.model.verdicts.reasons import AgainstRidge
from roofline.report.sentences import reason_text
from tests.caches import Level, with_caches
from tests.checked import report_of
from tests.projected import project, region_report

HASWELL = find_machine("haswell")
N = 1_000_000
TRIAD = "for (int i = 0; i < N; i++) A[i] = B[i] + C[i]*D[i];"
STREAMED = [(24 * N, 0, 8 * N), (24 * N, 8 * N, 8 * N), (24 * N, 8 * N, 8 * N), (24 * N, 8 * N, 8 * N)]


def analyzed(text: str, levels: list[Level]) -> tuple[RegionProfile, RegionTraffic]:
    (file,) = analyze(SourceFile("loop.c", text, Language.C), AnalysisOptions(defines={"N": str(N)}))
    hierarchy = hierarchy_of(HASWELL)
    assert hierarchy is not None
    return file.regions[0], with_caches(file.regions[0], hierarchy, levels)


def projected(text: str, levels: list[Level], **options: object) -> Projection:
    profile, traffic = analyzed(text, levels)
    return project(profile, HASWELL, ProjectionOptions(**options), traffic)  # type: ignore[arg-type]


def test_every_level_has_its_intensity() -> None:
    found = projected(TRIAD, STREAMED)
    intensities = {level.level: float(level.intensity.number or 0) for level in found.levels}
    assert intensities == {"L1": 1 / 16, "L2": 1 / 20, "L3": 1 / 20, "DRAM": 1 / 20}
    assert (found.bound, found.level) == (Bound.MEMORY, "DRAM")
    assert found.moved.convention is Convention.CACHED
    assert found.attainable is not None
    assert found.attainable.giga == pytest.approx(2.5)
    assert found.time is not None
    assert found.time.value == pytest.approx(40 * N / 61.82e9), "loads alone were faster"


def test_the_level_that_takes_longest_binds() -> None:
    """All in L3: 40 bytes from L3 at 284 GB/s take longer than 0.4 bytes from memory at 50 GB/s."""
    found = projected(TRIAD, [*STREAMED[:3], (24 * N // 100, 0, 0)])
    assert (found.level, found.attainable.giga) == ("L3", pytest.approx(284.01 / 20))
    assert isinstance(found.reason, AgainstRidge)
    assert (found.reason.below, found.reason.level, found.reason.intensity) == (True, "L3", 0.05)
    assert reason_text(found.reason).startswith("L3 intensity 0.05 FLOP/byte is below the ridge")


def test_caches_that_hold_everything_leave_the_core() -> None:
    found = projected(TRIAD, [(8 * N, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)])
    assert (found.bound, found.ceiling.name) == (Bound.ISSUE, "core throughput")
    assert found.attainable.giga == pytest.approx(171.7, abs=0.05)


def test_a_copy_is_bound_by_the_slowest_level() -> None:
    copy = "for (int i = 0; i < N; i++) A[i] = B[i];"
    levels = [(8 * N, 0, 8 * N), (8 * N, 8 * N, 8 * N), (8 * N, 8 * N, 8 * N), (8 * N // 100, 0, 0)]
    found = projected(copy, levels)
    assert (found.level, found.time.value) == ("L3", pytest.approx(24 * N / 353.52e9))


def test_non_temporal_stores_pass_the_caches() -> None:
    moves = dict(projected(TRIAD, STREAMED, nontemporal=True).served)
    totals = {name: moved.total.estimate.evaluate({}) for name, moved in moves.items()}
    assert totals == {"L1": 32 * N, "L2": 24 * N, "L3": 24 * N, "DRAM": 32 * N}


def test_stores_without_allocation_cost_no_read() -> None:
    moves = dict(projected(TRIAD, STREAMED, write_allocate=False).served)
    assert {moved.total.estimate.evaluate({}) for moved in moves.values()} == {32 * N}


def test_a_convention_that_is_asked_for_wins() -> None:
    found = projected(TRIAD, STREAMED, convention=Convention.COMPULSORY).moved
    assert found.convention is Convention.COMPULSORY


def test_a_hierarchy_replaces_that_of_the_machine() -> None:
    given = parse_hierarchy("L1:32KiB,L2:1MiB")
    profile, traffic = analyzed(TRIAD, STREAMED)
    both = with_caches(profile, given, [(1, 0, 0), (2, 0, 0), (4 * N, 0, 0)], traffic=traffic)
    options = ProjectionOptions(hierarchy=given)
    names = [level.level for level in project(profile, HASWELL, options, both).levels]
    assert names == ["L1", "L2", "DRAM"]
    assert region_report(profile, [], options, both).moved.total.estimate.evaluate({}) == 4 * N


def test_bandwidth_saturates_over_the_cores() -> None:
    """13.89 GB/s of one core, in its fastest pattern, and 50 GB/s of the chip: four cores saturate it."""
    found = projected(TRIAD, STREAMED).scaling
    assert found is not None
    assert found.saturation_cores == 4
    rates = {point.cores: point.rate.giga for point in found.points}
    assert rates[1] == pytest.approx(13.89 / 20)
    assert rates[3] == pytest.approx(3 * 13.89 / 20)
    assert rates[4] == rates[14] == pytest.approx(2.5)


def test_compute_bound_loops_scale_to_all_cores() -> None:
    found = projected(TRIAD, [(8, 0, 0), (8, 0, 0), (8, 0, 0), (8, 0, 0)]).scaling
    assert found is not None
    assert found.saturation_cores is None
    assert found.points[-1].rate.value == pytest.approx(14 * found.points[0].rate.value)


def test_one_core_has_nothing_to_scale() -> None:
    (file,) = analyze(SourceFile("loop.c", TRIAD, Language.C))
    assert project(file.regions[0], HASWELL, ProjectionOptions(cores=1)).scaling is None


COPY_AND_ADD = "for (int i = 0; i < N; i++) A[i] = B[i] + 1;"


@pytest.mark.parametrize(
    ("text", "references", "gflops"),
    [
        (TRIAD, (24 * N, 0, 8 * N), 1857.01 * (32 / 24) / 16),
        (COPY_AND_ADD, (8 * N, 0, 8 * N), 1857.01 * (3 / 2) / 16),
    ],
    ids=["three loads for a store", "one store for two loads at most"],
)
def test_stores_go_beside_the_loads_of_l1(text: str, references: Level, gflops: float) -> None:
    found = projected(text, [references, (8, 0, 0), (8, 0, 0), (8, 0, 0)])
    assert found.levels[0].rate is not None
    assert found.levels[0].rate.giga == pytest.approx(gflops)
    assert found.levels[1].store_factor == 1


def test_loads_alone_move_through_l1_where_stores_are_not_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    assert HASWELL.core is not None
    core = replace(HASWELL.core, stores_per_cycle=None)
    monkeypatch.setitem(globals(), "HASWELL", replace(HASWELL, core=core))
    found = projected(TRIAD, [(24 * N, 0, 8 * N), (8, 0, 0), (8, 0, 0), (8, 0, 0)])
    assert found.levels[0].rate is not None
    assert found.levels[0].rate.giga == pytest.approx(1857.01 / 16)


def test_the_limit_of_a_quotient_of_estimates_is_an_estimate() -> None:
    text = """void f(int n, int m, const int *restrict k, double *restrict a, double *restrict o) {
    for (int i = 0; i < n; i++) {
        if (k[i]) { for (int j = 0; j < m; j++) o[i*m+j] = a[j]; }
        else { for (int j = 0; j < m; j++) o[i*m+j] += 2 * a[j]; } } }"""
    (region,) = report_of(text, "haswell").regions
    assert (region.intensity.number, region.intensity.lower, region.intensity.upper) == (Fraction(1, 8), 0, None)
