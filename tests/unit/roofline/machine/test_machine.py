"""Ceilings of shipped machines against numbers printed in the literature or derived by hand."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyzer.errors import MachineError
from roofline.catalog import find_machine
from roofline.machine.figures import BandwidthFigure, Basis, Figure, FigureKind, Peak, PeakMode, Precision, rank_figures
from roofline.machine.machine import Machine
from roofline.machine.units import Bandwidth, FlopRate, Intensity


def peak(name: str, precision: str = "fp64", **options: bool | str | int) -> float:
    """Return a peak in GFLOP/s."""
    rate = find_machine(name).peak(precision, **options)  # type: ignore[arg-type]
    assert rate is not None
    return rate.giga


def bandwidth(name: str, level: str, kind: str = "sustained", cores: int | None = None) -> float:
    """Return a bandwidth in GB/s."""
    chosen = find_machine(name).bandwidth(level, kind, cores)
    assert chosen is not None
    return chosen.rate.giga


@pytest.mark.parametrize(
    ("name", "precision", "expected"),
    [
        ("bgq", "fp64", 16 * 1.6 * 8),  # P1: 204.8
        ("haswell", "fp64", 14 * 2.3 * (8 + 8)),  # P7: 515.2
        ("knl", "fp64", 1.4 * 68 * 8 * 2 * 2),  # P10: 3046.4
        ("v100", "fp64", 80 * 32 * 1.53 * 2),  # C3: 7833.6
        ("rtx4000ada", "fp32", 26730),  # lab notes
        ("rtx4000ada", "fp16", 26730),
        ("rtx4000ada", "fp64", 417.6),
        ("h100", "fp32", 51200),  # Grimm
        ("h100", "fp64", 25600),
        ("t4", "fp32", 8141),  # Grimm prints 8100, the rounded data-sheet figure
        ("t4", "fp64", 8141 / 32),  # Grimm prints 130, which is the INT8 figure in TOP/s
        ("rtx4070ti", "fp32", 40090),  # Grimm prints 39540
        ("rtx4070ti", "fp64", 626.4),  # Grimm prints 554, at the base clock
    ],
)
def test_theoretical_peaks(name: str, precision: str, expected: float) -> None:
    assert peak(name, precision) == pytest.approx(expected, rel=1e-4)


def test_peak_at_the_simd_clock_is_the_sustained_one() -> None:
    # P10: at the 1.2 GHz AVX clock, 2611.2 GFLOP/s
    assert peak("knl", kind="sustained") == pytest.approx(1.2 * 68 * 8 * 2 * 2)


def test_v100_ceilings_without_fma_and_measured() -> None:
    # C3, C4
    assert peak("v100", fma=False) == pytest.approx(3916.8)
    assert peak("v100", kind="sustained") == 7068.86
    assert peak("v100", fma=False, kind="sustained") == 3535.79
    assert bandwidth("v100", "DRAM") == pytest.approx(828.758)
    assert bandwidth("v100", "L2") == pytest.approx(2996.8, abs=0.1)
    assert bandwidth("v100", "L1") == pytest.approx(14336)
    assert bandwidth("v100", "DRAM", "theoretical") == 900
    assert bandwidth("v100", "L2", "theoretical") == pytest.approx(4100)


def test_a100_tensor_peak() -> None:
    # Y2: 432 tensor cores x 1410 MHz x 512 = 312 TFLOP/s
    chosen = find_machine("a100").choose_peak("fp16", mode=PeakMode.MATRIX)
    assert chosen is not None
    assert chosen.rate.giga == pytest.approx(432 * 1.410 * 512, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("bgq", "sustained", 28.8),  # P1
        ("bgq", "theoretical", 42.7),
        ("haswell", "sustained", 50),  # P7
        ("haswell", "theoretical", 68.3),
        ("h100", "theoretical", 2039),  # Grimm
        ("t4", "theoretical", 320),
        ("rtx4070ti", "theoretical", 504.2),  # Grimm prints 504
        ("rtx4000ada", "theoretical", 360),
        ("a64fx", "sustained", 816.7),
        ("knl", "sustained", 451.8),
    ],
)
def test_memory_bandwidths(name: str, kind: str, expected: float) -> None:
    assert bandwidth(name, "DRAM", kind) == pytest.approx(expected)


def test_ridge_of_bluegene_q() -> None:
    # P1: 204.8 / 28.8 = 7.11 FLOP/B
    ridge = find_machine("bg/q").ridge("fp64", "DRAM")
    assert ridge is not None
    assert ridge.value == pytest.approx(7.11, abs=0.005)


def test_instruction_and_transaction_rates_of_v100() -> None:
    # P8: 80 x 4 x 1 x 1.53 = 489.6 GIPS; P9: 25.9 and 93.6 GTXN/s at 32 B, 448 (437 for 14000 GB/s)
    v100 = find_machine("v100")
    instructions = v100.instruction_rate()
    assert instructions is not None
    assert instructions.giga == pytest.approx(489.6)
    rates = [v100.transaction_rate(level) for level in v100.level_names]
    assert [rate.giga for rate in rates if rate] == pytest.approx([448.0, 93.6, 25.9], abs=0.06)
    assert Bandwidth.from_giga(14000).transactions(32).giga == pytest.approx(437.5)


def test_haswell_core_data_give_the_triad_bound() -> None:
    # P6: 3 loads, 1 store, 1 FMA per AVX iteration: max(3/2, 1/1, 1/2) = 1.5 cycles; 12.27 GFLOP/s a core
    haswell = find_machine("haswell")
    core = haswell.core
    assert core is not None
    assert core.loads_per_cycle
    assert core.stores_per_cycle
    assert core.fma_units
    cycles = max(3 / core.loads_per_cycle, 1 / core.stores_per_cycle, 1 / core.fma_units)
    assert cycles == 1.5
    per_core = 2 * core.lanes_of("fp64") / cycles * haswell.clock_hz / 1e9
    assert per_core == pytest.approx(12.27, abs=0.01)


def test_haswell_additions_use_one_port() -> None:
    # one 256-bit add a cycle: 14 x 2.3 x 4
    chosen = find_machine("haswell").choose_peak("fp64", mode=PeakMode.ADD_ONLY)
    assert chosen is not None
    assert chosen.rate.giga == pytest.approx(14 * 2.3 * 4)


def test_zen_reaches_its_peak_without_fma() -> None:
    assert peak("zen2", fma=False) == peak("zen2")


def test_peaks_scale_with_cores_and_without_simd() -> None:
    assert peak("haswell", cores=1) == pytest.approx(2.3 * 16)
    assert peak("haswell", simd=False) == pytest.approx(515.2 / 4)
    assert peak("haswell", "fp32", simd=False) == pytest.approx(1030.4 / 8)
    assert peak("bgq", "fp32", simd=False) == pytest.approx(204.8 / 4)  # QPX: four lanes in both precisions


def test_scalar_ceiling_of_a_gpu_does_not_exist() -> None:
    assert find_machine("v100").peak("fp64", simd=False) is None


def test_private_levels_scale_and_shared_ones_are_capped() -> None:
    assert bandwidth("haswell", "L1", cores=7) == pytest.approx(1857.01 / 2)
    # one core loads 8.93 GB/s and updates 13.89 GB/s: a ceiling takes the faster pattern
    assert bandwidth("haswell", "DRAM", cores=1) == pytest.approx(13.89)
    assert bandwidth("haswell", "DRAM", cores=2) == pytest.approx(2 * 13.89)
    assert bandwidth("haswell", "DRAM", cores=7) == pytest.approx(50)
    assert bandwidth("haswell", "L3", cores=4) == pytest.approx(4 * 29.21)


def test_theoretical_part_is_capped_by_the_path() -> None:
    # L3: 32 B/cycle for each core
    assert bandwidth("haswell", "L3", "theoretical", cores=2) == pytest.approx(2 * 32 * 2.3)


def test_an_outer_level_delivers_no_more_than_an_inner_one_to_a_part() -> None:
    # one BG/Q core: 32 B a cycle from L1, although the crossbar carries 563 GB/s
    assert bandwidth("bgq", "L2", "theoretical", cores=1) == pytest.approx(51.2)
    assert bandwidth("bgq", "L2", "theoretical") == 563


def test_measurements_on_a_part_are_extended_over_the_instances() -> None:
    # A64FX, on the 12 cores of one of four core memory groups: 740 GB/s of loads, 1618 of vector triads
    assert bandwidth("a64fx", "L1") == pytest.approx(1617.76 * 4)
    assert bandwidth("a64fx", "L2") == pytest.approx(538.37 * 4)


def test_a_second_memory_is_found_by_name() -> None:
    assert bandwidth("knl", "DDR", "theoretical") == pytest.approx(115.2)
    assert bandwidth("knl", "DDR", "theoretical", cores=1) == pytest.approx(115.2)


def test_runs_that_left_the_level_do_not_count() -> None:
    # Skylake L3: 201.70 GB/s on 9 cores, the last run whose data do not fit L2; the path allows 20 x 16 B x 2.4 GHz
    assert bandwidth("skx", "L3") == pytest.approx(2 * 201.7 * 20 / 9, rel=1e-3)  # as much goes back to L3
    assert bandwidth("skx", "L3", cores=4) == pytest.approx(4 * 2 * 24.52)  # the vector triad; updates 48.12
    assert bandwidth("skx", "L3", "theoretical") == pytest.approx(20 * 16 * 2.4)


@pytest.mark.parametrize("machine", ["skx", "xeon-6248", "epyc-7452"])
def test_what_a_victim_cache_moves_does_not_depend_on_the_pattern(machine: str) -> None:
    """Loads of 24 GB/s and updates of 48 are the same lines to L2 and from it, as each of them leaves L2 for L3."""
    level = find_machine(machine).level("L3")
    assert level is not None
    alone = [each for each in level.moving(level.bandwidths) if each.units == 1]
    useful, moved = ([each.value for each in alone], [each.bus_value for each in alone])
    assert len(alone) >= 5
    assert max(useful) > 1.9 * min(useful)
    assert max(moved) < 1.25 * min(moved)


def test_choice_says_when_it_falls_back() -> None:
    measured = find_machine("v100").bandwidth("DRAM")
    substitute = find_machine("v100").bandwidth("L1")
    assert measured is not None
    assert substitute is not None
    assert not measured.fell_back
    assert "ERT" in measured.text
    assert substitute.fell_back
    assert "no measured figure" in substitute.text


def test_choice_names_the_sibling_that_was_measured() -> None:
    chosen = find_machine("spr").bandwidth("DRAM")
    assert chosen is not None
    assert not chosen.fell_back
    assert "8470" in chosen.text


def test_level_names_go_outwards() -> None:
    assert find_machine("haswell").level_names == ("L1", "L2", "L3", "DRAM")
    assert find_machine("mi300x").level_names == ("L1", "L2", "MALL", "DRAM")


def test_what_if_machine_scales_ceilings_and_keeps_facts() -> None:
    # C12: a compute-bound kernel doubles with the peak, a memory-bound one with the bandwidth
    v100 = find_machine("v100")
    faster = v100.scaled(flops=2.0)
    wider = v100.scaled(bandwidth=2.0).scaled(bandwidth=1.5)
    assert _attainable(faster, 100) == pytest.approx(2 * _attainable(v100, 100))
    assert _attainable(faster, 0.1) == pytest.approx(_attainable(v100, 0.1))
    assert _attainable(wider, 0.1) == pytest.approx(3 * _attainable(v100, 0.1))
    assert faster.peaks == v100.peaks


def _attainable(machine: Machine, intensity: float) -> float:
    peak_rate, memory = machine.peak("fp64"), machine.bandwidth("DRAM")
    assert peak_rate is not None
    assert memory is not None
    return min(peak_rate, memory.rate * Intensity(intensity)).value


@pytest.mark.parametrize("factor", [0, -1.0, float("inf"), float("nan")])
def test_what_if_factor_must_be_positive(factor: float) -> None:
    with pytest.raises(MachineError):
        find_machine("v100").scaled(flops=factor)


@pytest.mark.parametrize("cores", [0, 15])
def test_too_many_cores_are_refused(cores: int) -> None:
    with pytest.raises(MachineError, match="14 cores"):
        find_machine("haswell").peak("fp64", cores=cores)


def test_unknown_level_is_refused() -> None:
    with pytest.raises(MachineError) as caught:
        find_machine("v100").bandwidth("L3")
    assert "L1, L2, DRAM" in (caught.value.hint or "")


def test_missing_precision_is_none() -> None:
    assert find_machine("haswell").peak("fp16") is None
    assert find_machine("tpu-v4").peak("bf16") is None


def test_store_factors() -> None:
    factors = {
        name: (find_machine(name).write_allocate.store_factor_min, find_machine(name).write_allocate.store_factor_max)
        for name in ("haswell", "icelake", "v100", "grace", "a64fx", "zen4")
    }
    assert factors == {
        "haswell": (2, 2),
        "icelake": (1, 2),
        "v100": (1, 1),
        "grace": (1, 1),
        "a64fx": (2, 2),
        "zen4": (2, 2),
    }


def test_shared_memory_transaction_is_128_bytes() -> None:
    gpu = find_machine("v100").gpu
    assert gpu is not None
    assert gpu.shared_transaction_bytes == 128


def test_ranking_prefers_marked_then_measured_then_own_device() -> None:
    def figure(kind: str, **extra: object) -> BandwidthFigure:
        return BandwidthFigure(value=1.0, kind=FigureKind(kind), source="s", **extra)  # type: ignore[arg-type]

    theoretical, derived, measured = figure("theoretical"), figure("derived"), figure("measured")
    sibling, useful = figure("measured", other_device="x"), figure("measured", counts_write_allocate=False)
    part, marked = figure("measured", units=1), figure("derived", sustained=True)
    everything = (useful, derived, theoretical, sibling, part, measured, marked)
    sustained = rank_figures(everything, Basis.SUSTAINED, units=4)
    assert sustained == (marked, measured, part, sibling, useful, theoretical, derived)
    assert rank_figures(everything, Basis.THEORETICAL, units=4)[:2] == (theoretical, derived)


def test_core_without_fma_reaches_its_peak_with_any_mix() -> None:
    only = Figure(value=4.0, kind=FigureKind.THEORETICAL, source="s")
    assert Peak(Precision.FP64, no_fma=(only,)).figures(PeakMode.FMA) == (only,)
    assert FlopRate(4.0) == FlopRate(only.value)


def _streams(*figures: BandwidthFigure) -> Machine:
    """Return the 14-core Haswell with other figures of its memory."""
    machine = find_machine("haswell")
    return replace(machine, memory=replace(machine.memory, bandwidths=figures))


def _measured(gbs: float, pattern: str, units: int | None = None) -> BandwidthFigure:
    return BandwidthFigure(
        value=gbs * 1e9,
        kind=FigureKind.MEASURED,
        source="kerncraft",
        pattern=pattern,
        units=units,
        counts_write_allocate=None if pattern == "load" else False,
    )


def test_bytes_on_the_bus_follow_from_the_pattern() -> None:
    # triad: 24 useful bytes, 32 with the line that is read because of the store; copy 16 and 24; update 16 and 16
    assert [_measured(24, name).bus_value / 1e9 for name in ("triad", "load", "update")] == [32, 24, 24]
    assert _measured(16, "copy").bus_value / 1e9 == 24
    assert replace(_measured(24, "triad"), counts_write_allocate=True).bus_value / 1e9 == 24


def test_bounds_take_the_fastest_pattern_and_expectations_the_nearest() -> None:
    machine = _streams(_measured(60, "load"), _measured(36, "copy"), _measured(9, "load", 1), _measured(8, "copy", 1))
    greatest, one = machine.greatest_bandwidth("DRAM"), machine.greatest_bandwidth("DRAM", 1)
    assert greatest is not None
    assert one is not None
    assert (greatest.rate.giga, one.rate.giga) == (60, 12)  # one core copies 8 useful, 12 moved
    copied, loaded = machine.bandwidth_of_mix("DRAM", (8, 8, 8)), machine.bandwidth_of_mix("DRAM", (8, 0, 0), 1)
    assert copied is not None
    assert loaded is not None
    assert (copied.rate.giga, loaded.rate.giga) == (54, 9)


def test_one_core_may_draw_what_its_fastest_pattern_drew() -> None:
    chosen = _streams(_measured(60, "load"), _measured(9, "load", 1), _measured(8, "copy", 1)).bandwidth(
        "DRAM", cores=1
    )
    assert chosen is not None
    assert chosen.rate.giga == 12


def test_data_larger_than_a_partition_are_far() -> None:
    # gpu-benches on an A100 80GB: 5.43 TB/s from L2, 3.0 TB/s at 36 MiB, where its two partitions have 20 MiB each
    machine = find_machine("a100-80")
    near, far = (machine.bandwidth_of_mix("L2", (8, 0, 0), working_set_bytes=size << 20) for size in (16, 36))
    assert near is not None
    assert far is not None
    assert (near.rate.giga, far.rate.giga) == (5482, 3004)


def test_one_core_alone_has_the_clock_that_was_measured_of_it() -> None:
    machine = find_machine("haswell")
    boost = Figure(value=1.5 * machine.clock_hz, kind=FigureKind.MEASURED, source="probe")
    alone = replace(machine, clock=replace(machine.clock, boost=boost))
    assert (alone.core_hz(1), alone.core_hz(2), alone.core_hz(None)) == (
        boost.value,
        machine.clock_hz,
        machine.clock_hz,
    )
    stated = replace(boost, kind=FigureKind.THEORETICAL)
    assert replace(machine, clock=replace(machine.clock, boost=stated)).core_hz(1) == machine.clock_hz
    peak = Peak(Precision.FP64, fma=(Figure(value=1e12, kind=FigureKind.MEASURED, source="probe"),))
    measured = replace(alone, peaks=(peak,))
    share = 1e12 / machine.units.count
    one, two = (measured.peak("fp64", kind="sustained", cores=cores) for cores in (1, 2))
    assert one == FlopRate(pytest.approx(1.5 * share))
    assert two == FlopRate(pytest.approx(2 * share))
