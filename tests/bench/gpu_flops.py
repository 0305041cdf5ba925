"""FLOPs of real CUDA kernels against what a profiler counted: hits, misses and abstentions.

    python -m tests.bench.gpu_flops CHECKOUT ROWS.json [--mode given|discovered] [--label easy|hard] [--half 0|1]
        [--id TEXT] [--json FILE]

CHECKOUT is the repository gpuFLOPBench (sources under ``src/``), ROWS the recorded launches.  ``given`` supplies grid
and block of the row, ``discovered`` only the program's command line.  A hit is within 1.5 steps of the profiler's
rounding, in each precision; rows of grades A and B count; what is not a number counts as a miss.  Beside the hits:
rows within 10 % in each precision, the class (none, single, double, mixed: which precisions have FLOPs at all), and
MALE, the mean of |log10(predicted + 1) - log10(recorded + 1)| over the FLOPs of both precisions, of the rows with an
answer.  Answers without an interval that are more than 10 % off are *silent* errors, and are marked in their line (!);
of intervals it is counted how many hold what was recorded.  ``--json`` writes one object for each row.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, to_builtins

from analyzer.counts.policy import FlopPolicy, load_policy
from analyzer.counts.work import work_of
from analyzer.domains.statement_domains import statement_domains_of
from analyzer.ir.nodes import Region
from analyzer.ir.passes.substitute import bind
from analyzer.ir.passes.unrolled import unrolled
from analyzer.ir.types import ScalarType
from analyzer.quantities.quantity import Quantity
from analyzer.quantities.quasipolynomial import NOTHING

from .gpu_rows import MODES, Checkout, Row, in_time, rows_of

GRADES = ("A", "B")
_SINGLE, _DOUBLE = ScalarType.FP32, ScalarType.FP64


class Prediction(Struct, frozen=True):
    """FLOPs by precision; ``reason`` says why there are none.  ``kind`` is known where counts are symbols, too.

    ``least`` and ``most`` are the bounds in both precisions; ``most`` is infinite where nothing bounds it.  What is not
    counted is in ``left_out``.
    """

    single: float | None = None
    double: float | None = None
    reason: str = ""
    kind: str = ""
    least: tuple[float, float] = (0.0, 0.0)
    most: tuple[float, float] = (math.inf, math.inf)
    left_out: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the answer is one number in each precision, and nothing is left out."""
        return not self.reason and self.least == self.most and not self.left_out

    def holds(self, single: float, double: float, quantum: float) -> bool:
        """Whether both numbers are within the bounds, but for 1.5 steps of the profiler's rounding, and 0.5 %."""
        return all(
            least * 0.995 - 1.5 * quantum <= number <= most * 1.005 + 1.5 * quantum
            for least, number, most in zip(self.least, (single, double), self.most, strict=True)
        )


def count(region: Region, policy: FlopPolicy) -> Prediction:
    """FLOPs of a region, where all sizes are known."""
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    written, machine = (statement_domains_of(bind(each, values)).statements for each in (region, unrolled(region)))
    work = work_of(written, policy, contract=True, compiled=machine)
    found = {precision.value: flops.estimate for precision, flops in work.flops_by_precision.items()}
    missing = frozenset().union(*(count.symbols for count in found.values())) - values.keys()
    single, double = (found.get(name.value, NOTHING) for name in (_SINGLE, _DOUBLE))
    if missing:
        kind = class_of(not single.is_zero, not double.is_zero)
        return Prediction(reason=f"unknown {', '.join(sorted(missing)[:3])}", kind=kind)
    totals = [float(count.evaluate(values)) for count in (single, double)]
    ends = [_ends(work.flops_by_precision.get(name), values) for name in (_SINGLE, _DOUBLE)]
    return Prediction(
        totals[0],
        totals[1],
        kind=class_of(*totals),
        least=(ends[0][0], ends[1][0]),
        most=(math.inf, math.inf) if work.not_counted else (ends[0][1], ends[1][1]),
        left_out=bool(work.not_counted),
    )


def _ends(flops: Quantity | None, values: Mapping[str, int]) -> tuple[float, float]:
    """The bounds of a quantity whose estimate is a number."""
    if flops is None:
        return 0.0, 0.0
    least = float(flops.lower.evaluate(values)) if flops.lower.symbols <= values.keys() else 0.0
    if flops.upper is None or not flops.upper.symbols <= values.keys():
        return least, math.inf
    return least, float(flops.upper.evaluate(values))


