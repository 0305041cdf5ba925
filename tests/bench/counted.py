"""Instrumented builds: C functions compiled as C++ with numbers that count, and what their runs counted.

The sources stay as they are but for their types (``counted.hpp``): floating-point numbers and integers behind pointers
count every operation on them and every read and write of them in memory.  Needs ``g++``; used to make the committed
truths, never by the product.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .figures import Counts

_HEADER = Path(__file__).with_name("counted.hpp")
_FLAGS = ("-x", "c++", "-std=c++20", "-O1", "-fpermissive", "-w", "-fno-strict-aliasing")


def run_counted(unit: str, beside: Mapping[str, str] = {}, elsewhere: str = "") -> dict[str, list[Counts]]:
    """Build and run a C++ text that calls ``counting::print``; the executions of each name that it printed.

    ``beside`` are headers by name, ``elsewhere`` is a second file.  Raises ``CalledProcessError`` where the program
    does not build, run or end well.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for header, text in {
            _HEADER.name: _HEADER.read_text("utf-8"),
            **beside,
            "unit.cpp": unit,
            "else.cpp": elsewhere,
        }.items():
            (folder / header).write_text(text, "utf-8")
        subprocess.run(["g++", *_FLAGS, "unit.cpp", "else.cpp", "-o", "unit"], cwd=folder, check=True)
        printed = subprocess.run(["./unit"], cwd=folder, check=True, capture_output=True, text=True).stdout
    found: dict[str, list[Counts]] = {}
    for line in printed.splitlines():
        name, *parts = line.split()
        counts = (part.partition("=") for part in parts)
        found.setdefault(name, []).append({kind: int(number) for kind, _, number in counts})
    return found
