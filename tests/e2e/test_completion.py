"""``ai-estimate completion``: what a shell gets at TAB."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.completion import COMMANDS

pytest.importorskip("argcomplete")

Run = Callable[..., Any]
HOME = Path(__file__).parents[2]
CALL = f"import sys; sys.path.append({str(HOME)!r}); from cli.main import run; sys.exit(run())"


@pytest.fixture
def tab(tmp_path: Path) -> Callable[[str], list[str]]:
    """What is offered for a line whose cursor is at its end, in a folder with ``kernel.c`` and ``mine.toml``."""
    (tmp_path / "kernel.c").write_text("void scale(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }\n")
    (tmp_path / "mine.toml").write_text("")

    def press(line: str) -> list[str]:
        target = tmp_path / "offered"
        asked = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9", "_ARGCOMPLETE": "1"}
        asked |= {"_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_STDOUT_FILENAME": str(target)}
        done = subprocess.run(
            [sys.executable, "-c", CALL], env={**os.environ, **asked}, cwd=tmp_path, capture_output=True, check=True
        )
        assert done.stdout == b""
        return [name.strip() for name in target.read_text().split("\n") if name.strip()]

    return press


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("ai-estimate comp", ["compare", "completion"]),
        ("ai-estimate k", ["kernel.c"]),
        ("ai-estimate kernel.c --mach", ["--machine"]),
        ("ai-estimate kernel.c --machine v100,hasw", ["v100,haswell", "v100,haswell-e5-2695v3"]),
        ("ai-estimate kernel.c --machine min", ["mine.toml"]),
        ("ai-estimate kernel.c -D ", ["n="]),
        ("ai-estimate check kernel.c --function s", ["scale"]),
        ("ai-estimate kernel.c --machine=a64", ["--machine=a64fx"]),
        ("ai-estimate kernel.c --cache ana", ["analytic"]),
        ("ai-estimate analyze kernel.c --policy sou", ["source"]),
        ("ai-estimate machines me", ["measure"]),
        ("ai-estimate machines measure --co", ["--cores"]),
        ("ai-estimate machines show v100-", ["v100-sxm2"]),
        ("ai-estimate explain AI105", ["AI105"]),
        ("ai-estimate check --select AI105,AI106", ["AI105,AI106"]),
        ("ai-estimate compare kernel.c --toler", ["--tolerance"]),
        ("ai-estimate compare kernel.c --hier", ["--hierarchy"]),
        ("ai-estimate completion fi", ["fish"]),
        ("ai-estimate no-such-file-", []),
    ],
)  # fmt: skip
def test_a_line_goes_on(tab: Callable[[str], list[str]], line: str, offered: list[str]) -> None:
    assert tab(line) == offered


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_is_offered_exists(run: Run, command: str) -> None:
    found = run(command, "--help")
    assert found.code == 0
    assert found.stdout.startswith("usage: ai-estimate")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_their_script(run: Run, shell: str) -> None:
    found = run("completion", shell)
    assert (found.code, found.stderr) == (0, "")
    assert "ai-estimate" in found.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n", "-c", found.stdout], check=True, capture_output=True)


def test_other_shells_are_refused(run: Run) -> None:
    found = run("completion", "dos")
    assert (found.code, found.stdout) == (2, "")
    assert "invalid choice: 'dos'" in found.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes(run: Run, tmp_path: Path) -> None:
    program = tmp_path / "ai-estimate"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{CALL}" "$@"\n')
    program.chmod(0o755)
    script = (
        run("completion", "bash").stdout
        + """
COMP_WORDS=(ai-estimate kernel.c --machine rtx30); COMP_CWORD=3; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
COMP_TYPE=9; COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
$(complete -p ai-estimate | sed 's/.*-F \\([^ ]*\\).*/\\1/') ai-estimate rtx30 --machine
printf '%s\\n' "${COMPREPLY[@]}"
"""
    )
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", script], env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert [name.strip() for name in done.stdout.split()] == ["rtx3080", "rtx3090"], done.stderr
