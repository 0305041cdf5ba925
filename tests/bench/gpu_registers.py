"""Registers of a thread: what is predicted, against what ptxas allocates.

    python -m tests.bench.gpu_registers FOLDER... [--arch sm_80] [--half 0|1] [--list] [-I FOLDER]...
    python -m tests.bench.gpu_registers --costs [--write]

Compiles every ``.cu`` file below the folders that compiles alone, and lowers it without launches.  Kernels are matched
by their linkage names; instances of a template that have the same registers and the same prediction are one.  Files are
split into halves by folder.  ``--costs`` makes ``analyzer/registers/costs.toml``: registers of a loop around each
division and function, with 16 sums that live through it, less those of the same loop with an addition.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from analyzer import registers
from analyzer.errors import AnalyzerError
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.lower.kernels.kernel import plain_name
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import read
from analyzer.ir.launches import Registers
from analyzer.limits.recursion import deep_recursion
from analyzer.registers.prediction import predicted_registers
from analyzer.source import read_source
from tests.oracle.sass.toolchain import MISSING, CompileError, Toolchain, toolchain

from .gpu_instructions import FILE as FUNCTIONS

COSTS = Path(str(registers.__file__)).parent / "costs.toml"
NEAR = 0.15
FREE = 32
_OPERATIONS = 200_000
_SUMS = 16
_TYPES = {"fp32": "float", "fp64": "double", "int32": "int", "uint32": "unsigned", "int64": "long long"}
_OPERATORS = {"div": "x / y", "rem": "x % y", "reciprocal": "1 / x"}
_LOOP = """extern "C" __global__ void k(const T *a, T *o, float *f, int n) {
  float s[N];
  for (int j = 0; j < N; j++) s[j] = f[threadIdx.x + j * 32];
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    T x = a[2 * i * n], y = a[2 * i * n + 1], r = E;
    o[i] = r;
    for (int j = 0; j < N; j++) s[j] = s[j] * (float)r + s[(j + 1) % N];
  }
  for (int j = 0; j < N; j++) f[threadIdx.x + j * 32] = s[j];
}
"""


class Compared(Struct, frozen=True):
    """A kernel, the registers that ptxas gave it, and those that are predicted."""

    path: Path
    kernel: str
    allocated: int
    predicted: Registers | None

    @property
    def is_near(self) -> bool:
        """Return whether it is within 15 % of what was allocated."""
        return self.predicted is not None and abs(self.predicted.likely - self.allocated) <= NEAR * self.allocated


def half_of(path: Path) -> int:
    """Return the half that a file is in: all files of a folder are in one."""
    return hashlib.sha256(str(path.parent.name).encode()).digest()[0] % 2


def compared(tools: Toolchain, path: Path, arch: str, include: Sequence[str]) -> Iterator[Compared]:
    """Yield the kernels of a file; raise ``CompileError`` and ``AnalyzerError`` where it cannot be read."""
    flags = tuple(f"-I{folder}" for folder in (path.parent, *include))
    found = tools.compiled(path, arch, ("-std=c++17", "-w", *flags)).resources
    unit = read(read_source(str(path)), ParseOptions(include_dirs=(str(path.parent), *include)), "clang").unit
    symbols = {(item.name, item.span): item.symbol for item in unit.functions.values()}
    for region in lower_unit(unit, LowerOptions(operations=_OPERATIONS)).regions:
        resources = found.get(symbols.get((region.function, region.span), ""))
        if resources is not None:
            yield Compared(path, plain_name(region.name), resources.registers, predicted_registers(region))


def summary(rows: Sequence[Compared]) -> str:
    """Return how many kernels are near, also as the mean over folders, and what the intervals hold."""
    said = [(row, row.predicted) for row in rows if row.predicted is not None]
    folders = defaultdict(list)
    for row, _ in said:
        folders[row.path.parent].append(row.is_near)
    inside = sum(found.least <= row.allocated <= found.most for row, found in said)
    same = sum((row.allocated > FREE) == (found.likely > FREE) for row, found in said)
    near = sum(row.is_near for row, _ in said)
    mean = statistics.mean(statistics.mean(each) for each in folders.values()) if folders else 0.0
    return (
        f"{len(rows)} kernels, {len(rows) - len(said)} not predicted; within {NEAR:.0%}: {near} of {len(said)}, "
        f"{mean:.0%} of a folder; inside of the interval: {inside}; more than {FREE} or not as predicted: {same}"
    )


def cost(tools: Toolchain, kind: str, expression: str) -> int | None:
    """Return the registers of the loop around an expression; None where it does not compile."""
    text = _LOOP.replace("N", str(_SUMS)).replace("T ", f"{_TYPES[kind]} ").replace("= E", f"= {expression}")
    try:
        return tools.compiled_text(text, "sm_80", ("-w",)).resources["k"].registers
    except CompileError:
        return None


def costs(tools: Toolchain) -> Iterator[str]:
    """Yield the lines of ``costs.toml``."""
    around = {kind: cost(tools, kind, "x + y") for kind in _TYPES}
    rows = {name: list(own) for name, own in tomllib.loads(FUNCTIONS.read_text()).items()}
    rows["div"] += ["int32", "uint32", "int64"]
    rows["rem"] = ["int32", "uint32", "int64"]
    for name, kinds in sorted(rows.items()):
        found = {}
        for kind in kinds:
            called = name if kind != "fp32" or name.startswith("__") else f"{name}f"
            tried = [_OPERATORS[name]] if name in _OPERATORS else [f"{called}({a})" for a in ("x", "x, y", "x, y, x")]
            used = next((each for each in (cost(tools, kind, text) for text in tried) if each is not None), None)
            base = around[kind]
            if used is not None and base is not None:
                found[kind] = max(0, used - base)
        yield f"{name} = {{ " + ", ".join(f"{kind} = {number}" for kind, number in found.items()) + " }"


def main() -> None:
    """Compare, or make the table of costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--arch", default="sm_80")
    parser.add_argument("--half", type=int)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("--costs", action="store_true")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    tools = toolchain()
    if tools is None:
        sys.exit(MISSING)
    if chosen.costs:
        head = "".join(line for line in COSTS.read_text().splitlines(keepends=True) if line.startswith("#"))
        made = head + "\n" + "\n".join(costs(tools)) + "\n"
        COSTS.write_text(made) if chosen.write else print(made)
        return
    rows: dict[Compared, None] = {}
    for path in sorted(path for folder in chosen.folders for path in folder.rglob("*.cu")):
        if chosen.half is not None and half_of(path) != chosen.half:
            continue
        try:
            with deep_recursion():
                rows |= dict.fromkeys(compared(tools, path, chosen.arch, chosen.include))
        except (CompileError, AnalyzerError):
            continue
    for row in rows if chosen.list else ():
        print(row.path, row.kernel, row.allocated, row.predicted, "" if row.is_near else "far")
    print(summary(list(rows)))


if __name__ == "__main__":
    main()
