"""Every PolyBench kernel of a checkout (not ours to ship): ``POLYBENCH_DIR=/path/to/PolyBenchC pytest``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ..bench.polybench import judge, truths

CHECKOUT = os.environ.get("POLYBENCH_DIR")
CASES = list(truths(Path(CHECKOUT))) if CHECKOUT else []
IDS = [f"{truth.kernel.name}-{truth.dataset}-{mode}" for truth, mode in CASES]

pytestmark = pytest.mark.skipif(CHECKOUT is None, reason="POLYBENCH_DIR does not name a checkout of PolyBench/C 4.2.1")


@pytest.mark.slow
@pytest.mark.parametrize(("truth", "mode"), CASES, ids=IDS)
def test_counts_of_polybench(truth, mode):
    verdict = judge(truth, mode)
    assert verdict.failure == ""
    assert verdict.wrong == {}
