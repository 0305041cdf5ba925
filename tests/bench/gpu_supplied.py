"""What data decides in real CUDA kernels: whether the symbols that are named give what a profiler counted.

    python -m tests.bench.gpu_supplied CHECKOUT ROWS.json [--half 0|1] [--id TEXT]

CHECKOUT and ROWS are those of :mod:`.gpu_flops`, whose rows without an answer are tried.  FLOPs of both precisions
together, as a function of the symbols that are unknown (all set to one number, with fractions), are set equal to those
that were recorded, which gives that number.  A row is reached where each precision is then within 10 % of its own.

One symbol and one precision are a weak test: any formula that grows reaches any number.  Rows that have both
precisions, and single sizes that come out whole, are evidence, and are counted apart.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

from msgspec import Struct

from analyzer.counts.policy import FlopPolicy, load_policy
from analyzer.counts.work import work_of
from analyzer.domains.statement_domains import statement_domains_of
from analyzer.ir.nodes import Region
from analyzer.ir.passes.substitute import bind
from analyzer.ir.passes.unrolled import unrolled
from analyzer.quantities.quasipolynomial import NOTHING

from .gpu_flops import GRADES, count, is_near
from .gpu_rows import Checkout, Row, in_time, rows_of

_MOST, _EXACT = 2**24, 2**14
_WHOLE = 0.002
"""Of a size: what the profiler's rounding leaves of a whole number, relative to it."""


class Supplied(Struct, frozen=True):
    """The number that gives the recorded FLOPs, and those of each precision; ``reason`` where there is none."""

    symbols: tuple[str, ...] = ()
    number: float | None = None
    flops: tuple[float, float] = (0.0, 0.0)
    reason: str = ""

    def reaches(self, row: Row) -> bool:
        """Return whether each precision is near what was recorded."""
        recorded = row["sp_flops"], row["dp_flops"]
        return self.number is not None and all(map(is_near, self.flops, recorded))

    def is_evidence(self, row: Row) -> bool:
        """Return whether more than one number agrees: two precisions, or a size that comes out whole."""
        if self.number is None or not self.reaches(row):
            return False
        both = bool(row["sp_flops"] and row["dp_flops"])
        whole = len(self.symbols) == 1 and self.number >= 1 and abs(self.number / round(self.number) - 1) <= _WHOLE
        return both or (whole and self.number < 0.1 / _WHOLE)


def supplied(region: Region, row: Row, policy: FlopPolicy) -> Supplied:
    """Return what the recorded FLOPs make of the symbols of a region: a bisection, as FLOPs grow with them."""
    symbols, flops = _formula(region, policy)
    wanted = row["sp_flops"] + row["dp_flops"]
    low, high = Fraction(0), Fraction(1)
    while symbols and sum(flops(high)) < wanted and high < _MOST:
        low, high = high, high * 2
    if not symbols or not sum(flops(low)) <= wanted <= sum(flops(high)):
        return Supplied(symbols, reason="no number of them gives the recorded FLOPs")
    while high - low > high / _EXACT:
        middle = (low + high) / 2
        low, high = (middle, high) if sum(flops(middle)) < wanted else (low, middle)
    return Supplied(symbols, float(high), flops(high))


def _formula(region: Region, policy: FlopPolicy) -> tuple[tuple[str, ...], Callable[[Fraction], tuple[float, float]]]:
    """Return the unknown symbols of a region, and its FLOPs in both precisions as a function of one number for all."""
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    written, machine = (statement_domains_of(bind(each, values)).statements for each in (region, unrolled(region)))
    found = work_of(written, policy, contract=True, compiled=machine).flops_by_precision
    by_precision = {precision.value: flops.estimate for precision, flops in found.items()}
    single, double = (by_precision.get(name, NOTHING) for name in ("fp32", "fp64"))
    symbols = tuple(sorted((single.symbols | double.symbols) - values.keys()))

    def flops(number: Fraction) -> tuple[float, float]:
        given = {**values, **dict.fromkeys(symbols, number)}
        return float(single.evaluate(given)), float(double.evaluate(given))

    return symbols, flops


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for every row without an answer, and how many of them the symbols reach."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--half", type=int, choices=(0, 1), help="only programs of this half")
    parser.add_argument("--id", default="", help="only rows whose id holds this text")
    options = parser.parse_args(arguments)
    checkout, policy = Checkout(options.checkout), load_policy("nvidia-sass")
    score: Counter[str] = Counter()
    for row in rows_of(options.rows, text=options.id, half=options.half):
        if row["grade"] not in GRADES:
            continue
        found = in_time(lambda row=row: _tried(checkout, row, policy), lambda reason: Supplied(reason=reason))  # type: ignore[misc]
        if found is None:
            continue
        score += Counter({"rows": 1, "reached": found.reaches(row), "evidence": found.is_evidence(row)})
        print(_line(row, found), flush=True)
    print(f"{score['reached']} of {score['rows']} reached by their symbols, {score['evidence']} of them with evidence")
    return 0


def _tried(checkout: Checkout, row: Row, policy: FlopPolicy) -> Supplied | None:
    """Return what the symbols give; None for a row that has an answer."""
    region = checkout.region(row, "given")
    return supplied(region, row, policy) if count(region, policy).reason else None


def _line(row: Row, found: Supplied) -> str:
    number = found.reason or f"{found.number:.6g}: {found.flops[0]:.6g} {found.flops[1]:.6g}"
    mark = "reached" if found.reaches(row) else "missed"
    recorded = f"{row['sp_flops']:.6g} {row['dp_flops']:.6g}"
    return f"{row['id']:55} {recorded:24} {mark:8} {', '.join(found.symbols[:4])} = {number}"


if __name__ == "__main__":
    sys.exit(main())
