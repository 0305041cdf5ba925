"""Advice as a patch: it applies, it compiles, and the patched source has the modelled bytes and time."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from roofline import estimate
from roofline.model.advice.kinds import TransformLoops
from tests.conftest import Outcome

Run = Callable[..., Outcome]

GEMM = """void gemm(int n, double A[n][n], double B[n][n], double C[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) { // columns of (B)
            for (int k = 0; k < n; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
}
"""
WITH_STATEMENT = GEMM.replace("// columns of (B)\n", "C[i][j] *= 2;\n")
WITH_PRAGMA = GEMM.replace("            for (int k", "#pragma unroll\n            for (int k")
OPTIONS = ("--machine", "haswell", "--cores", "1", "-D", "n=600")


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep results within a test: a patch and what is said of it are of one analysis."""
    monkeypatch.setenv("AI_ESTIMATE_CACHE_DIR", str(tmp_path / "kept"))


def patched(run: Run, folder: Path, text: str) -> str:
    (folder / "gemm.c").write_text(text)
    patch = run("gemm.c", *OPTIONS, "--patch").stdout
    (folder / "gemm.patch").write_text(patch)
    if patch.strip():
        subprocess.run(["git", "apply", "gemm.patch"], cwd=folder, check=True)
    return (folder / "gemm.c").read_text()


def test_a_patched_source_is_what_was_modelled(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gemm.c").write_text(GEMM)
    before = estimate("gemm.c", machines="haswell", sizes={"n": 600}, cores=1, advise=True).regions[0]
    advice = before.all_nests[0].advice[0]
    assert isinstance(advice, TransformLoops)
    text = patched(run, tmp_path, GEMM)
    assert re.findall(r"for \(int (\w)", text) == ["i", "k", "j"]
    assert "// columns of (B)" in text
    compiler = shutil.which("cc")
    if compiler is not None:
        subprocess.run([compiler, "-c", "-Wall", "-Werror", "gemm.c", "-o", "gemm.o"], check=True)
    after = estimate("gemm.c", machines="haswell", sizes={"n": 600}, cores=1).regions[0]
    bytes_after = next(level.bytes.estimate for level in after.projections[0].levels if level.level == advice.level)
    assert float(bytes_after.evaluate({})) == pytest.approx(advice.after_bytes, rel=1e-3)
    times = [found.projections[0].expected.time.value for found in (before, after)]
    assert times[0] / times[1] == pytest.approx(advice.gain, rel=1e-2)


@pytest.mark.parametrize("text", [WITH_STATEMENT, WITH_PRAGMA])
def test_what_is_not_mechanical_is_left_alone(
    text: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert patched(run, tmp_path, text) == text
    assert "--patch changes nothing" in run("gemm.c", *OPTIONS, "--patch").stderr


JAMMED = """void f(int n, double a[n][n], double b[n][n], double c[n][n]) {
    for (int i = 1; i < n; i++)
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++)
                c[i][j] += a[i][k] * b[k][j]; // of row i
        }
}
"""
TILED = """void f(int n, double a[n][n], double b[n][n], double c[n][n]) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= n - 1; j++) {
            b[j][i] = a[i][j] + c[i][j];
        }
    }
}
"""
RUN = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    for (int n = 1; n < 140; n += 7) {
        double *all = malloc(3 * sizeof(double) * n * n), sum = 0;
        for (int i = 0; i < 3 * n * n; i++) all[i] = i % 11 * 0.3;
        f(n, (void *)all, (void *)(all + n * n), (void *)(all + 2 * n * n));
        for (int i = 0; i < 3 * n * n; i++) sum += all[i] * (i % 13);
        printf("%.17g\\n", sum);
        free(all);
    }
}
"""


def result_of(compiler: str, folder: Path, text: str) -> str:
    (folder / "run.c").write_text(text + RUN)
    subprocess.run([compiler, "-O1", "-Wall", "-Werror", "run.c", "-o", "run"], cwd=folder, check=True)
    return subprocess.run(["./run"], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("text", "size", "shown"),
    [
        (JAMMED, 300, "for (int i = n - (n - 1) % 4; i < n; i++)"),
        (TILED, 4000, "for (int j_tile = 0; j_tile <= n - 1; j_tile += 64)"),
    ],
)
def test_tiles_and_copies_give_the_same_results(
    text: str, size: int, shown: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.c").write_text(text)
    patch = run("f.c", "--machine", "haswell", "--cores", "1", "-D", f"n={size}", "--patch").stdout
    (tmp_path / "f.patch").write_text(patch)
    subprocess.run(["git", "apply", "f.patch"], check=True)
    changed = (tmp_path / "f.c").read_text()
    assert shown in changed
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is here to run the change")
    assert result_of(compiler, tmp_path, text) == result_of(compiler, tmp_path, changed)


@pytest.mark.parametrize(
    "text",
    [
        JAMMED.replace("c[i][j] +=", "if (a[i][k] < 0) continue; else c[i][j] +="),
        JAMMED.replace("i++", "i += 1"),
        JAMMED.replace("    for (int i", "#pragma omp parallel for\n    for (int i"),
    ],
)
def test_loops_that_are_not_plain_are_not_jammed(
    text: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.c").write_text(text)
    assert "% 4" not in run("f.c", "--machine", "haswell", "--cores", "1", "-D", "n=300", "--patch").stdout
