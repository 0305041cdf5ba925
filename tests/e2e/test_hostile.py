"""Sources made to break an analyzer: an answer or an error, never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import CASES, text_of

Run = Callable[..., Any]
QUICK = ("huge_constants", "huge_bounds", "overflow", "huge_fragment_constants", "huge_digits", "one_sum", "late_nul")


def check(run: Run, folder: Path, name: str) -> None:
    suffix, text = text_of(name)
    (folder / f"{name}{suffix}").write_bytes(text)
    done = run(folder / f"{name}{suffix}", "--machine", "v100,haswell", "-D", "n=1000", "--budget", "1s,2GiB")
    assert done.code in (0, 2)
    assert done.code == 0 or done.stderr
    assert "a defect of" not in done.stderr


@pytest.mark.parametrize("name", QUICK)
def test_what_once_broke(run: Run, tmp_path: Path, name: str) -> None:
    check(run, tmp_path, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(CASES) - set(QUICK)))
def test_small_ones(run: Run, tmp_path: Path, name: str) -> None:
    check(run, tmp_path, name)
