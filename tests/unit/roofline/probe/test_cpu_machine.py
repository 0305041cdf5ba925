from __future__ import annotations

from collections.abc import Mapping

import pytest

from roofline.machine.figures import Basis
from roofline.machine.hardware import WritePolicy
from roofline.machine.machine import Machine
from roofline.machine.schema import parse_machine
from roofline.machine.text import machine_text
from roofline.probe.cpu_machine import Run, Target, cpu_machine
from roofline.probe.cpu_plan import Task, make_plan, memory_factor, working_sets
from roofline.probe.doubts import explain_violations
from roofline.probe.statistics import Samples, parse_samples
from roofline.probe.topology import Cache, Topology

KIB, MIB = 1024, 1024**2
CACHES = (
    Cache(level=1, capacity_bytes=32 * KIB, shared_by=1, instances=4, line_bytes=64, ways=8),
    Cache(level=2, capacity_bytes=256 * KIB, shared_by=1, instances=4, line_bytes=64, ways=8),
    Cache(level=3, capacity_bytes=8 * MIB, shared_by=4, instances=1, line_bytes=64, ways=16),
)
TOPOLOGY = Topology(
    model="Toy", vendor="Toys", processors=(0, 1, 2, 3), caches=CACHES, memory_bytes=16 << 30, free_bytes=8 << 30
)
TARGET = Target("AVX2", 256, has_fma=True, has_nontemporal=True)
SETS = working_sets(CACHES, 4, TOPOLOGY.free_bytes)
GHZ = 2e9
PER_CORE = {"load": (128e9, 64e9, 32e9, 5e9), "store": (64e9, 32e9, 16e9, 2.5e9)}


def rate(task: Task) -> float:
    """A toy of 2 GHz: two FMA units, two loads and one store a cycle, 20 GB/s of memory over four cores."""
    place = [found.bytes for found in SETS].index(task.bytes) if task.bytes else 0
    share = task.threads if place < 3 else min(task.threads, 4)
    match task.kind:
        case "clock":
            return GHZ * task.threads
        case "fma64" | "fma32":
            return GHZ * task.threads * (16 if task.kind == "fma64" else 32)
        case "mix64" | "add64" | "mul64":
            return GHZ * task.threads * 8
        case "mix32" | "add32" | "mul32":
            return GHZ * task.threads * 16
        case "chase":
            return GHZ / (4, 14, 40, 200)[place]
        case "copy-nt" | "triad-nt" | "store-nt":
            return 4.5e9 * share
        case "load" | "store":
            return PER_CORE[task.kind][place] * share
        case "update":
            return 0.9 * PER_CORE["load"][place] * share
        case "copy" | "triad":
            return PER_CORE["store"][place] * 1.2 * share
        case "latency-sqrt-add":
            return GHZ / 23
        case "div64-scalar":
            return GHZ / 4
        case "div64":
            return GHZ / 8 * 4
        case _:
            return GHZ / 4


def measured(factors: Mapping[tuple[str, int, int], float] | None = None) -> Samples:
    changes = factors or {}
    lines = []
    for task in make_plan(SETS, 4, nontemporal=True, seconds=20):
        value = rate(task) * changes.get((task.kind, task.threads, task.bytes), 1.0)
        lines.append(f"{task.kind} {task.threads} {task.bytes} {value} {0.99 * value}")
    return parse_samples(lines)


def built(factors: Mapping[tuple[str, int, int], float] | None = None, **changes: object) -> Machine:
    run = Run(
        target=TARGET,
        samples=measured(factors),
        sets=SETS,
        memory_factor=memory_factor(CACHES, 4, SETS),
        tool="cc 1",
        date="2026-01-01",
        **changes,
    )  # type: ignore[arg-type]
    return cpu_machine("toy", TOPOLOGY, run)


def test_a_plan_keeps_to_its_time() -> None:
    plan = make_plan(SETS, 4, nontemporal=True, seconds=20)
    assert 10 < sum(task.seconds * task.repeats for task in plan) < 20
    assert {task.kind for task in plan} >= {"load", "triad-nt", "fma64", "mix32", "chase", "clock"}
    assert not any(task.kind.endswith("-nt") for task in make_plan(SETS, 4, nontemporal=False, seconds=20))
    assert {task.threads for task in make_plan(SETS, 1, nontemporal=True, seconds=1)} == {1}


def test_working_sets_sit_in_their_level() -> None:
    assert [found.bytes for found in SETS] == [16 * KIB, 128 * KIB, 1 * MIB, 16 * MIB]
    assert memory_factor(CACHES, 4, SETS) == 8
    victim = (
        Cache(level=1, capacity_bytes=32 * KIB, shared_by=1, instances=20),
        Cache(level=2, capacity_bytes=1 * MIB, shared_by=1, instances=20),
        Cache(level=3, capacity_bytes=20 * 1408 * KIB, shared_by=20, instances=1),
    )
    assert working_sets(victim, 20, None)[2].bytes == (1024 + 704) * KIB
    assert working_sets(CACHES, 4, 24 * MIB)[3].bytes == 2 * MIB
    assert memory_factor(CACHES, 4, working_sets(CACHES, 4, 24 * MIB)) == 1


