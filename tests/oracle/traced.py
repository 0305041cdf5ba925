"""Whole programs, run: the bytes between the levels of exact LRU caches, by source line.

A C or C++ source -> what each of its lines fetched and wrote back.  The compiler instruments every memory access
(``-fsanitize=thread``), and :file:`traced.c` takes the place of its runtime.  OpenMP is off: one core.  Shares no code
with the product; needs gcc, g++ and addr2line.
"""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

_TRACER = Path(__file__).with_name("traced.c")
_LINE_BYTES = 64
_FLAGS = ("-O0", "-g", "-w", "-fno-inline", "-fsanitize=thread", "-fno-omit-frame-pointer")


class Traced(Struct, frozen=True):
    """What one source line did: references, and bytes from and to L2, L3 and memory, from the inside outwards."""

    loads: int
    stores: int
    register_bytes: int
    fetched: tuple[int, ...]
    written: tuple[int, ...]

    @property
    def moved(self) -> tuple[int, ...]:
        """Bytes over each interface in both directions."""
        return tuple(read + written for read, written in zip(self.fetched, self.written, strict=True))

    def __add__(self, other: Traced) -> Traced:
        """Return what both lines did."""
        return Traced(
            self.loads + other.loads,
            self.stores + other.stores,
            self.register_bytes + other.register_bytes,
            tuple(a + b for a, b in zip(self.fetched, other.fetched, strict=True)),
            tuple(a + b for a, b in zip(self.written, other.written, strict=True)),
        )


def traced(source: Path, folder: Path, defines: Mapping[str, str] | None = None, caches: str = "") -> dict[int, Traced]:
    """Run a program and return what each line did; ``caches`` as ``32/8,256/8,35840/16`` (KiB/ways)."""
    compiler = "g++" if source.suffix == ".cpp" else "gcc"
    objects = [folder / "program.o", folder / "tracer.o"]
    named = [f"-D{name}={value}" for name, value in (defines or {}).items()]
    _run([compiler, *_FLAGS, *named, "-c", str(source), "-o", str(objects[0])])
    _run(["gcc", "-O2", "-c", str(_TRACER), "-o", str(objects[1])])
    program, counts = folder / "program", folder / "counts"
    _run([compiler, "-no-pie", *map(str, objects), "-lm", "-o", str(program)])
    environment = {**os.environ, "TRACED_TO": str(counts)}
    if caches:
        environment["TRACED_CACHES"] = caches
    subprocess.run([str(program), "1"], env=environment, stdout=subprocess.DEVNULL, check=False)
    return _by_line(program, counts, source.name)


def _by_line(program: Path, counts: Path, name: str) -> dict[int, Traced]:
    rows = [line.split() for line in counts.read_text("ascii").splitlines()]
    calls = [f"{int(row[0], 16) - 1:x}" for row in rows]
    answer = _run(["addr2line", "-e", str(program), *calls]).splitlines()
    found: dict[int, list[Traced]] = defaultdict(list)
    for row, where in zip(rows, answer, strict=True):
        path, _, line = where.split(" ")[0].rpartition(":")
        if Path(path).name == name and line.isdigit():
            numbers = [int(number) for number in row[1:]]
            lines = [number * _LINE_BYTES for number in numbers[3:]]
            loads, stores, size = numbers[:3]
            found[int(line)].append(Traced(loads, stores, size, tuple(lines[::2]), tuple(lines[1::2])))
    return {line: total(each) for line, each in sorted(found.items())}


def total(parts: Sequence[Traced]) -> Traced:
    """Return the sum of some lines."""
    whole = Traced(0, 0, 0, (0, 0, 0), (0, 0, 0))
    for part in parts:
        whole = whole + part
    return whole


def _run(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
