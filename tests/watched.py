"""The command in a process that reports every program it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
_WATCH = """
import sys
def hook(event, arguments):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "socket.connect"):
        print("STARTED", event, arguments, file=sys.stderr)
sys.addaudithook(hook)
from cli.main import run
sys.exit(run())
"""


def watched(
    *arguments: object, cwd: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command with a line ``STARTED`` on standard error for each program."""
    chosen = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    words = [sys.executable, "-c", _WATCH, *map(str, arguments)]
    return subprocess.run(
        words, env=chosen, cwd=cwd, capture_output=True, encoding="utf-8", errors="replace", timeout=120, check=False
    )