def test_the_machine_has_the_figures_that_were_measured() -> None:
    machine = parse_machine(machine_text(built()))
    assert machine.clock_hz == pytest.approx(2e9)
    peak = machine.peak("fp64", kind=Basis.SUSTAINED)
    plain = machine.peak("fp32", fma=False, kind=Basis.SUSTAINED)
    assert peak is not None
    assert plain is not None
    assert (peak.value, plain.value) == (pytest.approx(128e9), pytest.approx(128e9))
    rates = [machine.bandwidth(name) for name in ("L1", "L2", "L3", "DRAM")]
    assert [found.rate.value for found in rates if found] == pytest.approx([512e9, 256e9, 128e9, 20e9])
    one = machine.bandwidth("DRAM", cores=1)
    assert one is not None
    assert one.rate.value == pytest.approx(5e9)
    assert machine.write_allocate.policy is WritePolicy.ALLOCATE
    assert [level.latency_cycles for level in machine.levels] == [4, 14, 40]


def test_the_roof_is_the_highest_rate_of_ordinary_code_that_moves_what_it_counts() -> None:
    size = SETS[3].bytes
    machine = built({("update", 4, size): 1.5, ("update", 1, size): 2.0, ("copy", 4, size): 9, ("copy-nt", 4, size): 9})
    whole, one = machine.bandwidth("DRAM"), machine.bandwidth("DRAM", cores=1)
    assert whole is not None
    assert one is not None
    assert (whole.figure.pattern, whole.rate.value) == ("update", pytest.approx(27e9))
    assert one.rate.value == pytest.approx(9e9)
    inner = built({("triad", 4, SETS[0].bytes): 2.0}).bandwidth("L1")
    assert inner is not None
    assert inner.figure.pattern == "triad"


def test_the_core_is_told_in_cycles() -> None:
    core = built().core
    assert core is not None
    assert (core.fma_units, core.add_units, core.arithmetic_per_cycle) == (2, 2, 2)
    assert (core.loads_per_cycle, core.stores_per_cycle) == (2, 1)
    assert (core.div_cycles, core.div_scalar_cycles, core.sqrt_latency_cycles) == (8, 4, 19)


def test_a_level_faster_than_the_one_inside_is_kept_and_doubted() -> None:
    wrong = built({("load", 4, SETS[1].bytes): 3})
    checked = explain_violations(wrong)
    assert len(checked.doubts) == 1
    assert "L2" in checked.doubts[0]
    machine = parse_machine(machine_text(checked.machine))
    assert machine.levels[1].bandwidths[0].explain is not None
    assert machine.levels[1].bandwidths[0].value == pytest.approx(768e9)
    assert any("L2" in text for text in machine.discrepancies)


@pytest.mark.parametrize(("kind", "factor"), [("mix64", 4.0), ("fma64", 9.0), ("add32", 5.0), ("fma32", 0.1)])
def test_impossible_peaks_are_doubted(kind: str, factor: float) -> None:
    checked = explain_violations(built({(kind, 4, 0): factor}))
    assert checked.doubts
    parse_machine(machine_text(checked.machine))


def test_nothing_is_doubted_on_an_idle_machine() -> None:
    checked = explain_violations(built())
    assert checked.doubts == ()
    assert checked.machine.discrepancies == ()


def test_mixed_arithmetic_as_fast_as_fma_is_explained_and_not_doubted() -> None:
    checked = explain_violations(built({("mix64", 4, 0): 2.01}))
    assert checked.doubts == ()
    assert checked.machine.peaks[0].no_fma[0].explain is not None


def test_cores_that_hinder_each_other_are_told() -> None:
    machine = built({("fma64", 4, 0): 0.2, ("clock", 4, 0): 0.2}, load=3.0)
    told = " ".join(machine.discrepancies)
    assert "slower than one in clock, fma64" in told
    assert "busy before the run: load 3" in told
    assert machine.clock.nominal is not None
    assert machine.clock.nominal.explain is not None
    assert machine.clock_hz == pytest.approx(2e9)


def test_a_cache_that_answers_like_memory_is_told() -> None:
    machine = built({("chase", 1, SETS[2].bytes): 0.22})
    assert any("L3 has less for us" in text for text in machine.discrepancies)


def test_stores_past_the_caches_tell_the_cost_of_ordinary_ones() -> None:
    def policy(gain: float) -> WritePolicy:
        return built({("store", 4, SETS[3].bytes): 4.5 / 2.5 / gain}).write_allocate.policy

    assert [policy(gain) for gain in (2.0, 1.3, 1.0)] == [
        WritePolicy.ALLOCATE,
        WritePolicy.PARTIAL,
        WritePolicy.PARTIAL,
    ]
