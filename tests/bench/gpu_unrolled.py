"""How far nvcc unrolls loops with divisions and mathematical functions, as the operations that each counts for.

    python -m tests.bench.gpu_unrolled [--write]

Makes ``analyzer/ir/passes/unrolled_sizes.toml`` (else it prints it).  Each loop adds up an operation on the elements of
an array; the most iterations that nvcc unrolls in whole, as PTX shows by its loads, say how large the operation is to
it: with the addition and the statement around it, it takes its part of what may be unrolled.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from analyzer.ir.passes import unrolled
from tests.oracle.sass.toolchain import MISSING, Toolchain, toolchain

from .gpu_instructions import FILE as FUNCTIONS

FILE = Path(unrolled.__file__).with_name("unrolled_sizes.toml")
TRIPS = (*range(2, 32), 40, 48, 64, 80, 96, 128)
_AROUND = 2  # the statement and its addition
_TYPES = {"fp32": "float", "fp64": "double"}
_OPERATORS = {"div": "x / c", "reciprocal": "1 / x"}
_LOOP = """extern "C" __global__ void k{number}_{trips}(const {type} *a, {type} *o, {type} c) {{
  {type} s = 0;
  for (int j = 0; j < {trips}; j++) {{ {type} x = a[j]; s += {expression}; }}
  o[0] = s;
}}
"""
_ENTRY = re.compile(r"\.entry (\w+)\((.*?)\n\}", re.DOTALL)


def loads(tools: Toolchain, text: str) -> Mapping[str, int]:
    """Return the loads from memory that are written in each kernel; none where the text does not compile."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "x.cu", Path(folder) / "x.ptx"
        source.write_text(text)
        subprocess.run([tools.nvcc, "-ptx", "-w", "-arch=sm_80", "-o", made, source], capture_output=True, check=False)
        if not made.exists():
            return {}
        return {name: body.count("ld.global") for name, body in _ENTRY.findall(made.read_text())}


def unrolled_trips(tools: Toolchain, kind: str, expression: str) -> int | None:
    """Return the most iterations that are unrolled in whole; None where the expression does not compile."""
    text = "".join(_LOOP.format(number=0, trips=trips, type=_TYPES[kind], expression=expression) for trips in TRIPS)
    found = loads(tools, text)
    whole = [trips for trips in TRIPS if found.get(f"k0_{trips}", 0) >= trips]
    return max(whole, default=1) if found else None


def rows(tools: Toolchain) -> Iterator[str]:
    """Yield the lines of the table; what counts for no more than any operation is in no row."""
    for name, own in sorted(tomllib.loads(FUNCTIONS.read_text()).items()):
        sizes = {}
        for kind in own:
            called = name if kind != "fp32" or name.startswith("__") else f"{name}f"
            tried = [_OPERATORS[name]] if _OPERATORS.get(name) else [f"{called}({a})" for a in ("x", "x, c", "x, c, x")]
            trips = next((found for text in tried if (found := unrolled_trips(tools, kind, text)) is not None), None)
            if trips is not None and trips < TRIPS[-1]:
                sizes[kind] = unrolled.ON_DEVICE.operations // trips - _AROUND
        if sizes:
            yield f"{name} = {{ " + ", ".join(f"{kind} = {size}" for kind, size in sizes.items()) + " }"


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    tools = toolchain()
    if tools is None:
        sys.exit(MISSING)
    head = (
        "# Operations that a division or a mathematical function counts for where a loop is unrolled, by its type.\n"
        f"# Made by `python -m tests.bench.gpu_unrolled --write` (nvcc {tools.version()}, sm_80).\n\n"
    )
    made = head + "\n".join(rows(tools)) + "\n"
    FILE.write_text(made) if chosen.write else print(made)


if __name__ == "__main__":
    main()
