"""Calls from one module of the program to another for a triad on one machine: what is computed once is asked once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = 1_200  # 1,187 on 2026-11-23, of 2,330 before machine files were read table by table and quotients remembered
_TRIAD = """
void triad(int n, double *restrict a, const double *restrict b, const double *restrict c, double s) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] + s * c[i];
}
"""
_COUNT = """
import sys

root, calls = sys.argv[1], 0
library = root + "analyzer/python/cached_property.py"  # of functools in later versions of Python

def is_ours(code):
    return code.co_filename.startswith(root) and code.co_filename != library

def count(frame, event, _):
    global calls
    callee = frame.f_code
    if event != "call" or callee.co_name == "<module>" or not is_ours(callee):
        return
    caller = frame.f_back
    while caller is not None and not is_ours(caller.f_code):
        caller = caller.f_back
    if caller is not None and caller.f_code.co_filename != callee.co_filename:
        calls += caller.f_code.co_name != "<module>"

from cli.main import main

sys.setprofile(count)
main([sys.argv[2], "--machine", "haswell", "--no-cache", "-j", "1"])
sys.setprofile(None)
print(f"calls {calls}", file=sys.stderr)
"""


def test_the_command_makes_few_calls_between_modules(tmp_path: Path) -> None:
    source = tmp_path / "triad.c"
    source.write_text(_TRIAD)
    command = [sys.executable, "-c", _COUNT, f"{ROOT}/", str(source)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    calls = int(done.stderr.rsplit("calls ", 1)[1])
    assert 100 < calls <= MOST
