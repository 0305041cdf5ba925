"""Files that the analysis of a kernel needs besides its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.options import AnalysisOptions
from analyzer.profile import AnalyzedFile
from analyzer.stages.reading import read_once
from cli.files.companions import companions_of
from cli.files.selection import select
from cli.run.jobs import Job, run_anew, run_job

KERNEL = "__global__ void axpy(float *x) { x[0] = 1; }\nvoid run(float *x, int n) { axpy<<<n, 1>>>(x); }\n"
MAIN = "void run(float *x, int n);\nint main() { run(0, 64); }\n"


def test_only_kernels_have_companions(tmp_path: Path) -> None:
    paths = []
    for name, text in (("k.cu", KERNEL), ("k.cpp", KERNEL.replace("run", "go")), ("main.c", MAIN), ("alone.cu", "")):
        paths.append(str(tmp_path / name))
        Path(paths[-1]).write_text(text)
    kernel, *_, main, _ = paths
    assert companions_of(select(paths), ()) == {kernel: (kernel, main)}
    assert companions_of(select([kernel]), ()) == {}
    assert companions_of(select(paths), (str(tmp_path / "elsewhere"),)) == {}


def test_folders_of_one_call_are_one_program(tmp_path: Path) -> None:
    for name, text in (("drive/main.c", MAIN), ("kernels/run.c", "void run(float *x, int n) { x[n] = 1; }\n")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    folders = [str(tmp_path / name) for name in ("drive", "kernels")]
    assert companions_of(select(folders), ()) == {f"{folders[0]}/main.c": (f"{folders[1]}/run.c",)}
    assert companions_of(select(folders[:1]), ()) == {}


def test_files_of_c_have_those_that_define_what_they_use(tmp_path: Path) -> None:
    texts = {
        "main.c": '#include "sizes.h"\nint main() { step(1); return 0; }\n',
        "step.c": "void add(int);\nvoid step(int n) { add(n); }\n",
        "add.c": "void add(int n) { }\n",
        "sizes.c": "int unused;\ndouble x[100];\nint y(void) { return x[0]; }\n",
        "reads.c": '#include "sizes.h"\ndouble f(void) { return x[1]; }\n',
        "sizes.h": "extern double x[];\nvoid step(int n);\n",
        "other.c": "void alone(int unused) { }\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = companions_of(select([str(tmp_path)]), ())
    names = {Path(path).name: [Path(other).name for other in others] for path, others in found.items()}
    assert names == {"main.c": ["step.c", "add.c"], "step.c": ["add.c"], "reads.c": ["sizes.c"]}


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
