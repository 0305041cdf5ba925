"""Bytes of drawn kernels whose data are about as large as the L2 of a small GPU, against a simulation of all warps."""

import pytest

from tests.bench.gpu_caches import compared

CLOSE = 1.1


@pytest.mark.parametrize("seed", [0, 2, 3, 4, 5, 8, 19, 26])
def test_memory_moves_what_a_simulation_of_all_warps_does(seed):
    found = compared(seed)
    assert found.factors[1] <= CLOSE
    assert found.holds


def test_of_references_that_counters_decide_every_level_is_exact():
    found = compared(18)
    inner, estimate, lower, upper = found.ours
    assert inner == found.inner
    assert (lower, upper) == (found.least, found.most)
    assert lower <= estimate <= upper
