"""Bytes at every level of the cache hierarchy, and CPU seconds, compared with kerncraft's.

    python -m tests.bench.kerncraft [--kernels DIR] [--kernel NAME ...] [--pages] [--alphabetical] [--simulate]
        [--time] [--kerncraft CMD --machine-file FILE [--sim]]

Without ``--kerncraft`` the figures of ``corpus/kerncraft/table.toml`` stand in for it (facts, with their source).
All figures are bytes per line of iterations: those that fill one line of the array with the smallest step, 8 of
doubles at stride 1.  ``layers`` are kerncraft's layer conditions, ``SIM`` its cache simulator, ``exact`` our simulation
of the reference stream (``--simulate``).  CPU seconds are those of whole processes, start-up included.

What has to be the same for the bytes to be comparable, and is arranged here:

* Both count a warm start (``--warm``): no cold misses, so what fits has no bytes below.  Our default is cold.
* kerncraft places arrays one behind another, each at a line, in the alphabetical order of their names (its own text
  needs ``--alphabetical``); we place them on pages (``--pages``), as an allocator does.  With 8 ways this moves
  figures by up to a fifth where a working set is about as large as the cache.
* Both count a line for each store that misses (write-allocate) as bytes read.
* The innermost figure is not compared: kerncraft counts the elements of one line of iterations, each once, we count
  the references of each iteration (``test_intensity_of_one_line_of_iterations`` has its figure).
* One core, and an L3 that is filled on every miss.  kerncraft's layer conditions do not know victim caches at all.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from math import gcd, prod
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from analyzer.errors import AnalyzerError
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import read
from analyzer.ir.nodes import Region
from analyzer.ir.passes.substitute import bind
from analyzer.source import read_source
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.program import layout
from analyzer.traffic.program.addresses import placement
from analyzer.traffic.program.program import Program
from analyzer.traffic.reuse.analytic import analytic_traffic
from analyzer.traffic.simulation.simulate import simulate

from ..oracle.sources import CORPUS
from .process import TOOL, cost_of, least

FOLDER = CORPUS / "kerncraft"
HASWELL = parse_hierarchy("L1:32KiB/8,L2:256KiB/8,L3:35MiB/16")
LEVELS = ("L2", "L3", "MEM")
LINE_BYTES = 64
SIZES = {1: 100_000_000, 2: 10_000, 3: 500}
PREDICTORS = {"layers": "LC", "SIM": "SIM"}
_TRANSFERRED = re.compile(r"'bytes transfered': ([\d.]+|inf),\s*'level': '(\w+)'")

Figures = tuple[float, ...]


class Kernel(Struct, frozen=True):
    """A kernel at one size; ``peer`` are the figures that are known of kerncraft, by predictor."""

    source: Path
    sizes: Mapping[str, int]
    peer: Mapping[str, Figures]

    @property
    def name(self) -> str:
        return self.source.stem


def kernels(folder: Path) -> list[Kernel]:
    """The kernels of a folder at kerncraft's large sizes; facts where the corpus has the kernel."""
    table = tomllib.loads((FOLDER / "table.toml").read_text("utf-8"))["kernel"]
    facts = {name: fact for fact in table for name in (fact["name"], fact["peer"])}
    return [_kernel(source, facts.get(source.stem, {})) for source in sorted(folder.glob("*.c"))]


def _kernel(source: Path, fact: Mapping[str, Any]) -> Kernel:
    text = source.read_text("utf-8")
    extents = dict.fromkeys(re.findall(r"[A-Z]\b", re.sub(r"//.*|^#.*", "", text, flags=re.MULTILINE)), 0)
    large = SIZES[min(3, len(re.findall(r"\bfor *\(", text)))]
    peer = {name: tuple(fact[key]) for name, key in (("layers", "layers"), ("SIM", "simulator")) if key in fact}
    return Kernel(source, dict.fromkeys((n for n in "LMN" if n in extents), large), peer)


def region_of(kernel: Kernel, *, alphabetical: bool = False) -> Region:
    """The only region of a kernel, its sizes bound, its arrays in the order of declaration or of names."""
    text = kernel.source.read_text("utf-8")
    parsed = read(read_source(str(kernel.source)), ParseOptions())
    (region,) = lower_unit(parsed.unit, LowerOptions()).regions
    declared = {array.name: re.search(rf"\b{array.name}\[", text) for array in region.arrays}
    place = {name: (0 if alphabetical or found is None else found.start(), name) for name, found in declared.items()}
    region = replace(region, arrays=tuple(sorted(region.arrays, key=lambda array: place[array.name])))
    return bind(region, {symbol.name: kernel.sizes[symbol.name] for symbol in region.symbols})


@contextmanager
def packed_arrays() -> Iterator[None]:
    """Arrays one behind another, at lines, as kerncraft places them."""
    kept = placement.PAGE_BYTES, placement._ALLOCATOR_BYTES
    placement.PAGE_BYTES, placement._ALLOCATOR_BYTES = LINE_BYTES, 0
    try:
        yield
    finally:
        placement.PAGE_BYTES, placement._ALLOCATOR_BYTES = kept


def analytic(region: Region) -> Figures:
    """Our bytes per line of iterations at each level, read and written."""
    moves = analytic_traffic(region, HASWELL, warm=True)
    lines = lines_of_iterations(moves.program)
    return tuple(float(row.sum()) / lines for row in moves.read + moves.allocate + moves.written)


