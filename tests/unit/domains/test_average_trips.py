"""Average trip counts against runs in which every row has another length."""

import random
from itertools import pairwise

import pytest

from analyzer.domains.isl.sets import Points
from analyzer.domains.limits import OverBudget
from analyzer.pipeline import AnalysisOptions, analyze
from analyzer.quantities.quantity import Exactness
from analyzer.source import Language, SourceFile
from roofline.estimation import estimate

SIGNATURE = "void f(int n, int m, const int *length, const double *v, double *x)"
N = 6


def profile(body):
    (file,) = analyze(SourceFile("a.c", f"{SIGNATURE} {{ {body} }}", Language.C), AnalysisOptions())
    (region,) = file.profile.regions
    (trip,) = (name for name in region.symbols if name.startswith("trip_"))
    return region, trip


def rows(seed):
    """Draw N lengths whose average is whole and at least 1."""
    drawn = random.Random(seed)
    average = drawn.randint(1, 6)
    cuts = sorted(drawn.randint(0, average * N) for _ in range(N - 1))
    ends = [0, *cuts, average * N]
    return average, [last - first for first, last in pairwise(ends)]


def holds(quantity, truth, values):
    lower, upper = (None if end is None else end.evaluate(values) for end in (quantity.lower, quantity.upper))
    return (lower is None or lower <= truth) and (upper is None or truth <= upper)


# A body, what an iteration (i, k) of the inner loop does as a list of the elements of x that it touches, one FLOP
# with each, and whether FLOPs and distinct elements of x are exact.
CASES = {
    "a product": (
        "for (int i = 0; i < n; i++) for (int k = 0; k < length[i]; k++) x[k] += v[k];",
        lambda i, k: [k],
        (True, False),
    ),
    "a rectangle below": (
        "for (int i = 0; i < n; i++) for (int k = 0; k < length[i]; k++) for (int j = 0; j < m; j++) x[j] += 1.0;",
        lambda i, k: range(4),
        (True, False),
    ),
    "a triangle below": (
        "for (int i = 0; i < n; i++) for (int k = 0; k < length[i]; k++) for (int j = 0; j < i; j++) x[j] += 1.0;",
        lambda i, k: range(i),
        (False, False),
    ),
    "a triangle of its own": (
        "for (int i = 0; i < n; i++) for (int k = 0; k < length[i]; k++) for (int j = 0; j <= k; j++) x[j] += 1.0;",
        lambda i, k: range(k + 1),
        (False, False),
    ),
    "a condition on its own iterator": (
        "for (int i = 0; i < n; i++) for (int k = 0; k < length[i]; k++) if (k > 2) x[i] += 1.0;",
        lambda i, k: [i] * (k > 2),
        (False, False),
    ),
    "a condition on the iterator around it": (
        "for (int i = 0; i < n; i++) for (int k = 0; k < length[i]; k++) if (i > 2) x[i] += 1.0;",
        lambda i, k: [i] * (i > 2),
        (False, False),
    ),
    "rows that may be empty": (
        "for (int i = 0; i < n; i++) for (int k = 0; k < length[i]; k++) x[i] += 1.0;",
        lambda i, k: [i],
        (True, False),
    ),
    "rows of a matrix": (
        "for (int i = 0; i < n; i++) for (int k = 0; k < length[i]; k++) x[100 * i + k] += 1.0;",
        lambda i, k: [100 * i + k],
        (True, None),
    ),
    "a remainder": (
        "for (int i = 0; i < n; i++) for (int k = 0; k < length[i]; k++) if (k % 2 == 0) x[k / 2] += 1.0;",
        lambda i, k: [k // 2] * (k % 2 == 0),
        (False, False),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_called_exact_is_the_truth_and_bounds_hold_it(name):
    body, elements, (flops_exact, elements_exact) = CASES[name]
    region, trip = profile(body)
    touched = next(array for array in region.footprint.arrays if array.array == "x").touched
    assert (region.work.flops.exactness is Exactness.EXACT) is flops_exact
    if elements_exact is not None:
        assert (touched.elements.exactness is Exactness.EXACT) is elements_exact
    for seed in range(40):
        average, lengths = rows(seed)
        uses = [e for i, length in enumerate(lengths) for k in range(length) for e in elements(i, k)]
        values = {"n": N, "m": 4, trip: average}
        assert holds(region.work.flops, len(uses), values)
        assert holds(touched.elements, len(set(uses)), values)
        assert holds(touched.lines, len({element // 8 for element in uses}), values)
        assert holds(region.stores.elements, len(uses), values)


def test_what_runs_after_the_rows_is_exact():
    region, _ = profile("for (int i = 0; i < n; i++) { int k = 0; while (v[k] > 0.0) k++; x[i] = 1.0; }")
    written = next(array for array in region.footprint.arrays if array.array == "x").written
    assert written.elements.is_exact
    assert region.loads.elements.is_exact  # the test of the loop runs once more than its body, in every row


def test_a_loop_that_nothing_is_around_has_no_average():
    region, trip = profile("int k = 0; while (v[k] > 0.0) { for (int j = 0; j < k; j++) x[j] += 1.0; k++; }")
    assert region.work.flops.is_exact
    assert region.work.flops.estimate.evaluate({trip: 7}) == 21


def test_an_exit_of_a_row_bounds_it_from_below_by_nothing():
    body = "for (int i = 0; i < n; i++) for (int k = 0; k < length[i]; k++) { if (v[k] > 0.0) break; x[i] += 1.0; }"
    region, trip = profile(body)
    assert region.loads.elements.lower.evaluate({"n": N, trip: 3}) <= N  # length[i] at the most
    assert region.loads.elements.exactness is not Exactness.EXACT


TRIANGLE_OF_THREADS = """
__global__ void k(int n, const int *len, double *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < len[i]; j++)
    for (int l = 0; l <= j; l++)
      x[l] += 1.0;
}
int main() { double *x; int *len; k<<<100, 128>>>(12800, len, x); }
"""


def test_a_kernel_without_an_upper_bound_of_its_work_has_bytes_all_the_same():
    report = estimate(SourceFile("k.cu", TRIANGLE_OF_THREADS, Language.CUDA), "v100", sizes={"trip_L4": 4})
    (region,) = report.files[0].regions
    assert region.profile.work.flops.upper is None
    assert region.profile.work.flops.estimate.evaluate(dict(region.profile.values)) == 12800 * 10


def test_what_takes_too_long_to_count_has_no_bound_where_its_references_have_none(monkeypatch):
    monkeypatch.setattr(Points, "count", lambda *_: (_ for _ in ()).throw(OverBudget))
    body = "for (int i = 0; i < n; i++) for (int k = 0; k < length[i]; k++) for (int j = 0; j <= k; j++) x[j] += 1.0;"
    region, _ = profile(body)
    assert not region.footprint.touched.elements.is_exact
