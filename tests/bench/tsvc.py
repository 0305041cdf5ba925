"""TSVC_2: FLOPs, loads and stores of its 151 loops against what instrumented runs of them counted.

    python -m tests.bench.tsvc CHECKOUT [--loop s111 ...] [--run] [--json FILE]

The source is analyzed as it is.  Figures, the turns of loops among them, are per execution of a loop, that is for one
pass of its repetition ``for (nl ...)``.  A loop is *exact* where every figure is exact and equal to the truth, an
*interval* where data decide some figure and its bounds hold the truth of every execution, else *wrong*.  Truth is
``tests/data/tsvc.json``, or with ``--run`` measured again (needs g++; ``--json`` writes it).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from analyzer.counts.tally import executions
from analyzer.domains.statement_domains import statement_domains_of
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import read
from analyzer.ir.nodes import Loop, Node, Region, Strided
from analyzer.ir.walk import walk_nodes
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import FileProfile, RegionProfile
from analyzer.quantities.quantity import Quantity, add
from analyzer.source import read_source

from ..oracle.sources import ROOT
from .figures import Counts, Figure, figure, figures_of, misfits
from .tsvc_run import run_tsvc, tests_of

TRUTH = ROOT / "tests" / "data" / "tsvc.json"
REPETITION = "nl"
_TURNS = "loop@"
_SIZES = {"inc": 1, "k": 1, "M": 16000} | {f"func_args->arg_info->{field}": 1 for field in "abc"}
"""What ``main`` passes where the counts depend on it."""


class Verdict(Struct, frozen=True):
    """One loop held against its truth; ``wrong`` by figure; ``reasons`` are codes of what could not be known."""

    name: str
    figures: Mapping[str, Figure]
    truths: Sequence[Counts]
    reasons: tuple[str, ...] = ()
    wrong: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        if self.wrong:
            return "wrong"
        return "exact" if all(figure.is_exact for figure in self.figures.values()) else "interval"


def judge(checkout: Path, truths: Mapping[str, Sequence[Counts]]) -> list[Verdict]:
    """Analyze the loops that have a truth and compare every figure, in the order of the source's ``main``."""
    source = read_source(str(checkout / "src" / "tsvc.c"))
    (profile,) = analyze(source, AnalysisOptions(functions=tuple(truths)))
    regions = {region.function: region for region in profile.regions}
    unit = read(source, ParseOptions(), "auto").unit
    lowered = lower_unit(unit, LowerOptions(functions=frozenset(truths)))
    repeated = {region.function: _repetitions(region) for region in lowered.regions}
    return [_verdict(name, profile, regions.get(name), repeated, truths[name]) for name in truths]


def _verdict(
    name: str,
    profile: FileProfile,
    region: RegionProfile | None,
    repeated: Mapping[str, tuple[int, int, Mapping[str, Figure]]],
    truths: Sequence[Counts],
) -> Verdict:
    if region is None or name not in repeated:
        return Verdict(name, {}, truths, wrong={"loop": "not read"})
    line, times, turns = repeated[name]
    nest = next(nest for nest in region.nests if nest.span.line == line)
    figures = figures_of(nest, _SIZES, times) | turns
    lines = range(nest.span.line, nest.span.end_line + 1)
    codes = {item.code for item in profile.diagnostics if item.span.line in lines and item.code.startswith("AI2")}
    return Verdict(name, figures, truths, tuple(sorted(codes)), misfits(figures, truths))


def _repetitions(region: Region) -> tuple[int, int, dict[str, Figure]]:
    """The line of the repetition of a function, how often it runs, and the iterations of each loop in one turn."""
    loop = _repetition(region.body)
    assert isinstance(loop.range, Strided)
    low, high = loop.range.start.constant, loop.range.stop.constant
    assert isinstance(low, int)
    assert isinstance(high, int)
    bodies, times = statement_domains_of(region).bodies, high - low
    turns: dict[str, list[Quantity]] = {}
    for inner in (visit.node for visit in walk_nodes(loop.body)):
        if isinstance(inner, Loop):
            turns.setdefault(f"{_TURNS}{inner.span.line}", []).append(executions(bodies[inner.iterator]))
    return loop.span.line, times, {name: figure(add(parts), times, _SIZES) for name, parts in turns.items()}


