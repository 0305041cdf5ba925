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
import math
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from analyzer.counts.policy import FlopPolicy, load_policy
from analyzer.counts.work import work_of
from analyzer.domains.quasipolynomial import NOTHING
from analyzer.domains.statement_domains import statement_domains_of
from analyzer.ir.nodes import Region
from analyzer.ir.passes.substitute import bind

from .gpu_rows import MODES, Checkout, Row, in_time, rows_of

_GRADES = ("A", "B")


class Prediction(Struct, frozen=True):
    """FLOPs by precision; ``reason`` says why there are none.  ``kind`` is known where counts are symbols, too."""

    single: float | None = None
    double: float | None = None
    reason: str = ""
    kind: str = ""


def count(region: Region, policy: FlopPolicy) -> Prediction:
    """FLOPs of a region, where all sizes are known."""
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    work = work_of(statement_domains_of(bind(region, values)).statements, policy, contract=True)
    found = {precision.value: flops.estimate for precision, flops in work.flops_by_precision.items()}
    missing = frozenset().union(*(count.symbols for count in found.values())) - values.keys()
    single, double = (found.get(name, NOTHING) for name in ("fp32", "fp64"))
    if missing:
        kind = class_of(not single.is_zero, not double.is_zero)
        return Prediction(reason=f"unknown {', '.join(sorted(missing)[:3])}", kind=kind)
    totals = [float(count.evaluate(values)) for count in (single, double)]
    return Prediction(totals[0], totals[1], kind=class_of(*totals))


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

    def add(self, row: Row, found: Prediction) -> bool:
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for every row that is no hit, and the score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--mode", choices=MODES, default="given")
    parser.add_argument("--label", choices=("easy", "hard"))
    parser.add_argument("--policy", default="nvidia-sass")
    parser.add_argument("--id", default="", help="only rows whose id holds this text")
    options = parser.parse_args(arguments)
    checkout, policy = Checkout(options.checkout), load_policy(options.policy)
    score = Score()
    for row in rows_of(options.rows, text=options.id):
        if row["grade"] not in _GRADES or options.label not in (None, row["label"]):
            continue
        began = time.process_time()
        found = in_time(
            lambda row=row: count(checkout.region(row, options.mode), policy),  # type: ignore[misc]
            lambda reason: Prediction(reason=reason),
        )
        if not score.add(row, found):
            figures = found.reason or f"{found.single:.6g} {found.double:.6g}"
            recorded = f"{row['sp_flops']:.6g} {row['dp_flops']:.6g}"
            seconds = time.process_time() - began
            print(f"{row['id']:60} {row['label'] or '-':5} {recorded:28} {figures:40} {seconds:.1f} s", flush=True)
    print(score.text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
