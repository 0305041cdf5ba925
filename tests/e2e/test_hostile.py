"""Sources made to break an analyzer: an answer or an error in twice the budget, never a traceback.

CPU time is that of all processes, so that it holds on a busy machine.  ``python -m tests.bench.hostile`` runs all of
them in their large size.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bench.hostile import Outcome, command
from tests.hostile import CASES, WITHOUT_NEIGHBOUR, beside_innocent, text_of
from tests.night import of_day

pytestmark = pytest.mark.isolated

Run = Callable[..., Any]
QUICK = ("huge_constants", "huge_bounds", "overflow", "huge_fragment_constants", "huge_digits", "one_sum", "late_nul")
BUDGET_S, MEMORY_MIB = 5, 2048
LARGE = (
    "nest_300",
    "macro_bomb",
    "template_tree",
    "parentheses",
    "import_std",
    "modules",
    "include_storm",
    "macro_sum",
    "kernel_nest",
    "fragment_macro_bomb",
    "functions",
)


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
@pytest.mark.parametrize("name", of_day(sorted(set(CASES) - set(QUICK)), 3))
def test_small_ones(run: Run, tmp_path: Path, name: str) -> None:
    check(run, tmp_path, name)


def analyzed(folder: Path, name: str) -> Outcome:
    """The command on a large source behind an innocent function."""
    suffix, text = text_of(name, large=True)
    (folder / f"{name}{suffix}").write_bytes(beside_innocent(name, text))
    options = ("--no-cache", "-D", "n=1000", "--format", "json", "--budget", f"{BUDGET_S}s,{MEMORY_MIB}MiB")
    return command(f"{name}{suffix}", *options, cwd=str(folder))


@pytest.mark.parametrize("name", of_day(LARGE, 2))
def test_a_large_one_ends_in_twice_the_budget_and_costs_no_neighbour(tmp_path: Path, name: str) -> None:
    done = analyzed(tmp_path, name)
    assert done.trouble == ""
    assert done.beyond(BUDGET_S, MEMORY_MIB) == ""
    assert '"function": "innocent"' in done.stdout
    assert name not in WITHOUT_NEIGHBOUR
