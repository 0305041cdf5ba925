"""Threads that share a cache: what several of them read is there once; how many run; which bytes are one thread's."""

import pytest
from msgspec.structs import replace

from analyzer.ir.nodes import Guard, Loop, Mapping
from analyzer.ir.passes.substitute import bind
from analyzer.ir.traverse import map_bodies
from analyzer.traffic.hierarchy import CacheLevel, Hierarchy
from analyzer.traffic.program.schedules.threads import division
from analyzer.traffic.reuse.analytic import analytic_traffic
from analyzer.traffic.simulation.simulated import simulated_traffic
from tests.lowering import lower

MATMUL = (
    "double A[n][n], B[n][n], C[n][n];"
    "for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) for (int j = 0; j < n; j++) C[i][j] += A[i][k] * B[k][j];"
)
MATRIX_VECTOR = (
    "double A[n][m], *x, *y; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i] += A[i][j] * x[j];"
)
ELIMINATION = (
    "double A[n][n]; for (int k = 0; k < n - 1; k++) for (int i = k + 1; i < n; i++)"
    " for (int j = k + 1; j < n; j++) A[i][j] -= A[i][k] * A[k][j];"
)
MODELS = [analytic_traffic, simulated_traffic]


def region(text, iterator="i", threads=None, **sizes):
    """A region whose loops over an iterator are parallel, with numbers for its sizes."""
    (found,) = lower(text, defines=sizes).regions
    found = bind(found, {symbol.name: symbol.value for symbol in found.symbols if symbol.value is not None})

    def parallel(nodes):
        mapped = (
            replace(node, mapping=Mapping.THREADS, threads=threads)
            if isinstance(node, Loop) and node.iterator == iterator
            else node
            for node in nodes
        )
        return tuple(map_bodies(node, parallel) if isinstance(node, Loop | Guard) else node for node in mapped)

    return replace(found, body=parallel(found.body))


def caches(outer_bytes, shared_by=4, units=4):
    return Hierarchy((CacheLevel("L1", 4 << 10), CacheLevel("L2", outer_bytes, shared_by=shared_by)), units=units)


def filled(found):
    return (found.read + found.allocate).sum(axis=1).tolist()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n", [48, 50])
def test_what_all_threads_read_is_in_a_shared_cache_once(model, n):
    """Three matrices of 20 kB in 128 KiB come from memory once; B, behind 4 KiB, passes from there for each i."""
    inner, memory = filled(model(region(MATMUL, n=n), caches(128 << 10), warm=False))
    assert memory == pytest.approx(3 * 8 * n * n, rel=0.02)
    assert inner == pytest.approx(8 * n**3 + 2 * 8 * n * n, rel=0.07)


@pytest.mark.parametrize("model", MODELS)
def test_threads_in_step_pass_through_shared_data_together(model):
    """A vector of 64 kB does not fit in 32 KiB: it comes for each row of one thread, not of each; the matrix once."""
    n, m = 32, 8000
    _, memory = filled(model(region(MATRIX_VECTOR, n=n, m=m), caches(32 << 10), warm=False))
    assert memory == pytest.approx(8 * n * m + n // 4 * 8 * m, rel=0.02)


def test_groups_of_threads_have_a_cache_each():
    """Two caches, each shared by two of four threads: each reads B, and its half of A and C."""
    n = 48
    _, memory = filled(analytic_traffic(region(MATMUL, n=n), caches(128 << 10, shared_by=2), warm=False))
    assert memory == pytest.approx((2 + 1 + 1) * 8 * n * n, rel=0.01)


def test_a_parallel_loop_with_changing_bounds_is_divided():
    """Each step reads what is left of the matrix, in all threads together: it fits, and comes from memory once."""
    n = 64
    work = region(ELIMINATION, n=n)
    assert division(work.body, 4, 4).threads == 4
    _, memory = filled(analytic_traffic(work, caches(64 << 10), warm=False))
    assert memory == pytest.approx(8 * n * n, rel=0.02)


@pytest.mark.parametrize(("stated", "times"), [(None, 4.0), (2, 2.0), (1, 1.0), (9, 4.0)])
def test_as_many_threads_run_as_the_source_says(stated, times):
    copy = "double *a, *b; for (int i = 0; i < n; i++) b[i] = a[i];"
    assert division(region(copy, threads=stated, n=64).body, 4, 1).times == {"i": times}


def test_what_one_thread_does_between_parallel_loops_is_not_multiplied_for_sure():
    text = (
        "double a[n], b[n]; for (int t = 0; t < 9; t++) {"
        " for (int i = 0; i < n; i++) a[i] += 1; for (int j = 0; j < n; j++) b[j] += a[j] * t; }"
    )
    found = analytic_traffic(region(text, n=4096), caches(1 << 20), warm=False)
    alone = 9 * 2 * 8 * 4096  # of the serial loop: two arrays each time, and the quarter of one for each thread
    least, most = filled(found)[0] - found.least[0].sum(), filled(found)[0]
    assert least <= alone + 9 * 8 * 4096 <= most
