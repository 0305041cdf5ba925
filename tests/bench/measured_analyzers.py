"""llvm-mca and OSACA beside the expected times, for loops whose data are in L1: programs that read the assembly.

They are run where they are installed (``llvm-mca``, ``osaca`` on the path) and are no part of this project.  The block
that they read is the loop with the widest vectors of a function, among those that jump back to their own label; how
many iterations of the source it has follows from how far its addresses move.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from .measured_loops import Loop
from .measured_runs import Build
from .measured_template import ELEMENT_BYTES

_VECTORS = (("zmm", 64), ("ymm", 32), ("xmm", 16))
_STEP = re.compile(r"\b(add|sub|lea|inc|dec)[lq]?\s+(?:\$(-?\d+), *)?%(\w+)$")
_ADDRESS = re.compile(r"\((%\w+)?(?:,(%\w+)(?:,(\d))?)?\)")
_MCA_CYCLES = re.compile(r"Total Cycles:\s+(\d+)")
_ROUNDS = 100


class Block(Struct, frozen=True):
    """The lines of a loop in assembly, and the bytes that its addresses move in one round (None: not found)."""

    lines: tuple[str, ...]
    step_bytes: int | None

    @property
    def text(self) -> str:
        """Return the lines as one text."""
        return "\n".join(self.lines) + "\n"

    @property
    def width(self) -> int:
        """Return the bytes of the widest registers."""
        return next((size for name, size in _VECTORS if any(f"%{name}" in line for line in self.lines)), 8)


def analyzers() -> tuple[str, ...]:
    """Return the programs that are installed."""
    return tuple(name for name in ("llvm-mca", "osaca") if shutil.which(name))


def blocks_of(build: Build, loop: Loop, folder: Path) -> Iterator[Block]:
    """Yield the innermost loops of a function in the assembly of a build."""
    source, target = folder / "one.c", folder / "one.s"
    source.write_text("#include <math.h>\n" + loop.template.source)
    subprocess.run([*build.command, "-w", "-S", "-o", str(target), str(source)], check=True)
    lines = [line.rstrip() for line in target.read_text().splitlines()]
    start: dict[str, int] = {}
    for number, line in enumerate(lines):
        label = re.match(r"(\.L\w+):", line)
        if label:
            start = {label[1]: number}  # a label inside ends the block before
        jump = re.match(r"\s+j\w+\s+(\.L\w+)$", line)
        if jump and jump[1] in start:
            yield _block(lines[start[jump[1]] : number + 1])


def _block(lines: list[str]) -> Block:
    moved: dict[str, int] = {}
    for line in lines:
        step = _STEP.search(line)
        if step and (step[2] or step[1] in ("inc", "dec")):
            moved[step[3]] = abs(int(step[2] or 1))
    found = [
        moved[name[1:]] * int(scale if name is index and scale else 1)
        for line in lines
        for base, index, scale in _ADDRESS.findall(line)
        for name in (base, index)
        if name and name[1:] in moved
    ]
    return Block(tuple(lines), max(found, default=None))


def chosen_block(build: Build, loop: Loop, folder: Path) -> Block | None:
    """Return the loop that runs most: that with the widest registers, then the longest step; None where none is."""
    found = [block for block in blocks_of(build, loop, folder) if block.step_bytes]
    return max(found, key=lambda block: (block.width, block.step_bytes or 0), default=None)


def cycles_of(program: str, block: Block, target: str, folder: Path) -> float | None:
    """Return the cycles of one round that a program says; None where it does not know an instruction."""
    path = folder / "block.s"
    path.write_text(block.text)
    if program == "llvm-mca":
        command = [program, f"-mcpu={target}", f"-iterations={_ROUNDS}", str(path)]
        found = _MCA_CYCLES.search(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
        return None if found is None else int(found[1]) / _ROUNDS
    done = subprocess.run([program, "--arch", target, str(path)], capture_output=True, text=True, check=False)
    sums = [
        line for line in done.stdout.splitlines() if re.fullmatch(r"[\s\d.|]+", line) and re.search(r"\d\.\d", line)
    ]
    if "is missing" in done.stdout or not sums:
        return None
    *ports, _, carried = (float(number) for number in re.findall(r"\d+\.\d+", sums[-1]))  # "_": the critical path
    return max(*ports, carried)


def analyzed_seconds(
    build: Build, loop: Loop, targets: dict[str, str], clock_hz: float, folder: Path
) -> dict[str, float] | None:
    """Return the seconds of one call that each program says; None where one of them says nothing."""
    block = chosen_block(build, loop, folder)
    if block is None or not block.step_bytes:
        return None
    element = max(ELEMENT_BYTES[part.split()[0]] for part in loop.template.arrays.split(","))
    rounds = loop.n * element / block.step_bytes
    found = {name: cycles_of(name, block, target, folder) for name, target in targets.items()}
    known = {name: rounds * cycles / clock_hz for name, cycles in found.items() if cycles}
    return known if len(known) == len(found) else None


def is_simple(loop: Loop) -> bool:
    """Return whether a loop is alone, has its data in L1, and goes through arrays of n elements."""
    return loop.level == "L1" and all(len(part.split()) == 2 for part in loop.template.arrays.split(","))


def narrow(build: Build) -> Build:
    """Return a build with 256 bits at most: llvm-mca knows no wider ones of AMD."""
    return replace(build, name=f"{build.name}, 256 bits", command=(*build.command, "-mno-avx512f"), simd="256")
