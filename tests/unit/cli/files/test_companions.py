"""Files that the analysis of a kernel needs besides its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import read_once
from analyzer.profile import AnalyzedFile
from cli.files.companions import companions_of
from cli.run.jobs import Job, run_anew, run_job

KERNEL = "__global__ void axpy(float *x) { x[0] = 1; }\nvoid run(float *x, int n) { axpy<<<n, 1>>>(x); }\n"
MAIN = "void run(float *x, int n);\nint main() { run(0, 64); }\n"


def test_only_kernels_have_companions(tmp_path: Path) -> None:
    paths = []
    for name, text in (("k.cu", KERNEL), ("k.cpp", KERNEL.replace("run", "go")), ("main.c", MAIN), ("alone.cu", "")):
        paths.append(str(tmp_path / name))
        Path(paths[-1]).write_text(text)
    kernel, *_, main, _ = paths
    assert companions_of([paths], ()) == {kernel: (kernel, main)}
    assert companions_of([[kernel], [main]], ()) == {}
    assert companions_of([paths], (str(tmp_path / "elsewhere"),)) == {}


@pytest.fixture
def program(tmp_path: Path) -> list[Job]:
    paths = []
    for name, text in (
        ("k.cu", KERNEL),
        ("l.cu", KERNEL.replace("axpy", "copy").replace("run", "go")),
        ("main.cu", MAIN),
    ):
        paths.append(str(tmp_path / name))
        Path(paths[-1]).write_text(text.replace("run(0, 64);", "run(0, 64); go(0, 32);"))
    return [
        Job(path=path, source=None, companions=tuple(paths), options=AnalysisOptions(), swept=None, store=None)
        for path in paths
    ]


def blocks(job: Job) -> int | None:
    (found,) = run_anew(run_job, job).profiles
    assert isinstance(found, AnalyzedFile)
    launch = found.regions[0].launch
    assert launch is not None
    return launch.grid[0]


def test_each_file_of_a_program_is_read_once(program: list[Job]) -> None:
    read_once.cache_clear()
    for job in program:
        run_job(job)
    assert read_once.cache_info().misses == len(program)


def test_a_process_that_outlives_a_run_reads_anew(program: list[Job]) -> None:
    kernel, *_, main = program
    assert blocks(kernel) == 64
    Path(main.path).write_text(MAIN.replace("64", "128"))
    assert blocks(kernel) == 128
