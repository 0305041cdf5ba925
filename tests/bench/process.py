"""Cost of whole processes, CPU seconds and peak memory, and of a bare libclang parse for comparison.

Measured by ``wait4`` of each finished child, so start-up, imports and its own children are in; the modules are
compiled, as those of an installed command are (a first run that is not counted writes them).  CPU time is the least of
several runs: whatever else the machine does only adds to it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from analyzer.frontend.clang.reading.parse import arguments_of
from analyzer.frontend.options import ParseOptions
from analyzer.source import read_source

TOOL = (sys.executable, "-m", "cli")
NOTHING = (sys.executable, "-c", "pass")
KEPT_IN = "AI_ESTIMATE_CACHE_DIR"
_NO_COMPILED_MODULES = "PYTHONDONTWRITEBYTECODE"
_LAUNCHER = """
import json, os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
child.returncode = os.waitstatus_to_exitcode(status)
print(json.dumps([child.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]))
"""
_BARE_PARSE = """
import json, sys
import clang.cindex as c
index = c.Index.create()
for path, arguments in json.load(open(sys.argv[1])):
    index.parse(path, arguments, options=0x200)
"""


_SOME_FILES = 2  # our exit code where files have errors, as in public code


class Cost(Struct, frozen=True):
    """CPU seconds (user and system) and peak resident MiB of one command."""

    cpu_s: float
    peak_mib: float


def cost_of(command: Sequence[str], *, environment: Mapping[str, str] | None = None) -> Cost:
    """Run a command once; raises ``CalledProcessError`` where it fails, but not where it told errors in some files.

    A small process starts it: the peak of a child is at least that of the process it was forked from.
    """
    known = {name: value for name, value in os.environ.items() if name != _NO_COMPILED_MODULES}
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, *command]
    done = subprocess.run(launcher, stdout=subprocess.PIPE, env={**known, **(environment or {})}, check=True)
    code, cpu_s, peak_mib = json.loads(done.stdout)
    if code not in (0, _SOME_FILES):
        raise subprocess.CalledProcessError(code, list(command))
    return Cost(cpu_s, peak_mib)


def least(samples: Sequence[Cost]) -> Cost:
    """The least CPU time and the least peak of several runs."""
    return Cost(min(sample.cpu_s for sample in samples), min(sample.peak_mib for sample in samples))


def bare_parse(files: Sequence[str], plan: Path, options: ParseOptions | None = None) -> list[str]:
    """The command that parses files by libclang in one process, with the arguments that the tool would give.

    ``plan`` is a file to write them to; nothing of ours is imported.
    """
    chosen = options or ParseOptions()
    listed = [(path, arguments_of(read_source(path), chosen)) for path in files]
    plan.write_text(json.dumps(listed))
    return [sys.executable, "-c", _BARE_PARSE, str(plan)]
