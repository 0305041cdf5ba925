"""Folders, processes, and results of earlier runs, through the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.isolated

Run = Callable[..., Any]
LOOP = "void {name}(int n, double *a, double *b)\n{{\n  for (int i = 0; i < n; i++) a[i] += b[i];\n}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("one", "two", "three"):
        (tmp_path / "src" / name).mkdir(parents=True)
        (tmp_path / "src" / name / f"{name}.c").write_text(LOOP.format(name=name))
    return tmp_path / "src"


def functions(text: str) -> list[str]:
    return [region["function"] for file in json.loads(text)["files"] for region in file["regions"]]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_folder(run: Run, folder: Path, workers: str) -> None:
    done = run(folder, "--format", "json", "-j", workers)
    assert (done.code, functions(done.stdout)) == (0, ["one", "three", "two"])


def test_what_is_left_out(run: Run, folder: Path) -> None:
    (folder / ".gitignore").write_text("two\n")
    done = run(folder, "--format", "json", "--exclude", "one/")
    assert functions(done.stdout) == ["three"]


def test_an_unusable_file_costs_only_itself(run: Run, folder: Path) -> None:
    (folder / "one" / "bad.c").write_bytes(b"\0\1\2")
    done = run(folder, "nowhere/*.c", "--format", "json")
    assert (done.code, functions(done.stdout)) == (2, ["one", "three", "two"])
    assert "nowhere/*.c: matches no file" in done.stderr
    assert "bad.c: is a binary file" in done.stderr


def test_the_files_of_a_build(run: Run, folder: Path) -> None:
    entry = {"directory": str(folder), "file": "one/one.c", "arguments": ["cc", "-Dn=m", "-c", "one/one.c"]}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    done = run("-p", folder, "--format", "json")
    assert functions(done.stdout) == ["one"]
    assert list(json.loads(done.stdout)["files"][0]["regions"][0]["parameters"]) == ["m"]


def test_results_of_an_earlier_run(run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AI_ESTIMATE_CACHE_DIR", str(tmp_path / "kept"))
    fresh = run(folder, "--machine", "haswell", "-D", "n=1000", "--no-cache")
    assert not (tmp_path / "kept").exists()
    first = run(folder, "--machine", "haswell", "-D", "n=1000")
    kept = [path for path in (tmp_path / "kept" / "v1").rglob("*") if path.is_file()]
    assert len(kept) == 3
    monkeypatch.setattr("analyzer.pipeline.analyze", None)
    again = run(folder, "--machine", "haswell", "-D", "n=1000")
    assert fresh == first == again


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-j", "0"), "-j must be at least 1"),
        (("--budget", "1MiB"), "at least 256 MiB"),
        (("--budget=-1",), "--budget -1 cannot be read"),
        (("--budget", "soon"), "--budget soon cannot be read"),
        (("--budget", "1s,2s"), "--budget 1s,2s gives its time twice"),
        (("--executor", "x"), "--executor x is not known"),
        (("-p", "nowhere"), "nowhere"),
    ],
)
def test_options_that_make_no_sense(run: Run, folder: Path, options: tuple[str, ...], message: str) -> None:
    done = run(folder, *options)
    assert (done.code, done.stdout) == (2, "")
    assert message in done.stderr
