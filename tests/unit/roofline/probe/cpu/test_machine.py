from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from roofline.machine.figures import Basis
from roofline.machine.hardware import Memory, WritePolicy
from roofline.machine.machine import Machine
from roofline.machine.schema import parse_machine
from roofline.machine.text import machine_text
from roofline.probe.cpu.machine import cpu_machine
from roofline.probe.cpu.plan import (
    Task,
    make_plan,
    memory_chain_bytes,
    memory_factor,
    sweep_plan,
    walk_sizes,
    working_sets,
)
from roofline.probe.cpu.run import Run, Target
from roofline.probe.cpu.topology import Cache, Topology
from roofline.probe.doubts import explain_violations
from roofline.probe.plateaux import Reach
from roofline.probe.statistics import Samples, parse_samples

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


WIDTHS = (64, 128, 256)


def rate(task: Task) -> float:
    """A toy of 2 GHz: two FMA units, two loads and one store a cycle, 20 GB/s of memory over four cores."""
    sizes = [found.chain_bytes if task.kind.startswith("chase") else found.bytes_of(task.threads) for found in SETS]
    place = sizes.index(task.bytes) if task.bytes else 0
    share = task.threads if place < 3 else min(task.threads, 4)
    what, _, width = task.kind.partition("-")
    match what:
        case "clock" if width:
            chain = int(width.rpartition("-")[2])
            return GHZ * task.threads * min(1.0, chain / 12)
        case "clock":
            return GHZ * task.threads
        case "fma" | "mix" | "add" | "mul" | "loads":
            return GHZ * 2
        case "stores":
            return GHZ
        case "issue":
            return GHZ * 5.9
        case "integers":
            return GHZ * (3.9 if width == "single" else 2.05)
        case "fma64" | "fma32":
            return GHZ * task.threads * (16 if what == "fma64" else 32)
        case "mix64" | "add64" | "mul64":
            return GHZ * task.threads * 8
        case "mix32" | "add32" | "mul32":
            return GHZ * task.threads * 16
        case "chase":
            return GHZ / (4, 14, 40, 200)[place]
        case "load" if width == "single":
            return 32e9 if place == 0 else 24e9
        case "copy" | "triad" | "store" if width == "nt":
            return 4.5e9 * share
        case "load" | "store":
            return PER_CORE[what][place] * share
        case "update":
            return 0.9 * PER_CORE["load"][place] * share
        case "copy" | "triad":
            return PER_CORE["store"][place] * 1.2 * share
    divided = {"latency-sqrt-add": GHZ / 23, "div64-scalar": GHZ / 4, "div64": GHZ / 8 * 4}
    return divided.get(task.kind, GHZ / 4)


def measured(factors: Mapping[tuple[str, int, int], float] | None = None) -> Samples:
    changes = factors or {}
    lines = []
    chains = [Task("chase", 1, found.chain_bytes) for found in SETS]
    chains.append(Task("chase-given", 1, SETS[-1].chain_bytes))
    for task in (*chains, *make_plan(SETS, 4, nontemporal=True, seconds=20, widths=WIDTHS)):
        value = rate(task) * changes.get((task.kind, task.threads, task.bytes), 1.0)
        lines.append(f"{task.kind} {task.threads} {task.bytes} {value} {0.99 * value}")
    return parse_samples(lines)


def built(factors: Mapping[tuple[str, int, int], float] | None = None, **changes: object) -> Machine:
    changes.setdefault("samples", measured(factors))
    run = Run(
        target=TARGET,
        sets=SETS,
        memory_factor=memory_factor(CACHES, 4, SETS),
        tool="cc 1",
        date="2026-01-01",
        **changes,
    )  # type: ignore[arg-type]
    return cpu_machine("toy", TOPOLOGY, run)


def test_a_chain_in_small_pages_takes_longer_by_a_walk() -> None:
    """200 cycles and 300 at 2 GHz; of 2 % nothing is said."""
    given = ("chase-given", 1, SETS[-1].chain_bytes)
    machine = parse_machine(machine_text(built({given: 2 / 3})))
    assert (machine.memory.latency_s, machine.memory.page_walk_s) == (pytest.approx(100e-9), pytest.approx(50e-9))
    assert built({given: 0.98}).memory.page_walk_s is None


