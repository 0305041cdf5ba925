"""Every command that the documentation shows is run, and prints what is shown."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "analyzer/README.md", "cli/lsp/README.md", "corpus/kerncraft/README.md")
_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
_ELSEWHERE = ("python", "pip", ".venv")  # other tests, and .ci/run, run these
_ONLY_HELP = (("machines", "measure"), ("lsp",))  # take long, or wait for an editor
_WRITING = ("-o", "--output-file", "--plot", "--write-baseline")
_FINDINGS = 1

SIZES = "void daxpy(int n, double a, double *x, double *y)\n{\n  for (int i = 0; i < n; i++) y[i] += a * x[i];\n}\n"
SAXPY = """\
#include <cstdlib>
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), block = atoi(argv[2]);
  float *x, *y;
  saxpy<<<(n + block - 1) / block, block>>>(n, 2.0f, x, y);
}
"""
TRIAD = """\
__global__ void triad(double *a, const double *b, const double *c, double s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i] + s * c[i];
}
void run(double *a, double *b, double *c) { triad<<<65536, 256>>>(a, b, c, 3.0, 16777216); }
"""


def blocks(kind):
    found = (block for page in PAGES for block in _BLOCK.finditer((ROOT / page).read_text()))
    return [block["text"] for block in found if block["kind"] == kind]


def commands():
    lines = [line for text in blocks("sh") for line in text.splitlines() if line.strip()]
    return [line for line in lines if not line.startswith(_ELSEWHERE)]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the files that the documentation speaks of."""
    (tmp_path / "kernel.c").write_text(SIZES)
    (tmp_path / "kernel.cu").write_text(SAXPY)
    (tmp_path / "triad.cu").write_text(TRIAD)
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "kernel.c").write_text(SIZES)
    (tmp_path / "build").mkdir()
    entry = {"directory": str(tmp_path), "file": "kernel.c", "arguments": ["cc", "-c", "kernel.c"]}
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps([entry]))
    shutil.copy(ROOT / "tests" / "data" / "measured" / "ncu_long.csv", tmp_path / "ncu.csv")
    (tmp_path / "corpus").symlink_to(ROOT / "corpus")
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org"]
    for action in (["init", "-q"], ["add", "src"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *action], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


@pytest.mark.parametrize("command", commands())
def test_commands(run, here, command):
    before, _, line = command.rpartition("|")
    words = shlex.split(line, comments=True)
    assert words[0] == "ai-estimate"
    arguments = words[1:]
    text = ""
    if before:
        echoed = shlex.split(before)
        assert echoed[0] == "echo"
        text = echoed[1]
    if any(tuple(arguments[: len(part)]) == part for part in _ONLY_HELP):
        arguments = [*arguments, "--help"]
    done = run(*arguments, stdin=text)
    assert done.code in ((0, _FINDINGS) if arguments[0] == "check" else (0,)), done.stderr
    written = (name for option, name in pairwise(arguments) if option in _WRITING)
    assert all((here / name).stat().st_size for name in written if "--help" not in arguments)


@pytest.mark.parametrize("text", blocks("console"))
def test_shown_output(run, here, monkeypatch, text):
    command, _, shown = text.partition("\n")
    monkeypatch.setenv("COLUMNS", "99")
    done = run(*shlex.split(command.removeprefix("$ ai-estimate")))
    assert [line.rstrip() for line in done.stdout.strip().splitlines()] == shown.strip().splitlines()


def test_parts_of_output(run, here):
    (shown,) = (text for text in blocks("text") if "update_apart" in text)
    printed = _in_one_line(run("corpus/cuda_update/kernel.cu", "--machine", "v100").stdout)
    for part in shown.split("\n\n"):
        for text in re.split("─+", part):
            assert _in_one_line(text) in printed


def _in_one_line(text):
    return " ".join(text.split())


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text()):
            assert target.startswith("https://") or (ROOT / page).parent.joinpath(target).exists(), target


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150