def _repetition(nodes: Sequence[Node]) -> Loop:
    found = (node for node in nodes if isinstance(node, Loop) and node.iterator.startswith(REPETITION))
    return next(found)


def table(verdicts: Sequence[Verdict]) -> list[str]:
    """The verdicts in Markdown: the exact loops by what an innermost iteration does, then those that are not exact."""
    kinds = Counter(verdict.kind for verdict in verdicts)
    lines = [", ".join(f"{number} {kind}" for kind, number in kinds.most_common()), ""]
    groups: dict[tuple[float, ...], list[str]] = {}
    for verdict in verdicts:
        if verdict.kind == "exact":
            groups.setdefault(_per_iteration(verdict), []).append(verdict.name)
    lines += ["| loads | stores | FLOPs | exact, per innermost iteration |", "|---|---|---|---|"]
    lines += [_row((*(f"{number:g}" for number in key), " ".join(groups[key]))) for key in sorted(groups)]
    lines += ["", "| interval | loads | stores | FLOPs | compares | codes |", "|---|---|---|---|---|---|"]
    for verdict in verdicts:
        if verdict.kind != "exact":
            cells = [_cell(verdict, kinds) for kinds in (("loads",), ("stores",), _flops(verdict), ("compare",))]
            lines.append(_row((verdict.name, *cells, " ".join(verdict.reasons))))
    return lines


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _per_iteration(verdict: Verdict) -> tuple[float, ...]:
    """Loads, stores and FLOPs of one turn of the loop that turns most often."""
    turns = max(figure.low for name, figure in verdict.figures.items() if name.startswith(_TURNS))
    groups = (("loads",), ("stores",), _flops(verdict))
    return tuple(round(float(sum(verdict.figures[kind].low for kind in kinds) / turns), 2) for kinds in groups)


def _flops(verdict: Verdict) -> tuple[str, ...]:
    kinds = (kind for kind in verdict.figures if not kind.startswith(_TURNS))
    return tuple(kind for kind in kinds if kind not in ("loads", "stores", "compare", "neg"))


def _cell(verdict: Verdict, kinds: Sequence[str]) -> str:
    figures = [verdict.figures[kind] for kind in kinds if kind in verdict.figures]
    low, high = sum(figure.low for figure in figures), sum(figure.high for figure in figures)
    truths = sorted({sum(truth.get(kind, 0) for kind in kinds) for truth in verdict.truths})
    said = f"{low}" if low == high else f"{low}..{high}"
    return f"{said} ({', '.join(map(str, truths))})" if low != high or [low] != truths else said


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the verdicts; the exit code is 1 where a figure is wrong or a loop is not read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--loop", action="append")
    parser.add_argument("--run", action="store_true", help="measure the truth again")
    parser.add_argument("--json", type=Path, help="write the truth")
    chosen = parser.parse_args(arguments)
    truths = run_tsvc(chosen.checkout) if chosen.run else json.loads(TRUTH.read_text("utf-8"))["loops"]
    if chosen.json:
        chosen.json.write_text(as_json(truths), "utf-8")
    listed = tests_of((chosen.checkout / "src" / "tsvc.c").read_text("utf-8"))
    wanted = [name for name in listed if not chosen.loop or name in chosen.loop]
    verdicts = judge(chosen.checkout, {name: truths[name] for name in wanted})
    print("\n".join(table(verdicts)))
    failed = [verdict for verdict in verdicts if verdict.wrong]
    for verdict in failed:
        print(f"{verdict.name}: " + "; ".join(f"{kind} {text}" for kind, text in verdict.wrong.items()))
    return 1 if failed else 0


def as_json(truths: Mapping[str, Sequence[Counts]]) -> str:
    """The truth as it is committed: one line a loop; executions that counted the same as the first are left out."""
    lines = []
    for name, counted in truths.items():
        kept = counted[:1] if all(counts == counted[0] for counts in counted) else list(counted)
        lines.append(f"  {json.dumps(name)}: {json.dumps(kept)}")
    about = "TSVC_2 (github UoB-HPC/TSVC_2): what the first three executions of each loop do, by instrumented runs"
    return f'{{\n "about": {json.dumps(about)},\n "loops": {{\n' + ",\n".join(lines) + "\n }\n}\n"


if __name__ == "__main__":
    sys.exit(main())
