"""Properties of the GPU in host code: those of all GPUs of CUDA, those of the machine, and those that stay open."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.host.interpreter import find_launches
from analyzer.frontend.launches.given import parse_launch
from analyzer.frontend.launches.launches import launches_of
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile
from roofline.catalog import find_machine
from roofline.model.gpu.device_properties import device_properties

HEAD = "__global__ void k(int n) {} int main() { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int n = 0; "
QUERY = "cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0); "


def launched(body, device=None):
    parsed = parse_clang(SourceFile("x.cu", HEAD + body + " k<<<1, 32>>>(n); }", Language.CUDA), ParseOptions())
    assert parsed.diagnostics == ()
    return find_launches([parsed.unit], (), None, device)[0]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("n = p.warpSize;", 32),
        ("n = p.maxThreadsPerBlock / 4;", 256),
        ("n = p.maxGridSize[1];", 65535),
        ("n = p.sharedMemPerBlock;", 49152),
        ("cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0);", 32),
        ("int m; cudaDeviceGetAttribute(&m, cudaDevAttrMemoryClockRate, 0); n = 4;", 4),
    ],
)
def test_what_all_gpus_have(body, expected):
    assert launched(body).arguments == {"n": expected}


@pytest.mark.parametrize("body", ["n = 2 * p.multiProcessorCount;", QUERY + "n *= 2;"])
def test_what_the_machine_has(body):
    assert launched(body, {"multiProcessorCount": 108}).arguments == {"n": 216}
    found = launched(body)
    assert found.arguments == {}
    (source,) = found.missing["n"].sources
    assert source.name in ("p.multiProcessorCount", "n")


def test_an_open_property_leaves_the_others_known():
    found = launched("if (p.totalGlobalMem > 1000) n = p.multiProcessorCount; else n = 5; n = p.warpSize;")
    assert found.arguments == {"n": 32}


def test_machines_tell_what_they_have_and_several_what_they_share():
    v100, a100 = find_machine("v100"), find_machine("a100-40")
    assert device_properties([v100])["multiProcessorCount"] == 80
    assert device_properties([v100])["major"] == 7
    shared = device_properties([v100, a100, find_machine("haswell")])
    assert "multiProcessorCount" not in shared
    assert shared["warpSize"] == 32
    assert device_properties([find_machine("haswell")]) == {}
    assert device_properties([find_machine("mi250x")])["warpSize"] == 64


A100 = {"maxThreadsPerMultiProcessor": 2048, "maxBlocksPerMultiProcessor": 32, "multiProcessorCount": 108}
AMPERE = {**A100, "maxThreadsPerMultiProcessor": 1536, "maxBlocksPerMultiProcessor": 16, "multiProcessorCount": 68}
SHARED = {"sharedMemPerMultiprocessor": 102400}
OCCUPANCY = """__global__ void k(float *x, int n) {} int main() { int n = 1 << 20, least = 0, size = 0;
  cudaOccupancyMaxPotentialBlockSize(&least, &size, k%s); %s; }"""
BLOCKS = "cudaOccupancyMaxActiveBlocksPerMultiprocessor(&size, k, 192, 0); k<<<size, 192>>>(0, n)"


@pytest.mark.parametrize(
    ("device", "arguments", "launch", "grid", "block"),
    [
        (A100, "", "k<<<(n + size - 1) / size, size>>>(0, n)", 1024, 1024),
        (
            AMPERE,
            ", 0, 0",
            "k<<<least, size>>>(0, n)",
            2 * 68,
            768,
        ),  # twice 768 is 1536
        (AMPERE, ", 0, 256", "k<<<least, size>>>(0, n)", 6 * 68, 256),
        (AMPERE | SHARED, ", 40000, 0", "k<<<least, size>>>(0, n)", 2 * 68, 768),
        (AMPERE | SHARED, ", 60000, 0", "k<<<least, size>>>(0, n)", 68, 1024),
        (AMPERE, "", BLOCKS, 8, 192),
    ],
)
def test_block_sizes_of_the_best_occupancy(device, arguments, launch, grid, block):
    text = OCCUPANCY % (arguments, launch)
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    (found,), notes = launches_of(unit, device=device)
    assert (found.launch.grid, found.launch.block) == ((grid, 1, 1), (block, 1, 1))
    assert {note.code for note in notes} == {"AI321"}


def test_block_sizes_of_an_unknown_machine_are_open():
    text = OCCUPANCY % ("", "k<<<least, size>>>(0, n)")
    unit = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions()).unit
    (found,), notes = launches_of(unit)
    assert found.launch.block[0] is None
    assert {note.code for note in notes} == {"AI212"}
    (given,), notes = launches_of(unit, [parse_launch("k:grid=7,block=64")], device=A100)
    assert given.launch.block == (64, 1, 1)
    assert "AI321" not in {note.code for note in notes}


PITCHED = "size_t step = 0; float *x; "


@pytest.mark.parametrize(
    ("body", "pitch", "size"),
    [
        ("cudaMallocPitch(&x, &step, 1000 * sizeof(float), 10);", 4096, 40960),
        ("cudaMallocPitch((void **)&x, &step, 512, 3);", 512, 1536),
        ("hipMallocPitch(&x, &step, 4004, 10);", 4096, 40960),
        (
            "cudaPitchedPtr q; cudaMalloc3D(&q, make_cudaExtent(100, 4, 5)); x = (float *)q.ptr; step = q.pitch;",
            512,
            10240,
        ),
    ],
)
def test_rows_of_pitched_memory(body, pitch, size):
    head = "#include <hip/hip_runtime.h>\n" if "hip" in body else ""
    text = f"{head}__global__ void k(float *x, size_t n) {{}} int main() {{ {PITCHED}{body} k<<<1, 32>>>(x, step); }}"
    parsed = parse_clang(SourceFile("x.cu", text, Language.CUDA), ParseOptions())
    (found,) = find_launches([parsed.unit], (), None, None)
    assert found.arguments == {"n": pitch}
    assert dict(found.launch.array_bytes) == {"x": size}


def test_a_machine_is_one_gpu():
    assert launched("cudaGetDeviceCount(&n);", device_properties([find_machine("v100")])).arguments == {"n": 1}
    assert launched("cudaGetDeviceCount(&n);").arguments == {}
