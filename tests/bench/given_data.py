"""Work and traffic of kernels whose index arrays are given, against a walk through each kernel by hand.

    python -m tests.bench.given_data [--size ROWS] [--aside]

A kernel is its source and a function that yields its references as the source has them, written without the product;
:mod:`tests.oracle.cachesim` simulates their lines.  Each line of the output is a kernel, a matrix and a cache: FLOPs of
both, and the lines that leave and enter the cache, in percent of the walk's.  Arrays start on pages, one after the
other, in the order of the parameters, as the report says (AI305).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from roofline import estimate, source_text
from tests.oracle.cachesim import LINE_BYTES, Cache

from .sparse_matrices import PUT_ASIDE, WORKED_WITH, Ints, Pattern

Reference = tuple[str, int, bool]  # array, element, whether it is stored
Walk = Iterator[Reference]
_PAGE = 4096
_HEADER = 16
CACHES = {"L1": (8 << 10, 8), "L2": (64 << 10, 8), "L3": (512 << 10, 16)}
"""Three sizes, in bytes, and their ways."""


class Kernel(Struct, frozen=True, kw_only=True):
    """``arrays`` are the bytes of an element and the number of elements, in the order of the parameters.

    ``given`` are those whose elements are known; ``walk`` yields the references, ``flops`` counts operations.
    """

    name: str
    source: str
    make: Callable[[Pattern], Case]


class Case(Struct, frozen=True, kw_only=True):
    """A kernel with data: see :class:`Kernel`; ``is_choosing``: data that are not given choose what runs."""

    arrays: Mapping[str, tuple[int, int]]
    given: Mapping[str, Ints]
    sizes: Mapping[str, int]
    flops: int
    walk: Callable[[], Walk]
    is_choosing: bool = False


class Outcome(Struct, frozen=True, kw_only=True):
    """What the product and the walk have for one cache: fills and write-backs in bytes, with the product's bounds."""

    level: str
    predicted: tuple[int, int]
    walked: tuple[int, int]
    least: tuple[int, int]
    most: tuple[int, int]

    @property
    def error(self) -> float:
        """Return the largest relative error of both directions, in percent of all bytes."""
        total = max(sum(self.walked), 1)
        return 100 * max(abs(one - other) for one, other in zip(self.predicted, self.walked, strict=True)) / total


def compressed(pattern: Pattern) -> tuple[int, Ints, Ints]:
    """Return the rows, the row pointers and the columns of a pattern."""
    row, column = pattern
    rows = int(max(row.max(), column.max())) + 1
    return rows, np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]), column


def outcomes(kernel: Kernel, pattern: Pattern) -> tuple[int, int, list[Outcome]]:
    """Return the FLOPs of product and walk, and what both have for each cache."""
    case = kernel.make(pattern)
    text = ",".join(f"{name}:{size}B/{ways}" for name, (size, ways) in CACHES.items())
    report = estimate(
        source_text(kernel.source, f"{kernel.name}.c"), hierarchy=text, sizes=case.sizes, arrays=case.given, cores=None
    )
    (region,) = report.regions
    (model,) = region.traffic.models
    walked = _walked(case)
    found = []
    for level, (name, lines) in zip(model.levels[1:], walked.items(), strict=True):
        fills = [level.read_bytes, level.write_allocate_bytes]
        ends = [
            (_sum(fills, end, region.profile.values), _sum([level.write_bytes], end, region.profile.values))
            for end in ("estimate", "lower", "upper")
        ]
        found.append(
            Outcome(level=name, predicted=ends[0], least=ends[1], most=ends[2], walked=tuple(lines))  # type: ignore[arg-type]
        )
    counted = region.flops.value
    return -1 if counted is None else int(counted), case.flops, found


def _sum(quantities: Sequence[object], end: str, values: Mapping[str, int]) -> int:
    return sum(int(getattr(quantity, end).evaluate(values)) for quantity in quantities)


