"""Patches of kernels: they apply and compile, threads compute the same, and the figures are those that were advised."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from roofline import estimate, source_text
from roofline.report.patches.patch import patch_text
from tests.conftest import Outcome

ADD = """\
#include <cstdio>

__global__ void add(const float *a, const float *b, float *c, int n, int m)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x; // threadIdx.x is the row
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < m)
        c[row * m + col] = a[row * m + col] + b[row * m + col];
}

float a[4096 * 2048], b[4096 * 2048], c[4096 * 2048];

int main()
{
    const int n = 4000, m = 2000;
    for (int i = 0; i < n * m; i++) { a[i] = i % 1000; b[i] = i % 77; }
    dim3 block(16, 8);
    dim3 grid((n + 15) / 16, (m + 7) / 8);
    add<<<grid, block>>>(a, b, c, n, m);
    double s = 0;
    for (int i = 0; i < 4096 * 2048; i++) s += c[i] * (i % 13);
    printf("%.17g\\n", s);
}
"""
LAUNCH = "add<<<grid, block>>>"
EMULATED = """\
struct dim3 { unsigned x, y, z; dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {} };
static dim3 threadIdx(0, 0, 0), blockIdx(0, 0, 0), blockDim, gridDim;
static void launch(dim3 grid, dim3 block) { gridDim = grid; blockDim = block; }
#define __global__ static
#define EACH(i, n) for (i.z = 0; i.z < n.z; i.z++) for (i.y = 0; i.y < n.y; i.y++) for (i.x = 0; i.x < n.x; i.x++)
"""


def patch(text: str) -> str:
    return patch_text(estimate(source_text(text, "add.cu"), "a100", advise=True))


def patched(text: str, folder: Path) -> str:
    (folder / "add.cu").write_text(text)
    (folder / "add.patch").write_text(patch(text))
    subprocess.run(["patch", "-p1", "-s", "-i", "add.patch"], cwd=folder, check=True)
    return (folder / "add.cu").read_text()


def result(text: str, folder: Path) -> str:
    """Run the threads of each launch one after another."""
    text = re.sub(r"add<<<(.*)>>>(.*);", r"launch(\1); EACH(blockIdx, gridDim) EACH(threadIdx, blockDim) add\2;", text)
    (folder / "run.cpp").write_text(EMULATED + text)
    subprocess.run(["g++", "-O1", "run.cpp", "-o", "run"], cwd=folder, check=True)
    return subprocess.run(["./run"], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.skipif(not (shutil.which("patch") and shutil.which("g++")), reason="patch or g++ is not installed")
@pytest.mark.parametrize(
    "launch",
    [LAUNCH, "add<<<dim3((n + 15) / 16, (m + 7) / 8), dim3(16, 8, 1)>>>", "add<<<grid, dim3(16, 8)>>>"],
)
def test_threads_of_a_patched_kernel_compute_the_same(launch: str, tmp_path: Path) -> None:
    text = ADD.replace(LAUNCH, launch)
    after = patched(text, tmp_path)
    assert "row = blockIdx.y * blockDim.y + threadIdx.y; // threadIdx.x is the row" in after
    assert result(after, tmp_path) == result(text, tmp_path)
    before, now = (estimate(source_text(each, "add.cu"), "a100", advise=True).regions for each in (text, after))
    kernel, exchanged = (next(each for each in regions if each.profile.name == "add") for regions in (before, now))
    (advice,) = (each for each in kernel.advice if each.code == "AI422")
    assert kernel.expected_time / exchanged.expected_time == pytest.approx(advice.gain, rel=0.01)
    assert "AI422" not in {each.code for each in exchanged.advice}
    if shutil.which("nvcc"):
        subprocess.run(["nvcc", "-c", "add.cu", "-o", "add.o"], cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("float a[", "auto kernel = add;\nfloat a["),
        ("__global__ void add", "__device__ int across() { return threadIdx.x; }\n__global__ void add"),
        ("__global__ void add", "#define ROW threadIdx.x\n__global__ void add"),
        ("    if (row < n", "    uint3 t = threadIdx;\n    if (row < n"),
        ("#include <cstdio>", '#include <cstdio>\n#include "own.h"'),
        ("#include <cstdio>", "#include <cstdio>\n#include <own.cuh>"),
        ("__global__ void add", "__global__ void __cluster_dims__(2, 1, 1) add"),
        (LAUNCH, "auto g = grid; add<<<g, block>>>"),
        ("grid((n + 15) / 16,", "grid((n + 15) / 16 + 65536,"),
    ],
    ids=["value", "function", "macro", "whole", "header", "header in brackets", "cluster", "type", "blocks"],
)  # fmt: skip
def test_what_a_person_has_to_look_at_is_no_patch(old: str, new: str) -> None:
    assert patch(ADD)
    assert ADD.count(old) == 1 or old == "__global__ void add"
    assert not patch(ADD.replace(old, new, 1))


def test_the_command_writes_it(run: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "add.cu").write_text(ADD)
    done: Outcome = run("add.cu", "--machine", "a100", "--patch")  # type: ignore[operator]
    assert done.stdout == patch(ADD)
