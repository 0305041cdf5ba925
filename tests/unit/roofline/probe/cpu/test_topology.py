from __future__ import annotations

from pathlib import Path

import pytest

from roofline.probe.cpu.topology import Topology, byte_count, number_list, processor_ticks, read_linux
from roofline.probe.cpu.topology_macos import parse_sysctl

CPUINFO = (
    "processor\t: 0\nvendor_id\t: GenuineIntel\n"
    "model name\t: Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz\nflags\t\t: fpu sse2 avx2\n"
)


class Tree:
    """A file tree as Linux shows it."""

    def __init__(self, root: Path, online: str, cpuinfo: str = CPUINFO) -> None:
        self.root = root
        self.put("sys/devices/system/cpu/online", online)
        self.put("proc/cpuinfo", cpuinfo)
        self.put("proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:    8388608 kB\n")

    def put(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text + "\n")

    def core(self, number: int, siblings: str, node: int = 0) -> None:
        self.put(f"sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list", siblings)
        (self.root / f"sys/devices/system/cpu/cpu{number}/node{node}").mkdir(parents=True)

    def cache(
        self, number: int, index: int, level: int, size: str, shared: str, ways: int = 8, kind: str = "Data"
    ) -> None:
        folder = f"sys/devices/system/cpu/cpu{number}/cache/index{index}"
        values = {"level": level, "size": size, "type": kind, "shared_cpu_list": shared}
        values |= {"ways_of_associativity": ways, "coherency_line_size": 64}
        for name, value in values.items():
            self.put(f"{folder}/{name}", str(value))

    def read(self, allowed: set[int] | None = None, cores: int | None = None) -> Topology:
        return read_linux(self.root, None if allowed is None else frozenset(allowed), cores)


