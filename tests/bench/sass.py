"""FLOPs of drawn device functions against their machine code.

    python -m tests.bench.sass [--first SEED] [--count 60] [--family NAME ...] [--arch sm_86] [--list] [--record FILE]

Each family of ``tests/oracle/drawn_cuda.py`` is drawn ``--count`` times, compiled by nvcc, run by an interpreter of
machine code, and held against what policy ``nvcc-sm_86`` counts from the source.  ``near`` is within 5 %, ``within``
inside of an interval that we give.  ``--record`` keeps what the machine code executes, so that tests need no compiler.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from analyzer.counts.policy import load_policy
from tests.oracle.drawn_cuda import FAMILIES, drawn
from tests.oracle.sass.drawn_counts import agreement, executed, predicted
from tests.oracle.sass.toolchain import MISSING, toolchain

KINDS = ("equal", "near", "within", "wrong")


def main() -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--family", nargs="+", default=list(FAMILIES), choices=FAMILIES)
    parser.add_argument("--arch", default="sm_86")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    tools = toolchain()
    if tools is None:
        print(MISSING, file=sys.stderr)
        return 2
    policy = load_policy(f"nvcc-{options.arch}")
    total: Counter[str] = Counter()
    truth: dict[str, dict[str, int]] = {}
    for family in options.family:
        kernels = [drawn(family, seed) for seed in range(options.first, options.first + options.count)]
        found: Counter[str] = Counter()
        for kernel, flops in zip(kernels, executed(tools, kernels, options.arch), strict=True):
            truth[kernel.name] = flops
            ours = predicted(kernel, policy)
            kind = agreement(flops, ours)
            found[kind] += 1
            if options.list and kind != "equal":
                said = {precision: float(counted.estimate) for precision, counted in ours.items()}
                print(f"{kind}: machine code {flops}, counted {said}\n{kernel.text}")
        total += found
        print(f"{family:12}", *(f"{kind} {found[kind]:4}" for kind in KINDS))
    print(f"{'all':12}", *(f"{kind} {total[kind]:4}" for kind in KINDS), f"of {total.total()}")
    if options.record:
        kept = {"arch": options.arch, "compiler": f"nvcc {tools.version()}", "flops": truth}
        options.record.write_text(json.dumps(kept, indent=0) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
