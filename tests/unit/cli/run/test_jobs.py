"""Jobs here, in processes, and elsewhere."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from analyzer.errors import OptionError
from analyzer.ir.nodes import Region
from analyzer.options import AnalysisOptions
from analyzer.profile import AnalyzedFile, RegionProfile
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region
from cli.cache.spilled_profiles import Packed
from cli.options import Workers
from cli.run.isolated_worker import can_fork
from cli.run.jobs import Job, _in_processes, run_jobs

ROOT = Path(__file__).parents[4]


class Bomb:
    """Ends the process that takes it over, or that looks at it."""

    def __reduce__(self) -> tuple[Any, tuple[int]]:
        return os._exit, (1,)

    def __getattr__(self, name: str) -> Any:
        os._exit(1)


def job(path: Path, source: Any = None) -> Job:
    return Job(path=str(path), source=source, companions=(), options=AnalysisOptions(), swept=None, store=None)


@pytest.fixture
def jobs(tmp_path: Path) -> list[Job]:
    found = []
    for number in range(5):
        path = tmp_path / f"f{number}.c"
        path.write_text(f"void f{number}(double *a) {{ for (int i = 0; i < {number}; i++) a[i] += 1; }}\n")
        found.append(job(path))
    return found


def names(jobs: list[Job], workers: Workers) -> list[str]:
    done: list[str] = []
    outcomes = list(run_jobs(jobs, workers, done.append))
    assert done == [item.path for item in jobs]
    return [str(found.error) if found.error else name_in(found.profiles[0]) for found in outcomes]


def name_in(profile: AnalyzedFile | Packed) -> str:
    assert isinstance(profile, AnalyzedFile)
    return profile.regions[0].name


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2])
def test_outcomes_come_in_order(jobs: list[Job], count: int) -> None:
    assert names(jobs, Workers(count)) == ["f0", "f1", "f2", "f3", "f4"]


@pytest.mark.slow
def test_a_pool_makes_way_for_another(jobs: list[Job]) -> None:
    places: list[str] = []
    outcomes = list(_in_processes([*jobs, *jobs[:2]], 2, 4096, places.append, per_process=1))
    assert [name_in(found.profiles[0]) for found in outcomes] == ["f0", "f1", "f2", "f3", "f4", "f0", "f1"]
    assert len(places) == 7


def _text(value: object) -> str:
    """The value without the names of families, which are drawn anew in every process."""
    return re.sub(r"families=frozenset\(\{[^}]*\}\)", "", repr(value))


@pytest.mark.slow
def test_many_results_are_sent_packed(jobs: list[Job], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.run.jobs.MANY", 2)
    (tmp_path / "empty.c").write_text("int x;\n")
    jobs.append(job(tmp_path / "empty.c"))
    *packed, empty = (outcome.profiles[0] for outcome in run_jobs(jobs, Workers(2), lambda path: None))
    monkeypatch.undo()
    plain = [outcome.profiles[0] for outcome in run_jobs(jobs, Workers(1), lambda path: None)]
    unpacked = [found.unpacked() for found in packed if isinstance(found, Packed)]
    assert list(map(_text, [*unpacked, empty])) == list(map(_text, plain))
    assert [found.diagnostics for found in packed] == [found.diagnostics for found in plain[:-1]]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2])
def test_a_file_that_fails_costs_only_itself(jobs: list[Job], tmp_path: Path, count: int) -> None:
    missing = str(tmp_path / "no.c")
    assert names([*jobs[:2], job(tmp_path / "no.c"), *jobs[2:]], Workers(count)) == [
        "f0",
        "f1",
        f"{missing}: no such file (check the path)",
        "f2",
        "f3",
        "f4",
    ]


@pytest.mark.slow
def test_a_crash_costs_only_its_file(jobs: list[Job], tmp_path: Path) -> None:
    found = names([jobs[0], job(tmp_path / "bomb.c", Bomb()), *jobs[1:]], Workers(2))
    assert [found[0], *found[2:]] == ["f0", "f1", "f2", "f3", "f4"]
    assert "bomb.c: its analysis ended with a crash" in found[1]


def crash_at_g(region: Region, options: ProfileOptions) -> RegionProfile:
    if region.name == "g":
        os._exit(1)
    return profile_region(region, options)


@pytest.mark.skipif(not can_fork(), reason="no such children here")
def test_a_function_that_ends_the_process_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.stages.counting.profile_region", crash_at_g)
    loops = (f"void {name}(int n, double *a) {{ for (int i = 0; i < n; i++) a[i] += 1; }}\n" for name in "fgh")
    (tmp_path / "a.c").write_text("".join(loops))
    (outcome,) = run_jobs([job(tmp_path / "a.c")], Workers(1), lambda path: None)
    (profile,) = outcome.profiles
    assert isinstance(profile, AnalyzedFile)
    assert [region.name for region in profile.regions] == ["f", "h"]
    (told,) = profile.diagnostics
    assert (told.code, told.span.line) == ("AI213", 2)
    assert "g is left out: its analysis ended with a crash" in told.message


@pytest.mark.parametrize("where", ["nowhere", "dask://", "slurm://x"])
def test_an_executor_that_is_not_known(jobs: list[Job], where: str) -> None:
    with pytest.raises(OptionError, match="write dask://HOST:PORT or mpi"):
        names(jobs, Workers(executor=where))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_dask(jobs: list[Job]) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address.removeprefix("tcp://")
        assert names(jobs, Workers(executor=f"dask://{address}")) == ["f0", "f1", "f2", "f3", "f4"]


def test_mpi_needs_ranks(jobs: list[Job]) -> None:
    pytest.importorskip("mpi4py")
    with pytest.raises(OptionError, match="finds no other rank"):
        names(jobs, Workers(executor="mpi"))


@pytest.mark.slow
def test_mpi(jobs: list[Job]) -> None:
    pytest.importorskip("mpi4py")
    start = shutil.which("mpiexec", path=os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]))
    if start is None:
        pytest.skip("no mpiexec")
    anyone = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    environment = {**os.environ, **anyone, "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
    command = [start, "-n", "3", sys.executable, "-m", "mpi4py.futures", "-m", "cli", *(job.path for job in jobs)]
    command += ["--executor", "mpi", "--format", "csv"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [row["function"] for row in rows if row["kind"] == "function"] == ["f0", "f1", "f2", "f3", "f4"]