@pytest.fixture
def server(tmp_path: Path) -> Tree:
    """Two sockets of two cores with two threads each; threads of a core are n and n + 4."""
    tree = Tree(tmp_path, "0-7")
    for number in range(8):
        core = number % 4
        both, socket = f"{core},{core + 4}", "0-1,4-5" if core < 2 else "2-3,6-7"
        tree.core(number, both, node=core // 2)
        tree.cache(number, 0, 1, "32K", both)
        tree.cache(number, 1, 1, "32K", both, kind="Instruction")
        tree.cache(number, 2, 2, "1024K", both, ways=16, kind="Unified")
        tree.cache(number, 3, 3, "11264K", socket, ways=11, kind="Unified")
    return tree


def levels(topology: Topology) -> list[tuple[int, int, int, int]]:
    return [(c.level, c.capacity_bytes >> 10, c.shared_by, c.instances) for c in topology.caches]


def test_one_thread_of_each_core_and_instances_of_caches(server: Tree) -> None:
    found = server.read()
    assert found.processors == (0, 1, 2, 3)
    assert (found.threads_per_core, found.domains) == (2, 2)
    assert levels(found) == [(1, 32, 1, 4), (2, 1024, 1, 4), (3, 11264, 2, 2)]
    assert [(cache.ways, cache.line_bytes) for cache in found.caches] == [(8, 64), (16, 64), (11, 64)]
    assert (found.model, found.vendor, found.virtual) == ("Intel Xeon Gold 6148", "Intel", False)
    assert (found.memory_bytes, found.free_bytes) == (16 << 30, 8 << 30)
    assert found.notes == ()


def test_only_allowed_processors_and_so_many_cores_count(server: Tree) -> None:
    assert server.read({4, 5, 6}).processors == (4, 5, 6)
    assert levels(server.read({2, 6}))[2] == (3, 11264, 1, 1)
    assert server.read(cores=2).processors == (0, 1)
    assert server.read(cores=2).domains == 1


def test_limits_of_a_container_are_noted(server: Tree) -> None:
    server.put("sys/fs/cgroup/cpu.max", "150000 100000")
    server.put("sys/fs/cgroup/memory.max", str(1 << 30))
    found = server.read()
    assert found.free_bytes == 1 << 30
    assert any("1.5 of 4 cores" in note for note in found.notes)


def test_a_virtual_machine_without_caches_says_so(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "0-1", CPUINFO.replace("avx2", "avx2 hypervisor"))
    found = tree.read()
    assert (found.processors, found.caches, found.virtual) == ((0, 1), (), True)
    assert any("nothing about its caches" in note for note in found.notes)


def test_cores_that_differ_are_noted(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "0-3")
    for number, size in enumerate(("48K", "32K", "32K", "32K")):
        tree.core(number, str(number))
        tree.cache(number, 0, 1, size, str(number))
    found = tree.read()
    assert levels(found) == [(1, 32, 1, 4)]
    assert any("differ in their L1" in note for note in found.notes)


def test_odd_ways_are_left_out(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "0")
    tree.core(0, "0")
    tree.cache(0, 0, 1, "33K", "0", ways=7)
    found = tree.read()
    assert found.caches[0].ways is None
    assert any("whole number of sets" in note for note in found.notes)


def test_a_core_without_its_part_of_a_cache_is_noted(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "0-3")
    for number in range(4):
        tree.core(number, str(number))
    tree.cache(0, 0, 1, "32K", "0")
    found = tree.read()
    assert levels(found) == [(1, 32, 1, 4)]
    assert any("4 are assumed" in note for note in found.notes)


def test_arm_processors_have_parts(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "0", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n")
    assert (tree.read().model, tree.read().vendor) == ("Arm processor, part 0xd40", "Arm")


def test_nothing_at_all_is_one_unknown_core(tmp_path: Path) -> None:
    found = read_linux(tmp_path, frozenset({3}))
    assert (found.model, found.processors, found.memory_bytes) == ("unknown processor", (3,), None)


@pytest.mark.parametrize(
    ("text", "numbers"), [("0-3,8,10-11", (0, 1, 2, 3, 8, 10, 11)), ("5", (5,)), ("", ()), ("x", ()), ("3-1", ())]
)
def test_lists_of_processors(text: str, numbers: tuple[int, ...]) -> None:
    assert number_list(text) == numbers


@pytest.mark.parametrize(
    ("text", "size"), [("32K", 32768), ("1M", 1 << 20), ("16777216 kB", 16 << 30), ("0", None), ("max", None)]
)
def test_sizes(text: str, size: int | None) -> None:
    assert byte_count(text) == size


MAC = """\
hw.physicalcpu: 8
hw.logicalcpu: 8
hw.memsize: 17179869184
hw.cachelinesize: 128
hw.l1dcachesize: 65536
hw.perflevel0.physicalcpu: 4
hw.perflevel0.l1dcachesize: 131072
hw.perflevel0.l2cachesize: 12582912
hw.perflevel0.cpusperl2: 4
hw.perflevel1.physicalcpu: 4
machdep.cpu.brand_string: Apple M1
"""


def test_a_mac_has_its_fast_cores() -> None:
    found = parse_sysctl(MAC)
    assert (found.model, found.vendor, len(found.processors)) == ("Apple M1", "Apple", 4)
    assert levels(found) == [(1, 128, 1, 4), (2, 12288, 4, 1)]
    assert found.caches[0].line_bytes == 128
    assert any("4 slow cores" in note for note in found.notes)
    assert levels(parse_sysctl(MAC, 2)) == [(1, 128, 1, 2), (2, 12288, 2, 1)]


def test_an_intel_mac_has_three_levels() -> None:
    text = "hw.physicalcpu: 6\nhw.logicalcpu: 12\nhw.l1dcachesize: 32768\nhw.l2cachesize: 262144\n"
    text += "hw.l3cachesize: 12582912\n"
    found = parse_sysctl(text)
    assert levels(found) == [(1, 32, 1, 6), (2, 256, 1, 6), (3, 12288, 6, 1)]
    assert found.threads_per_core == 2


def test_time_that_the_host_took_is_read(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "0")
    assert processor_ticks(tmp_path) is None
    tree.put("proc/stat", "cpu  10 2 3 80 1 0 1 3 5 0\ncpu0 10 2 3 80 1 0 1 3 5 0")
    assert processor_ticks(tmp_path) == (100, 3)
    tree.put("proc/stat", "cpu  10 2 3 80")
    assert processor_ticks(tmp_path) is None


@pytest.mark.parametrize(("device", "found"), [("cpu", True), ("cpu_core", True), ("software", False), ("msr", False)])
def test_counters_are_those_of_the_processor(tmp_path: Path, device: str, found: bool) -> None:
    tree = Tree(tmp_path, "0")
    tree.put(f"sys/bus/event_source/devices/{device}/type", "4")
    assert tree.read().has_counters is found
