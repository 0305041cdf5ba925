"""The loops beyond affine ones of ``tests/data/forms`` under instrumentation: the truth of ``truth.json``.

    python -m tests.bench.forms        writes it again (needs g++)

Every function runs at twelve sizes, powers of two and others, with counting numbers in place of ``float``.  The threads
of a kernel run one after the other: which operations they execute does not depend on data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from ..oracle.sources import ROOT
from .counted import run_counted

FOLDER = ROOT / "tests" / "data" / "forms"
FILES = ("loops.c", "digits.c", "recursion.c", "steps.c", "kernels.cu")
TRUTH = FOLDER / "truth.json"
SIZES = (2, 3, 7, 8, 12, 16, 31, 64, 100, 128, 243, 256)
_ELEMENTS = 4096  # of every array: more than any function touches at these sizes
_OPERATIONS = ("add", "sub", "mul", "div", "sqrt")
_FUNCTION = re.compile(r"^(?:__global__ )?(?:void|real) (\w+)\(([^)]*)\)$", re.MULTILINE)
_EMULATED = """
struct Index { unsigned x, y, z; };
Index threadIdx, blockIdx, blockDim, gridDim;
#define __global__
#define __shared__ static
#define __syncthreads() (void)0
Counted dynamic_shared[4096];
"""
_BLOCKS = 3


def functions(file: str) -> list[tuple[str, list[str]]]:
    """Return the functions of a file in order, each with its parameters as they are declared."""
    text = (FOLDER / file).read_text("utf-8")
    return [(name, [one.strip() for one in given.split(",")]) for name, given in _FUNCTION.findall(text)]


def sizes_of(name: str, size: int) -> dict[str, int]:
    """Return the sizes that a run of a function with this size has, as they are given to an analysis."""
    match name:
        case "butterflies_by_stage":
            return {"n": size, "stages": size.bit_length() - 1}
        case "triples_of_levels":
            return {"n": size, "m": 300 - size}
        case "every_mth" | "not_every_third_block":
            return {"n": size, "m": 5}
        case "reduce_shared":
            return {"n": _BLOCKS * size - 1, "blockDim.x": size, "gridDim.x": _BLOCKS}
        case "reduce_interleaved":
            return {"blockDim.x": size, "gridDim.x": _BLOCKS}
        case "scan_block":
            return {"n": size, "blockDim.x": size // 2, "gridDim.x": 1}
        case "bitonic_block":
            return {"n": size, "blockDim.x": size, "gridDim.x": 1}
        case _:
            return {"n": size}


def run_forms() -> dict[str, dict[str, int]]:
    """Return the floating-point operations of each function by size; needs ``g++``."""
    found: dict[str, dict[str, int]] = {}
    for file in FILES:
        text = (FOLDER / file).read_text("utf-8")
        text = text.replace("typedef float real;", "typedef Counted real;")
        text = text.replace("sqrt((double)n)", "(++counting::totals[counting::SQRT], sqrt((double)n))")
        is_kernel = file.endswith(".cu")
        if is_kernel:
            text = re.sub(r"extern __shared__ float (\w+)\[\];", r"Counted *\1 = dynamic_shared;", text)
            text = re.sub(r"\bfloat\b", "Counted", text).replace("Counted(", "float(")
        else:
            text = re.sub(r"\bint \*", "Whole *", text)
        runs = "".join(
            line for name, parameters in functions(file) for line in _runs(name, parameters, is_kernel=is_kernel)
        )
        unit = f'#include "counted.hpp"\n{_EMULATED if is_kernel else ""}{text}int main() {{\n{runs}return 0;\n}}\n'
        for name, executions in run_counted(unit).items():
            flops = [sum(counts.get(kind, 0) for kind in _OPERATIONS) for counts in executions]
            found[name] = {str(size): number for size, number in zip(SIZES, flops, strict=True)}
    return found


def _runs(name: str, parameters: Sequence[str], *, is_kernel: bool) -> Iterator[str]:
    for size in SIZES:
        values = sizes_of(name, size)
        yield "{\n"
        arguments = []
        for position, parameter in enumerate(parameters):
            *_, named = parameter.replace("*", " * ").split()
            if "*" in parameter:
                kind = "Whole" if "int" in parameter.split() else "Counted"
                yield f"static {kind} a{position}[{_ELEMENTS}];\n"
                yield f"for (int i = 0; i < {_ELEMENTS}; i++) a{position}[i] = {_content(name, kind)};\n"
                arguments.append(f"a{position}")
            else:
                arguments.append(_argument(named, parameter, values))
        call = f"{name}({', '.join(arguments)});"
        if is_kernel:
            blocks, threads = values["gridDim.x"], values["blockDim.x"]
            call = (
                f"gridDim.x = {blocks}; blockDim.x = {threads};\n"
                f"for (blockIdx.x = 0; blockIdx.x < {blocks}; blockIdx.x++)\n"
                f"for (threadIdx.x = 0; threadIdx.x < {threads}; threadIdx.x++) {call}"
            )
        yield f'counting::reset(); {call} counting::print("{name}");\n}}\n'


def _content(name: str, kind: str) -> str:
    return "0" if kind == "Whole" or name == "scan_block" else "i * 0.001f"


def _argument(named: str, parameter: str, values: Mapping[str, int]) -> str:
    if named in values:
        return str(values[named])
    return "64" if named == "stride" else f"({parameter.split()[0]})1"


if __name__ == "__main__":
    lines = (f" {json.dumps(name)}: {json.dumps(counts)}" for name, counts in run_forms().items())
    TRUTH.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
