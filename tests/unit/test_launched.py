"""Kernels that are launched many times: one row has the sum over all launches, and says how many there are."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profiling.launched import over_launches
from analyzer.source import Language, SourceFile
from analyzer.traffic.options import CacheOptions
from analyzer.traffic.results import RegionTraffic
from roofline.catalog import find_machine
from roofline.model.hierarchies import hierarchy_of
from roofline.model.projection import ProjectionOptions
from tests.projected import make_report

DATA = Path(__file__).parents[1] / "data" / "launches"
A100 = find_machine("a100-40")
KERNELS = """
__global__ void add(float *x, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] += 1; }
__global__ void at(float *x, int n, int it) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] += it; }
__global__ void tree(float *x, int s) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i % (2 * s) == 0) x[i] += x[i + s];
}
"""


def analyzed(text, caches=False, arguments=None):
    options = AnalysisOptions(program_arguments=arguments)
    if caches:
        hierarchy = hierarchy_of(A100, None)
        options = AnalysisOptions(cache=CacheOptions(hierarchies=(hierarchy,)))
    (found,) = analyze(SourceFile("x.cu", text, Language.CUDA), options)
    return found


def rows(body):
    """Name, number of launches and FLOPs of each launched kernel of a program with this ``main``."""
    found = analyzed(KERNELS + "int main(int argc, char **v) { float *x; " + body + " }").regions
    return [told(row) for row in found if row.launch is not None]


def told(row):
    series = None if row.launches is None else row.launches.series
    times = (1, 1) if series is None else (series.least, series.most)
    return row.name, *times, row.work.flops.estimate.evaluate(row.values), row.work.flops.exactness.value


def report_of(text):
    return make_report((analyzed(text, caches=True),), (A100,), ProjectionOptions(), version="0", options={})


@pytest.mark.slow
def test_extents_that_host_code_gives_are_kept():
    """The grid of one kernel has two dimensions, whose second one is open; that of the other has one of 1."""
    text = """__global__ void f(double *x) { x[blockIdx.y*blockDim.x + threadIdx.x] *= 2; }
