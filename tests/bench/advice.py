"""The best advice on small C kernels, applied, compiled and timed.

Run by ``python -m tests.bench.advice MACHINE [KERNEL ...] [--size N]``.
Prints for each kernel the gain that was modelled for one core of the machine, which should be like this one, and the
gain of the run: the least processor time of several runs of either version, in turns.  The change is the patch of
``--patch`` where that is mechanical, single precision, or else the one by hand that the advice names.  Needs gcc.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from roofline.estimation import estimate, source_text
from roofline.model.advice.kinds import ReuseData
from roofline.model.advice.transformed import is_narrower
from roofline.report.advice_sentences import advice_text
from roofline.report.patches.patch import changes_of
from roofline.report.report import Report
from tests.bench.advised_kernels import KERNELS, Kernel

_FLAGS = (
    "-O3",
    "-march=native",
    "-fno-loop-interchange",
    "-fopenmp-simd",
    "-lm",
)  # the orders compared stay as written
_RUNS = 12
_TIMER = """#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <time.h>
void before(int, void *, void *, void *, void *, void *), after(int, void *, void *, void *, void *, void *);
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
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
  for (int r = 0; r < runs && (r < 3 || now() < 60); r++)
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


def main() -> None:
    """Print a row for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("machine", help="a machine of the catalog like this one, or a file from `machines measure`")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="of `advised_kernels.py`; all where none is named")
    parser.add_argument("--size", type=int, metavar="N", help="instead of the sizes of the kernels")
    given = parser.parse_args()
    for kernel in KERNELS:
        if not given.kernels or kernel.name in given.kernels:
            sized = replace(kernel, size=given.size) if given.size else kernel
            print(f"{kernel.name:20}{' '.join(_row(sized, given.machine))}")


def _row(kernel: Kernel, machine: str) -> Iterator[str]:
    text = f"{kernel.head}{kernel.body}}}\n"
    source = source_text(text, f"{kernel.name}.c")
    report = estimate(source, machine, sizes={"n": kernel.size}, cores=1, advise=True, warm=True)
    parts = [part for region in report.regions for part in (region, *region.all_nests)]
    found = [each for part in parts for each in part.advice if each.gain and not isinstance(each, ReuseData)]
    if not found:
        yield "no advice"
        return
    by_hand = f"{kernel.head_by_hand or kernel.head}{kernel.by_hand}}}\n" if kernel.by_hand else ""
    changed, title = _patched(report) or (by_hand, "")
    best = max(found, key=lambda each: (advice_text(each) == title, not is_narrower(each), each.gain or 0.0))
    modelled = best.gain or 0.0
    if is_narrower(best):
        changed = _narrowed(text)
    if not changed:
        yield f"modelled {modelled:.2f}, no change by hand"
        return
    before, after, same = _timed(text, changed, kernel)
    gain = before / after
    yield f"modelled {modelled:5.2f}, run {gain:5.2f} ({before * 1e3:.2f} -> {after * 1e3:.2f} ms),"
    is_same = same or kernel.head_by_hand or is_narrower(best)
    yield f"apart {max(gain / modelled, modelled / gain):.2f}{'' if is_same else ', OTHER RESULTS'}"
    yield f"\n    {advice_text(best)}"


def _narrowed(text: str) -> str:
    """Return a source in single precision, constants too."""
    return re.sub(r"\b(\d+\.\d+)\b(?!f)", r"\1f", text.replace("double", "float"))


def _patched(report: Report) -> tuple[str, str] | None:
    """Return the source with the first change, and the advice that it follows."""
    (file,) = report.files
    change = next(iter(changes_of(file)), None)
    if change is None:
        return None
    text = file.profile.source_text
    for edit in sorted(change.edits, key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text, change.title


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
