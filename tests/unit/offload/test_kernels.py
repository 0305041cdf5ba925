"""Kernels made of loops with directives: each iteration is executed once, whatever the bounds and the launch."""

import pytest

from analyzer.ir.nodes import Loop
from analyzer.ir.verify import verify
from analyzer.offload.regions import on_gpu
from analyzer.offload.runtime import Gpu
from tests.lowering import lower
from tests.oracle.interpreter import run

LOOPS = [
    ("", "for (int i = 3; i < 50; i += 2) a[i] += 1.0;"),
    ("", "for (int i = 40; i > 2; i -= 3) a[i] += 1.0;"),
    ("num_teams(2) thread_limit(4)", "for (int i = 0; i <= 33; i++) a[i] += 1.0;"),
    ("collapse(2)", "for (int i = 1; i < 7; i++) for (int j = 9; j > 1; j -= 2) a[10 * i + j] += 1.0;"),
    (
        "collapse(3) num_teams(3) thread_limit(2)",
        "for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) for (int k = 1; k < 5; k++) a[i + 2*j + 6*k] += 1.0;",
    ),
    ("collapse(2)", "for (int i = 0; i < 6; i++) for (int j = i; j < 8; j++) a[8 * i + j] += 1.0;"),
]


def touched(region):
    """The elements that a region writes, as often as it does."""
    return sorted((each.storage, each.offset) for each in run(region, {}).references if each.write)


@pytest.mark.parametrize(("clauses", "loop"), LOOPS)
@pytest.mark.parametrize("directive", ["omp target teams distribute parallel for", "acc parallel loop gang vector"])
def test_the_threads_of_a_kernel_execute_each_iteration_once(directive, clauses, loop):
    if directive.startswith("acc"):
        clauses = clauses.replace("num_teams", "num_gangs").replace("thread_limit", "vector_length")
    (region,) = lower(f"void f(double *a) {{\n#pragma {directive} {clauses}\n{loop}\n}}").regions
    (kernel,) = on_gpu((region,), Gpu(), (), keep_others=False)
    verify(kernel)
    assert not any(isinstance(node, Loop) and node.offload for node in kernel.body)
    assert touched(kernel) == touched(region)


@pytest.mark.parametrize(("test", "least"), [("t < 100", 100), ("e > 1e-5f && t < 100", 0)])
def test_a_loop_that_data_may_end_launches_up_to_as_often_as_its_counter_allows(test, least):
    text = f"""void f(float *a) {{ float e = 1.0f; int t = 0; while ({test}) {{ e = 0.0f;
#pragma omp target teams distribute parallel for reduction(+:e)
for (int i = 0; i < 50; i++) e += a[i];
t++; }} }}"""
    (kernel,) = on_gpu(lower(text).regions, Gpu(), (), keep_others=False)
    assert (kernel.part.series.least, kernel.part.series.most) == (least, 100)