def exact(region: Region) -> Figures:
    """The same by simulation of the reference stream."""
    program = layout.lay_out(region)
    found, lines = simulate(program, HASWELL, warm=True), lines_of_iterations(program)
    both = zip(found.filled, found.written_back, strict=True)
    return tuple(float(filled + written) * LINE_BYTES / lines for filled, written in both)


def lines_of_iterations(program: Program) -> float:
    """Iterations of the innermost loop (rectangular nests), in lines of the array with the smallest step."""
    leaf = program.leaves[-1]
    starts = [0] * len(leaf.loops)
    ranges = [loop.range(starts) for loop in leaf.loops]
    steps = [abs(reference.address.coefficient(leaf.loops[-1].depth)) for reference in leaf.references]
    step = min(step for step in steps if step)
    assert gcd(step, LINE_BYTES) == step
    return prod(int(high) - int(low) + 1 for low, high in ranges) * step / LINE_BYTES


def command(kernel: Kernel) -> list[str]:
    """Our command for a kernel."""
    sizes = [part for name, value in kernel.sizes.items() for part in ("-D", f"{name}={value}")]
    options = ["--machine", "haswell", "--cores", "1", "--warm", "--format", "json"]
    return [*TOOL, str(kernel.source), *sizes, *options]


def peer_command(kernel: Kernel, program: str, machine: Path, predictor: str) -> list[str]:
    """kerncraft's command; it keeps results in the folder of the kernel, so this is a fresh copy of it."""
    copy = Path(tempfile.mkdtemp(prefix="kernel"), kernel.source.name)
    shutil.copy(kernel.source, copy)
    sizes = [part for name, value in kernel.sizes.items() for part in ("-D", name, str(value))]
    chosen = ["-m", str(machine), "-p", "RooflineFLOP", "-P", PREDICTORS[predictor], "-vvv"]
    return [*shlex.split(program), *chosen, *sizes, str(copy)]


def run_peer(arguments: Sequence[str]) -> tuple[Figures, float]:
    """kerncraft's bytes at each level and its CPU seconds; no figures where it fails."""
    with tempfile.TemporaryFile() as printed:
        child = subprocess.Popen(arguments, stdout=printed, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        found = {level: float(text) for text, level in _TRANSFERRED.findall(printed.read().decode())}
    shutil.rmtree(Path(arguments[-1]).parent)
    figures = tuple(found[level] for level in LEVELS) if not child.returncode and found else ()
    return figures, usage.ru_utime + usage.ru_stime


def difference(ours: float, theirs: float) -> float:
    """Relative to theirs; to an eighth of a line where theirs is next to nothing (what fits has no bytes)."""
    return (ours - theirs) / max(theirs, LINE_BYTES / 8)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=Path, default=FOLDER)
    parser.add_argument("--kernel", action="append")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--alphabetical", action="store_true")
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--kerncraft")
    parser.add_argument("--machine-file", type=Path)
    parser.add_argument("--sim", action="store_true")
    chosen = parser.parse_args(arguments)
    print(f"{'kernel':26}{'':10}{'B per line at L2, L3, MEM':^27}{'difference (%)':^24}{'CPU s':>8}{'ratio':>7}")
    for kernel in kernels(chosen.kernels):
        if not chosen.kernel or kernel.name in chosen.kernel:
            _print(kernel, chosen)


def _print(kernel: Kernel, chosen: argparse.Namespace) -> None:
    try:
        with nullcontext() if chosen.pages else packed_arrays():
            region = region_of(kernel, alphabetical=chosen.alphabetical)
            ours = analytic(region)
            simulated = exact(region) if chosen.simulate else ()
    except AnalyzerError as error:
        print(f"{kernel.name:26}{error}")
        return
    cpu_s = least([cost_of(command(kernel)) for _ in range(3)]).cpu_s if chosen.time else 0.0
    print(f"{kernel.name:26}{'ours':10}{_bytes(ours)}{'':24}{cpu_s:8.2f}")
    if simulated:
        print(f"{'':26}{'exact':10}{_bytes(simulated)}{_percent(ours, simulated)}")
    for predictor, (figures, seconds) in _peers(kernel, chosen).items():
        ratio = f"{seconds / cpu_s:7.1f}" if cpu_s and seconds else ""
        known = _bytes(figures) + _percent(ours, figures) if figures else f"{'fails':^51}"
        print(f"{'':26}{predictor:10}{known}{seconds:8.2f}{ratio}")


def _peers(kernel: Kernel, chosen: argparse.Namespace) -> dict[str, tuple[Figures, float]]:
    if not chosen.kerncraft:
        return {predictor: (figures, 0.0) for predictor, figures in kernel.peer.items()}
    wanted = [predictor for predictor in PREDICTORS if chosen.sim or predictor != "SIM"]
    return {p: run_peer(peer_command(kernel, chosen.kerncraft, chosen.machine_file, p)) for p in wanted}


def _bytes(figures: Figures) -> str:
    return "".join(f"{figure:9.1f}" for figure in figures)


def _percent(ours: Figures, theirs: Figures) -> str:
    return "".join(f"{difference(*pair):8.1%}" for pair in zip(ours, theirs, strict=True))


if __name__ == "__main__":
    main()
