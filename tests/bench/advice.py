"""The best advice on small C kernels, applied, compiled and timed: ``python -m tests.bench.advice MACHINE``.

Prints for each kernel the gain that was modelled for one core of the machine, which should be like this one, and the
gain of the run: the least time of several runs of either version, in turns.  The change is the patch of ``--patch``
where that is mechanical, else the one by hand that the advice names.  Needs gcc.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from roofline.estimation import estimate, source_text
from roofline.model.advice.kinds import ReuseData
from roofline.report.patches import changes_of
from roofline.report.report import Report
from roofline.report.sentences import advice_text

_FLAGS = (
    "-O3",
    "-march=native",
    "-fno-loop-interchange",
    "-fopenmp-simd",
    "-lm",
)  # the orders compared stay as written
_RUNS = 12
_HEAD = "void f(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n], "
_HEAD += "double *restrict x, double *restrict y) {\n"
_LOOPS = "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n"
_MVT = f"{_LOOPS}      x[i] += a[j][i] * y[j];\n"
_DEEP = f"{_LOOPS}      for (int k = 0; k < n; k++)\n"
_TIMER = """#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <time.h>
void before(int, void *, void *, void *, void *, void *), after(int, void *, void *, void *, void *, void *);
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
static void *filled(long n) {
  double *p = aligned_alloc(4096, (n * 8 + 4095) / 4096 * 4096);
  for (long i = 0; i < n; i++) p[i] = i % 7 * 0.25;
  return p;
}
static double sum(long n, const double *p) { double s = 0; for (long i = 0; i < n; i++) s += p[i]; return s; }
static double result(int v, long n, long all) {
  void *a = filled(all), *b = filled(all), *c = filled(all), *x = filled(n), *y = filled(n);
  (v ? after : before)(n, a, b, c, x, y);
  double found = sum(all, a) + sum(all, b) + sum(all, c) + sum(n, x);
  free(a), free(b), free(c), free(x), free(y);
  return found;
}
int main(int count, char **given) {
  long n = atol(given[1]), all = atol(given[2]), runs = atol(given[3]);
  double first = result(0, n, all), second = result(1, n, all);
  void *a = filled(all), *b = filled(all), *c = filled(all), *x = filled(n), *y = filled(n);
  double best[2] = {1e9, 1e9};
  for (int r = 0; r < runs; r++)
    for (int v = 0; v < 2; v++) {
      (v ? after : before)(n, a, b, c, x, y);  // its own data are in the caches, not those of the other version
      double start = now();
      (v ? after : before)(n, a, b, c, x, y);
      start = now() - start;
      if (start < best[v]) best[v] = start;
    }
  printf("%g %g %d\\n", best[0], best[1], fabs(first - second) <= 1e-9 * fabs(first));
}
"""


class Kernel(Struct, frozen=True):
    """The body of a function of ``n``, matrices a, b, c and vectors x, y; ``by_hand`` is what advice makes of it.

    ``elements`` are those of a matrix, n*n where none are given; ``head`` begins a function with other types, and
    ``head_by_hand`` one with another layout, which gives other sums.
    """

    name: str
    size: int
    body: str
    by_hand: str = ""
    elements: int = 0
    head: str = _HEAD
    head_by_hand: str = ""


_SWEEP = """    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        {0}[i][j] = 0.2 * ({1}[i][j] + {1}[i][j - 1] + {1}[i][j + 1] + {1}[i + 1][j] + {1}[i - 1][j]);
"""
_STEPS = 20


def _stepped(sweep: str) -> str:
    """Return a pair of sweeps, there and back, in a loop over time steps."""
    return f"  for (int t = 0; t < {_STEPS}; t++) {{\n{sweep.format('b', 'a')}{sweep.format('a', 'b')}  }}\n"


def _between(loop: str, side: int, shift: str) -> str:
    """Return the header of a loop over one side of a tile that moves by ``shift``."""
    first, last = f"{loop}{loop} - {shift}", f"{loop}{loop} + {side} - {shift}"
    return f"for (int {loop} = {first} > 1 ? {first} : 1; {loop} < ({last} < n - 1 ? {last} : n - 1); {loop}++)\n"


def _tiled(sweep: str, loops: str, side: int) -> str:
    """Return a pair of sweeps in tiles that move by two in each step, the second one behind the first by one."""
    around = "".join(f"  for (int {i}{i} = 1; {i}{i} < n + {2 * _STEPS}; {i}{i} += {side})\n" for i in loops)
    text = f"{around}  for (int t = 0; t < {_STEPS}; t++) {{\n"
    for names, shift in ((("b", "a"), "2 * t"), (("a", "b"), "(2 * t + 1)")):
        part = sweep.format(*names)
        for i in loops:
            part = part.replace(f"for (int {i} = 1; {i} < n - 1; {i}++)\n", _between(i, side, shift))
        text += part
    return f"{text}  }}\n"


_CUBES = "void f(int n, double a[restrict n][n][n], double b[restrict n][n][n], double *c, double *x, double *y) {\n"
_AROUND = ("[i+1][j][k]", "[i-1][j][k]", "[i][j+1][k]", "[i][j-1][k]", "[i][j][k+1]", "[i][j][k-1]")
_CUBE = (
    "    for (int i = 1; i < n - 1; i++)\n      for (int j = 1; j < n - 1; j++)\n"
    "        for (int k = 1; k < n - 1; k++)\n"
    "          {0}[i][j][k] = 0.25 * {1}[i][j][k] + 0.125 * (" + " + ".join("{1}" + each for each in _AROUND) + ");\n"
)

KERNELS = (
    Kernel("gemm", 1000, f"{_DEEP}        c[i][j] += a[i][k] * b[k][j];\n"),
    Kernel(
        "2mm",
        1000,
        f"{_LOOPS}    {{\n      c[i][j] = 0;\n"
        "      for (int k = 0; k < n; k++)\n        c[i][j] += a[i][k] * b[k][j];\n    }\n",
        "  for (int i = 0; i < n; i++) {\n    for (int j = 0; j < n; j++) c[i][j] = 0;\n"
        "    for (int k = 0; k < n; k++)\n      for (int j = 0; j < n; j++)\n"
        "        c[i][j] += a[i][k] * b[k][j];\n  }\n",
    ),
    Kernel(
        "syrk",
        1000,
        "  for (int i = 0; i < n; i++)\n    for (int k = 0; k < n; k++)\n"
        "      for (int j = 0; j <= i; j++)\n        c[i][j] += a[i][k] * a[j][k];\n",
        "  for (int i = 0; i < n; i++) {\n    int k = 0;\n    for (; k + 3 < n; k += 4)\n"
        "      for (int j = 0; j <= i; j++) {\n"
        + "".join(f"        c[i][j] += a[i][k + {copy}] * a[j][k + {copy}];\n" for copy in range(4))
        + "      }\n    for (; k < n; k++)\n      for (int j = 0; j <= i; j++) c[i][j] += a[i][k] * a[j][k];\n  }\n",
    ),
    Kernel("transpose", 4000, f"{_LOOPS}      b[j][i] = a[i][j];\n"),
    Kernel("mvt, second half", 1500, _MVT),
    Kernel("mvt, page walks", 4000, _MVT),  # more pages in a column than the TLB holds: not modelled
    Kernel(
        "mvt, first half",
        1000,
        "  for (int i = 0; i < n; i++) {\n    double s = 0;\n"
        "    for (int j = 0; j < n; j++)\n      s += a[i][j] * y[j];\n    x[i] = s;\n  }\n",
        "  for (int i = 0; i < n; i++) {\n    double s = 0;\n#pragma omp simd reduction(+:s)\n"
        "    for (int j = 0; j < n; j++)\n      s += a[i][j] * y[j];\n    x[i] = s;\n  }\n",
    ),
    Kernel("jacobi-2d", 2500, _stepped(_SWEEP), _tiled(_SWEEP, "ij", 128)),
    Kernel("heat-3d", 160, _stepped(_CUBE), _tiled(_CUBE, "i", 32), elements=160**3, head=_CUBES),
    Kernel(
        "add",
        4000,
        f"{_LOOPS}      c[i][j] = a[i][j] + 2.0 * b[i][j];\n",
        "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j += 4)\n"
        "      __builtin_ia32_movntpd256(&c[i][j], *(V *)&a[i][j] + 2.0 * *(V *)&b[i][j]);\n",
        head_by_hand=f"typedef double V __attribute__((vector_size(32)));\n{_HEAD}",
    ),
    Kernel(
        "drift",
        2000,
        "  for (int i = 0; i < n * n / 8; i++) a[i].x += 0.5 * a[i].vx;\n",
        "  for (int i = 0; i < n * n / 8; i++) b[i] += 0.5 * c[i];\n",
        head="struct P { double x, y, z, vx, vy, vz, m, q; };\nvoid f(int n, struct P *restrict a) {\n",
        head_by_hand="void f(int n, void *a, double *restrict b, double *restrict c) {\n",
    ),
)


def main() -> None:
    """Print a row for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("machine", help="a machine of the catalog like this one, or a file from `machines measure`")
    machine = parser.parse_args().machine
    for kernel in KERNELS:
        print(f"{kernel.name:20}{' '.join(_told(kernel, machine))}")


