"""Graphs that a stream records, and managed memory that was moved to the GPU: what host code makes of them."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.host.interpreter import find_launches
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile

KERNELS = "__global__ void k(float *x) { x[threadIdx.x] = 1; } __global__ void w(float *x) { x[threadIdx.x] = 2; }\n"
BEGIN = "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); "
END = "cudaStreamEndCapture(s, &g); cudaGraphInstantiate(&e, g, NULL, NULL, 0); "
HEAD = "int main() { float *x; cudaStream_t s; cudaGraph_t g; cudaGraphExec_t e; cudaMalloc(&x, 400); "


def found(body, before=""):
    parsed = parse_clang(SourceFile("x.cu", KERNELS + before + HEAD + body + " }", Language.CUDA), ParseOptions())
    assert parsed.diagnostics == ()
    return find_launches([parsed.unit], ())


def counts(body, before=""):
    kernels = {}
    for item in found(body, before):
        least, most = kernels.get(item.kernel, (0, 0))
        kernels[item.kernel] = least + item.least, most + item.most
    return sorted(kernels.values())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (BEGIN + "k<<<1, 32, 0, s>>>(x); " + END + "cudaGraphLaunch(e, s);", [(1, 1)]),
        (BEGIN + "for (int i = 0; i < 3; i++) { k<<<1, 32, 0, s>>>(x); w<<<1, 32, 0, s>>>(x); } " + END
         + "for (int t = 0; t < 20; t++) { cudaGraphLaunch(e, s); cudaStreamSynchronize(s); }", [(60, 60), (60, 60)]),
        ("k<<<1, 32>>>(x); " + BEGIN + "w<<<1, 32, 0, s>>>(x); " + END + "cudaGraphLaunch(e, s); " * 2,
         [(1, 1), (2, 2)]),
        ("bool made = false; for (int t = 0; t < 1000; t++) { if (!made) { " + BEGIN + "k<<<1, 32, 0, s>>>(x); " + END
         + "made = true; } cudaGraphLaunch(e, s); }", [(1000, 1000)]),
        (BEGIN + "k<<<1, 32, 0, s>>>(x); " + END + "if (rand() > 5) cudaGraphLaunch(e, s);", [(0, 1)]),
    ],
)  # fmt: skip
def test_a_graph_runs_what_was_recorded(body, expected):
    assert counts(body) == expected


def test_a_function_that_launches_a_graph_is_followed():
    before = "void step(cudaGraphExec_t e, cudaStream_t s) { cudaGraphLaunch(e, s); }\n"
    body = BEGIN + "k<<<1, 32, 0, s>>>(x); " + END + "for (int t = 0; t < 7; t++) step(e, s);"
    assert counts(body, before) == [(7, 7)]


def test_a_kernel_of_a_graph_that_is_not_launched_may_not_run():
    (only,) = found(BEGIN + "k<<<1, 32, 0, s>>>(x); " + END)
    assert only.least == 0


@pytest.mark.parametrize(
    ("moves", "managed"),
    [
        ("", ("x",)),
        ("cudaMemPrefetchAsync(y, 400, 0, NULL);", ()),
        ("int d = -1; cudaGetDevice(&d); cudaMemPrefetchAsync(y, 400, d, NULL);", ()),
        ("cudaMemPrefetchAsync(y, 400, 0, NULL); cudaMemPrefetchAsync(y, 400, cudaCpuDeviceId, NULL);", ("x",)),
    ],
)
def test_prefetched_memory_is_on_the_gpu(moves, managed):
    (only,) = found("float *y; cudaMallocManaged(&y, 400); " + moves + " k<<<1, 32>>>(y);")
    assert only.launch.managed == managed