def is_hit(predicted: float | None, recorded: float, quantum: float) -> bool:
    """Within 1.5 steps of rounding."""
    return predicted is not None and abs(predicted - recorded) <= 1.5 * quantum + 1e-5 * recorded


def is_near(predicted: float | None, recorded: float, share: float = 0.1) -> bool:
    """Within 10 %, or another share."""
    return predicted is not None and abs(predicted - recorded) <= share * recorded


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

    def add(self, row: Row, found: Prediction) -> bool:
        """Whether a row is a hit."""
        single, double = row["sp_flops"], row["dp_flops"]
        hit = is_hit(found.single, single, row["flop_quantum"]) and is_hit(found.double, double, row["flop_quantum"])
        near = is_near(found.single, single) and is_near(found.double, double)
        self.numbers += Counter({"rows": 1, "hits": hit, "near": hit or near, "abstentions": bool(found.reason)})
        self.numbers["classes"] += found.kind == class_of(single, double)
        self.numbers["close"] += hit or (is_near(found.single, single, 0.01) and is_near(found.double, double, 0.01))
        self.numbers += Counter({"plain": found.is_plain, "silent": found.is_plain and not (hit or near)})
        if not found.reason and not found.is_plain:
            self.numbers += Counter({"intervals": 1, "hold": found.holds(single, double, row["flop_quantum"])})
        if found.single is not None and found.double is not None:
            predicted = found.single + found.double
            self.errors.append(abs(math.log10(predicted + 1) - math.log10(single + double + 1)))
        return hit

    def text(self) -> str:
        """One line."""
        numbers = self.numbers
        error = sum(self.errors) / len(self.errors) if self.errors else math.nan
        return (
            f"{numbers['hits']} hits of {numbers['rows']}, {numbers['close']} within 1 %, "
            f"{numbers['near']} within 10 %, "
            f"{numbers['classes']} of the right class, MALE {error:.3f}, {numbers['abstentions']} without an answer, "
            f"{numbers['silent']} of {numbers['plain']} plain answers silent errors, "
            f"{numbers['hold']} of {numbers['intervals']} intervals hold"
        )


def _line(row: Row, found: Prediction, seconds: float) -> str:
    """A row that is no hit."""
    figures = found.reason or f"{found.single:.6g} {found.double:.6g}"
    near = is_near(found.single, row["sp_flops"]) and is_near(found.double, row["dp_flops"])
    if found.is_plain:
        figures += "" if near else " !"
    elif not found.reason:
        ends = (f"{least:.4g}..{most:.4g}" for least, most in zip(found.least, found.most, strict=True) if most)
        figures += f" [{' '.join(ends)}]" + (" left out" if found.left_out else "")
    recorded = f"{row['sp_flops']:.6g} {row['dp_flops']:.6g}"
    return f"{row['id']:60} {row['label'] or '-':9} {recorded:24} {figures:40} {seconds:.1f} s"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for every row that is no hit, and the score of each label and of all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--mode", choices=MODES, default="given")
    parser.add_argument("--label", choices=("easy", "hard", "unlabeled"))
    parser.add_argument("--policy", default="nvidia-sass")
    parser.add_argument("--half", type=int, choices=(0, 1), help="only programs of this half")
    parser.add_argument("--id", default="", help="only rows whose id holds this text")
    parser.add_argument("--json", type=Path, help="a file for what was found")
    options = parser.parse_args(arguments)
    checkout, policy = Checkout(options.checkout), load_policy(options.policy)
    scores: dict[str, Score] = {}
    results: list[dict[str, object]] = []
    for row in rows_of(options.rows, text=options.id, half=options.half):
        if row["grade"] not in GRADES or options.label not in (None, row["label"]):
            continue
        began = time.process_time()
        found = in_time(
            lambda row=row: count(checkout.region(row, options.mode), policy),  # type: ignore[misc]
            lambda reason: Prediction(reason=reason),
        )
        hit = scores.setdefault(row["label"] or "unlabeled", Score()).add(row, found)
        scores.setdefault("all", Score()).add(row, found)
        results.append({"id": row["id"], "hit": hit, **to_builtins(found)})
        if not hit:
            print(_line(row, found, time.process_time() - began), flush=True)
    for label, score in sorted(scores.items()):
        print(f"{label}: {score.text()}")
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
