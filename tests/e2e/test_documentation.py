"""Every command that the documentation shows is run, and prints what is shown."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from cli.check.config import read_configuration
from roofline.catalog import example_machine
from roofline.machine import schema
from roofline.machine.schema import parse_machine
from tests.bench.given_data import HISTOGRAM, SPMV

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    ".github/CONTRIBUTING.md",
    "analyzer/README.md",
    "cli/README.md",
    "cli/TUTORIAL.md",
    "cli/lsp/README.md",
    "corpus/kerncraft/README.md",
    "roofline/ACCURACY.md",
    "roofline/README.md",
    "tests/README.md",
)
_BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL)
_ELSEWHERE = ("python", "pip", ".venv", ".ci/run", "pytest", "ruff")  # other tests, and .ci/run, run these
_PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w*-]+\.\w+)?)`")
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
    product = next(text for text in blocks("c") if "void product" in text)
    j, k = (f"for (int {name} = 0; {name} < n; {name}++)" for name in "jk")
    (tmp_path / "product.c").write_text(product)
    (tmp_path / "changed.c").write_text(product.replace(j, "FOR").replace(k, j).replace("FOR", k))
    (tmp_path / "product.cu").write_text(*blocks("cuda"))
    (tmp_path / "triad.cu").write_text(TRIAD)
    recorded = ROOT / "tests" / "data" / "coverage"
    for name, taken in (
        ("solver.c", "rows.c"),
        ("solver.gcov.json.gz", "rows.gcov.json"),
        ("solver.json", "rows.llvm.json"),
    ):
        (tmp_path / name).write_text((recorded / taken).read_text().replace("rows.c", "solver.c"))
    (tmp_path / "kernel.gcov.json.gz").write_text("file,line,count\nkernel.c,3,4097\n")
    (tmp_path / "spmv.c").write_text(SPMV)
    (tmp_path / "hist.c").write_text(HISTOGRAM)
    entries = "1 1\n1 3\n2 2\n3 1\n3 3\n"
    (tmp_path / "A.mtx").write_text(f"%%MatrixMarket matrix coordinate pattern general\n3 3 5\n{entries}")
    np.save(tmp_path / "key.npy", np.arange(100) % 7)
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


def write_baselines(run, arguments):
    for option, name in pairwise(arguments):
        if option == "--baseline":
            assert run("check", "src/", "--write-baseline", name).code == 0


@pytest.mark.parametrize("command", commands())
def test_commands(run, here, command):
    before, _, line = command.rpartition("|")
    words = shlex.split(line, comments=True)
    assert words[0] == "ai-estimate"
    arguments = words[1:]
    write_baselines(run, arguments)
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
def test_shown_output(run, here, monkeypatch, text, request):
    command, _, shown = text.partition("\n")
    monkeypatch.setenv("COLUMNS", "99")
    arguments = shlex.split(command.removeprefix("$ ai-estimate"))
    write_baselines(run, arguments)
    done = run(*arguments)
    if request.config.getoption("--update-goldens"):
        printed = "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())
        for page in (ROOT / name for name in PAGES):
            page.write_text(page.read_text().replace(text, f"{command}\n{printed}\n"))
        return
    assert [line.rstrip() for line in done.stdout.strip().splitlines()] == shown.strip().splitlines()


def test_parts_of_output(run, here):
    (shown,) = (text for text in blocks("text") if "update_apart" in text)
    printed = _in_one_line(run("corpus/cuda_update/kernel.cu", "--machine", "v100").stdout)
    for part in shown.split("\n\n"):
        for text in re.split("─+", part):
            assert _in_one_line(text) in printed


def _in_one_line(text):
    return " ".join(text.split())


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    here = ROOT / page
    for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", here.read_text()):
        if target.startswith("https://"):
            continue
        found = here.parent / target if target else here
        assert found.exists(), target
        assert not anchor or anchor in headings(found), f"{target}#{anchor}"


def headings(page):
    lines = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("page", PAGES)
def test_named_files_exist(page):
    for name in _PATH.findall((ROOT / page).read_text()):
        if "NAME" in name:  # a pattern of names
            continue
        roots = (ROOT, (ROOT / page).parent)
        assert any(next(root.glob(name.rstrip("/")), None) for root in roots), name


def test_a_machine_file_has_every_key_of_the_page():
    (text,) = (text for text in blocks("toml") if "[[levels]]" in text)
    assert parse_machine(text).id == "my-desktop"
    assert text.strip() == example_machine().strip()  # of ai-estimate machines example
    page = (ROOT / "roofline" / "README.md").read_text()
    named = set(re.findall(r"`(\w+)`", page))
    keys = {key for name, keys in vars(schema).items() if name.endswith("_KEYS") for key in keys}
    tables = {
        "sources",
        "clock",
        "units",
        "core",
        "gpu",
        "peaks",
        "levels",
        "memory",
        "other_memories",
        "write_allocate",
    }
    assert keys - tables <= named
    assert all(f"[{table}" in page for table in tables)


def test_a_configuration_has_every_key_of_the_page(tmp_path):
    (text,) = (text for text in blocks("toml") if "[[budget]]" in text)
    path = tmp_path / "ai-estimate.toml"
    path.write_text(text)
    configuration = read_configuration(path)
    assert configuration is not None
    assert len(configuration.budgets) == 2


def test_tests_that_pages_name_exist():
    lines = [line for text in blocks("sh") for line in text.splitlines() if line.startswith("pytest ")]
    assert lines
    for line in lines:
        folders = [word for word in shlex.split(line)[1:] if word.startswith("tests/")]
        assert all((ROOT / folder).exists() for folder in folders), line


def test_the_workflow_runs_the_whole_check():
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert "- run: .ci/run" in text
    supported = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text())
    assert json.loads(re.search(r"python: (\[.*\])", text)[1]) == supported


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150
