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
