"""Bytes of CUDA kernels at every level, derived by hand; launches and sizes are those of the host code.

Sectors have 32 bytes.  Estimates are compared, with the same figure on several GPUs where no cache is too small for it.
"""

from functools import cache
from pathlib import Path

import pytest

from analyzer.source import Language, SourceFile
from roofline.estimation import estimate
from roofline.options import EstimateOptions, WhichConditions
from tests.night import BY_NIGHT, of_day

DATA = Path(__file__).parents[1] / "data" / "kernels"
ALL_MACHINES = ("a100", "v100", "h100")
MACHINES = ALL_MACHINES if BY_NIGHT else ALL_MACHINES[1:]
"""By day the oldest and the newest: each costs as much as the others."""
SECTOR = 32


def kernel(name, file, machines=ALL_MACHINES, **levels):
    machines = [machine for machine in machines if machine in MACHINES]
    return pytest.param(file, name, machines, levels, id=f"{file}-{name}")


# 4096 x 4096 floats, blocks of 32 x 8, a window of 7 x 7.  A row of a block with its rim is 38 floats from 12 bytes
# before a sector: 6 sectors (5 at the left and right rim, of 128 blocks 2), 14 rows (11 at the upper and lower rim, of
# 512 2).
IMAGE = 4096 * 4096 * 4
WINDOW = (126 * 6 + 2 * 5) * (510 * 14 + 2 * 11) * SECTOR
# 1024 blocks of 256 threads, 512 steps; each warp loads 32 float4 of A and of B: 16 sectors each.  Each thread stores
# 64 floats that are 32 bytes from those of its neighbours: a sector each.
SGEMM_READ = 1024 * 512 * 8 * (16 + 16) * SECTOR
SGEMM_WRITTEN = 1024 * 256 * 64 * SECTOR
MATRIX = 4096 * 4096 * 4
# 50257 floats a row do not start at sectors: a warp's 32 floats lie in 4 or 5 of them.
LONG_ROWS = 8192 * 50257 * 4
SQUARE = 8192 * 8192 * 4

# 512 x 512 x 512 doubles without their rim, blocks of 8 x 8 x 8.  Of the 510 * 510 rows 62 parts have 4 sectors with
# their two neighbours along x, and 2 parts at the rim 3; each block also has rows of 2 sectors at 4 sides.
SEVEN = (510 * 510 * (62 * 4 + 2 * 3) + 64 * 2 * 2 * (64 * 510 + 64 * 510)) * SECTOR
LARGE = 1 << 28

KERNELS = [
    kernel("lap3d", "r7_lap3d.cu", L2=(SEVEN, 510 * 510 * 128 * SECTOR)),
    kernel("hist_global", "hist2.cu", DRAM=(1 << 28, 1 << 10)),
    kernel("relu", "r1_relu.cu", L1=(LARGE, LARGE), L2=(LARGE, LARGE), DRAM=(LARGE, LARGE)),
    kernel("conv2d_if", "conv2d_if.cu", L2=(WINDOW, IMAGE), DRAM=(IMAGE, IMAGE)),
    kernel("conv2d", "conv2d.cu", L2=(WINDOW, IMAGE), DRAM=(IMAGE, IMAGE)),
    kernel("horner", "priv.cu", L1=(1 << 26, 1 << 24), L2=(1 << 26, 1 << 24), DRAM=(1 << 26, 1 << 24)),
    kernel("sgemm", "rgemm.cu", L1=(SGEMM_READ, SGEMM_WRITTEN), L2=(SGEMM_READ, SGEMM_WRITTEN)),
    kernel("sgemm", "rgemm2.cu", L1=(SGEMM_READ, SGEMM_WRITTEN), L2=(SGEMM_READ, SGEMM_WRITTEN)),
    kernel("tgemm", "tgemm.cu", L1=(2 * 4096 * 4096 * 128 * 4, MATRIX), L2=(2 * 4096 * 4096 * 128 * 4, MATRIX)),
    kernel("softmax_warp", "softmax_big.cu", machines=("a100", "h100"), DRAM=(3 * LONG_ROWS, LONG_ROWS)),
    kernel("tr_pad", "transpose.cu", L1=(SQUARE, SQUARE), L2=(SQUARE, SQUARE), DRAM=(SQUARE, SQUARE)),
    kernel("tr_naive", "transpose.cu", L1=(SQUARE, 8 * SQUARE), L2=(SQUARE, 8 * SQUARE), DRAM=(SQUARE, SQUARE)),
]
"""Bytes read and written at each level."""


@cache
def report_of(file, machines):
    source = SourceFile(file, (DATA / file).read_text("utf-8"), Language.CUDA)
    (report,) = estimate(source, machines, EstimateOptions(conditions=WhichConditions.NEVER)).files
    return report


def levels_of(file, machines):
    """Bytes read and written at each level, by kernel, machine and level: the estimates of the last launch."""
    found = {}
    for region in report_of(file, machines).regions:
        for machine, projection in zip(machines, region.projections, strict=True):
            levels = () if projection.traffic is None else projection.traffic.levels
            for level in levels:
                found[region.profile.function, machine, level.level] = moved(level)
    return found


def moved(level):
    return tuple(int(size.estimate.evaluate({})) for size in (level.read_bytes, level.write_bytes))


@pytest.mark.parametrize(("file", "name", "machines", "levels"), of_day(KERNELS, 2))
def test_bytes_are_those_derived_by_hand(file, name, machines, levels):
    found = levels_of(file, MACHINES)
    for machine in machines:
        for level, sizes in levels.items():
            assert found[name, machine, level] == pytest.approx(sizes, rel=2e-3), (machine, level)


@pytest.mark.parametrize(
    ("file", "machine"),
    [("conv2d.cu", "h100"), ("softmax_big.cu", "v100"), ("rgemm.cu", "h100")],
)
def test_a_machine_has_the_same_bytes_alone_and_among_others(file, machine):
    together = levels_of(file, MACHINES)
    assert levels_of(file, (machine,)) == {key: size for key, size in together.items() if key[1] == machine}


def test_tiles_in_shared_memory_beat_none():
    """A broadcast and a row for each product, against a row and a quarter of a broadcast of 16 bytes."""
    found = {region.profile.name: region.projections for region in report_of("03_matmul.cu", MACHINES).regions}
    naive, tiled = (next(found[name] for name in found if name.startswith(start)) for start in ("naive", "tiled<32>"))
    for slow, fast in zip(naive, tiled, strict=True):
        assert fast.time.value < slow.time.value
        assert fast.estimated_time.value < slow.estimated_time.value
