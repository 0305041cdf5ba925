"""The installed command where a folder of the user has the name of one of our packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOOP = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }\n"


def ran(folder: Path, *first: Path) -> subprocess.CompletedProcess[str]:
    """Run ``python -m ai_estimate`` in a folder, with others first on the path."""
    path = os.pathsep.join(map(str, (*first, ROOT, ROOT / "cli" / "entry")))
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-m", "ai_estimate", "a.c"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("package", ["cli", "analyzer"])
def test_what_hides_a_package_is_named(tmp_path: Path, package: str) -> None:
    (tmp_path / "a.c").write_text(LOOP)
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("raise SystemExit(7)\n" if package == "cli" else "")
    found = ran(tmp_path, tmp_path)
    assert found.returncode == 2
    assert f"the package '{package}' is not the one of ai-estimate" in found.stderr
    assert "Traceback" not in found.stderr


def test_the_command_runs_beside_a_folder_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(LOOP)
    (tmp_path / "cli").mkdir()
    found = ran(tmp_path)
    assert found.returncode == 0
    assert "f:1" in found.stdout
