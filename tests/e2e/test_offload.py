"""Loops that directives put on a GPU, against the CUDA kernels that one would write for them."""

import pytest

from roofline import estimate, source_text

CUDA_TRIAD = """
__global__ void triad(double *a, const double *b, const double *c, int n) {{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = b[i] + 3.0 * c[i];
}}
void run(double *a, double *b, double *c) {{ triad<<<{grid}, {block}>>>(a, b, c, {n}); }}
"""
TRIAD = "for (int i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];"
PARAMETERS = "double *restrict a, const double *restrict b, const double *restrict c, int n"
CUDA_ROWS = """
__global__ void rows(double *y, const double *A, const double *x, int n, int m) {{
  for (int i = blockIdx.x; i < n; i += gridDim.x) {{
    double s = 0.0;
    for (int j = threadIdx.x; j < m; j += blockDim.x) s += A[i * m + j] * x[j];
    if (threadIdx.x == 0) y[i] = s;
  }}
}}
void run(double *y, double *A, double *x) {{ rows<<<{grid}, {block}>>>(y, A, x, {n}, {m}); }}
"""
ROWS = "double *restrict y, const double *restrict A, const double *restrict x, int n, int m"


def row(text, language, **defines):
    """The only row of a text on one GPU."""
    defines = {name: str(value) for name, value in defines.items()}
    (found,) = estimate(source_text(text, language), machines=["a100"], defines=defines).regions
    return found


def figures(found):
    """FLOPs, loads, stores, the launch, and the bytes and sectors at each level of the GPU."""
    profile = found.profile
    counts = (profile.work.flops, profile.loads.elements, profile.stores.elements)
    (model,) = found.traffic.models
    levels = [(level.read_bytes, level.write_bytes) for level in model.levels]
    return (
        [float(each.estimate.evaluate(profile.values)) for each in counts],
        (profile.launch.grid, profile.launch.block),
        [[float(each.estimate.evaluate({})) for each in level] for level in levels],
        sorted((each.sectors, each.requests) for each in model.requests),
    )


@pytest.mark.parametrize(
    ("directive", "n", "grid", "block"),
    [
        ("omp target teams distribute parallel for simd", 1 << 22, 3200, 128),
        ("omp target teams loop", 400_000, 3125, 128),
        ("omp target teams distribute parallel for", 100_000, 3125, 32),
        ("omp target teams distribute parallel for num_teams(64) thread_limit(256)", 1 << 20, 64, 256),
        ("omp target parallel for", 10_000, 1, 128),
        ("acc parallel loop", 1 << 20, 8192, 128),
        ("acc parallel loop gang vector vector_length(256)", 1000, 4, 256),
        ("acc kernels loop", 1000, 8, 128),
    ],
)
def test_a_loop_is_the_kernel_that_its_iterations_make(directive, n, grid, block):
    text = f"void triad({PARAMETERS}) {{\n#pragma {directive}\n{TRIAD}\n}}"
    kernel = row(CUDA_TRIAD.format(grid=grid, block=block, n=n), "cuda")
    assert figures(row(text, "c", n=n)) == figures(kernel)


@pytest.mark.parametrize(
    ("outer", "inner", "grid"),
    [
        ("omp target teams distribute", "omp parallel for reduction(+:s)", 3200),
        ("omp target teams distribute num_teams(100)", "omp parallel for reduction(+:s)", 100),
        ("acc parallel loop gang", "acc loop vector reduction(+:s)", 4000),
        ("acc parallel loop", "", 4000),
    ],
)
def test_blocks_share_an_outer_loop_and_threads_the_one_inside(outer, inner, grid):
    pragma = f"#pragma {inner}\n" if inner else ""
    text = (
        f"void rows({ROWS}) {{\n#pragma {outer}\nfor (int i = 0; i < n; i++) {{\ndouble s = 0.0;\n"
        f"{pragma}for (int j = 0; j < m; j++) s += A[i * m + j] * x[j];\ny[i] = s;\n}}\n}}"
    )
    kernel = row(CUDA_ROWS.format(grid=grid, block=128, n=4000, m=1000), "cuda")
    found, wanted = figures(row(text, "c", n=4000, m=1000)), figures(kernel)
    assert (found[0], found[2]) == (wanted[0], wanted[2])


def test_collapsed_loops_are_one_of_all_iterations():
    text = (
        "void f(double *restrict a, const double *restrict b, int n, int m) {\n"
        "#pragma omp target teams distribute parallel for collapse(2) map(to: b[0:n*m]) map(from: a[0:n*m])\n"
        "for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) a[i * m + j] = b[(i - 1) * m + j] + 1.0;\n}"
    )
    kernel = """
__global__ void f(double *a, const double *b, int n, int m) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < (n - 1) * m; k += gridDim.x * blockDim.x) {
    int i = 1 + k / m, j = k % m;
    a[i * m + j] = b[(i - 1) * m + j] + 1.0;
  }
}
int main() {
  double *a, *b;
  cudaMalloc(&a, 800 * 600 * 8);
  cudaMalloc(&b, 800 * 600 * 8);
  f<<<3200, 128>>>(a, b, 800, 600);
}"""
    assert figures(row(text, "c", n=800, m=600)) == figures(row(kernel, "cuda"))


