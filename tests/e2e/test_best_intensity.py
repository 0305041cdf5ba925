"""Lower bounds of PolyBench kernels (a checkout is not ours to ship): ``POLYBENCH_DIR=/path/to/PolyBenchC pytest``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ..bench.best_intensity import bounded, judge, over_published, region_of_kernel, sizes_of
from ..bench.polybench import kernels

CHECKOUT = os.environ.get("POLYBENCH_DIR")
KERNELS = list(kernels(Path(CHECKOUT))) if CHECKOUT else []

WEAKER_THAN_IOLB = ("symm",)
"""Its two products may share elements of A and of B, so that their bounds are not added."""

pytestmark = pytest.mark.skipif(CHECKOUT is None, reason="POLYBENCH_DIR does not name a checkout of PolyBench/C 4.2.1")


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS, ids=[kernel.name for kernel in KERNELS])
def test_bounds_of_polybench(kernel):
    region = region_of_kernel(kernel)
    found, seconds = bounded(region)
    assert seconds < 2
    assert over_published(kernel.name, region, found) > 0.99
    assert over_published(kernel.name, region, found, "iolb") > 0.99 or kernel.name in WEAKER_THAN_IOLB
    _, below = judge(region, found, sizes_of(region), orders=2, seed=7)
    assert below == []
