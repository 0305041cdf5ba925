"""Properties of the GPU in host code: those of all GPUs of CUDA, those of the machine, and those that stay open."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.host.interpreter import find_launches
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile
from roofline.catalog import find_machine
from roofline.model.device_properties import device_properties

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
