"""What would help, and by how much."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.source import Language, SourceFile
from analyzer.traffic.results import Blocking, Cut
from roofline.catalog import find_machine
from roofline.model.hierarchies import hierarchy_of
from roofline.model.level_bytes import ProjectionOptions
from roofline.report.report import region_report
from tests.caches import Level, with_caches

HASWELL = find_machine("haswell")
N = 1_000_000
TRIAD = "for (int i = 0; i < 1000000; i++) A[i] = B[i] + C[i]*D[i];"
STREAMED: list[Level] = [(24 * N, 0, 8 * N), *[(24 * N, 8 * N, 8 * N)] * 3]


def advice(text: str, levels: list[Level] | None = None, **options: bool) -> dict[str, tuple[str, float | None]]:
    (file,) = analyze(SourceFile("loop.c", text, Language.C), AnalysisOptions())
    profile = file.regions[0]
    if levels is not None:
        hierarchy = hierarchy_of(HASWELL)
        assert hierarchy is not None
        profile = with_caches(profile, hierarchy, levels)
    found = region_report(profile, [HASWELL], ProjectionOptions(**options)).advice
    return {each.code: (each.text, each.gain) for each in found}


@pytest.mark.parametrize("levels", [None, STREAMED], ids=["compulsory", "cached"])
def test_streaming_stores_save_a_fifth(levels: list[Level] | None) -> None:
    assert advice(TRIAD, levels)["AI401"][1] == pytest.approx(40 / 32)
    assert "AI401" not in advice(TRIAD, levels, nontemporal=True)


def test_streaming_stores_save_a_third_of_a_copy_which_has_no_flops() -> None:
    copy = "for (int i = 0; i < 1000000; i++) A[i] = B[i];"
    assert advice(copy)["AI401"][1] == pytest.approx(24 / 16)


def test_streaming_stores_help_only_where_memory_binds() -> None:
    assert "AI401" not in advice(TRIAD, [*STREAMED[:3], (2400, 800, 800)])


@pytest.mark.parametrize(
    ("levels", "text"),
    [
        (STREAMED, "reuse data"),
        ([*STREAMED[:3], (8, 0, 0)], "reuse L2: each byte less from L3"),
        ([*STREAMED[:2], (8, 0, 0), (8, 0, 0)], "reuse L1: each byte less from L2"),
        ([STREAMED[0], (8, 0, 0), (8, 0, 0), (8, 0, 0)], "reuse registers: each byte less from L1"),
    ],
)
def test_reuse_goes_one_level_in(levels: list[Level], text: str) -> None:
    assert advice(TRIAD, levels)["AI402"][0].startswith(text)


def blocked(gain: float, machine: bool = True, only: bool = False) -> dict[str, tuple[str, float | None]]:
    """A nest that streams from memory, and two blockings: one for L3 (unless ``only`` the other is tried), and one with
    so many times less from memory."""
    (file,) = analyze(SourceFile("loop.c", TRIAD, Language.C), AnalysisOptions())
    hierarchy = hierarchy_of(HASWELL)
    assert hierarchy is not None
    memory = (24 * N / gain, 8 * N / gain, 8 * N / gain)
    profile = with_caches(file.regions[0], hierarchy, STREAMED)
    tried = [[*STREAMED[:2], (8, 0, 0), STREAMED[3]], [*STREAMED[:3], memory]]
    traffic = [with_caches(file.regions[0], hierarchy, levels).caches[0] for levels in tried]
    cuts = (Cut("k.2", 12, 256, "i"), Cut("j", 11, 16, "k.2.block"))
    blockings = (Blocking("L3", (Cut("x", 1, 64, "i"),), traffic[0]), Blocking("DRAM", cuts, traffic[1]))
    blockings = blockings[1:] if only else blockings
    options = ProjectionOptions(hierarchy=None if machine else hierarchy)
    found = region_report(replace(profile, blockings=blockings), [HASWELL] if machine else [], options).advice
    return {each.code: (each.text, each.gain) for each in found}


def test_the_blocking_with_the_least_time_is_advised() -> None:
    """40 MB at 50 GB/s take 0.8 ms; 20 MB of them take half, and 40 MB at 284 GB/s of L3 less."""
    assert blocked(2)["AI405"] == (
        "block loop k (line 12) by 256 outside i, and j (line 11) by 16 outside the tiles of k: DRAM bytes "
        "40 MB -> 20 MB, 2 times as fast at the projected bound, if the order of the iterations may be changed",
        pytest.approx(2),
    )
    assert blocked(100)["AI405"][1] == pytest.approx(284 / 50, rel=1e-3), "then L3 binds"


def test_the_only_blocking_is_advised() -> None:
    assert blocked(2, only=True)["AI405"][1] == pytest.approx(2)


def test_a_blocking_that_gains_little_is_not_told() -> None:
    assert "AI405" not in blocked(1.04)
    assert "AI405" not in advice(TRIAD, STREAMED)


def test_without_a_machine_a_blocking_has_bytes_but_no_gain() -> None:
    text, gain = blocked(2, machine=False)["AI405"]
    assert "DRAM bytes 40 MB -> 20 MB, if" in text
    assert gain is None


def test_sums_that_wait_for_their_latency() -> None:
    """5 cycles for 2 FLOPs against 1.857 TB/s of L1 at 8 bytes per FLOP: 232.1 against 12.88 GFLOP/s."""
    dot = "for (int r = 0; r < 1000; r++) for (int i = 0; i < 1000; i++) s += A[i]*B[i];"
    assert advice(dot)["AI403"][1] == pytest.approx(232.1 / 12.88, rel=1e-3)
    assert "AI403" not in advice(dot, reassociate=True)
    assert "AI403" not in advice("for (int i = 0; i < 1000000; i++) s += A[i]*B[i];"), "memory binds"