def _walked(case: Case) -> dict[str, list[int]]:
    """Return the bytes that enter and leave each cache."""
    starts, free = {}, _PAGE
    for name, (size, count) in case.arrays.items():
        starts[name] = free
        free += -(-(size * count + _HEADER) // _PAGE) * _PAGE
    below: Cache | None = None
    levels: list[Cache] = []
    for size, ways in reversed(CACHES.values()):
        below = Cache(size, ways, below=below)
        levels.insert(0, below)
    for array, element, write in case.walk():
        line = (starts[array] + element * case.arrays[array][0]) // LINE_BYTES
        (levels[0].store if write else levels[0].load)(line)
    for level in levels:
        level.flush()
    return {
        name: [level.bytes_from_below, level.bytes_to_below + level.flushed_bytes]
        for name, level in zip(CACHES, levels, strict=True)
    }


# --- kernels ----------------------------------------------------------------------------------------------------------


def _spmv(pattern: Pattern) -> Case:
    rows, pointer, column = compressed(pattern)

    def walk() -> Walk:
        for i in range(rows):
            yield "rowptr", i, False
            for j in range(pointer[i], pointer[i + 1]):
                yield "rowptr", i + 1, False
                yield "col", j, False
                yield "val", j, False
                yield "x", int(column[j]), False
            yield "rowptr", i + 1, False
            yield "y", i, True

    arrays = {"rowptr": (4, rows + 1), "col": (4, len(column)), "val": (8, len(column)), "x": (8, rows), "y": (8, rows)}
    given = {"rowptr": pointer, "col": column}
    return Case(arrays=arrays, given=given, sizes={"n": rows}, flops=2 * len(column), walk=walk)


SPMV = """void spmv(int n, const int *rowptr, const int *col, const double *val, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0.0;
    for (int j = rowptr[i]; j < rowptr[i + 1]; j++)
      s += val[j] * x[col[j]];
    y[i] = s;
  }
}
"""


def _symgs(pattern: Pattern) -> Case:
    rows, pointer, column = compressed(pattern)

    def walk() -> Walk:
        for i in (*range(rows), *range(rows - 1, -1, -1)):
            yield "r", i, False
            yield "rowptr", i, False
            for j in range(pointer[i], pointer[i + 1]):
                yield "rowptr", i + 1, False
                yield "col", j, False
                yield "val", j, False
                yield "x", int(column[j]), False
            yield "rowptr", i + 1, False
            yield "x", i, False
            yield "diag", i, False
            yield "diag", i, False
            yield "x", i, True

    arrays = {"rowptr": (4, rows + 1), "col": (4, len(column)), "val": (8, len(column)), "diag": (8, rows)}
    arrays |= {"r": (8, rows), "x": (8, rows)}
    given = {"rowptr": pointer, "col": column}
    return Case(arrays=arrays, given=given, sizes={"n": rows}, flops=2 * (2 * len(column) + 3 * rows), walk=walk)


_SWEEP = """    double s = r[i];
    for (int j = rowptr[i]; j < rowptr[i + 1]; j++)
      s -= val[j] * x[col[j]];
    s += x[i] * diag[i];
    x[i] = s / diag[i];
  }
"""
SYMGS = f"""void symgs(int n, const int *rowptr, const int *col, const double *val, const double *diag,
           const double *r, double *x) {{
  for (int i = 0; i < n; i++) {{
{_SWEEP}  for (int i = n - 1; i >= 0; i--) {{
{_SWEEP}}}
"""


def _histogram(pattern: Pattern) -> Case:
    key = pattern[1]

    def walk() -> Walk:
        for i in range(len(key)):
            yield "key", i, False
            yield "h", int(key[i]), False
            yield "h", int(key[i]), True

    arrays = {"key": (4, len(key)), "h": (4, int(key.max()) + 1)}
    return Case(arrays=arrays, given={"key": key}, sizes={"n": len(key)}, flops=0, walk=walk)


HISTOGRAM = "void histogram(int n, const int *key, int *h) {\n  for (int i = 0; i < n; i++) h[key[i]]++;\n}\n"


def _pagerank(pattern: Pattern) -> Case:
    rows, pointer, column = compressed(pattern)

    def walk() -> Walk:
        for v in range(rows):
            yield "in", v, False
            for e in range(pointer[v], pointer[v + 1]):
                yield "in", v + 1, False
                yield "src", e, False
                yield "rank", int(column[e]), False
                yield "share", int(column[e]), False
            yield "in", v + 1, False
            yield "next", v, True

    arrays = {"in": (8, rows + 1), "src": (4, len(column)), "rank": (8, rows), "share": (8, rows), "next": (8, rows)}
    given = {"in": pointer, "src": column}
    flops = 2 * len(column) + 2 * rows
    return Case(arrays=arrays, given=given, sizes={"n": rows}, flops=flops, walk=walk)


PAGERANK = """void step(int n, const long *in, const int *src, const double *rank, const double *share, double *next) {
  for (int v = 0; v < n; v++) {
    double sum = 0.0;
    for (long e = in[v]; e < in[v + 1]; e++) {
      int u = src[e];
      sum += rank[u] * share[u];
    }
    next[v] = 0.15 + 0.85 * sum;
  }
}
"""


def _ellpack(pattern: Pattern, *, by_rows: bool) -> Case:
    rows, pointer, column = compressed(pattern)
    width = int(np.diff(pointer).max())
    places = np.minimum(pointer[:-1, None] + np.arange(width), np.maximum(pointer[1:, None] - 1, 0))
    padded = column[np.minimum(places, len(column) - 1)]
    held = (padded if by_rows else padded.T).reshape(-1)

    def walk() -> Walk:
        for i in range(rows):
            for k in range(width):
                place = i * width + k if by_rows else k * rows + i
                yield "col", place, False
                yield "val", place, False
                yield "x", int(held[place]), False
            yield "y", i, True

    arrays = {"col": (4, rows * width), "val": (8, rows * width), "x": (8, rows), "y": (8, rows)}
    return Case(arrays=arrays, given={"col": held}, sizes={"n": rows, "w": width}, flops=2 * rows * width, walk=walk)


def _ellpack_source(place: str) -> str:
    return f"""void ell(int n, int w, const int *col, const double *val, const double *x, double *y) {{
  for (int i = 0; i < n; i++) {{
    double s = 0.0;
    for (int k = 0; k < w; k++)
      s += val[{place}] * x[col[{place}]];
    y[i] = s;
  }}
}}
"""


def _coordinates(pattern: Pattern) -> Case:
    row, column = pattern
    rows = int(max(row.max(), column.max())) + 1

    def walk() -> Walk:
        for k in range(len(row)):
            yield "row", k, False
            yield "col", k, False
            yield "y", int(row[k]), False
            yield "val", k, False
            yield "x", int(column[k]), False
            yield "y", int(row[k]), True

    many = len(row)
    arrays = {"row": (4, many), "col": (4, many), "val": (8, many), "x": (8, rows), "y": (8, rows)}
    return Case(arrays=arrays, given={"row": row, "col": column}, sizes={"nnz": many}, flops=2 * many, walk=walk)


COORDINATES = """void coo(int nnz, const int *row, const int *col, const double *val, const double *x, double *y) {
  for (int k = 0; k < nnz; k++)
    y[row[k]] += val[k] * x[col[k]];
}
"""


def _neighbours(pattern: Pattern) -> Case:
    rows, pointer, column = compressed(pattern)
    many = np.diff(pointer)
    most = int(many.max())
    lists = np.zeros((rows, most), dtype=np.int64)
    for i in range(rows):
        lists[i, : many[i]] = column[pointer[i] : pointer[i + 1]]
    given = {"many": many, "list": lists.reshape(-1)}

    def walk() -> Walk:
        for i in range(rows):
            for part in range(3):
                yield "x", 3 * i + part, False
            yield "many", i, False
            for k in range(many[i]):
                yield "list", i * most + k, False
                for part in range(3):
                    yield "x", 3 * int(lists[i, k]) + part, False
            for part in range(3):
                yield "f", 3 * i + part, True

    arrays = {"many": (4, rows), "list": (4, rows * most), "x": (8, 3 * rows), "f": (8, 3 * rows)}
    return Case(arrays=arrays, given=given, sizes={"n": rows, "most": most}, flops=17 * len(column), walk=walk)


NEIGHBOURS = """void forces(int n, int most, const int *many, const int *list, const double *x, double *f) {
  for (int i = 0; i < n; i++) {
    double px = x[3*i], py = x[3*i + 1], pz = x[3*i + 2];
    double fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < many[i]; k++) {
      int j = list[i*most + k];
      double dx = px - x[3*j], dy = py - x[3*j + 1], dz = pz - x[3*j + 2];
      double r2 = dx*dx + dy*dy + dz*dz;
      double s = 1.0 / (r2*r2) - 1.0;
      fx += s*dx; fy += s*dy; fz += s*dz;
    }
    f[3*i] = fx; f[3*i + 1] = fy; f[3*i + 2] = fz;
  }
}
"""


def _frontier(pattern: Pattern) -> Case:
    rows, pointer, column = compressed(pattern)
    frontier = np.random.default_rng(6).permutation(rows)[: rows // 3]

    def walk() -> Walk:
        for k in range(len(frontier)):
            u = int(frontier[k])
            yield "frontier", k, False
            yield "rowptr", u, False
            for e in range(pointer[u], pointer[u + 1]):
                yield "rowptr", u + 1, False
                yield "col", e, False
                yield "seen", int(column[e]), False
                yield "seen", int(column[e]), True
            yield "rowptr", u + 1, False

    arrays = {"frontier": (4, len(frontier)), "rowptr": (4, rows + 1), "col": (4, len(column)), "seen": (4, rows)}
    given = {"frontier": frontier, "rowptr": pointer, "col": column}
    return Case(arrays=arrays, given=given, sizes={"many": len(frontier)}, flops=0, walk=walk)


FRONTIER = """void visit(int many, const int *frontier, const int *rowptr, const int *col, int *seen) {
  for (int k = 0; k < many; k++) {
    int u = frontier[k];
    for (int e = rowptr[u]; e < rowptr[u + 1]; e++)
      seen[col[e]] += 1;
  }
}
"""


def _lower(pattern: Pattern) -> Case:
    rows, pointer, column = compressed(pattern)

    def walk() -> Walk:
        for i in range(rows):
            yield "rowptr", i, False
            for j in range(pointer[i], pointer[i + 1]):
                yield "rowptr", i + 1, False
                yield "col", j, False
                if column[j] < i:
                    yield "val", j, False
                    yield "x", int(column[j]), False
            yield "rowptr", i + 1, False
            yield "y", i, True

    arrays = {"rowptr": (4, rows + 1), "col": (4, len(column)), "val": (8, len(column)), "x": (8, rows), "y": (8, rows)}
    below = int((column < np.repeat(np.arange(rows), np.diff(pointer))).sum())
    return Case(arrays=arrays, given={"rowptr": pointer, "col": column}, sizes={"n": rows}, flops=2 * below, walk=walk)


LOWER = """void lower(int n, const int *rowptr, const int *col, const double *val, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0.0;
    for (int j = rowptr[i]; j < rowptr[i + 1]; j++)
      if (col[j] < i)
        s += val[j] * x[col[j]];
    y[i] = s;
  }
}
"""


def _masked(pattern: Pattern) -> Case:
    rows, pointer, column = compressed(pattern)
    mask = (np.arange(rows) * 7919 % 13 < 5).astype(np.int64)

    def walk() -> Walk:
        for i in range(rows):
            yield "mask", i, False
            if not mask[i]:
                yield "y", i, True
                continue
            yield "rowptr", i, False
            for j in range(pointer[i], pointer[i + 1]):
                yield "rowptr", i + 1, False
                yield "col", j, False
                yield "x", int(column[j]), False
                yield "x", int(column[j]), True
            yield "rowptr", i + 1, False

    arrays = {"mask": (4, rows), "rowptr": (4, rows + 1), "col": (4, len(column)), "x": (8, rows), "y": (8, rows)}
    given = {"mask": mask, "rowptr": pointer, "col": column}
    flops = int(np.diff(pointer)[mask != 0].sum())
    return Case(arrays=arrays, given=given, sizes={"n": rows}, flops=flops, walk=walk)


MASKED = """void masked(int n, const int *mask, const int *rowptr, const int *col, double *x, double *y) {
  for (int i = 0; i < n; i++) {
    if (mask[i]) {
      for (int j = rowptr[i]; j < rowptr[i + 1]; j++)
        x[col[j]] += 1.0;
    } else {
      y[i] = 0.0;
    }
  }
}
"""

KERNELS_WORKED_WITH = (
    Kernel(name="spmv", source=SPMV, make=_spmv),
    Kernel(name="symgs", source=SYMGS, make=_symgs),
    Kernel(name="histogram", source=HISTOGRAM, make=_histogram),
    Kernel(name="pagerank", source=PAGERANK, make=_pagerank),
    Kernel(name="lower", source=LOWER, make=_lower),
    Kernel(name="masked", source=MASKED, make=_masked),
)
KERNELS_PUT_ASIDE = (
    Kernel(name="ell", source=_ellpack_source("k*n + i"), make=lambda pattern: _ellpack(pattern, by_rows=False)),
    Kernel(name="ellrow", source=_ellpack_source("i*w + k"), make=lambda pattern: _ellpack(pattern, by_rows=True)),
    Kernel(name="coo", source=COORDINATES, make=_coordinates),
    Kernel(name="neighbours", source=NEIGHBOURS, make=_neighbours),
    Kernel(name="frontier", source=FRONTIER, make=_frontier),
)


def main(arguments: Sequence[str]) -> int:
    """Print a line for each kernel, matrix and cache, and the largest error; 1 where it is above 3 %."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=4000, help="rows of a matrix")
    parser.add_argument("--aside", action="store_true", help="the kernels and matrices that were put aside as well")
    options = parser.parse_args(arguments)
    kernels = (*KERNELS_WORKED_WITH, *(KERNELS_PUT_ASIDE if options.aside else ()))
    matrices = {**WORKED_WITH, **(PUT_ASIDE if options.aside else {})}
    worst = 0.0
    for kernel in kernels:
        for name, make in matrices.items():
            predicted, counted, found = outcomes(kernel, make(options.size))
            same = "exact" if predicted == counted else f"{predicted} for {counted}"
            worst = max(worst, *(one.error for one in found), 0.0 if predicted == counted else 100.0)
            errors = ", ".join(f"{one.level} {one.error:.2f} %" for one in found)
            print(f"{kernel.name:12} {name:14} FLOPs {same}; bytes {errors}")
    print(f"largest error: {worst:.2f} %")
    return int(worst > 3)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