def test_walks_are_what_a_line_of_each_page_takes_longer_beyond_the_pages_that_are_known() -> None:
    """2,048 lines of 64 bytes are half of L2; a load of a column takes 8 ns longer from 1,792 pages on."""
    sizes = walk_sizes(CACHES)
    assert sizes is not None
    assert sizes.most == 2048
    seconds = {("chase-pages", 2048): 19e-9, ("column-packed", 2048): 0.5e-9}  # a packed line 14 cycles at 2 GHz
    seconds |= {("column", pages): 0.5e-9 if pages < 1792 else 8.5e-9 for pages in (*sizes.fewer, 2048)}
    assert seconds.keys() <= {(task.kind, task.bytes // 64) for task in sweep_plan(CACHES, 64 << 20)}

    def memory_of(changes: Mapping[tuple[str, int], float]) -> Memory:
        lines = [f"{kind} 1 {64 * pages} {1 / taken}" for (kind, pages), taken in {**seconds, **changes}.items()]
        samples = Samples((*measured().samples, *parse_samples(lines).samples))
        return parse_machine(machine_text(built(samples=samples, walks=sizes))).memory

    found = memory_of({})
    assert (found.page_walk_s, found.column_walk_s, found.tlb_pages) == (12e-9, 8e-9, 1536)
    large = memory_of({("column", 2048): 0.7e-9})  # in large pages only sets of caches differ
    assert (large.column_walk_s, large.tlb_pages) == (None, None)


def test_a_plan_keeps_to_its_time() -> None:
    plan = make_plan(SETS, 4, nontemporal=True, seconds=20)
    assert 10 < sum(task.seconds * task.repeats for task in plan) < 20
    assert {task.kind for task in plan} >= {"load", "triad-nt", "fma64", "mix32", "clock", "clock-simd-13"}
    assert not any(task.kind.endswith("-nt") for task in make_plan(SETS, 4, nontemporal=False, seconds=20))
    assert {task.threads for task in make_plan(SETS, 1, nontemporal=True, seconds=1)} == {1}


def test_what_every_roof_needs_comes_first() -> None:
    """A busy machine ends in the middle of the plan: both precisions have a peak by then, and memory a bandwidth."""
    first = [task.kind for task in make_plan(SETS, 2, nontemporal=True, seconds=12)][:12]
    assert {"clock", "fma64", "fma32", "load"} <= set(first)
    short = make_plan(SETS, 4, nontemporal=True, seconds=0.5, widths=WIDTHS)
    assert len({task.key for task in short}) == len(short)
    assert [task.kind for task in short[:6]] == ["clock", "clock", "fma64", "fma64", "mix64", "mix64"]


def test_chains_go_through_every_level_and_around_the_last_cache() -> None:
    assert [found.chain_bytes for found in SETS] == [16 * KIB, 128 * KIB, 1 * MIB, 16 * MIB]
    chain = memory_chain_bytes(CACHES, 8 << 30, seconds=5)
    assert chain == 64 * MIB
    chains = [task for task in sweep_plan(CACHES, chain) if task.kind in ("chase", "chase-given")][1:]  # a walk first
    sizes = [task.bytes for task in chains]
    assert sizes[:5] == [16 * KIB, 128 * KIB, 1 * MIB, 64 * MIB, 2 * MIB]
    assert [task.kind for task in chains].index("chase-given") == len(chains) - 1
    assert {2 * MIB, 8 * MIB, 16 * MIB} <= set(sizes)
    loads = [task.bytes for task in sweep_plan(CACHES, chain) if task.kind == "load"]
    assert loads == [1 * MIB, 64 * MIB, *sizes[4:-1]]
    assert memory_chain_bytes(CACHES, 40 * MIB, seconds=5) == 10 * MIB
    assert memory_chain_bytes((), None, seconds=0.1) == 20_000_000


def test_the_last_cache_is_measured_as_far_as_it_reaches() -> None:
    sets = working_sets(CACHES, 4, TOPOLOGY.free_bytes, Reach(4 * MIB, 16 * MIB), 32 * MIB)
    assert [found.bytes for found in sets] == [16 * KIB, 128 * KIB, 512 * KIB, 16 * MIB]
    assert sets[-1].chain_bytes == 32 * MIB
    assert memory_factor(CACHES, 4, sets, Reach(4 * MIB, 16 * MIB)) == 16
    assert working_sets(CACHES, 4, None, Reach(1, 16 * MIB))[2].bytes == 512 * KIB


def test_memory_is_measured_beyond_the_stated_cache_by_one_core_too() -> None:
    """Of 480 MiB others leave 8, today; of 16 caches of 64 MiB one core has one."""
    large = (*CACHES[:2], replace(CACHES[2], capacity_bytes=480 * MIB))
    memory = working_sets(large, 4, None, Reach(8 * MIB, 960 * MIB))[-1]
    assert (memory.bytes_of(4), memory.bytes_of(1)) == (256 * MIB, 1024 * MIB)
    many = (*CACHES[:2], replace(CACHES[2], capacity_bytes=256 * MIB // 4, instances=16))
    memory = working_sets(many, 64, None)[-1]
    assert (memory.bytes_of(64), memory.bytes_of(1)) == (64 * MIB, 256 * MIB)
    assert working_sets(many, 64, 300 * MIB)[-1].bytes_of(1) == 100 * MIB
    sweep = [task.bytes for task in sweep_plan(large, 960 * MIB) if task.kind == "load"]
    assert sweep[:6] == [1 * MIB, 960 * MIB, 2 * MIB, 4 * MIB, 8 * MIB, 16 * MIB]


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
    assert machine.memory.latency_s == pytest.approx(100e-9)
    assert "measured on 2026-01-01 by ai-estimate machines measure" in machine.sources[0].title


def test_the_roof_is_the_highest_rate_of_ordinary_code_that_moves_what_it_counts() -> None:
    size = SETS[3].bytes
    machine = built(
        {
            ("update", 4, size): 1.5,
            ("update", 1, SETS[3].bytes_of(1)): 2.0,
            ("copy", 4, size): 9,
            ("copy-nt", 4, size): 9,
        }
    )
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
    assert (core.issue_width, core.integer_units, core.scalar_integer_units) == (6, 2, 4)
    assert [ports.bits for ports in core.widths] == [64, 128]
    assert core.ports(64).loads_per_cycle == 2


def test_narrow_instructions_that_do_more_are_the_throughput_of_full_width() -> None:
    core = built({("loads-256", 1, 0): 0.4, ("stores-256", 1, 0): 0.2}).core
    assert core is not None
    assert (core.loads_per_cycle, core.stores_per_cycle) == (1, 0.5)


def test_the_clock_under_vectors_is_that_of_the_shortest_chain_that_is_longer_than_they_are() -> None:
    clock = built({(f"clock-simd-{chain}", 4, 0): 0.8 for chain in (4, 7, 13, 26)}).clock
    assert clock.simd is not None
    assert clock.simd.value == pytest.approx(1.6e9)
    slower = built({("clock-simd-26", 4, 0): 0.5}).clock
    assert slower.simd is not None
    assert slower.simd.value == pytest.approx(2e9)


def test_the_paths_between_caches_are_those_of_the_ecm_model() -> None:
    machine = parse_machine(machine_text(built()))
    assert machine.core is not None
    assert machine.core.loads_overlap is False
    # 64 B lines at 2 GHz: one cycle from L1, two from L2, four from L3
    assert [level.bytes_per_cycle for level in machine.levels] == [None, 64, 32]
    assert {level.transfers_overlap for level in machine.levels[1:]} == {False}
    size = SETS[1].bytes
    overlapping = built({("load-single", 1, size): 32 / 24, ("update", 1, size): 1.9, ("update", 4, size): 1.9})
    assert overlapping.core is not None
    assert overlapping.core.loads_overlap is True
    path = overlapping.levels[1]
    assert (path.bytes_per_cycle, path.duplex, path.transfers_overlap) == (32, "full", True)


def test_a_run_without_time_says_what_it_left_out() -> None:
    samples = Samples(tuple(sample for sample in measured().samples if sample.kind in ("clock", "load", "fma64")))
    run = Run(
        target=TARGET, samples=samples, sets=SETS, memory_factor=8, tool="cc 1", date="2026-01-01", seconds=1,
        left_out=("triad on 1", "chase on 1"),
    )  # fmt: skip
    machine = parse_machine(machine_text(explain_violations(cpu_machine("toy", TOPOLOGY, run)).machine))
    assert "1 s were too short for triad on 1, chase on 1: they are left out" in machine.notes
    assert machine.core is not None
    assert machine.core.loads_overlap is None
    assert [level.latency_cycles for level in machine.levels] == [None, None, None]


def test_a_virtual_machine_says_what_it_hides() -> None:
    virtual = replace(TOPOLOGY, virtual=True, has_counters=False)
    run = Run(
        target=TARGET, samples=measured(), sets=SETS, memory_factor=8, tool="cc 1", date="2026-01-01", stolen=0.125
    )
    machine = cpu_machine("toy", virtual, run)
    told = " ".join(machine.notes)
    assert "hides the frequency" in told
    assert "hides the hardware counters" in told
    assert "12.5 % of the time" in told
    assert any("rates may be too low" in text for text in machine.discrepancies)
    assert not any("hides" in text for text in built().notes)


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
    machine = parse_machine(machine_text(built(reach=Reach(2 * MIB, 16 * MIB))))
    assert any("L3 has less for us than the system says: 2 MiB of 8 MiB" in text for text in machine.discrepancies)
    assert "chains of loads over up to 16 MiB found 2 MiB of it" in (machine.levels[2].note or "")
    assert "chains" not in (machine.levels[1].note or "")
    assert machine.levels[2].capacity_bytes == 8 * MIB  # bounds hold when others use the cache no longer
    assert machine.levels[2].effective == 0.25
    assert "found 2 MiB of it" in (machine.levels[2].effective_why or "")
    assert not any("has less" in text for text in built(reach=Reach(7 * MIB, 16 * MIB)).discrepancies)


def test_all_cores_do_at_least_what_one_does() -> None:
    size = SETS[3].bytes
    machine = built({("update", 4, size): 0.2, ("load", 4, size): 0.2})
    whole = next(figure for figure in machine.memory.bandwidths if figure.pattern == "load" and figure.units is None)
    assert whole.value == pytest.approx(5e9)
    assert "4 cores together reached 4 G" in (whole.how or "")


def test_stores_past_the_caches_tell_the_cost_of_ordinary_ones() -> None:
    def policy(gain: float) -> WritePolicy:
        return built({("store", 4, SETS[3].bytes): 4.5 / 2.5 / gain}).write_allocate.policy

    assert [policy(gain) for gain in (2.0, 1.3, 1.0)] == [
        WritePolicy.ALLOCATE,
        WritePolicy.PARTIAL,
        WritePolicy.PARTIAL,
    ]
