"""The benchmark suite: what commands cost, as multiples of a bare libclang parse of the same files.

    python -m tests.bench [--runs 3] [--polybench CHECKOUT] [--cuda FOLDER...] [--json FILE] [--compare | --update]
                          [--only NAME]

Start-up is a multiple of a Python that does nothing.  The multiples hold on any machine; seconds and MiB are shown
beside them.  The bare parse takes our own short headers, as we do; for code bases one with the headers of the system is
a row of its own.  ``--compare`` exits with 1 where a multiple of CPU time or of memory is worse than the committed one
(``tests/bench/numbers.json``) by more than the tolerance; ``--update`` writes that file, rows that were not run kept.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from analyzer.frontend.options import ParseOptions

from .process import KEPT_IN, NOTHING, TOOL, Cost, bare_parse, cost_of, least
from .sources import write_sources

_ROOT = Path(__file__).parents[2]
_NUMBERS = Path(__file__).with_name("numbers.json")
_TOLERANCE = 1.25
_FILES = 100
_FEWEST, _LONG_S = 2, 20
_POLYBENCH_MACRO = "POLYBENCH_USE_SCALAR_LB"
_ALONE = ("-j", "1")  # one process, whose cost is all of it
_ANEW = (*_ALONE, "--no-cache")


class Row(Struct, frozen=True):
    """A command, and the one whose cost is its unit."""

    name: str
    command: Sequence[str]
    unit: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


class Measured(Struct, frozen=True):
    """Cost of a row, that of its unit, and how many of them it is."""

    cpu_s: float
    peak_mib: float
    unit_cpu_s: float
    unit_peak_mib: float
    cpu_ratio: float
    peak_ratio: float


def measure(row: Row, runs: int) -> Measured:
    """Run a row and its unit in turn, so that both see the same machine; the first pair is not counted.

    What takes long is run less often: chance matters less there.
    """
    pairs: list[tuple[Cost, Cost]] = []
    while len(pairs) <= runs and (len(pairs) < _FEWEST or sum(pair[0].cpu_s for pair in pairs) < _LONG_S):
        cost = cost_of(row.command, environment=row.environment)
        pairs.append((cost, cost_of(row.unit, environment=row.environment)))
    costs, units = zip(*pairs[1:], strict=True)
    return _measured(least(costs), least(units))


def _measured(cost: Cost, unit: Cost) -> Measured:
    return Measured(
        round(cost.cpu_s, 3),
        round(cost.peak_mib, 1),
        round(unit.cpu_s, 3),
        round(unit.peak_mib, 1),
        round(cost.cpu_s / unit.cpu_s, 2),
        round(cost.peak_mib / unit.peak_mib, 2),
    )


def rows_in(folder: Path, polybench: Path | None, cuda: Sequence[Path]) -> Iterator[Row]:
    """Every row; ``folder`` takes what has to be written for them."""
    yield Row("--help", [*TOOL, "--help"], NOTHING)
    yield Row("--version", [*TOOL, "--version"], NOTHING)
    small = write_sources(folder / "small", 3)
    for path, kind in zip(small, ("C", "C++", "CUDA"), strict=True):
        machine = "v100" if kind == "CUDA" else "haswell"
        yield Row(f"one {kind} file", _tool([path], machine, _ANEW), _bare([path], folder, kind))
    one = small[0]
    unit = _bare([one], folder, "C")
    kept = {KEPT_IN: str(folder / "kept")}
    yield Row("one C file, sizes known", _tool([one], "haswell", _ANEW, "-D", "n=4000", "-D", "m=3000"), unit)
    yield Row("one C file, kept", _tool([one], "haswell", _ALONE), unit, kept)
    yield Row("check, one C file", [*TOOL, "check", str(one), "--machine", "haswell", *_ANEW, "--exit-zero"], unit)
    corpus = sorted((_ROOT / "corpus").rglob("*"))
    for kind, suffix, machine in (("C", ".c", "haswell"), ("CUDA", ".cu", "v100")):
        files = [path for path in corpus if path.suffix == suffix]
        yield Row(f"corpus, {kind}", _tool(files, machine, _ANEW), _bare(files, folder, f"corpus {kind}"))
    many = write_sources(folder / "many", _FILES)
    unit = _bare(many, folder, "many")
    yield Row(f"{_FILES} files", _tool([folder / "many"], "v100", _ANEW), unit)
    yield Row(f"{_FILES} files, kept", _tool([folder / "many"], "v100", _ALONE), unit, kept)
    if polybench is not None:
        names = (polybench / "utilities" / "benchmark_list").read_text().split()
        files = [polybench / name for name in sorted(names)]
        options = ParseOptions(defines={_POLYBENCH_MACRO: "1"}, include_dirs=(str(polybench / "utilities"),))
        given = ("-I", str(polybench / "utilities"), "-D", _POLYBENCH_MACRO)
        unit = _bare(files, folder, "polybench", options)
        table = _tool(files, "v100", _ANEW, *given)
        yield Row("PolyBench/C", table, unit)
        yield Row("PolyBench/C, JSON to the table", [*table, "--format", "json"], table)
        yield Row("PolyBench/C, system parse", _bare(files, folder, "system c", _of_system(options)), unit)
    if cuda:
        files = sorted(path for program in cuda for path in program.rglob("*.cu"))
        unit = _bare(files, folder, "cuda")
        yield Row("CUDA code base", _tool(files, "v100", _ANEW), unit)
        yield Row("CUDA code base, system parse", _bare(files, folder, "system cuda", _of_system(ParseOptions())), unit)


def _of_system(options: ParseOptions) -> ParseOptions:
    return replace(options, system_headers=True)


def _tool(files: Sequence[Path], machine: str, *more: Sequence[str] | str) -> list[str]:
    options = [word for part in more for word in ((part,) if isinstance(part, str) else part)]
    return [*TOOL, *map(str, files), "--machine", machine, *options]


def _bare(files: Sequence[Path], folder: Path, name: str, options: ParseOptions | None = None) -> list[str]:
    return bare_parse([str(path) for path in files], folder / f"{name}.json", options)


def worse(found: Mapping[str, Measured], known: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """What is worse than known by more than the tolerance, in words."""
    for name, now in found.items():
        before = known.get(name)
        if before is None:
            continue
        for what, ratio in (("CPU", now.cpu_ratio), ("memory", now.peak_ratio)):
            limit = before[f"{'cpu' if what == 'CPU' else 'peak'}_ratio"] * _TOLERANCE
            if ratio > limit:
                yield f"{name}: {what} is {ratio:.2f} times the unit, more than {limit:.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; exit code 1 where ``--compare`` finds something worse."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--polybench", type=Path)
    parser.add_argument("--cuda", type=Path, nargs="*", default=[], help="folders of CUDA programs")
    parser.add_argument("--only", help="rows whose name holds this text")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--beside", help="a command whose cost is shown too")
    doing = parser.add_mutually_exclusive_group()
    doing.add_argument("--compare", action="store_true")
    doing.add_argument("--update", action="store_true")
    options = parser.parse_args(arguments)
    found: dict[str, Measured] = {}
    print(f"{'command':30}{'CPU s':>8}{'peak MiB':>10}{'unit s':>8}{'CPU ratio':>11}{'peak ratio':>12}")
    with tempfile.TemporaryDirectory() as folder:
        rows = list(rows_in(Path(folder), options.polybench, options.cuda))
        if options.beside:
            rows.append(Row("beside", shlex.split(options.beside), NOTHING))
        for row in rows:
            if options.only is None or options.only in row.name:
                now = found[row.name] = measure(row, options.runs)
                print(
                    f"{row.name:30}{now.cpu_s:8.2f}{now.peak_mib:10.0f}{now.unit_cpu_s:8.2f}{now.cpu_ratio:11.2f}"
                    f"{now.peak_ratio:12.2f}",
                    flush=True,
                )
    primitive = {name: asdict(measured) for name, measured in found.items()}
    if options.json:
        options.json.write_text(json.dumps(primitive, indent=1) + "\n")
    known = json.loads(_NUMBERS.read_text()) if _NUMBERS.exists() else {}
    if options.update:
        _NUMBERS.write_text(json.dumps({**known, **primitive}, indent=1) + "\n")
    complaints = list(worse(found, known)) if options.compare else []
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