def _told(kernel: Kernel, machine: str) -> Iterator[str]:
    text = f"{kernel.head}{kernel.body}}}\n"
    source = source_text(text, f"{kernel.name}.c")
    report = estimate(source, machine, sizes={"n": kernel.size}, cores=1, advise=True, warm=True)
    parts = [part for region in report.regions for part in (region, *region.all_nests)]
    found = [each for part in parts for each in part.advice if each.gain and not isinstance(each, ReuseData)]
    if not found:
        yield "no advice"
        return
    best = max(found, key=lambda each: each.gain or 0.0)
    modelled = best.gain or 0.0
    by_hand = f"{kernel.head_by_hand or kernel.head}{kernel.by_hand}}}\n" if kernel.by_hand else ""
    changed = _patched(report) or by_hand
    if not changed:
        yield f"modelled {modelled:.2f}, no change by hand"
        return
    before, after, same = _timed(text, changed, kernel)
    gain = before / after
    yield f"modelled {modelled:5.2f}, run {gain:5.2f} ({before * 1e3:.2f} -> {after * 1e3:.2f} ms),"
    yield f"apart {max(gain / modelled, modelled / gain):.2f}{'' if same or kernel.head_by_hand else ', OTHER RESULTS'}"
    yield f"\n    {advice_text(best)}"


def _patched(report: Report) -> str:
    (file,) = report.files
    edits = [edit for change in changes_of(file)[:1] for edit in change.edits]
    text = file.profile.source_text
    for edit in sorted(edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text if edits else ""


def _timed(before: str, after: str, kernel: Kernel) -> tuple[float, float, bool]:
    """Return the least seconds of both versions, and whether their results are the same."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("before", before), ("after", after), ("timer", _TIMER)):
            (Path(folder) / f"{name}.c").write_text(text.replace("void f(", f"void {name}("))
        sources = ("before.c", "after.c", "timer.c")
        subprocess.run(["gcc", *_FLAGS, *sources, "-o", "timer", "-lm"], cwd=folder, check=True)
        elements = kernel.elements or kernel.size**2
        command = ["./timer", str(kernel.size), str(elements), str(_RUNS)]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    first, second, same = done.stdout.split()
    return float(first), float(second), same == "1"


if __name__ == "__main__":
    main()
