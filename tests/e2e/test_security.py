"""Sources, repositories and data files that mean harm: the promises of ``.github/SECURITY.md``."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOOP = "void f(int n, double *a)\n{\n  for (int i = 0; i < n; i++) a[i] += 1;\n}\n"
CODE = "__import__('os').system('touch sprung')"
WATCH = """
import sys
def hook(event, arguments):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "socket.connect"):
        print("STARTED", event, arguments, file=sys.stderr)
sys.addaudithook(hook)
from cli.main import run
sys.exit(run())
"""


def watched(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that tells of every program it starts."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", WATCH, *map(str, arguments)]
    return subprocess.run(words, env=environment, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark where it is run."""
    path = tmp_path / "trap.sh"
    path.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    path.chmod(0o755)
    return path


def test_no_program_is_started(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text('#pragma clang module build x\n#include "|touch sprung"\n' + LOOP)
    (tmp_path / "k.cu").write_text(
        "__global__ void k(float *x) { x[threadIdx.x] = 1; }\nint main() { k<<<1, 32>>>(0); }\n"
    )
    done = watched("f.c", "k.cu", "--machine", "v100", "--no-cache", cwd=tmp_path)
    assert done.returncode == 0
    assert "STARTED" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.c", "k.cu"]


def test_only_harmless_arguments_of_a_build(tmp_path: Path, trap: Path) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    (tmp_path / "more.rsp").write_text("-Dn=7\n")
    plugin = str(tmp_path / "plugin.so")
    arguments = [
        *(
            str(trap),
            "cc",
            "-fplugin=" + plugin,
            "-Xclang",
            "-load",
            "-Xclang",
            plugin,
            "@more.rsp",
            "-wrapper",
            str(trap),
        ),
        *("-o", "out.o", "-MF", "deps.d", "-save-temps", "-ftime-trace=t.json", "-Dn=m", "-c", "f.c"),
    ]
    entry = {"directory": str(tmp_path), "file": "f.c", "arguments": arguments}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    before = sorted(path.name for path in tmp_path.iterdir())
    done = watched("-p", ".", "--format", "json", "--no-cache", cwd=tmp_path)
    assert done.returncode == 0
    assert list(json.loads(done.stdout)["files"][0]["regions"][0]["parameters"]) == ["m"]
    assert "STARTED" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_git_runs_nothing_of_the_repository(tmp_path: Path, trap: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    (tmp_path / "f.c").write_text(LOOP)
    (tmp_path / ".gitattributes").write_text("*.c diff=trap\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    for name in (
        "core.fsmonitor",
        "diff.external",
        "diff.trap.command",
        "diff.trap.textconv",
        "core.pager",
        "core.editor",
    ):
        subprocess.run([*git, "config", name, str(trap)], check=True)
    (tmp_path / "f.c").write_text(LOOP.replace("1;", "2;"))
    done = watched("check", "f.c", "--diff-base", "HEAD", "--no-cache", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("name", "text", "arguments"),
    [
        ("mine.toml", f'name = "{CODE}"\n', ("f.c", "--machine", "./mine.toml")),
        ("p.toml", f'name = "p"\n[flops]\nadd = "{CODE}"\n', ("f.c", "--policy", "p.toml")),
        ("ai-estimate.toml", 'machine = "$(touch sprung)"\n', ("check", "f.c")),
        ("m.csv", "kernel,flops\nf,=cmd|'touch sprung'!A1\n", ("compare", "f.c", "--measured", "m.csv")),
    ],
)
def test_data_files_are_only_read(tmp_path: Path, name: str, text: str, arguments: tuple[str, ...]) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    (tmp_path / name).write_text(text)
    done = watched(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "STARTED" not in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "sprung").exists()


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file whose name and text are made of what other languages take for their own."""
    name = "<script>alert(1)</script>|`x`::error ::\x1b[31m.c"
    folder = tmp_path / "in"
    folder.mkdir()
    monkeypatch.chdir(folder)
    name = name.replace("/", "_")
    Path(name).write_text("// <img src=x onerror=alert(1)> </script>\n// ai-estimate: hot, min-ai=9\n" + LOOP)
    return name


def test_names_are_escaped(run, named: str, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    assert run(named, "--machine", "v100", "--format", "html", "-o", page).code == 0
    html = page.read_text("utf-8")
    assert "<script>alert(1)" not in html
    assert "<img src=x" not in html
    for arguments in ("--format table", "--format text", "--format markdown", "--explain", "--by-line"):
        assert "\x1b[31m" not in run(named, "--machine", "v100", *arguments.split()).stdout
    markdown = run(named, "--machine", "v100", "--format", "markdown").stdout
    assert "<script>" not in re.sub(r"`[^`]*`", "", markdown)
    sarif = run("check", named, "--machine", "v100", "--format", "sarif").stdout
    assert json.loads(sarif)["runs"][0]["results"]
    github = run("check", named, "--machine", "v100", "--format", "github").stdout
    assert [line for line in github.splitlines() if line.startswith("::")]
    assert all(line.count("::") == 2 for line in github.splitlines() if line.startswith("::"))
    assert "\x1b[31m" not in run("check", named, "--machine", "v100").stdout


class Sprung:
    """Marks that it was unpickled."""

    def __reduce__(self):
        return os.mkdir, ("sprung",)


@pytest.mark.parametrize("data", [pickle.dumps(Sprung()), zlib.compress(pickle.dumps(Sprung())), b"\x80\x04."])
def test_kept_results_are_only_data(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AI_ESTIMATE_CACHE_DIR", str(tmp_path / "kept"))
    fresh = run("f.c")
    (entry,) = (path for path in (tmp_path / "kept").rglob("*") if path.is_file())
    entry.write_bytes(data)
    assert run("f.c") == fresh
    assert not (tmp_path / "sprung").exists()


def test_nothing_else_is_written(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    done = watched("f.c", "--machine", "v100", "--output", "r.txt", "--plot", "p.svg", "--no-cache", cwd=tmp_path)
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.c", "p.svg", "r.txt"]


def test_every_promise_names_its_test() -> None:
    promised = re.findall(r"`(test_\w+)`", (ROOT / ".github" / "SECURITY.md").read_text())
    assert promised
    assert [name for name in promised if name not in globals()] == []
