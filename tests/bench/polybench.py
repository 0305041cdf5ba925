"""PolyBench/C: counts of all 30 kernels against the truth, with the CPU time of each analysis.

    python -m tests.bench.polybench CHECKOUT [--oracle FILE] [--dataset MINI ...] [--kernel NAME ...]

Truth is the oracle (counts of the instrumented runs) for the kernels in it, else the interpreter at MINI size.  Each
kernel is analyzed with symbolic sizes, evaluated at the dataset's, and with the sizes as constants
(``POLYBENCH_USE_SCALAR_LB``).  A figure is ``=`` where it is exact and equal, ``in`` where it depends on data and its
interval holds the truth, else wrong.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity
from analyzer.source import read_source

from ..oracle.interpreter import run
from ..oracle.sources import ROOT, region_of

ORACLE = ROOT / "tests" / "data" / "polybench.json"
MODES = {"symbolic": {}, "constant": {"POLYBENCH_USE_SCALAR_LB": "1"}}
KINDS = {"add": "add", "sub": "sub", "mul": "mul", "div": "div", "neg": "neg", "compare": "cmp"}


class Kernel(Struct, frozen=True):
    """One kernel of a checkout."""

    name: str
    source: Path
    utilities: Path

    @property
    def function(self) -> str:
        return "kernel_" + self.name.replace("-", "_")

    def macros(self, dataset: str) -> dict[str, int]:
        """The sizes of a dataset, from the kernel's header."""
        header = self.source.with_suffix(".h").read_text("utf-8")
        block = re.search(rf"#\s*ifdef {dataset}_DATASET(.*?)#\s*endif", header, re.DOTALL)
        assert block is not None, f"{self.name} has no dataset {dataset}"
        return {name: int(value) for name, value in re.findall(r"#\s*define (\w+) (\d+)", block[1])}


class Truth(Struct, frozen=True):
    """What a kernel really does at one size; operations by name, figures that were not measured are left out."""

    kernel: Kernel
    dataset: str
    origin: str
    operations: Mapping[str, int]
    figures: Mapping[str, int]


class Verdict(Struct, frozen=True):
    """One analysis held against one truth: figures by how they compare."""

    truth: Truth
    mode: str
    seconds: float
    figures: Mapping[str, str] = field(default_factory=dict)
    failure: str = ""

    @property
    def wrong(self) -> dict[str, str]:
        return {name: text for name, text in self.figures.items() if text not in ("=", "in")}

    @property
    def passed(self) -> bool:
        return not self.wrong and not self.failure


def kernels(checkout: Path) -> list[Kernel]:
    """The kernels that the checkout lists."""
    listed = (checkout / "utilities" / "benchmark_list").read_text("utf-8").split()
    sources = [checkout / line for line in listed]
    return [Kernel(source.stem, source, checkout / "utilities") for source in sources]


def truths(
    checkout: Path, oracle: Path = ORACLE, datasets: Sequence[str] = ("MINI", "SMALL", "MEDIUM")
) -> Iterator[tuple[Truth, str]]:
    """Each truth with a mode: measured where that was done, else interpreted at MINI size in that very mode."""
    records = json.loads(oracle.read_text("utf-8"))["records"]
    for kernel in kernels(checkout):
        measured = [record for record in records if record["kernel"] == kernel.name]
        for mode in MODES:
            for record in measured:
                if record["dataset"] in datasets:
                    yield _measured(kernel, record), mode
            if not measured and "MINI" in datasets:
                yield _interpreted(kernel, mode), mode


def judge(truth: Truth, mode: str) -> Verdict:
    """Analyze a kernel and compare every figure."""
    kernel = truth.kernel
    defines = _defines(truth.dataset, mode)
    options = AnalysisOptions(defines=defines, include_dirs=(str(kernel.utilities),), functions=(kernel.function,))
    start = time.process_time()
    try:
        (profile,) = analyze(read_source(str(kernel.source)), options)[0].regions
    except Exception as error:  # a benchmark goes on with the next kernel
        return Verdict(truth, mode, time.process_time() - start, failure=f"{type(error).__name__}: {error}")
    seconds = time.process_time() - start
    sizes = {name.lower(): value for name, value in kernel.macros(truth.dataset).items()} | dict(profile.values)
    return Verdict(truth, mode, seconds, _compare(profile, sizes, truth))


