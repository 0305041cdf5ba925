"""A machine's caches as the traffic models see them."""

import pytest

from analyzer.errors import MachineError
from analyzer.traffic.hierarchy import CacheLevel, Hierarchy, Inclusion
from roofline.catalog import find_machine, load_catalog
from roofline.machine.hardware import MachineKind
from roofline.machine.schema import parse_machine
from roofline.model.hierarchies import hierarchy_of

KIB, MIB = 1 << 10, 1 << 20

SMALL = """
id = "small"
name = "Small"
vendor = "none"
kind = "cpu"
clock.nominal_ghz = 1
units = { name = "core", count = 8, source = "made" }
peaks.fp64.fma_gflops = 8
memory = { technology = "none", bandwidth_gbs = 10 }
write_allocate = { policy = "allocate", text = "as ever" }
sources.made.title = "Made up"
levels = [
  { name = "L1", capacity_kib = 32, shared_by = 1 },
  { name = "L2", capacity_mib = 1, shared_by = 2, LINE EFFECTIVE },
]
"""


def small(effective, line="line_bytes = 128,"):
    return parse_machine(SMALL.replace("EFFECTIVE", effective).replace("LINE", line))


def test_haswell_shares_its_last_level():
    assert hierarchy_of(find_machine("haswell")) == Hierarchy(
        (
            CacheLevel("L1", 32 * KIB, 8),
            CacheLevel("L2", 256 * KIB, 8),
            CacheLevel("L3", 35 * MIB, 16, shared_by=14),
        ),
        units=14,
    )


def test_fewer_cores_share_less():
    found = hierarchy_of(find_machine("haswell"), 3)
    assert (found.units, [level.shared_by for level in found.levels]) == (3, [1, 1, 3])


def test_cores_are_spread_over_instances():
    machine = small("ways = 16")
    assert [hierarchy_of(machine, cores).levels[1].shared_by for cores in (1, 4, 5, 8)] == [1, 1, 2, 2]


def test_victim_caches_are_told():
    assert [level.inclusion for level in hierarchy_of(find_machine("xeon-6248")).levels][-1] is Inclusion.VICTIM


def test_lines_of_a_level_hold_for_those_outside_it_that_state_none():
    assert [level.line_bytes for level in hierarchy_of(small("ways = 16")).levels] == [128, 128]
    assert [level.line_bytes for level in hierarchy_of(small("ways = 16", line="")).levels] == [64, 64]


def test_an_effective_capacity_needs_a_reason():
    machine = small('effective = 0.5, effective_why = "half of it is reserved"')
    assert hierarchy_of(machine).levels[1].lines == MIB // 2 // 128
    for wrong in ("effective = 0.5", 'effective = 1.5, effective_why = "more"'):
        with pytest.raises(MachineError, match="effective"):
            small(wrong)


def test_every_machine_with_caches_has_a_hierarchy_but_for_tpus_and_gpus_without_sectors():
    for name in load_catalog().ids:
        machine = find_machine(name)
        found = hierarchy_of(machine)
        is_modelled = machine.kind is MachineKind.CPU or machine.gpu is not None
        assert (found is not None) == (is_modelled and bool(machine.levels)), machine.id
        assert found is None or (found.gpu is not None) == (machine.kind is MachineKind.GPU)


def test_the_caches_of_a_gpu_hold_sectors_and_its_l1_serves_blocks():
    found = hierarchy_of(find_machine("v100"))
    assert found.units == 80
    assert [(level.name, level.line_bytes, level.per_block) for level in found.levels] == [
        ("L1", 32, True),
        ("L2", 32, False),
    ]
    assert found.gpu.shared_bytes == 96 * KIB


def test_there_are_not_more_cores():
    with pytest.raises(MachineError):
        hierarchy_of(find_machine("haswell"), 15)
