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
from roofline.report.patches import changes_of
from roofline.report.report import Report

_FLAGS = ("-O3", "-march=native", "-fno-loop-interchange", "-fopenmp-simd")  # the orders compared stay as written
_RUNS = 6
_HEAD = "void f(int n, double a[restrict n][n], double b[restrict n][n], double c[restrict n][n], "
_HEAD += "double *restrict x, double *restrict y) {\n"
_LOOPS = "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n"
_DEEP = f"{_LOOPS}      for (int k = 0; k < n; k++)\n"
_TIMER = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>
void before(int, void *, void *, void *, void *, void *), after(int, void *, void *, void *, void *, void *);
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
static void *filled(long n) {
  double *p = aligned_alloc(4096, (n * 8 + 4095) / 4096 * 4096);
  for (long i = 0; i < n; i++) p[i] = i % 7 * 0.25;
  return p;
}
int main(int count, char **given) {
  long n = atol(given[1]), runs = atol(given[2]);
  void *a = filled(n * n), *b = filled(n * n), *c = filled(n * n), *x = filled(n), *y = filled(n);
  double best[2] = {1e9, 1e9};
  for (int r = 0; r < runs; r++)
    for (int v = 0; v < 2; v++) {
      double start = now();
      (v ? after : before)(n, a, b, c, x, y);
      start = now() - start;
      if (start < best[v]) best[v] = start;
    }
  printf("%g %g\\n", best[0], best[1]);
}
"""


class Kernel(Struct, frozen=True):
    """The body of a function of ``n``, matrices a, b, c and vectors x, y; ``by_hand`` is what advice makes of it."""

    name: str
    size: int
    body: str
    by_hand: str = ""


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
    Kernel("mvt, second half", 4000, f"{_LOOPS}      x[i] += a[j][i] * y[j];\n"),
    Kernel(
        "mvt, first half",
        1000,
        "  for (int i = 0; i < n; i++) {\n    double s = 0;\n"
        "    for (int j = 0; j < n; j++)\n      s += a[i][j] * y[j];\n    x[i] = s;\n  }\n",
        "  for (int i = 0; i < n; i++) {\n    double s = 0;\n#pragma omp simd reduction(+:s)\n"
        "    for (int j = 0; j < n; j++)\n      s += a[i][j] * y[j];\n    x[i] = s;\n  }\n",
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
    text = f"{_HEAD}{kernel.body}}}\n"
    report = estimate(source_text(text, f"{kernel.name}.c"), machine, sizes={"n": kernel.size}, cores=1, advise=True)
    gains = [
        getattr(advice, "gain", None) for region in report.regions for nest in region.nests for advice in nest.advice
    ]
    modelled = next((gain for gain in gains if gain), None)
    if modelled is None:
        yield "no advice"
        return
    changed = _patched(report) or (f"{_HEAD}{kernel.by_hand}}}\n" if kernel.by_hand else "")
    if not changed:
        yield f"modelled {modelled:.2f}, no change by hand"
        return
    before, after = _timed(text, changed, kernel.size)
    gain = before / after
    yield f"modelled {modelled:5.2f}, run {gain:5.2f} ({before * 1e3:.2f} -> {after * 1e3:.2f} ms),"
    yield f"apart {max(gain / modelled, modelled / gain):.2f}"


def _patched(report: Report) -> str:
    (file,) = report.files
    edits = [edit for change in changes_of(file)[:1] for edit in change.edits]
    text = file.profile.source_text
    for edit in sorted(edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text if edits else ""


def _timed(before: str, after: str, size: int) -> tuple[float, float]:
    """Return the least seconds of both versions."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("before", before), ("after", after), ("timer", _TIMER)):
            (Path(folder) / f"{name}.c").write_text(text.replace("void f(", f"void {name}("))
        sources = ("before.c", "after.c", "timer.c")
        subprocess.run(["gcc", *_FLAGS, *sources, "-o", "timer"], cwd=folder, check=True)
        command = ["./timer", str(size), str(_RUNS)]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    first, second = map(float, done.stdout.split())
    return first, second


if __name__ == "__main__":
    main()
