"""FLOPs of real CUDA kernels against what a profiler counted: hits, misses and abstentions.

    python -m tests.bench.gpu_flops CHECKOUT ROWS.json [--mode given|discovered] [--label easy|hard] [--id TEXT]

CHECKOUT is the repository gpuFLOPBench (sources under ``src/``), ROWS the recorded launches.  ``given`` supplies grid
and block of the row, ``discovered`` only the program's command line.  A hit is within 1.5 steps of the profiler's
rounding, in each precision; rows of grades A and B count; what is not a number counts as a miss.  Beside the hits:
rows within 10 % in each precision, the class (none, single, double, mixed: which precisions have FLOPs at all), and
MALE, the mean of |log10(predicted + 1) - log10(recorded + 1)| over the FLOPs of both precisions, of the rows with an
answer.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzer.counts.policy import load_policy
from analyzer.counts.work import work_of
from analyzer.errors import AnalyzerError
from analyzer.frontend.clang_parse import parse_clang
from analyzer.frontend.launches import GivenLaunch, launches_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.lower.kernels import plain_name
from analyzer.frontend.options import Parsed, ParseOptions
from analyzer.frontend.syntax import FunctionKind, Unit
from analyzer.ir.bind import bind
from analyzer.ir.nodes import Region
from analyzer.poly.quasi import NOTHING
from analyzer.poly.sites import sites_of
from analyzer.source import Language, read_source

_SECONDS_PER_ROW = 20
_GRADES = ("A", "B")


class OutOfTime(Exception):
    """A row took too long."""


@dataclass(frozen=True)
class Prediction:
    """FLOPs by precision; ``reason`` says why there are none.  ``kind`` is known where counts are symbols, too."""

    single: float | None = None
    double: float | None = None
    reason: str = ""
    kind: str = ""


class Bench:
    """A checkout; sources are parsed once."""

    def __init__(self, checkout: Path, policy: str) -> None:
        self.checkout = checkout
        self.policy = load_policy(policy)
        self._parsed: dict[str, Parsed] = {}

    def parse(self, unit: Mapping[str, Any]) -> Parsed:
        """One translation unit as the benchmark compiles it."""
        if unit["file"] not in self._parsed:
            defines = dict((*item.split("=", 1), "1")[:2] for item in unit["defines"])
            folders = tuple(str(self.checkout / folder) for folder in unit["includes"])
            source = read_source(str(self.checkout / unit["file"]), language=Language.CUDA)
            self._parsed[unit["file"]] = parse_clang(source, ParseOptions(defines, folders, unit["std"]))
        return self._parsed[unit["file"]]

    def _is_there(self, unit: Mapping[str, Any]) -> bool:
        return (self.checkout / unit["file"]).exists()

    def predict(self, row: Mapping[str, Any], mode: str) -> Prediction:
        """What the analysis says about the first launch of the row's kernel."""
        seen = False
        for unit in filter(self._is_there, row["compile"]):
            parsed = self.parse(unit)
            keys = kernel_keys(parsed, row)
            if not keys:
                continue
            seen = True
            others = [self.parse(o).unit for o in row["compile"] if o is not unit and self._is_there(o)]
            found = self._of_unit(parsed, others, keys, row, mode)
            if found is not None:
                return found
        return Prediction(reason="no launch" if seen else "no kernel")

    def _of_unit(
        self, parsed: Parsed, others: list[Unit], keys: list[str], row: Mapping[str, Any], mode: str
    ) -> Prediction | None:
        arguments = shlex.split(row["exe_args"] or "")
        launches, _ = launches_of(parsed.unit, (), arguments, {}, others)
        own = [launch for launch in launches if launch.kernel in keys]
        given = [GivenLaunch(row["kernel"], tuple(row["grid"]), tuple(row["block"]))] if mode == "given" else []
        if given:
            same = [k for k in own if (k.launch.grid, k.launch.block) == (tuple(row["grid"]), tuple(row["block"]))]
            key = (same or own)[0].kernel if own else keys[0]
            name = parsed.unit.functions[key].name
            given = [GivenLaunch(name, tuple(row["grid"]), tuple(row["block"]))]
            launches, _ = launches_of(parsed.unit, given, arguments, {}, others)
            own = [launch for launch in launches if launch.kernel == key]
            if same:
                own = same
        if not own:
            return None
        wanted = frozenset({own[0].kernel})
        lowered = lower_unit(parsed.unit, LowerOptions(functions=wanted, launches=(own[0],)))
        return self._count(lowered.regions[0]) if lowered.regions else None

    def _count(self, region: Region) -> Prediction:
        values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
        work = work_of(sites_of(bind(region, values)).sites, self.policy, contract=True)
        found = {precision.value: flops.estimate for precision, flops in work.flops_by_precision.items()}
        missing = frozenset().union(*(count.symbols for count in found.values())) - values.keys()
        single, double = (found.get(name, NOTHING) for name in ("fp32", "fp64"))
        if missing:
            kind = class_of(not single.is_zero, not double.is_zero)
            return Prediction(reason=f"unknown {', '.join(sorted(missing)[:3])}", kind=kind)
        totals = [float(count.evaluate(values)) for count in (single, double)]
        return Prediction(totals[0], totals[1], kind=class_of(*totals))