@pytest.mark.parametrize(
    ("directive", "step", "flops"),
    [
        ("omp target teams distribute parallel for reduction(+: s) map(to: a[0:n])", "s += a[i] * a[i];", 2),
        ("omp target teams distribute parallel for reduction(max: s) map(to: a[0:n])", "s = fmax(s, a[i] - 1.0);", 1),
        ("acc parallel loop reduction(+: s)", "s += a[i];", 1),
    ],
)
def test_what_a_reduction_leaves_is_needed_though_no_thread_stores_it(directive, step, flops):
    text = (
        "#include <math.h>\ndouble f(const double *a, int n) {\ndouble s = 0;\n"
        f"#pragma {directive}\nfor (int i = 0; i < n; i++) {step}\nreturn s; }}"
    )
    for defines in ({"n": "1000"}, {}):
        (found,) = estimate(source_text(text, "c"), machines=["a100"], defines=defines, policy="nvidia-sass").regions
        assert found.profile.work.flops.estimate.evaluate({"n": 1000}) == 1000 * flops


def test_without_sizes_the_counts_are_formulas():
    text = f"void triad({PARAMETERS}) {{\n#pragma acc parallel loop\n{TRIAD}\n}}"
    assert str(row(text, "c").profile.work.flops.estimate) == "2*n"


def test_on_a_cpu_the_host_runs_it():
    text = f"void triad({PARAMETERS}) {{\n#pragma omp target teams distribute parallel for\n{TRIAD}\n}}"
    report = estimate(source_text(text, "c"), machines=["haswell"], defines={"n": "1000000"})
    (found,) = report.regions
    assert found.profile.launch is None
    assert found.profile.kind.value == "function"


def test_a_kernel_in_a_loop_of_the_host_is_launched_in_each_iteration():
    text = (
        "void lu(double *a, int n) {\nfor (int k = 0; k < n; k++) {\n"
        "#pragma omp target teams distribute parallel for collapse(2)\n"
        "for (int i = k + 1; i < n; i++) for (int j = k + 1; j < n; j++) a[i*n + j] -= a[i*n + k] * a[k*n + j];\n}\n}"
    )
    found = row(text, "c", n=64)
    assert found.profile.launches.series.most == 63  # the last iteration has nothing to do
    assert found.profile.work.flops.estimate.evaluate({}) == sum(2 * (63 - k) ** 2 for k in range(64))


def moved(text, language="c", **defines):
    """What the rows of a text say of transfers: when, and the bytes in each direction."""
    defines = {name: str(value) for name, value in defines.items()}
    report = estimate(source_text(text, language), machines=["a100"], defines=defines)
    notes = (note for region in report.regions for note in region.profile.assumptions if note.code == "AI323")
    return [(note.form, dict(note.fields).get("into"), dict(note.fields).get("back")) for note in notes]


STEPS = """
void f(double *restrict a, double *restrict b, int n) {{
{before}
{{
for (int t = 0; t < 10; t++) {{
#pragma {one}
for (int i = 0; i < n; i++) b[i] = a[i] + 1.0;
#pragma {one}
for (int i = 0; i < n; i++) a[i] = b[i] * 2.0;
}}
}}
}}
"""


def test_what_a_region_of_data_holds_moves_once():
    one = "omp target teams distribute parallel for"
    text = STEPS.format(before="#pragma omp target data map(tofrom: a[0:n]) map(alloc: b[0:n])", one=one)
    assert moved(text, n=1000) == [("region", "8,000", "8,000")]
    acc = STEPS.format(before="#pragma acc data copyin(a[0:n]) copyout(b[:n])", one="acc parallel loop")
    assert moved(acc) == [("region", "8*n", "8*n")]


def test_clauses_of_a_kernel_move_in_each_launch_what_is_not_there():
    one = "acc parallel loop copyin(a[0:n]) copy(b[0:n])"
    assert moved(STEPS.format(before="", one=one), n=1000) == [("launch", "16,000", "8,000")] * 2
    inside = STEPS.format(before="#pragma acc data create(b[0:n])", one=one)
    assert moved(inside, n=1000) == [("launch", "8,000", "0")] * 2
    there = STEPS.format(before="", one="acc parallel loop present(a, b)")
    assert moved(there, n=1000) == []


def test_arrays_with_lengths_are_mapped_without_a_clause_and_pointers_are_there():
    text = (
        "double a[1000], b[1000];\nvoid f(double *p) {\n#pragma omp target teams distribute parallel for\n"
        "for (int i = 0; i < 1000; i++) a[i] = b[i] + p[i];\n}"
    )
    assert moved(text) == [("launch", "16,000", "8,000")]
