"""Bytes behind set-associative caches: drawn leading dimensions near powers of two, against programs that run.

    python -m tests.bench.set_conflicts FIRST LAST [--large] [--worst N]

Triangular solves, rank-k updates, factorisations, column walks and stencils over matrices whose leading dimension is a
multiple of 512 bytes to 8 KiB, or a few elements off.  The truth is :mod:`tests.oracle.traced`: every access of the
compiled kernel through exact set-associative LRU caches (32 KiB of 8 ways, 256 KiB of 8, 35 MiB of 16).  Arrays start
on pages in the order of declaration, 16 bytes apart at least, as the model assumes.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct

from analyzer.traffic.hierarchy import CacheLevel, Hierarchy
from analyzer.traffic.reuse.analytic import analytic_traffic
from analyzer.traffic.simulation.simulate import lines_of_short

from ..oracle.sources import region_of
from ..oracle.traced import total, traced

HIERARCHY = Hierarchy(
    (CacheLevel("L1", 32 << 10, 8), CacheLevel("L2", 256 << 10, 8), CacheLevel("L3", 35840 << 10, 16))
)
_CACHES = "32/8,256/8,35840/16"
_PAGE, _HEADER = 4096, 16
_BASES = (64, 128, 256, 512, 512, 1024)
_OFF = (0, 0, 0, 0, 8, -8, 1, -1, 4, 16)


class Kernel(Struct, frozen=True):
    """Arrays as ``A[N][LD]``, statements, and whether the work grows with the cube of the sizes."""

    arrays: str
    body: str
    cubic: bool = True


KERNELS: Mapping[str, Kernel] = {
    "forward solve": Kernel(
        "A[N][LD] x[N] b[N]",
        "for (int i = 0; i < N; i++) { x[i] = b[i]; for (int j = 0; j < i; j++) x[i] -= A[i][j] * x[j];"
        " x[i] /= A[i][i]; }",
        cubic=False,
    ),
    "forward solve by columns": Kernel(
        "A[N][LD] x[N]",
        "for (int j = 0; j < N; j++) { x[j] /= A[j][j]; for (int i = j + 1; i < N; i++) x[i] -= A[i][j] * x[j]; }",
        cubic=False,
    ),
    "trsm": Kernel(
        "A[N][LD] B[N][LB]",
        "for (int i = 0; i < N; i++) for (int k = 0; k < i; k++) for (int j = 0; j < M; j++)"
        " B[i][j] -= A[i][k] * B[k][j];",
    ),
    "trsm by columns": Kernel(
        "A[N][LD] B[N][LB]",
        "for (int j = 0; j < M; j++) for (int i = 0; i < N; i++) { for (int k = 0; k < i; k++)"
        " B[i][j] -= A[i][k] * B[k][j]; B[i][j] /= A[i][i]; }",
    ),
    "syrk": Kernel(
        "C[N][LD] A[N][LB]",
        "for (int i = 0; i < N; i++) for (int k = 0; k < M; k++) for (int j = 0; j <= i; j++)"
        " C[i][j] += A[i][k] * A[j][k];",
    ),
    "syr2k": Kernel(
        "C[N][LD] A[N][LB] B[N][LB]",
        "for (int i = 0; i < N; i++) for (int k = 0; k < M; k++) for (int j = 0; j <= i; j++)"
        " C[i][j] += A[j][k] * B[i][k] + B[j][k] * A[i][k];",
    ),
    "trmm": Kernel(
        "A[M][LD] B[M][LB]",
        "for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) for (int k = i + 1; k < M; k++)"
        " B[i][j] += A[k][i] * B[k][j];",
    ),
    "cholesky": Kernel(
        "A[N][LD]",
        "for (int i = 0; i < N; i++) { for (int j = 0; j < i; j++) { for (int k = 0; k < j; k++)"
        " A[i][j] -= A[i][k] * A[j][k]; A[i][j] /= A[j][j]; }"
        " for (int k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k]; }",
    ),
    "cholesky by columns": Kernel(
        "A[N][LD]",
        "for (int k = 0; k < N; k++) { for (int i = k + 1; i < N; i++) A[i][k] /= A[k][k];"
        " for (int j = k + 1; j < N; j++) for (int i = j; i < N; i++) A[i][j] -= A[i][k] * A[j][k]; }",
    ),
    "lu": Kernel(
        "A[N][LD]",
        "for (int k = 0; k < N; k++) for (int i = k + 1; i < N; i++) { A[i][k] /= A[k][k];"
        " for (int j = k + 1; j < N; j++) A[i][j] -= A[i][k] * A[k][j]; }",
    ),
    "column sums": Kernel(
        "A[N][LD] B[N][LB] s[M]",
        "for (int j = 0; j < M; j++) for (int i = 0; i < N; i++) s[j] += A[i][j] * B[i][j];",
        cubic=False,
    ),
    "transpose": Kernel(
        "A[N][LD] B[M][LC]",
        "for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) B[j][i] = A[i][j];",
        cubic=False,
    ),
    "gemm": Kernel(
        "A[N][LD] B[M][LB] C[N][LD]",
        "for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) for (int k = 0; k < M; k++)"
        " C[i][j] += A[i][k] * B[k][j];",
    ),
    "symm": Kernel(
        "A[N][LD] B[N][LB] C[N][LB]",
        "for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) for (int k = 0; k < i; k++) {"
        " C[k][j] += A[i][k] * B[i][j]; C[i][j] += B[k][j] * A[i][k]; }",
    ),
    "stencil by columns": Kernel(
        "A[N][LD] B[N][LD]",
        "for (int j = 1; j < M - 1; j++) for (int i = 1; i < N - 1; i++)"
        " B[i][j] = A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1];",
        cubic=False,
    ),
}


class Row(Struct, frozen=True):
    """One drawn kernel: relative errors of the bytes that each level receives, CPU seconds of the model, its notes."""

    seed: int
    name: str
    sizes: Mapping[str, int]
    errors: tuple[float, ...]
    seconds: float
    notes: tuple[str, ...]


def drawn(seed: int, *, large: bool = False) -> tuple[str, dict[str, int]]:
    """Return the name of a kernel, one after the other, and drawn sizes."""
    source = random.Random(seed)
    name = [*KERNELS][seed % len(KERNELS)]
    least, most = (
        ((170, 300) if KERNELS[name].cubic else (700, 2000)) if large else (40, 170 if KERNELS[name].cubic else 700)
    )
    rows, columns = source.randrange(least, most), source.randrange(least, most)

    def leading(size: int) -> int:
        base = source.choice(_BASES)
        return max(size, -(-size // base) * base + source.choice((*_OFF, source.randrange(-40, 40))))

    longest = max(rows, columns)
    return name, {"N": rows, "M": columns, "LD": leading(longest), "LB": leading(longest), "LC": leading(rows)}


def row_of(seed: int, *, large: bool = False) -> Row:
    """Run a drawn kernel and model it."""
    name, sizes = drawn(seed, large=large)
    kernel = KERNELS[name]
    defines = "".join(f"#define {size} {value}\n" for size, value in sizes.items())
    parameters = ", ".join(f"double {array}" for array in kernel.arrays.split())
    function = f"void kernel({parameters}) {{\n{kernel.body}\n}}\n"
    arguments, size = _placed(kernel, sizes)
    buffer = f"static char buffer[{size}] __attribute__((aligned({_PAGE})));\n"
    call = f"int main(void) {{ kernel({', '.join(arguments)}); return 0; }}\n"
    with tempfile.TemporaryDirectory() as folder:
        program, alone = Path(folder) / "program.c", Path(folder) / "alone.c"
        program.write_text(defines + buffer + function + call)
        alone.write_text(defines + function)
        truth = total([*traced(program, Path(folder), caches=_CACHES).values()]).fetched
        region = region_of(alone, "kernel", {})
    start = time.process_time()
    found = analytic_traffic(region, HIERARCHY, warm=False, short=lines_of_short)
    seconds = time.process_time() - start
    fetched = (found.read + found.allocate).sum(axis=1)
    errors = tuple(
        float(mine / true - 1) if true else float(mine > 0) for mine, true in zip(fetched, truth, strict=True)
    )
    return Row(seed, name, sizes, errors, seconds, tuple(sorted({note.code for note in found.remarks()} - {"AI305"})))


def _placed(kernel: Kernel, sizes: Mapping[str, int]) -> tuple[list[str], int]:
    """Return the arguments of the call, pointers into one buffer, and the size of that."""
    arguments, start = list[str](), 0
    for array in kernel.arrays.split():
        extents = array.partition("[")[2].rstrip("]").split("][")
        pointer = f"double (*)[{extents[1]}]" if len(extents) == 2 else "double *"
        arguments.append(f"({pointer})(buffer + {start})")
        size = 8 * int(np.prod([sizes[extent] for extent in extents]))
        start += -(-(size + _HEADER) // _PAGE) * _PAGE
    return arguments, start


def _table(rows: Sequence[Row]) -> Iterator[str]:
    yield f"{'level':6}{'n':>6}{'median':>9}{'p90':>9}{'p95':>9}{'most':>9}"
    for position, level in enumerate(HIERARCHY.levels):
        errors = [100 * abs(row.errors[position]) for row in rows]
        figures = "".join(f"{value:8.2f}%" for value in np.quantile(errors, [0.5, 0.9, 0.95, 1]))
        yield f"{level.name:6}{len(rows):6}{figures}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and the worst rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--large", action="store_true", help="sizes that are sampled rather than simulated")
    parser.add_argument("--worst", type=int, default=8, metavar="N")
    chosen = parser.parse_args(arguments)
    rows = [row_of(seed, large=chosen.large) for seed in range(chosen.first, chosen.last)]
    print("\n".join(_table(rows)))
    print("\nworst rows:")
    for row in sorted(rows, key=lambda row: -max(map(abs, row.errors)))[: chosen.worst]:
        errors = " / ".join(f"{100 * error:+.2f} %" for error in row.errors)
        print(f"  {row.seed} {row.name} {dict(row.sizes)}: {errors} ({', '.join(row.notes) or 'no note'})")
    slowest = max(rows, key=lambda row: row.seconds)
    print(f"\nCPU of the model: median {np.median([row.seconds for row in rows]):.2f} s, most {slowest.seconds:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
