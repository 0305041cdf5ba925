"""What would help, and by how much."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from analyzer.traffic.results import Blocking, Cut
from roofline.catalog import find_machine
from roofline.model.advice import REGISTERS, Advice, BlockLoops, ReuseData
from roofline.model.hierarchies import hierarchy_of
from roofline.model.level_bytes import ProjectionOptions
from roofline.report.sentences import advice_text
from tests.caches import Level, with_caches
from tests.projected import NOTHING, region_report

HASWELL = find_machine("haswell")
N = 1_000_000
TRIAD = "for (int i = 0; i < 1000000; i++) A[i] = B[i] + C[i]*D[i];"
STREAMED: list[Level] = [(24 * N, 0, 8 * N), *[(24 * N, 8 * N, 8 * N)] * 3]


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
    assert advice(TRIAD, levels)["AI401"].gain == pytest.approx(40 / 32)
    assert "AI401" not in advice(TRIAD, levels, nontemporal=True)


def test_streaming_stores_save_a_third_of_a_copy_which_has_no_flops() -> None:
    copy = "for (int i = 0; i < 1000000; i++) A[i] = B[i];"
    assert advice(copy)["AI401"].gain == pytest.approx(24 / 16)


def test_streaming_stores_help_only_where_memory_binds() -> None:
    assert "AI401" not in advice(TRIAD, [*STREAMED[:3], (2400, 800, 800)])


@pytest.mark.parametrize(
    ("levels", "level", "inner", "text"),
    [
        (STREAMED, "DRAM", None, "reuse data"),
        ([*STREAMED[:3], (8, 0, 0)], "L3", "L2", "reuse L2: each byte less from L3"),
        ([*STREAMED[:2], (8, 0, 0), (8, 0, 0)], "L2", "L1", "reuse L1: each byte less from L2"),
        (
            [STREAMED[0], (8, 0, 0), (8, 0, 0), (8, 0, 0)],
            "L1",
            REGISTERS,
            "reuse registers: each byte less from L1",
        ),
    ],
)
def test_reuse_goes_one_level_in(levels: list[Level], level: str, inner: str | None, text: str) -> None:
    found = advice(TRIAD, levels)["AI402"]
    assert isinstance(found, ReuseData)
    assert (found.level, found.inner) == (level, inner)
    assert advice_text(found).startswith(text)


def blocked(gain: float, machine: bool = True, only: bool = False) -> dict[str, Advice]:
    """A nest that streams from memory, and two blockings: one for L3 (unless ``only`` the other is tried), and one with
    so many times less from memory."""
    (file,) = analyze(SourceFile("loop.c", TRIAD, Language.C), AnalysisOptions())
    hierarchy = hierarchy_of(HASWELL)
    assert hierarchy is not None
    memory = (24 * N / gain, 8 * N / gain, 8 * N / gain)
    streamed = with_caches(file.regions[0], hierarchy, STREAMED)
    tried = [[*STREAMED[:2], (8, 0, 0), STREAMED[3]], [*STREAMED[:3], memory]]
    traffic = [with_caches(file.regions[0], hierarchy, levels).models[0] for levels in tried]
    cuts = (Cut("k.2", 12, 256, "i"), Cut("j", 11, 16, "k.2.block"))
    blockings = (Blocking("L3", (Cut("x", 1, 64, "i"),), traffic[0]), Blocking("DRAM", cuts, traffic[1]))
    blockings = blockings[1:] if only else blockings
    options = ProjectionOptions(hierarchy=None if machine else hierarchy)
    machines = [HASWELL] if machine else []
    found = region_report(file.regions[0], machines, options, replace(streamed, blockings=blockings)).advice
    return {each.code: each for each in found}


def test_the_blocking_with_the_least_time_is_advised() -> None:
    """20 MB take half of 40 MB, and 40 MB at 353.5 GB/s of L3 less than at 61.8 GB/s, the fastest patterns of each."""
    found = blocked(2)["AI405"]
    assert isinstance(found, BlockLoops)
    assert (found.level, found.before_bytes, found.after_bytes) == ("DRAM", 40 * N, 20 * N)
    assert (advice_text(found), found.gain) == (
        "block loop k (line 12) by 256 outside i, and j (line 11) by 16 outside the tiles of k: DRAM bytes "
        "40 MB -> 20 MB, 2 times as fast at the projected bound, if the order of the iterations may be changed",
        pytest.approx(2),
    )
    assert blocked(100)["AI405"].gain == pytest.approx(353.52 / 61.82, rel=1e-3), "then L3 binds"


def test_the_only_blocking_is_advised() -> None:
    assert blocked(2, only=True)["AI405"].gain == pytest.approx(2)


def test_a_blocking_that_gains_little_is_not_told() -> None:
    assert "AI405" not in blocked(1.04)
    assert "AI405" not in advice(TRIAD, STREAMED)


def test_without_a_machine_a_blocking_has_bytes_but_no_gain() -> None:
    found = blocked(2, machine=False)["AI405"]
    assert "DRAM bytes 40 MB -> 20 MB, if" in advice_text(found)
    assert found.gain is None


def test_sums_that_wait_for_their_latency() -> None:
    """3 cycles for 2 FLOPs against 1.857 TB/s of L1 at 8 bytes per FLOP: 232.1 against 21.47 GFLOP/s."""
    dot = "for (int r = 0; r < 1000; r++) for (int i = 0; i < 1000; i++) s += A[i]*B[i];"
    assert advice(dot)["AI403"].gain == pytest.approx(232.1 / 21.47, rel=1e-3)
    assert "AI403" not in advice(dot, reassociate=True)
    assert "AI403" not in advice("for (int i = 0; i < 1000000; i++) s += A[i] + B[i] + C[i] + D[i];"), "memory binds"
