"""Kernels as regions: loops over blocks and threads, guards, shared memory, intrinsics."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.launches.given import parse_launch
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.nodes import Mapping, MemorySpace, RegionKind
from analyzer.ir.verify import verify
from analyzer.ir.written.text import nodes_text
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from tests.lowering import lines


def parsed(text, path="x.cu"):
    found = parse_clang(SourceFile(path, text, Language.CUDA), ParseOptions())
    assert [item for item in found.diagnostics if item.code in ("AI001", "AI002", "AI003")] == []
    return found.unit


def regions(text, *launches, **defines):
    unit = parsed(text)
    given, _ = launches_of(unit, [parse_launch(item) for item in launches], None, defines)
    lowered = lower_unit(unit, LowerOptions(defines=defines, launches=given))
    for region in lowered.regions:
        verify(region)
    return lowered.regions


def body(text, *launches, **defines):
    head = "__global__ void k(int n, float *__restrict__ x, float *__restrict__ y) {"
    (region,) = regions(head + text + "}", *launches, **defines)
    return list(nodes_text(region.body, {array.name: array for array in region.arrays}))


INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x; "
SMALL = "k:grid=4,block=32"


def test_numbers_of_a_launch_make_the_index_affine():
    assert body(INDEX + "if (i < n) y[i] = x[i];", SMALL) == lines("""
        for blockIdx.x in 0 .. 4 on block.x
          for threadIdx.x in 0 .. 32 on thread.x
            i := index(32*blockIdx.x + threadIdx.x) (2 index)
            if 32*blockIdx.x + threadIdx.x < n
              y[32*blockIdx.x + threadIdx.x] := x[32*blockIdx.x + threadIdx.x]
        """)


def test_an_early_return_is_a_guard_around_the_rest():
    assert body(INDEX + "if (i >= n) return; y[i] = x[i];", SMALL) == body(INDEX + "if (i < n) y[i] = x[i];", SMALL)


def test_without_a_launch_the_extents_are_symbols():
    (region,) = regions("__global__ void k(float *x) { x[blockIdx.x * blockDim.x] = threadIdx.x; }")
    assert [symbol.name for symbol in region.symbols] == ["gridDim.x", "blockDim.x"]
    assert [item.code for item in region.assumptions] == ["AI308"]
    assert region.launch is None


def test_without_a_launch_the_number_of_a_thread_is_affine():
    assert body(INDEX + "if (i < n) y[i] = x[i];") == lines("""
        for thread.x in 0 .. threads.x on thread.x
          i := index(thread.x) (2 index)
          if thread.x < n
            y[thread.x] := x[thread.x]
        """)


def test_three_axes_from_the_outside_in():
    (region,) = regions(
        "__global__ void k(float *x) { x[threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.z] = blockIdx.y; }",
        "k:grid=2x3x4,block=5x6x7",
    )
    found = []
    (node,) = region.body
    while hasattr(node, "mapping"):
        found.append((node.mapping, node.range.stop.constant))
        node = node.body[0]
    assert found == [
        (Mapping.BLOCK_Z, 4), (Mapping.BLOCK_Y, 3), (Mapping.BLOCK_X, 2),
        (Mapping.THREAD_Z, 7), (Mapping.THREAD_Y, 6), (Mapping.THREAD_X, 5),
    ]  # fmt: skip


def test_grid_stride_loop():
    text = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i];"
    assert body(text, SMALL)[2:] == ["    for i in 32*blockIdx.x + threadIdx.x .. n step 128", "      y[i] := x[i]"]


def test_a_tree_over_half_the_threads_each_time():
    text = "for (int s = blockDim.x / 2; s > 0; s >>= 1) { if (threadIdx.x < s) y[threadIdx.x] += y[threadIdx.x + s]; }"
    assert body(text, SMALL)[2:4] == ["    for s in 16 .. 0 / 2 (trip_L1 times)", "      if threadIdx.x < s"]


def test_spaces_of_memory():
    (region,) = regions(
        "__constant__ float c[8]; __global__ void k(float *x) { __shared__ float s[2][33]; extern __shared__ float d[];"
        " float r[4]; s[1][threadIdx.x] = c[2]; d[threadIdx.x] = 1; r[threadIdx.x] = 2; x[0] = s[0][1] + d[2] + r[1]; }"
    )
    spaces = {array.name: array.space for array in region.arrays}
    assert spaces == {
        "c": MemorySpace.CONSTANT,
        "s": MemorySpace.SHARED,
        "d": MemorySpace.SHARED,
        "r": MemorySpace.LOCAL,
        "x": MemorySpace.GLOBAL,
    }


@pytest.mark.parametrize(
    "kind", ["float %s[]", "float %s[][8]", "float %s[16][8]", "float (*%s)[8]", "float (&%s)[16][8]"]
)
def test_a_parameter_that_is_written_as_an_array_is_a_pointer_to_memory_of_the_device(kind):
    element = "[threadIdx.x]" if kind == "float %s[]" else "[0][threadIdx.x]"
    (region,) = regions(f"__global__ void k(const {kind % 'x'}, {kind % 'y'}) {{ y{element} = x{element}; }}")
    assert {array.space for array in region.arrays} == {MemorySpace.GLOBAL}


@pytest.mark.parametrize(
    ("body", "space"),
    [
        ("x[0] = p.c[n];", MemorySpace.CONSTANT),
        ("x[0] = p.c[threadIdx.x % 8];", MemorySpace.CONSTANT),
        ("const float *c = p.c; x[0] = c[n];", MemorySpace.CONSTANT),
        ("x[0] = of(p, n);", MemorySpace.CONSTANT),
        ("p.c[n] = 1; x[0] = p.c[threadIdx.x % 8];", MemorySpace.LOCAL),
    ],
)
def test_arrays_in_structures_by_value_are_constant_until_the_kernel_changes_them(body, space):
    """As ``ld.param`` of an index, or a copy in memory of the thread (PTX ISA, parameter state space)."""
    (region, *_) = regions(
        "struct P { float c[8]; int n; }; __device__ float of(const P &p, int k) { return p.c[k]; }"
        f" __global__ void k(P p, float *x, int n) {{ {body} }}"
    )
    assert next(array.space for array in region.arrays if array.name != "x") is space


@pytest.mark.parametrize(
    "use", ["P *p, float *x, int n) { x[0] = p->c[n];", "P p, float *x, int n) { x[0] = p.d[n] + *p.d;"]
)
def test_what_pointers_in_structures_and_at_them_point_at_is_global(use):
    (region,) = regions(
        f"struct P {{ float c[8], *d; }}; __constant__ P q; __constant__ float *r; __global__ void k({use} }}"
    )
    assert {array.space for array in region.arrays} == {MemorySpace.GLOBAL}
    assert len(region.arrays) == 2


def test_every_instance_that_is_launched_is_a_region():
    found = regions(
        "template <class T, int N> __global__ void k(T *x) { x[threadIdx.x % N] *= x[0]; }"
        "void f(float *x, double *y) { k<float, 2><<<1, 8>>>(x); k<double, 3><<<1, 8>>>(y); k<float, 2><<<2, 8>>>(x); }"
    )
    assert [region.name for region in found] == ["k<float, 2>", "k<float, 2>", "k<double, 3>"]
    assert {region.kind for region in found} == {RegionKind.KERNEL}


def test_device_functions_methods_and_lambdas_are_inlined():
    text = (
        "struct Scale { float a; __device__ float operator()(float v) const { return a * v; } };"
        "__device__ float twice(float v) { return v + v; }"
        "__global__ void k(float *x, Scale s) { auto f = [](float v) { return v - 1.0f; };"
        " x[0] = f(twice(s(x[1]))); }"
    )
    (region,) = regions(text, "k:grid=1,block=1")
    words = " ".join(nodes_text(region.body, {array.name: array for array in region.arrays}))
    assert [words.count(name) for name in ("mul.fp32", "add.fp32", "sub.fp32")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("__syncwarp();", ["wait for the warp"]),
        ("__syncthreads();", ["wait for the block"]),
        ("__threadfence();", ["wait for the device"]),
        ("y[0] = __ldg(x + 3);", ["y[0] := x[3] (1 index)"]),
        ("y[0] = __fmul_rn(x[1], x[2]);", ["y[0] := mul.fp32(x[1], x[2])"]),
        ("y[0] = __fmaf_rn(x[1], x[2], x[3]);", ["y[0] := fma[fma].fp32(x[1], x[2], x[3])"]),
        ("atomicAdd(y, x[1]);", ["atomic y[0] := add[atomicAdd].fp32(atomic y[0], x[1])"]),
        ("y[0] = __expf(x[1]);", ["y[0] := call[__expf].fp32(x[1])"]),
        ("y[0] = fmaxf(x[1], x[2]);", ["y[0] := max[fmax].fp32(x[1], x[2])"]),
        ("y[0] = sqrtf(x[1]);", ["y[0] := sqrt[sqrt].fp32(x[1])"]),
        ("__stcs(y, x[1]);", ["y[0] := x[1]"]),
    ],
)
def test_intrinsics(statement, expected):
    assert body(statement, "k:grid=1,block=1") == expected


def test_a_shuffle_moves_no_memory():
    (line,) = body("y[0] = x[1] + __shfl_down_sync(0xffffffffu, x[2], 4);", "k:grid=1,block=1")
    assert line.count("add.fp32") == 1
    assert "x[2]" in line


@pytest.mark.parametrize(("kind", "precision"), [("__half", "fp16"), ("__nv_bfloat16", "bf16"), ("__half2", "fp16x2")])
def test_small_floats(kind, precision):
    (region,) = regions(
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        f"__global__ void k({kind} *x) {{ x[0] = x[1] * x[2] + x[3]; }}",
        "k:grid=1,block=1",
    )
    (line,) = nodes_text(region.body, {array.name: array for array in region.arrays})
    assert line == f"x[0] := add.{precision}(mul.{precision}(x[1], x[2]), x[3])"


def test_host_functions_are_no_regions_beside_kernels():
    found = regions(
        "__global__ void k(float *x) { x[0] = 1; } void f(float *x) { for (int i = 0; i < 9; i++) x[i] = 0; }"
    )
    assert [region.name for region in found] == ["k"]


def test_hip_reads_the_same():
    text = (
        '#include <hip/hip_runtime.h>\nextern "C" __global__ void k(float *x) { x[hipThreadIdx_x] = 1; }'
        "void f(float *x) { hipLaunchKernelGGL(k, dim3(2), dim3(8), 0, 0, x); }"
    )
    unit = parsed(text, "x.hip")
    launches, _ = launches_of(unit)
    assert [(item.launch.grid[0], item.launch.block[0]) for item in launches] == [(2, 8)]


def test_a_place_that_a_search_returns_is_somewhere():
    (region,) = regions(
        "struct cell { int key; float v; };"
        "__device__ cell &find(cell *t, int key, int n) { int h = key % n;"
        " while (true) { if (t[h].key == key) return t[h]; h = (h + 1) % n; } }"
        "__global__ void k(cell *t, int n) { find(t, threadIdx.x, n).v += 1.0f; }",
        "k:grid=1,block=32",
    )
    assert any("add.fp32" in line for line in nodes_text(region.body, {array.name: array for array in region.arrays}))


def test_reads_of_textures_with_a_filter_are_reported():
    read = (
        "__global__ void k(float *x, cudaTextureObject_t t) { x[threadIdx.x] = 2 * tex2D<float>(t, threadIdx.x, 0); }"
    )
    (region,) = regions(read, "k:grid=1,block=32")
    (note,) = [item for item in region.assumptions if item.code == "AI313"]
    assert "tex2D" in note.text


@pytest.mark.parametrize("kind", ["float", "float4"])
def test_a_texture_that_is_read_by_index_is_an_array(kind):
    body = f"x[threadIdx.x] = tex1Dfetch<{kind}>(t, threadIdx.x);"
    read = f"__global__ void k({kind} *x, cudaTextureObject_t t) {{ {body} }}"
    (region,) = regions(read, "k:grid=1,block=32")
    assert "AI313" not in {item.code for item in region.assumptions}
    assert any(
        "t[threadIdx.x]" in line for line in nodes_text(region.body, {each.name: each for each in region.arrays})
    )


def test_surfaces_are_loaded_and_stored_and_reads_go_into_variables():
    """Of a surface nothing is filtered; what a texture filters has no number."""
    text = (
        "__global__ void k(cudaSurfaceObject_t a, cudaSurfaceObject_t b, cudaTextureObject_t t) {"
        " float4 p; float f = 1, g; surf2Dread(&p, a, threadIdx.x * 16, 0); FILTERED"
        " surf1Dread(&g, t, threadIdx.x * 4); p.x = f + g; surf2Dwrite(p, b, threadIdx.x * 16, 0); }"
    )
    (region,) = regions(text.replace("FILTERED", ""), SMALL)
    lines = list(nodes_text(region.body, {each.name: each for each in region.arrays}))
    assert [sum(f" {name}[" in f" {line.strip()}".split(":=")[0] for line in lines) for name in "ab"] == [0, 4]
    assert sum("a[" in line for line in lines) == 4
    assert not any("surf" in line for line in lines)
    (region,) = regions(text.replace("FILTERED", "tex2D(&f, t, 0.5f, 0.5f);"), SMALL)
    assert any("tex2D" in line for line in nodes_text(region.body, {}))


def test_a_texture_of_the_file_belongs_to_the_device():
    kernel = (
        "texture<float, 1, cudaReadModeElementType> t;"
        "__global__ void k(float *x) { x[threadIdx.x] = 2 * tex1Dfetch(t, threadIdx.x); }"
    )
    (region,) = regions(kernel, "k:grid=1,block=32")
    assert any("mul.fp32" in line for line in nodes_text(region.body, {array.name: array for array in region.arrays}))


def test_numbers_in_shared_memory_are_stored_and_loaded():
    text = """
    __global__ void k(const float *x, float *y) {
        __shared__ float first;
        if (threadIdx.x == 0) first = x[blockIdx.x];
        __syncthreads();
        y[threadIdx.x] = first * 2;
    }
    void run(float *x, float *y) { k<<<4, 32>>>(x, y); }
    """
    (file,) = analyze(SourceFile("a.cu", text, Language.CUDA))
    (region,) = file.profile.regions
    assert region.loads.elements.estimate.constant == 4 + 4 * 32
    assert region.stores.elements.estimate.constant == 4 + 4 * 32


FIRST = "if (threadIdx.x == 0) "


@pytest.mark.parametrize(
    "text",
    [
        f"struct Span {{ float *p; int n; }}; __shared__ Span s; {FIRST}{{ s.p = x + blockIdx.x * n; s.n = n; }}"
        "__syncthreads(); if (threadIdx.x < s.n) y[blockIdx.x * n + threadIdx.x] = s.p[threadIdx.x];",
        f"__shared__ float *s; {FIRST}s = x + blockIdx.x * n; __syncthreads();"
        "y[blockIdx.x * n + threadIdx.x] = s[threadIdx.x];",
        f"__shared__ int s; {FIRST}s = blockIdx.x * n; __syncthreads(); y[s + threadIdx.x] = x[s + threadIdx.x];",
        f"__shared__ int s[4]; {FIRST}s[1] = blockIdx.x * n; __syncthreads();"
        "y[s[1] + threadIdx.x] = x[s[1] + threadIdx.x];",
    ],
)
def test_what_one_thread_stores_once_in_shared_memory_all_threads_know(text):
    found = [line.strip() for line in body(text, SMALL)]
    assert "y[blockIdx.x*n + threadIdx.x] := x[blockIdx.x*n + threadIdx.x]" in [line.split(" (")[0] for line in found]
    assert any(line.startswith("s[") and ":=" in line for line in found)
    assert any(line.startswith("$") and ":= s[" in line for line in found)


@pytest.mark.parametrize(
    "text",
    [
        f"__shared__ int b; if (n > 2) {{ {FIRST}b = 3; }} else {{ {FIRST}b = 5; }} __syncthreads(); y[b] = 1;",
        "__shared__ int b; b = threadIdx.x; __syncthreads(); y[b] = 1;",
        f"__shared__ int b; {FIRST}b = 0; __syncthreads(); atomicAdd(&b, 1); __syncthreads(); y[b] = 1;",
        f"__shared__ int b; for (int i = 0; i < n; i++) {{ {FIRST}b = i; __syncthreads(); y[b] = 1; }}",
    ],
)
def test_what_several_threads_or_statements_store_in_shared_memory_is_open(text):
    assert any("y[?{" in line for line in body(text, SMALL))


@pytest.mark.parametrize(
    ("index", "shown"),
    [
        ("blockIdx.x * 32 | threadIdx.x", "32*blockIdx.x + threadIdx.x"),
        ("(blockIdx.x << 5) ^ threadIdx.x", "32*blockIdx.x + threadIdx.x"),
        ("threadIdx.x + (blockIdx.x * 32 & threadIdx.x)", "threadIdx.x"),
        ("blockIdx.x * 16 | threadIdx.x", "16*blockIdx.x + threadIdx.x - (16*blockIdx.x) & threadIdx.x"),
    ],
)
def test_bits_that_cannot_meet_are_a_sum(index, shown):
    assert any(line.strip().startswith(f"y[{shown}] :=") for line in body(f"y[{index}] = 1;", SMALL))


OPEN = ("o[1].x", False)


@pytest.mark.parametrize(
    ("declared", "taken", "is_known"),
    [
        ("struct O { int x, y; }; __constant__ O o[2] = {{1, 0}, {2, 0}};", "o[1].x", True),
        ("__constant__ int2 o[2] = {{1, 0}, {2, 0}};", "o[1].x", True),
        ("struct O { int x, y; }; __constant__ O o = {2, 0};", "o.x", True),
        ("struct O { int x; }; __constant__ O o[2] = {{1}, {2}}; void f(O *h) { cudaMemcpyToSymbol(o, h, 8); }", *OPEN),
        ("struct O { int x; }; __constant__ O o[2] = {{1}, {2}}; O &f() { return o[1]; }", "o[1].x", False),
        ("struct O { int x; }; __device__ O o[2] = {{1}, {2}}; __global__ void f() { o[1].x = 3; }", "o[1].x", False),
    ],
)
def test_structures_that_nothing_writes_keep_their_first_values(declared, taken, is_known):
    text = f"{declared} __global__ void k(float *y) {{ y[threadIdx.x + {taken}] = 1; }}"
    found = [line for region in regions(text, SMALL) for line in nodes_text(region.body, {})]
    assert any("y[threadIdx.x + 2] :=" in line for line in found) is is_known