def _compare(profile: RegionProfile, sizes: Mapping[str, int], truth: Truth) -> dict[str, str]:
    found: dict[str, str] = {}
    operations = _operations(profile)
    for name in sorted({*operations, *truth.operations}):
        found[name] = _verdict(operations.get(name, []), sizes, truth.operations.get(name, 0))
    for name, quantity in _figures(profile).items():
        if name in truth.figures:
            found[name] = _verdict([quantity], sizes, truth.figures[name])
    return found


def _operations(profile: RegionProfile) -> dict[str, list[Quantity]]:
    """Floating-point operations by the names of the oracle."""
    found: dict[str, list[Quantity]] = {}
    for key, quantity in profile.work.operations.items():
        if key.precision.is_float and key.operation.value not in ("convert", "select"):
            found.setdefault(KINDS.get(key.operation.value, key.function), []).append(quantity)
    return found


def _figures(profile: RegionProfile) -> dict[str, Quantity]:
    return {
        "fma": profile.work.fma_instructions,
        "loads": profile.loads.elements,
        "stores": profile.stores.elements,
        "load_bytes": profile.loads.bytes,
        "store_bytes": profile.stores.bytes,
        "written": profile.footprint.written.elements,
        "touched": profile.footprint.touched.elements,
        "read_first": profile.footprint.read.elements,
    }


def _verdict(quantities: Sequence[Quantity], sizes: Mapping[str, int], truth: int) -> str:
    if all(quantity.is_exact for quantity in quantities):
        value = sum(quantity.estimate.evaluate(sizes) for quantity in quantities)
        return "=" if value == truth else f"{value} not {truth}"
    low = sum(quantity.lower.evaluate(sizes) for quantity in quantities)
    high = sum(quantity.most.evaluate(sizes) for quantity in quantities)
    return "in" if low <= truth <= high else f"{low}..{high} not {truth}"


def _measured(kernel: Kernel, record: Mapping[str, Any]) -> Truth:
    operations = {**record["flops"], **record["math_calls"]}
    distinct = record["distinct_elements"]
    figures = {name: record[name] for name in ("loads", "stores", "load_bytes", "store_bytes")}
    figures |= {"written": distinct["stored"], "touched": distinct["either"], "fma": record["fma_candidates"]}
    return Truth(kernel, record["dataset"], "run", {k: n for k, n in operations.items() if n}, figures)


def _defines(dataset: str, mode: str) -> dict[str, str]:
    return {f"{dataset}_DATASET": "1", "POLYBENCH_USE_C99_PROTO": "1", **MODES[mode]}


def _interpreted(kernel: Kernel, mode: str) -> Truth:
    region = region_of(kernel.source, kernel.function, _defines("MINI", mode), (str(kernel.utilities),))
    execution = run(region, {name.lower(): value for name, value in kernel.macros("MINI").items()})
    operations: Counter[str] = Counter()
    for (operation, precision, function), number in execution.operations.items():
        if precision.is_float and operation.value not in ("convert", "select"):
            operations[KINDS.get(operation.value, function)] += number
    distinct = execution.elements()
    figures = {
        "loads": execution.count(write=False),
        "stores": execution.count(write=True),
        "load_bytes": execution.bytes(write=False),
        "store_bytes": execution.bytes(write=True),
        "written": distinct.stored,
        "touched": distinct.either,
        "read_first": distinct.read_first,
    }
    return Truth(kernel, "MINI", "interpreter", operations, figures)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit code is 1 where a figure is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--oracle", type=Path, default=ORACLE)
    parser.add_argument("--dataset", action="append")
    parser.add_argument("--kernel", action="append")
    chosen = parser.parse_args(arguments)
    failed = 0
    print(f"{'kernel':16} {'size':7} {'truth':11} {'sizes':9} {'CPU s':>6}  figures")
    for truth, mode in truths(chosen.checkout, chosen.oracle, chosen.dataset or ("MINI", "SMALL", "MEDIUM")):
        name = truth.kernel.name
        if chosen.kernel and name not in chosen.kernel:
            continue
        verdict = judge(truth, mode)
        failed += not verdict.passed
        print(f"{name:16} {truth.dataset:7} {truth.origin:11} {mode:9} {verdict.seconds:6.2f}  {_text(verdict)}")
    print(f"{failed} analyses with a wrong figure")
    return 1 if failed else 0


def _text(verdict: Verdict) -> str:
    if verdict.failure:
        return verdict.failure
    counts = Counter("wrong" if name in verdict.wrong else text for name, text in verdict.figures.items())
    summary = f"{counts['=']} equal" + (f", {counts['in']} inside" if counts["in"] else "")
    return summary + "".join(f"; {name}: {text}" for name, text in verdict.wrong.items())


if __name__ == "__main__":
    sys.exit(main())