def kernel_keys(parsed: Parsed, row: Mapping[str, Any]) -> list[str]:
    """Kernels of the row's name, those with its template arguments first."""
    kernels = [item for item in parsed.unit.functions.values() if item.kind is FunctionKind.KERNEL]
    named = [item for item in kernels if plain_name(item.name).rsplit("::", 1)[-1] == row["kernel"]]
    found = re.search(r"<(.*)>\(", row["kernel_demangled"])
    wanted = re.sub(r"\s|\(\w+\)", "", found[1]) if found else ""
    exact = [item.key for item in named if re.sub(r"\s", "", item.name.partition("<")[2].rstrip(">")) == wanted]
    return exact or [item.key for item in named]


def is_hit(predicted: float | None, recorded: float, quantum: float) -> bool:
    """Within 1.5 steps of rounding."""
    return predicted is not None and abs(predicted - recorded) <= 1.5 * quantum + 1e-5 * recorded


def is_near(predicted: float | None, recorded: float) -> bool:
    """Within 10 %."""
    return predicted is not None and abs(predicted - recorded) <= 0.1 * recorded


def class_of(single: float, double: float) -> str:
    """Which precisions have FLOPs."""
    return {(False, False): "none", (True, False): "single", (False, True): "double"}.get(
        (single > 0, double > 0), "mixed"
    )


class Score:
    """Sums up rows."""

    def __init__(self) -> None:
        self.numbers: Counter[str] = Counter()
        self.errors: list[float] = []

    def add(self, row: Mapping[str, Any], found: Prediction) -> bool:
        """Whether a row is a hit."""
        single, double = row["sp_flops"], row["dp_flops"]
        hit = is_hit(found.single, single, row["flop_quantum"]) and is_hit(found.double, double, row["flop_quantum"])
        near = is_near(found.single, single) and is_near(found.double, double)
        self.numbers += Counter({"rows": 1, "hits": hit, "near": hit or near, "abstentions": bool(found.reason)})
        self.numbers["classes"] += found.kind == class_of(single, double)
        if found.single is not None and found.double is not None:
            predicted = found.single + found.double
            self.errors.append(abs(math.log10(predicted + 1) - math.log10(single + double + 1)))
        return hit

    def text(self) -> str:
        """One line."""
        numbers = self.numbers
        error = sum(self.errors) / len(self.errors) if self.errors else math.nan
        return (
            f"{numbers['hits']} hits of {numbers['rows']}, {numbers['near']} within 10 %, "
            f"{numbers['classes']} of the right class, MALE {error:.3f}, {numbers['abstentions']} without an answer"
        )


def rows_of(path: Path, options: argparse.Namespace) -> Iterator[Mapping[str, Any]]:
    """The rows that count."""
    for row in json.loads(path.read_text("utf-8")):
        if row["grade"] in _GRADES and options.label in (None, row["label"]) and options.id in row["id"]:
            yield row


def _out_of_time(_signal: int, _frame: object) -> None:
    raise OutOfTime


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for every row that is no hit, and the score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--mode", choices=("given", "discovered"), default="given")
    parser.add_argument("--label", choices=("easy", "hard"))
    parser.add_argument("--policy", default="nvidia-sass")
    parser.add_argument("--id", default="", help="only rows whose id holds this text")
    options = parser.parse_args(arguments)
    bench = Bench(options.checkout, options.policy)
    signal.signal(signal.SIGALRM, _out_of_time)
    score = Score()
    for row in rows_of(options.rows, options):
        began = time.process_time()
        signal.alarm(_SECONDS_PER_ROW)
        try:
            found = bench.predict(row, options.mode)
        except OutOfTime:
            found = Prediction(reason="out of time")
        except AnalyzerError as error:
            found = Prediction(reason=str(error))
        finally:
            signal.alarm(0)
        if not score.add(row, found):
            figures = found.reason or f"{found.single:.6g} {found.double:.6g}"
            recorded = f"{row['sp_flops']:.6g} {row['dp_flops']:.6g}"
            seconds = time.process_time() - began
            print(f"{row['id']:60} {row['label'] or '-':5} {recorded:28} {figures:40} {seconds:.1f} s", flush=True)
    print(score.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
