"""What reports say of kernels whose counts hang on no data, against what an H100 counted (``tests/data/gpu``)."""

from functools import cache

import pytest

from roofline.comparison.names import kernel_name
from tests.bench.gpu_measured import Compared, compared, measured

MEASURED = dict(measured("worked_with"))


@cache
def rows_of(program: str) -> list[Compared]:
    return list(compared(program, MEASURED[program], "worked_with"))


@pytest.mark.slow
@pytest.mark.parametrize("program", ["vec_triad4", "jacobi2d_shared", "transpose3"])
def test_figures_are_what_a_gpu_counted(program: str) -> None:
    """FLOPs and the bytes that L1 is asked for are equal, and no launch is faster than its bound."""
    rows = rows_of(program)
    assert rows
    for row in rows:
        assert (row.flops, row.l1) == (pytest.approx(1, rel=1e-3), pytest.approx(1, rel=2e-3))
        assert row.bound is not None
        assert row.bound <= 1


@pytest.mark.slow
def test_expected_times_know_how_blocks_start_and_what_stored_words_cost() -> None:
    """A kernel that stores columns, and one of many small blocks: both were expected in less than two thirds."""
    rows = {row.kernel: row for row in rows_of("transpose3")}
    assert rows["tr_naive"].time == pytest.approx(1, abs=0.2)
    assert rows["tr_fill"].time == pytest.approx(1, abs=0.2)


@pytest.mark.parametrize(
    ("kernel", "name"),
    [("void k<(int)3>(float *)", "k"), ("ns::k(int)", "k"), ("void a::sum<float, pair<int, int>>(float *)", "sum")],
)
def test_the_name_of_a_kernel(kernel: str, name: str) -> None:
    assert kernel_name(kernel).base == name
