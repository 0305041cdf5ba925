"""``ai-estimate machines measure`` through the command: with a compiler that pretends, and once with a real one."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import roofline.probe.compiler as compiler_module
from roofline.machine.schema import load_machine

Run = Callable[..., Any]

PROGRAM = '''#!{python}
"""What the benchmark would print on a toy: rates fall with the working set."""
import sys, time
mode, told = "{mode}", 0
if mode == "crash":
    sys.stderr.write("no such instruction\\n")
    sys.exit(3)
print("target {target}", flush=True)
for line in sys.stdin:
    kind, *rest = line.split()
    threads, size = (1, int(rest[0])) if "{gpu}" else (int(rest[0]), int(rest[1]))
    rate = threads * 1e12 / (1 + size) ** 0.2 if size else threads * 2e9 * (16 if "fma" in kind else 8)
    if kind.startswith("clock"):
        rate = threads * 2e9
    elif "-" in kind and not size:
        rate = 4e9
    elif kind == "chase":
        rate = 1e9 / (1 + size // 40000)
    elif kind.endswith("32"):
        rate *= 2
    elif kind.endswith("16"):
        rate *= 4
    told += 1
    if mode == "stuck" and told > 30:
        time.sleep(600)
    if mode == "odd" and kind == "load" and threads > 1 and size > 4 << 20:
        rate *= 1000
    if mode == "poor" and kind == "triad":
        print(kind, *rest[: 1 if "{gpu}" else 2], "error: no memory", flush=True)
        continue
    print(kind, *rest[: 1 if "{gpu}" else 2], rate, 0.98 * rate, flush=True)
'''

COMPILER = """#!{python}
import pathlib, sys
if "--version" in sys.argv:
    print("toycc 1.0")
    sys.exit(0)
if "{mode}" == "broken":
    sys.stderr.write("cpu.c:7: error: unknown type name 'vector64'\\n")
    sys.exit(1)
if "{mode}" == "old" and any(word.startswith(("-march=", "-mcpu=", "-arch=")) for word in sys.argv):
    sys.stderr.write("unknown option\\n")
    sys.exit(1)
target = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
target.write_text({program!r})
target.chmod(0o755)
"""

GPU = (
    "compute=8.0 units=108 clock_khz=1410000 memory_khz=1215000 bus_bits=5120 l2_bytes=41943040"
    " memory_bytes=42949672960 shared_bytes=167936 registers=65536 threads=2048 blocks=32 warp=32 name=Toy GPU 40GB"
)


@pytest.fixture
def toy(tmp_path: Path) -> Callable[..., str]:
    def make(mode: str = "plain", *, gpu: bool = False) -> str:
        target = GPU if gpu else "AVX2 256 1 1"
        program = PROGRAM.format(python=sys.executable, mode=mode, target=target, gpu="gpu" if gpu else "")
        path = tmp_path / f"toy-{mode}-{gpu}"
        path.write_text(COMPILER.format(python=sys.executable, mode=mode, program=program))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.c"
    path.write_text("void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = a[i] + 2.0 * b[i]; }\n")
    return path


def test_the_file_is_usable_at_once(run: Run, toy: Callable[..., str], tmp_path: Path, kernel: Path) -> None:
    target = tmp_path / "My Box.toml"
    found = run("machines", "measure", "-o", target, "--cc", toy(), "--cores", 1)
    assert (found.code, found.stdout) == (0, "")
    assert f"wrote {target}" in found.stderr
    machine = load_machine(target)
    assert (machine.id, machine.units.count) == ("my-box", 1)
    assert "toycc 1.0" in (machine.sources[0].note or "")
    report = json.loads(run(kernel, "--machine", target, "--format", "json").stdout)
    bound = report["files"][0]["regions"][0]["projection"]["bound"]
    assert bound == "memory"


def test_without_a_file_it_goes_to_standard_output(run: Run, toy: Callable[..., str]) -> None:
    found = run("machines", "measure", "--cc", toy(), "--cores", 1, "--quiet")
    assert found.stdout.startswith('id = "this-machine"')
    assert "note:" not in found.stderr


def test_doubtful_figures_are_told_and_marked(run: Run, toy: Callable[..., str], tmp_path: Path) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core has nothing to disturb")
    target = tmp_path / "odd.toml"
    found = run("machines", "measure", "-o", target, "--cc", toy("odd"), "--quiet")
    assert found.code == 0
    assert "doubtful:" in found.stderr
    assert "faster than" in found.stderr
    machine = load_machine(target)
    figures = [figure for part in (*machine.levels, machine.memory) for figure in part.bandwidths]
    assert any(figure.explain and "doubtful" in figure.explain for figure in figures)


def test_what_could_not_be_measured_is_told(run: Run, toy: Callable[..., str], tmp_path: Path) -> None:
    target = tmp_path / "poor.toml"
    found = run("machines", "measure", "-o", target, "--cc", toy("poor"), "--cores", 1)
    assert "not measured: triad 1" in found.stderr
    assert {figure.pattern for figure in load_machine(target).memory.bandwidths} >= {"load", "copy", "copy-nt"}


def test_a_benchmark_that_hangs_is_ended_and_what_it_told_counts(
    run: Run, toy: Callable[..., str], tmp_path: Path
) -> None:
    target = tmp_path / "stuck.toml"
    found = run("machines", "measure", "-o", target, "--cc", toy("stuck"), "--cores", 1, "--seconds", 3)
    if found.code == 2 and "too short to measure anything" in found.stderr:
        pytest.skip("other programs take all of the time")
    assert found.code == 0, found.stderr
    assert "3 s were too short for" in " ".join(load_machine(target).notes)


def test_a_compiler_without_native_options_will_do(run: Run, toy: Callable[..., str], tmp_path: Path) -> None:
    target = tmp_path / "old.toml"
    assert run("machines", "measure", "-o", target, "--cc", toy("old"), "--cores", 1).code == 0
    assert "-march" not in (load_machine(target).sources[0].note or "")


@pytest.mark.parametrize(
    ("mode", "told"), [("broken", "cpu.c:7: error: unknown type name 'vector64'"), ("crash", "no such instruction")]
)
def test_failures_leave_the_old_file(run: Run, toy: Callable[..., str], tmp_path: Path, mode: str, told: str) -> None:
    target = tmp_path / "mine.toml"
    target.write_text("# what was here before\n")
    found = run("machines", "measure", "-o", target, "--cc", toy(mode), "--cores", 1)
    assert found.code == 2
    assert told in found.stderr
    assert target.read_text() == "# what was here before\n"
    assert [path.name for path in tmp_path.glob("*.toml")] == ["mine.toml"]


@pytest.mark.parametrize("gpu", [False, True])
def test_without_a_compiler_nothing_is_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gpu: bool
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CC", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(compiler_module, "CUDA_HOME", str(tmp_path / "cuda"))
    target = tmp_path / "mine.toml"
    found = run("machines", "measure", "-o", target, *(["--gpu"] if gpu else []))
    assert found.code == 2
    assert ("no CUDA compiler was found" if gpu else "no C compiler was found") in found.stderr
    assert not target.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--cc", "no-such-compiler"], "'no-such-compiler' (--cc) was not found"),
        (["--cores", "0"], "--cores must be at least 1"),
        (["--cores", "100000"], "cores can be used here"),
        (["--seconds", "0"], "--seconds 0"),
        (["-o", "mine.txt"], "ends in .toml"),
        (["-o", "no/such/folder/mine.toml"], "no such folder"),
        (["--gpu", "--cores", "2"], "--cores is of processors"),
        (["--fast"], "unrecognized arguments"),
    ],
)
def test_options_that_make_no_sense(run: Run, toy: Callable[..., str], arguments: list[str], told: str) -> None:
    given = arguments if "--cc" in arguments else [*arguments, "--cc", toy()]
    found = run("machines", "measure", *given)
    assert (found.code, found.stdout) == (2, "")
    assert told in found.stderr


def test_a_gpu_becomes_a_machine(run: Run, toy: Callable[..., str], tmp_path: Path) -> None:
    target = tmp_path / "gpu.toml"
    found = run("machines", "measure", "--gpu", "-o", target, "--cc", toy(gpu=True))
    assert found.code == 0, found.stderr
    machine = load_machine(target)
    assert machine.gpu is not None
    assert (machine.units.count, machine.gpu.target, machine.gpu.shared_memory_bytes) == (108, "sm_80", 167936)
    assert {peak.precision.value for peak in machine.peaks} == {"fp64", "fp32", "fp16"}
    assert [level.name for level in machine.levels] == ["L1", "L2"]
    kernel = tmp_path / "k.cu"
    kernel.write_text("__global__ void k(double *x) { x[threadIdx.x] += 1.0; }\n")
    assert run(kernel, "--machine", target, "--launch", "k:grid=64,block=256").code == 0


def test_a_driver_that_fails_is_told(run: Run, toy: Callable[..., str], tmp_path: Path) -> None:
    target = tmp_path / "gpu.toml"
    found = run("machines", "measure", "--gpu", "-o", target, "--cc", toy("crash", gpu=True))
    assert found.code == 2
    assert "no such instruction" in found.stderr
    assert not target.exists()


@pytest.mark.slow
@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler")
def test_this_machine(run: Run, tmp_path: Path, kernel: Path) -> None:
    target = tmp_path / "real.toml"
    found = run("machines", "measure", "-o", target, "--seconds", 10, "--cores", 1)
    if found.code == 2 and "too short to measure anything" in found.stderr:
        pytest.skip("other programs take all of the time")
    assert found.code == 0, found.stderr
    machine = load_machine(target)
    assert machine.memory.bandwidths[0].value > 0
    assert machine.peaks[0].fma or machine.peaks[0].no_fma
    assert "by ai-estimate machines measure" in machine.sources[0].title
    assert 2e8 < machine.clock_hz < 1e10
    assert run(kernel, "--machine", target).code == 0


def instructions(compiler: str, *options: str) -> dict[str, list[str]]:
    """The instructions of every function of the CPU benchmarks, by the name of the function."""
    source = Path(compiler_module.__file__).parent / "kernels" / "cpu.c"
    command = [compiler, "-O3", "-fno-math-errno", "-ffp-contract=fast", *options, "-S", "-o", "-", str(source)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if label := re.match(r"_?(\w+):", line):
            name = label[1] if not label[1].startswith("L") else name
        elif instruction := re.match(r"\s+([a-z]\w*)", line):
            found.setdefault(name, []).append(instruction[1])
    return found


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads x86 instructions")
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_kernels_are_vectorised_and_not_optimised_away(compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    found = instructions(compiler, "-march=haswell")

    def times(function: str, pattern: str, expected: int) -> bool:
        """As often as written, or a multiple of that where the loop is unrolled."""
        number = sum(re.fullmatch(pattern, name) is not None for name in found[function])
        return number > 0 and number % expected == 0

    assert times("fma64", r"vfmadd\d+pd", 12)
    assert times("fma32", r"vfmadd\d+ps", 12)
    assert times("mix64", "vmulpd", 6)
    assert times("mul32", "vmulps", 12)
    assert "vaddpd" in found["mix64"]
    assert not any(name.startswith("vfm") for name in found["mix64"])
    assert times("stream_load", r"vmov[au]p[sd]", 8)
    assert times("stream_copy", r"vmov[au]p[sd]", 16)
    assert times("stream_triad", r"vfmadd\d+pd", 8)
    assert times("stream_triad_past", "vmovntp[sd]", 8)
    assert times("div64_vector", "vdivpd", 1)
    assert times("sqrt32_vector", "vsqrtps", 1)
    assert times("latency_fma", r"vfmadd\d+sd", 1)
    assert times("clock_chain", r"add[lq]|leaq", 1)
    assert times("port_fma_256", r"vfmadd\d+pd", 12)
    assert times("port_fma_64", r"vfmadd\d+sd", 12)
    assert times("port_add_128", "vaddpd", 12)
    assert times("port_loads_64", "v?movsd|vmovq", 8)
    assert times("port_stores_128", r"vmov[au]p[sd]", 8)
    assert found["integers_full"].count("vpaddq") >= 12  # the loop, and what it starts from
    assert times("clock_full_13", r"vfmadd\d+pd", 12)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_the_cuda_benchmarks_compile(tmp_path: Path) -> None:
    built = compiler_module.build(
        compiler_module.find_cuda_compiler(None), "gpu.cu", tmp_path, ("-O3",), (["-arch=sm_80"],)
    )
    assert built.path.exists()