__global__ void g(double *x) { x[threadIdx.x] *= 2; }
void run(double *x, int m) { dim3 grid(1, m); f<<<grid, 32>>>(x); g<<<1, 32>>>(x); }
"""
    options = AnalysisOptions(defines={"gridDim.y": "9"})
    (file,) = analyze(SourceFile("a.cu", text, Language.CUDA), options)
    flops = {region.name: region.work.flops.estimate.evaluate({}) for region in file.profile.regions}
    assert flops == {"f": 9 * 32, "g": 32}


def test_elimination_and_halvings():
    found = [told(row) for row in analyzed((DATA / "elimination.cu").read_text()).regions]
    steps = 2 * sum(r * r for r in range(1, 2048))  # a subtraction and a product in the square that is left
    assert found == [("gsElim", 2047, 2047, steps, "exact"), ("redStep", 24, 24, 2**24 - 1, "exact")]


def test_other_arguments_are_other_rows():
    found = [told(row) for row in analyzed((DATA / "two_arguments.cu").read_text()).regions]
    assert found == [
        ("g", 1, 1, 2 * 2047**2, "exact"),
        ("g", 1, 1, 2 * 1947**2, "exact"),
        ("h", 1, 1, 2047**2, "exact"),
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (int i = 0; i < 5000000; i++) add<<<4, 64>>>(x, 200);", ("add", 5_000_000, 5_000_000, 10**9, "exact")),
        ("for (int i = 0; i < 100; i++) at<<<4, 64>>>(x, 200, i);", ("at", 100, 100, 20_000, "exact")),
        ("for (int i = 0; i < 9; i++) add<<<4, 64>>>(x, 10 * i);", ("add", 9, 9, 360, "exact")),
        ("for (int i = 1; i < 5; i++) add<<<4, 64>>>(x, 10 * i);", ("add", 4, 4, 100, "exact")),
        ("for (int s = 1; s < 16; s *= 2) tree<<<2, 64>>>(x, s);", ("tree", 4, 4, 64 + 32 + 16 + 8, "exact")),
        ("add<<<4, 64>>>(x, 200); add<<<4, 64>>>(x, 200);", ("add", 2, 2, 400, "exact")),
        ("for (int i = 0; i < argc; i++) add<<<4, 64>>>(x, 200);", ("add", 1, 1, 200, "exact")),  # no arguments
        ("for (int i = 0; i < 9; i++) if (argc > 2) add<<<4, 64>>>(x, 200);", ("add", 0, 9, 1800, "interval")),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_sums_over_loops(body, expected):
    assert rows(body) == [expected]


def test_what_is_only_data_makes_no_difference():
    body = "for (int i = 0; i < 100; i++) at<<<4, 64>>>(x, 200, i);"
    (row,) = (row for row in analyzed(f"{KERNELS}int main() {{ float *x; {body} }}").regions if row.name == "at")
    assert len(row.launches.series.launches) == 1


def test_a_formula_that_is_wrong_is_not_used():
    body = "for (int i = 0; i < 19; i++) add<<<4, 64>>>(x, 10 * i);"
    (row,) = (row for row in analyzed(f"{KERNELS}int main() {{ float *x; {body} }}").regions if row.name == "add")
    found = {position: (one, RegionTraffic()) for position, one in row.launches.analyzed}
    (one, _), *_ = found.values()
    doubled = replace(one, work=replace(one.work, flops=one.work.flops * 2))
    flops = over_launches(row.launches.series, found, doubled)[0].work.flops
    assert flops.exactness.value == "interval"
    assert flops.lower.evaluate({}) <= 1710 <= flops.most.evaluate({})


def test_calls_with_other_sizes_are_rows_of_their_own():
    wrapper = "static void go(float *x, int n) { for (int i = 0; i < 3; i++) add<<<4, 64>>>(x, n); }\n"
    text = KERNELS + wrapper + "int main() { float *x; go(x, 100); go(x, 50); go(x, 100); }"
    found = [told(row) for row in analyzed(text).regions if row.launches is not None]
    assert found == [("add", 6, 6, 600, "exact"), ("add", 3, 3, 150, "exact")]


def test_many_calls_are_one_row():
    calls = " ".join(f"go(x, {10 * n});" for n in range(1, 21))
    text = KERNELS + "void go(float *x, int n) { add<<<4, 64>>>(x, n); }\nint main() { float *x; " + calls + " }"
    assert [told(row) for row in analyzed(text).regions if row.launch] == [("add", 20, 20, 2100, "exact")]


def test_sums_of_rounded_quotients_are_those_of_the_launches():
    body = "for (int s = 1; s < 32; s += 2) tree<<<32, 64>>>(x, s);"
    (row,) = (row for row in analyzed(KERNELS + f"int main() {{ float *x; {body} }}").regions if row.name == "tree")
    truth = sum(-(-2048 // (2 * s)) for s in range(1, 32, 2))
    flops = row.work.flops
    assert told(row)[1:3] == (16, 16)
    assert (flops.estimate.evaluate(row.values), flops.exactness.value) == (truth, "exact")


def elimination(size, launches):
    text = (DATA / "elimination.cu").read_text()
    kernel = text[: text.index("__global__ void redStep")]
    loop = "int r = m - k - 1; dim3 g((r + 15) / 16, (r + 15) / 16); gsElim<<<g, b>>>(x, m, k);"
    steps = (f"{{ int k = {k}; {loop} }}" for k in launches or ())
    body = f"for (int k = 0; k < m - 1; k++) {{ {loop} }}" if launches is None else "".join(steps)
    return f"{kernel}int main() {{ int m = {size}; float *x; dim3 b(16, 16); {body} }}"


def test_a_launch_whose_caches_took_too_long_is_as_its_neighbours():
    body = "for (int i = 1; i <= 5; i++) add<<<i, 64>>>(x, 64 * i);"
    found = analyzed(f"{KERNELS}int main() {{ float *x; {body} }}", caches=True)
    number = next(at for at, region in enumerate(found.profile.regions) if region.name == "add")
    row, own = found.profile.regions[number], found.traffic[number]
    pairs = zip(row.launches.analyzed, own.launches, strict=True)
    launches = {at: (one, traffic if at != 2 else RegionTraffic()) for (at, one), traffic in pairs}
    whole, traffic = over_launches(row.launches.series, launches, None)
    assert [at for at, _ in whole.launches.analyzed] == [0, 1, 3, 4]
    read = traffic.models[0].levels[0].read_bytes
    assert (read.estimate.constant, read.exactness.value) == (4 * 64 * (1 + 2 + 3 + 4 + 5), "interval")


@pytest.mark.slow
def test_bytes_and_times_are_near_the_sum_of_single_launches():
    """Bytes and times of the launches between those that were analyzed, against an analysis of each of them."""
    size, each, seconds = 40, {}, 0.0
    for first in range(0, size - 1, 8):
        for row in report_of(elimination(size, range(first, min(first + 8, size - 1)))).files[0].regions:
            for level, moved in row.served:
                each[level] = each.get(level, 0) + moved.total.estimate.evaluate(row.profile.values)
            seconds += row.projections[0].time.value
    (row,) = report_of(elimination(size, None)).files[0].regions
    for level, moved in row.served:
        assert moved.total.estimate.evaluate({}) == pytest.approx(each[level], rel=0.05), level
        assert moved.total.lower.evaluate({}) <= each[level] <= moved.total.most.evaluate({})
    assert row.projections[0].time.value == pytest.approx(seconds, rel=0.05)
    assert row.profile.work.flops.estimate.evaluate({}) == 2 * sum(r * r for r in range(1, size))


def test_the_time_of_repeated_launches_is_a_multiple():
    one, many = (
        report_of(KERNELS + f"int main() {{ float *x; {body} }}").files[0].regions[0]
        for body in ("add<<<4096, 64>>>(x, 1 << 18);", "for (int i = 0; i < 1000; i++) add<<<4096, 64>>>(x, 1 << 18);")
    )
    assert many.projections[0].time.value == pytest.approx(1000 * one.projections[0].time.value)
    assert [(name, moved.total.estimate.evaluate(many.profile.values)) for name, moved in many.served] == [
        (name, 1000 * moved.total.estimate.evaluate(one.profile.values)) for name, moved in one.served
    ]


def test_the_document_has_the_range():
    launches = report_of(elimination(40, None)).to_primitive()["files"][0]["regions"][0]["launches"]
    assert (launches["count"]["value"], launches["count"]["exactness"], launches["distinct"]) == (39, "exact", 39)
    largest = max(launches["analyzed"], key=lambda one: one["flops"]["value"])
    assert (largest["flops"]["value"], largest["launch"]["arguments"]) == (2 * 39**2, {"k": 0})
    assert min(one["flops"]["value"] for one in launches["analyzed"]) == 2


def test_a_loop_that_is_not_followed_is_told():
    found = analyzed(KERNELS + "int main() {\n  float *x;\n  while (getchar() > 0)\n    add<<<4, 64>>>(x, 9);\n}")
    (told_of,) = (item for item in found.diagnostics if item.code == "AI215")
    assert "x.cu:10" in told_of.message
    (row,) = (row for row in found.regions if row.name == "add")
    assert (row.launches.series.is_open, row.launches.series.most) == (True, 1)


def test_a_size_that_is_read_each_time_is_told():
    body = 'int n; for (int i = 0; i < 3; i++) { scanf("%d", &n); add<<<4, 64>>>(x, n); }'
    found = analyzed(f"#include <cstdio>\n{KERNELS}int main() {{ float *x; {body} }}")
    assert ["n is not known, and not the same" in item.message for item in found.diagnostics if item.code == "AI215"]
    (row,) = (row for row in found.regions if row.name == "add")
    assert (row.launches.series.is_open, row.launches.series.most) == (True, 1)


@pytest.mark.parametrize(
    ("given", "blocks"), [("x, y, z", 3), ("x, y, x", 3), ("x, x, z", 2), ("x, x, x", 2), ("x, x + n, z", 3)]
)
def test_memory_that_a_kernel_gets_twice_is_read_once(given, blocks):
    """Loads and FLOPs are those of two arrays, as the compiler has it; by hand: bytes read and written."""
    text = f"""
    __global__ void add(const float *a, const float *b, float *c, int n) {{
      int i = blockIdx.x * 256 + threadIdx.x;
      c[i] = a[i] + b[i];
    }}
    int main() {{
      int n = 1 << 20; float *x, *y, *z;
      cudaMalloc(&x, 8 * n); cudaMalloc(&y, 4 * n); cudaMalloc(&z, 4 * n);
      add<<<n / 256, 256>>>({given}, n);
    }}"""
    (found,) = analyzed(text, caches=True).regions
    count = 1 << 20
    assert (found.work.flops.estimate.constant, found.loads.elements.estimate.constant) == (count, 2 * count)
    moved = found.footprint.read.elements.estimate.constant + found.footprint.written.elements.estimate.constant
    assert moved == blocks * count
    (row,) = report_of(text).regions
    _, memory = row.served[-1]
    assert memory.total.estimate.evaluate({}) == pytest.approx(4 * blocks * count)
    assert memory.total.lower.evaluate({}) <= 4 * blocks * count
