"""Which sample belongs to which region, and what is said of the rest."""

import pytest
from msgspec.structs import replace

from roofline.comparison.compare import CompareOptions, compare
from roofline.comparison.join import NameMap
from roofline.measured.results import DRAM, LevelBytes, Location, Reading, Sample
from tests.compared import predict

TWO = """\
void first(int n, double *a, const double *b) {
  for (int i = 0; i < n; i++)
    a[i] = b[i];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[i] += 2.0 * b[j];
}
void second(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = 2.0 * a[i] + 1.0;
}
"""
KERNELS = """\
template <typename T> __global__ void axpy(T *y, const T *x, T a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
void run(double *y, double *x, float *z) {
  axpy<double><<<64, 256>>>(y, x, 2.0, 16384);
  axpy<double><<<128, 256>>>(y, x, 2.0, 32768);
  axpy<float><<<64, 256>>>(z, z, 2.0f, 16384);
}
"""


@pytest.fixture(scope="module")
def two():
    return predict(TWO, None, n=64)


@pytest.fixture(scope="module")
def kernels():
    return predict(KERNELS, None, name="k.cu")


def joined(report, *samples, maps=(), path="m.csv"):
    found = compare(report, [Reading(path, "csv", samples)], CompareOptions(mappings=tuple(NameMap(*m) for m in maps)))
    return [(kernel.pair.prediction.name, kernel.pair.joined_by) for kernel in found.kernels], found


def flops(name="", line=1, **more):
    return Sample(name=name, line=line, flops=1.0, **more)


def test_by_name(two):
    pairs, found = joined(two, flops("second"), flops("third"))
    assert pairs == [("second", "name")]
    assert [u.source.sample.name for u in found.unjoined] == ["third"]
    assert [p.name for p in found.unmeasured] == ["first"]


def test_a_name_that_differs_has_the_nearest_one_and_the_option_that_joins_it(two):
    _, found = joined(two, flops("void secnod<double>(T1 *, int)"), flops("memset"))
    near, far = (unjoined.why for unjoined in found.unjoined)
    assert near.endswith("did you mean second? (--map '*secnod*=second')")
    assert "did you mean" not in far
    pairs, _ = joined(two, flops("void secnod<double>(T1 *, int)"), maps=[("*secnod*", "second")])
    assert [name for name, _ in pairs] == ["second"]


@pytest.mark.parametrize(
    ("line", "name"), [(2, "first:2"), (3, "first:2"), (4, "first:4"), (6, "first:4"), (1, "first")]
)
def test_by_location_also_inside_a_nest(two, line, name):
    pairs, _ = joined(two, flops("[loop in f at k.c]", location=Location("/home/u/src/k.c", line)))
    assert pairs == [(name, f"k.c:{line}")]


def test_by_location_in_another_file(two):
    _, found = joined(two, flops("x", location=Location("other.c", 2)))
    assert len(found.unjoined) == 1


def test_loops_of_one_nest_are_added(two):
    outer = flops("outer", location=Location("k.c", 4), additive=True, levels=(LevelBytes("L1", 5.0, ""),))
    inner = flops("inner", location=Location("k.c", 5), additive=True, levels=(LevelBytes("L1", 7.0, ""),))
    _, found = joined(two, outer, inner)
    (kernel,) = found.kernels
    assert (kernel.pair.sample.flops, kernel.pair.sample.bytes_at("L1").total) == (2, 12)


def test_by_map_with_patterns_and_locations(two):
    assert joined(two, flops("phase 1"), maps=[("phase*", "second")])[0][0][0] == "second"
    assert joined(two, flops("x"), maps=[("x", "k.c:4")])[0][0][0] == "first:4"
    _, found = joined(two, flops("x"), maps=[("x", "nothing")])
    assert "--map x=nothing" in found.unjoined[0].why


def test_a_whole_program_of_several_regions_is_not_guessed(two):
    _, found = joined(two, flops(""))
    assert "several regions" in found.unjoined[0].why
    assert joined(two, flops(""), maps=[("*", "first")])[0][0][0] == "first"


def test_a_benchmark_of_another_size_is_told(two):
    assert joined(two, flops("BM_second/64", arguments=(64,)))[0] == [("second", "name")]
    _, found = joined(two, flops("BM_second/128", arguments=(128,)))
    assert found.unjoined[0].why == "measured at 128, predicted at n = 64 (-D)"


def test_files_that_add_to_each_other(two):
    times = Reading("t.csv", "csv", (Sample(name="second", line=1, seconds=2.0),))
    counts = Reading("c.csv", "csv", (flops("second", levels=(LevelBytes(DRAM, 8.0, ""),)),))
    (kernel,) = compare(two, [times, counts], CompareOptions()).kernels
    assert (kernel.pair.sample.rate, kernel.pair.sample.intensity_at(DRAM)) == (0.5, 0.125)
    assert [source.path for source in kernel.pair.sources] == ["t.csv", "c.csv"]
    again = replace(counts, path="d.csv")
    assert len(compare(two, [times, counts, again], CompareOptions()).kernels) == 2


def test_launches_of_one_kernel_are_one_comparison(two):
    (kernel,) = joined(two, *(replace(flops("second"), flops=value) for value in (1.0, 7.0, 3.0)))[1].kernels
    assert (kernel.pair.sample.flops, kernel.pair.sample.executions) == (3, 3)


def launch(kernel, grid):
    return flops(kernel, grid=(grid, 1, 1), block=(256, 1, 1))


def test_templates_and_launches(kernels):
    pairs, found = joined(
        kernels,
        launch("void axpy<double>(T1 *, const T1 *, T1, int)", 128),
        launch("_Z4axpyIfEvPT_PKS0_S0_i", 64),
        launch("void axpy<double>(T1 *, const T1 *, T1, int)", 64),
    )
    assert [name for name, _ in pairs] == ["axpy<double>", "axpy<float>", "axpy<double>"]
    grids = [kernel.pair.prediction.launch.grid[0] for kernel in found.kernels]
    assert grids == [128, 64, 64]
    assert not found.unmeasured


def test_launches_of_another_size_are_not_compared(kernels):
    _, found = joined(kernels, launch("axpy<float>", 32))
    assert found.unjoined[0].why.startswith("measured with grid 32x1x1 and block 256x1x1, predicted with grid 64x1x1")


def test_ambiguous_launches_are_not_guessed(kernels):
    _, found = joined(kernels, flops("axpy<double>"))
    assert "2 regions match and differ" in found.unjoined[0].why
