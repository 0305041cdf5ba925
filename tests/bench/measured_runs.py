"""Compiling and timing the loops: one program for each set of compiler flags, the least of many short repetitions."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from .measured_loops import Loop
from .measured_template import ELEMENT_BYTES, PARAMETERS

_ARRAYS = tuple(ELEMENT_BYTES)
_DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__) || defined(__i386__)
/* Between calls: else a core would begin the chains of the next call while it waits for those of this one. */
#define SETTLE __asm__ volatile("lfence" : : : "memory")
#elif defined(__aarch64__)
#define SETTLE __asm__ volatile("isb" : : : "memory")
#else
#define SETTLE
#endif
static double clock_of(int kind) { struct timespec t; clock_gettime(kind, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
static double now(void) { return clock_of(CLOCK_MONOTONIC); }
static unsigned long state = 88172645463325252ul;
static unsigned long drawn(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static void *get(long count, long size) {
  char *raw = malloc((count * size + 8192) / 4096 * 4096); /* some elements more; where programs have their arrays */
  if (!raw) { fprintf(stderr, "out of memory\n"); exit(1); }
  return raw;
}
static double *reals(long count) {
  double *x = get(count, 8);
  for (long i = 0; i < count; i++) x[i] = 1 + (drawn() >> 11) * 0x1p-53;
  return x;
}
static float *floats(long count) {
  float *x = get(count, 4);
  for (long i = 0; i < count; i++) x[i] = 1 + (drawn() >> 40) * 0x1p-24f;
  return x;
}
static int *cycle(long count) { /* a permutation of one cycle (Sattolo 1986) */
  int *x = get(count, 4);
  for (long i = 0; i < count; i++) x[i] = i;
  for (long i = count - 1; i > 0; i--) { long j = drawn() % i; int t = x[i]; x[i] = x[j]; x[j] = t; }
  return x;
}
static int *bytes(long count) {
  int *x = get(count, 4);
  for (long i = 0; i < count; i++) x[i] = drawn() & 255;
  return x;
}
typedef double Kernel(PARAMETERS);
struct entry { const char *name; Kernel *run; long n, lengths[8]; };
TABLE
static double slice, limit;
static volatile double sink;
static double least_of(long fewest, struct entry *e, double *a, double *b, double *c, double *d, float *f, float *g,
                       int *p, int *q) {
  long calls = 1;
  double least = 1e9, started = now();
  sink += e->run(e->n, a, b, c, d, f, g, p, q, 0.5);
  if (now() - started > limit) fewest = 1;
  for (long repeat = 0; repeat < 400 && (repeat < fewest || now() - started < limit); repeat++) {
    double before = now(), own = clock_of(CLOCK_THREAD_CPUTIME_ID);
    for (long i = 0; i < calls; i++) { sink += e->run(e->n, a, b, c, d, f, g, p, q, 0.5); SETTLE; }
    double each = (now() - before) / calls;
    if (each > 1e-3) each = clock_of(CLOCK_THREAD_CPUTIME_ID) - own; /* one call, which others may interrupt */
    if (each < least) least = each;
    if (each * calls < slice / 2) calls = slice / each + 1;
  }
  return least;
}
int main(int count, char **words) {
  slice = atof(words[1]), limit = atof(words[2]);
  struct entry nothing = {"nothing", nothing_at_all, 0, {0}};
  double called = least_of(100, &nothing, 0, 0, 0, 0, 0, 0, 0, 0);
  for (struct entry *e = entries; e->name; e++) {
    if (!strstr(e->name, words[3])) continue;
    long *l = e->lengths;
    double *a = reals(l[0]), *b = reals(l[1]), *c = reals(l[2]), *d = reals(l[3]);
    float *f = floats(l[4]), *g = floats(l[5]);
    int *p = cycle(l[6]), *q = bytes(l[7]);
    printf("%s %.6e\n", e->name, least_of(4, e, a, b, c, d, f, g, p, q) - called);
    fflush(stdout);
    free(a); free(b); free(c); free(d); free(f); free(g); free(p); free(q);
  }
  return sink == 42;
}
"""


class Build(Struct, frozen=True):
    """A compiler with its flags, and what an estimate has to know of them: ``simd`` as ``--simd`` takes it, ``fma``."""

    name: str
    command: tuple[str, ...]
    simd: str | None = None
    reassociate: bool = False
    fma: bool = True


def builds() -> tuple[Build, ...]:
    """Return the compilers and flags that can be used here."""
    found: list[Build] = []
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler):
            native = (compiler, "-O3", "-march=native", "-fno-math-errno")
            scalar = "scalar" if compiler == "gcc" else "128"
            found += [
                Build(f"{compiler} -O2", (compiler, "-O2"), scalar, fma=False),
                Build(f"{compiler} -O3", native),
                Build(f"{compiler} fast", (*native, "-ffast-math"), None, True),
            ]
    return tuple(found)


def compiled(build: Build, loops: Sequence[Loop], folder: Path) -> Path:
    """Return the program of a build that times the loops."""
    templates = {loop.template.name: loop.template for loop in loops}
    before = dict.fromkeys(template.before for template in templates.values())
    functions = (template.function for template in templates.values())
    nothing = f"double nothing_at_all({PARAMETERS}) {{ return s; }}"
    (folder / "kernels.c").write_text("\n".join(("#include <math.h>", nothing, *before, *functions)))
    (folder / "driver.c").write_text(_DRIVER.replace("PARAMETERS", PARAMETERS).replace("TABLE", _table(loops)))
    program = folder / "program"
    objects = []
    for name, command in (("kernels", build.command), ("driver", (build.command[0], "-O1"))):
        objects.append(str(folder / f"{name}.o"))
        subprocess.run([*command, "-w", "-c", "-o", objects[-1], str(folder / f"{name}.c")], check=True)
    subprocess.run([build.command[0], *objects, "-o", str(program), "-lm"], check=True)
    return program


def timed(program: Path, *, slice_s: float = 2e-4, limit_s: float = 0.03, level: str = "") -> dict[str, float]:
    """Return the least seconds of one call of each loop; a repetition takes ``slice_s``, a loop about ``limit_s``.

    With a ``level`` only the loops whose data it holds are timed.  A call of a function that does nothing is taken off.
    """
    command = [program, str(slice_s), str(limit_s), level]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return {name: float(seconds) for name, seconds in (line.split() for line in done.stdout.splitlines())}


def _table(loops: Sequence[Loop]) -> str:
    names = dict.fromkeys(loop.template.name for loop in loops)
    return "\n".join(
        [
            "Kernel nothing_at_all;",
            *(f"Kernel {name};" for name in names),
            "struct entry entries[] = {",
            *_rows(loops),
            "  {0}",
            "};",
        ]
    )


def _rows(loops: Sequence[Loop]) -> Iterator[str]:
    for loop in loops:
        lengths = loop.template.elements(loop.n)
        listed = ", ".join(str(lengths.get(name, 1)) for name in _ARRAYS)
        yield f'  {{"{loop.name}", {loop.template.name}, {loop.n}, {{{listed}}}}},'
