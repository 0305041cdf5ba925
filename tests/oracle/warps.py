"""Drawn kernels, and what the caches of a GPU move for them: every request of every warp, in an order that it may take.

A drawn kernel is its CUDA text and, apart from it, the elements that its threads touch in each step, in numpy.  Blocks
go to multiprocessors in the order of their numbers, each to the first with room.  In turn every multiprocessor lets its
next warp make one request.  L1 is that of a multiprocessor, shared by its blocks and written through; the L2 of all
keeps least recently used sectors and writes back.  Nothing here is taken from the analyzer.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SECTOR, WARP = 32, 32
UNITS, L1_BYTES, L2_BYTES, THREADS_OF_UNIT, BLOCKS_OF_UNIT = 8, 16 << 10, 256 << 10, 1024, 16
_ARRAY_BYTES = 1 << 32
Ints = NDArray[np.int64]


class Access(NamedTuple):
    """One step of all threads: the elements of an array that they touch, and which of them do."""

    array: int
    elements: Ints
    active: NDArray[np.bool_]
    store: bool = False


class Drawn(NamedTuple):
    """A kernel: class, CUDA text, element size, launch, and the steps of its threads."""

    kind: str
    text: str
    size_bytes: int
    grid: int
    block: int
    steps: list[Access]


class Moved(NamedTuple):
    """Sectors between L1 and L2 that are read, and between L2 and memory that are read, evicted dirty, left dirty."""

    inner: int
    read: int
    written: int
    left: int


def simulated(drawn: Drawn) -> Moved:
    """Return what the caches move for a drawn kernel."""
    warps = -(-drawn.block // WARP)
    blocks = [[deque(_requests(drawn, block, warp)) for warp in range(warps)] for block in range(drawn.grid)]
    room = min(THREADS_OF_UNIT // drawn.block, BLOCKS_OF_UNIT)
    waiting = deque(range(drawn.grid))
    resident: list[list[deque[tuple[list[int], bool]]]] = [[] for _ in range(UNITS)]
    running: list[list[int]] = [[] for _ in range(UNITS)]
    inner: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(UNITS)]
    outer: OrderedDict[int, bool] = OrderedDict()
    moved = [0, 0, 0]
    for _ in range(room):
        for unit in range(UNITS):
            if waiting:
                running[unit].append(waiting.popleft())
    for unit in range(UNITS):
        resident[unit] = [warp for block in running[unit] for warp in blocks[block]]
    while any(running):
        for unit in range(UNITS):
            warp = next((each for each in resident[unit] if each), None)
            if warp is None:
                running[unit] = [waiting.popleft()] if waiting else []
                resident[unit] = [each for block in running[unit] for each in blocks[block]]
                continue
            resident[unit].remove(warp)
            resident[unit].append(warp)
            sectors, store = warp.popleft()
            for sector in sectors:
                if not store and sector in inner[unit]:
                    inner[unit].move_to_end(sector)
                    continue
                if not store:
                    moved[0] += 1
                    inner[unit][sector] = None
                    if len(inner[unit]) > L1_BYTES // SECTOR:
                        inner[unit].popitem(last=False)
                _outer(outer, sector, store, moved)
            _start(unit, running, resident, blocks, waiting)
    return Moved(*moved, sum(outer.values()))


def _outer(outer: OrderedDict[int, bool], sector: int, store: bool, moved: list[int]) -> None:
    if sector in outer:
        outer[sector] |= store
        outer.move_to_end(sector)
        return
    moved[1] += not store
    outer[sector] = store
    if len(outer) > L2_BYTES // SECTOR:
        moved[2] += outer.popitem(last=False)[1]


def _start(
    unit: int,
    running: list[list[int]],
    resident: list[list[deque[tuple[list[int], bool]]]],
    blocks: list[list[deque[tuple[list[int], bool]]]],
    waiting: deque[int],
) -> None:
    """Replace blocks that have ended by the next ones."""
    ended = [block for block in running[unit] if not any(blocks[block])]
    for block in ended:
        running[unit].remove(block)
        resident[unit] = [warp for warp in resident[unit] if not any(warp is each for each in blocks[block])]
        if waiting:
            running[unit].append(waiting.popleft())
            resident[unit] += blocks[running[unit][-1]]


def _requests(drawn: Drawn, block: int, warp: int) -> Iterator[tuple[list[int], bool]]:
    first = block * drawn.block + warp * WARP
    last = min(first + WARP, (block + 1) * drawn.block)
    for access in drawn.steps:
        elements = access.elements[first:last][access.active[first:last]]
        if len(elements):
            address = access.array * _ARRAY_BYTES + elements * drawn.size_bytes
            yield np.unique(address // SECTOR).tolist(), access.store


# --- classes of kernels: each draws its sizes, and returns the text and the steps of its threads


def drawn_kernel(seed: int) -> Drawn:
    """Return a kernel whose data are about as large as the L2."""
    random = Random(seed)
    return CLASSES[seed % len(CLASSES)](random)


def _text(parameters: str, body: str, grid: str, block: str, sizes: Sequence[int], *, element: str = "double") -> str:
    """Return a kernel ``k`` and the host code that allocates its arrays of so many elements and launches it."""
    names = [part.split("*")[1].strip() for part in parameters.split(",") if "*" in part]
    numbers = [part.split("=")[1].strip() for part in parameters.split(",") if "=" in part]
    plain = ", ".join(part.split("=")[0].strip() for part in parameters.split(","))
    made = "".join(
        f"  {element} *{name};\n  cudaMalloc(&{name}, {size} * sizeof({element}));\n"
        for name, size in zip(names, sizes, strict=True)
    )
    return (
        f"__global__ void k({plain}) {{\n{body}\n}}\nint main() {{\n{made}"
        f"  k<<<{grid}, {block}>>>({', '.join([*names, *numbers])});\n}}\n"
    )


def _threads(grid: int, block: int) -> Ints:
    return np.arange(grid * block, dtype=np.int64)


def _line(n: int, block: int) -> tuple[int, Ints, NDArray[np.bool_]]:
    grid = -(-n // block)
    t = _threads(grid, block)
    return grid, t, t < n


def _shifted(random: Random) -> Drawn:
    """Sums of neighbours at some distance in one dimension."""
    n, block = random.randrange(8_000, 60_000), random.choice([64, 128, 256])
    far = random.choice([1, 7, 33, 1000])
    grid, t, inside = _line(n, block)
    inside = inside & (t >= far) & (t < n - far)
    body = (
        f"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= {far} && i < n - {far})\n"
        f"    b[i] = a[i - {far}] + a[i] + a[i + {far}];"
    )
    text = _text(f"double *a, double *b, int n = {n}", body, str(grid), str(block), [n, n])
    steps = [Access(0, t + d, inside) for d in (-far, 0, far)] + [Access(1, t, inside, store=True)]
    return Drawn("shifted", text, 8, grid, block, steps)


def _plane(random: Random) -> Drawn:
    """A stencil of five points in blocks of two dimensions."""
    x, y = random.choice([(32, 4), (16, 16), (32, 8), (64, 2), (8, 8)])
    width, height = random.randrange(60, 400), random.randrange(40, 200)
    columns, rows = -(-width // x), -(-height // y)
    t = _threads(columns * rows, x * y)
    block, lane = t // (x * y), t % (x * y)
    i, j = block % columns * x + lane % x, block // columns * y + lane // x
    inside = (i >= 1) & (i < width - 1) & (j >= 1) & (j < height - 1)
    body = (
        "  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  if (i >= 1 && i < w - 1 && j >= 1 && j < h - 1)\n"
        "    b[j * w + i] = a[j * w + i] + a[j * w + i - 1] + a[j * w + i + 1]"
        " + a[(j - 1) * w + i] + a[(j + 1) * w + i];"
    )
    grid = f"dim3({columns}, {rows})"
    parameters = f"double *a, double *b, int w = {width}, int h = {height}"
    text = _text(parameters, body, grid, f"dim3({x}, {y})", [width * height] * 2)
    own = j * width + i
    steps = [Access(0, own + d, inside) for d in (0, -1, 1, -width, width)] + [Access(1, own, inside, store=True)]
    return Drawn("plane", text, 8, columns * rows, x * y, steps)


def _columns(random: Random) -> Drawn:
    """One thread for each row, or for each column, of a matrix."""
    block, per_row = random.choice([32, 64, 128]), random.random() < 0.5
    n, m = (random.randrange(200, 1500), random.randrange(8, 60))
    grid, t, inside = _line(n, block)
    index = "i * m + k" if per_row else "k * n + i"
    body = (
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {\n    double s = 0;\n"
        f"    for (int k = 0; k < m; k++) s += a[{index}];\n    b[i] = s;\n  }}"
    )
    text = _text(f"double *a, double *b, int n = {n}, int m = {m}", body, str(grid), str(block), [n * m, n])
    steps = [Access(0, t * m + k if per_row else k * n + t, inside) for k in range(m)]
    return Drawn("rows" if per_row else "columns", text, 8, grid, block, [*steps, Access(1, t, inside, store=True)])


def _transposed(random: Random) -> Drawn:
    """A transpose without shared memory."""
    x, y = random.choice([(32, 4), (16, 16), (32, 8)])
    n, m = random.randrange(100, 260), random.randrange(100, 260)
    columns, rows = -(-m // x), -(-n // y)
    t = _threads(columns * rows, x * y)
    block, lane = t // (x * y), t % (x * y)
    i, j = block % columns * x + lane % x, block // columns * y + lane // x
    inside = (i < m) & (j < n)
    body = (
        "  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  if (i < m && j < n) b[i * n + j] = a[j * m + i];"
    )
    grid, parameters = f"dim3({columns}, {rows})", f"double *a, double *b, int n = {n}, int m = {m}"
    text = _text(parameters, body, grid, f"dim3({x}, {y})", [n * m] * 2)
    steps = [Access(0, j * m + i, inside), Access(1, i * n + j, inside, store=True)]
    return Drawn("transpose", text, 8, columns * rows, x * y, steps)


def _passes(random: Random) -> Drawn:
    """A block for each row, which it reads several times."""
    block, often = random.choice([64, 128, 256]), random.choice([2, 3])
    rows, length = random.randrange(16, 160), random.randrange(200, 2500)
    t = _threads(rows, block)
    row, lane = t // block, t % block
    loop = f"for (int j = threadIdx.x; j < m; j += {block})"
    body = "  double s = 0;\n" + f"  {loop} s += a[blockIdx.x * m + j];\n" * (often - 1)
    body += f"  {loop} b[blockIdx.x * m + j] = a[blockIdx.x * m + j] / s;"
    parameters = f"double *a, double *b, int m = {length}"
    text = _text(parameters, body, str(rows), str(block), [rows * length] * 2)
    steps = []
    for number in range(often):
        for start in range(0, length, block):
            inside = lane + start < length
            steps.append(Access(0, row * length + lane + start, inside))
            if number == often - 1:
                steps.append(Access(1, row * length + lane + start, inside, store=True))
    return Drawn("passes", text, 8, rows, block, steps)


def _clamped(random: Random) -> Drawn:
    """A window with neighbours that are clamped at the rim, or wrap around."""
    wraps = random.random() < 0.5
    n, block = random.randrange(8_000, 50_000), random.choice([64, 128, 256])
    far = random.choice([1, 5, 64, 2000])
    grid, t, inside = _line(n, block)
    index = f"(i + n + d * {far}) % n" if wraps else f"min(max(i + d * {far}, 0), n - 1)"
    body = (
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) {\n    double s = 0;\n"
        f"    for (int d = -1; d <= 1; d++) s += a[{index}];\n    b[i] = s;\n  }}"
    )
    text = _text(f"double *a, double *b, int n = {n}", body, str(grid), str(block), [n, n])
    moved = [(t + n + d * far) % n if wraps else np.clip(t + d * far, 0, n - 1) for d in (-1, 0, 1)]
    steps = [*(Access(0, each, inside) for each in moved), Access(1, t, inside, store=True)]
    return Drawn("wrapped" if wraps else "clamped", text, 8, grid, block, steps)


def _strided(random: Random) -> Drawn:
    """A loop over the grid with structures of several members, of which some are used."""
    members, used = random.choice([2, 3, 4, 8]), random.choice([1, 2])
    n, block = random.randrange(4_000, 20_000), random.choice([64, 128])
    grid = random.choice([32, 64, 128])
    t, total = _threads(grid, block), grid * block
    terms = " + ".join(f"a[i * {members} + {m}]" for m in range(used))
    body = f"  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += {total}) a[i * {members}] = {terms};"
    text = _text(f"double *a, int n = {n}", body, str(grid), str(block), [n * members])
    steps = []
    for start in range(0, n, total):
        i = t + start
        steps += [Access(0, i * members + m, i < n) for m in range(used)]
        steps.append(Access(0, i * members, i < n, store=True))
    return Drawn("strided", text, 8, grid, block, steps)


def _product(random: Random) -> Drawn:
    """A matrix product without shared memory."""
    x, y = random.choice([(16, 16), (32, 8), (32, 4)])
    n, m, length = (random.randrange(60, 140) for _ in range(3))
    columns, rows = -(-m // x), -(-n // y)
    t = _threads(columns * rows, x * y)
    block, lane = t // (x * y), t % (x * y)
    i, j = block % columns * x + lane % x, block // columns * y + lane // x
    inside = (i < m) & (j < n)
    body = (
        "  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  if (i < m && j < n) {\n    double s = 0;\n"
        "    for (int k = 0; k < l; k++) s += a[j * l + k] * b[k * m + i];\n"
        "    c[j * m + i] = s;\n  }"
    )
    parameters = f"double *a, double *b, double *c, int n = {n}, int m = {m}, int l = {length}"
    text = _text(parameters, body, f"dim3({columns}, {rows})", f"dim3({x}, {y})", [n * length, length * m, n * m])
    steps = []
    for k in range(length):
        steps += [Access(0, j * length + k, inside), Access(1, k * m + i, inside)]
    return Drawn("product", text, 8, columns * rows, x * y, [*steps, Access(2, j * m + i, inside, store=True)])


def _collapsed(random: Random) -> Drawn:
    """A stencil whose threads have one number for rows and columns."""
    n, m, block = random.randrange(40, 200), random.randrange(60, 300), random.choice([64, 128, 256])
    grid, t, inside = _line((n - 2) * (m - 2), block)
    i, j = t // (m - 2) + 1, t % (m - 2) + 1
    body = (
        "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n  if (t < (n - 2) * (m - 2)) {\n"
        "    int i = t / (m - 2) + 1, j = t % (m - 2) + 1;\n"
        "    b[i * m + j] = a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1];\n  }"
    )
    text = _text(f"double *a, double *b, int n = {n}, int m = {m}", body, str(grid), str(block), [n * m] * 2)
    own = i * m + j
    steps = [Access(0, own + d, inside) for d in (-m, m, -1, 1)] + [Access(1, own, inside, store=True)]
    return Drawn("collapsed", text, 8, grid, block, steps)


def _warp_rows(random: Random) -> Drawn:
    """A warp for each row of a matrix."""
    rows, length, block = random.randrange(60, 600), random.randrange(40, 500), random.choice([64, 128, 256])
    grid, t, inside = _line(rows * WARP, block)
    row, lane = t // WARP, t % WARP
    body = (
        "  int t = blockIdx.x * blockDim.x + threadIdx.x, row = t / 32, lane = t % 32;\n  if (row < n) {\n"
        "    double s = 0;\n    for (int j = lane; j < m; j += 32) s += a[row * m + j] * x[j];\n"
        "    if (lane == 0) y[row] = s;\n  }"
    )
    parameters = f"double *a, double *x, double *y, int n = {rows}, int m = {length}"
    text = _text(parameters, body, str(grid), str(block), [rows * length, length, rows])
    steps = []
    for start in range(0, length, WARP):
        runs = inside & (lane + start < length)
        steps += [Access(0, row * length + lane + start, runs), Access(1, lane + start, runs)]
    return Drawn("warp rows", text, 8, grid, block, [*steps, Access(2, row, inside & (lane == 0), store=True)])


CLASSES: tuple[Callable[[Random], Drawn], ...] = (
    _shifted,
    _plane,
    _columns,
    _transposed,
    _passes,
    _clamped,
    _strided,
    _product,
    _collapsed,
    _warp_rows,
)
