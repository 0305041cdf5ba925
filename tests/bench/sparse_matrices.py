"""Sparse matrices of the kinds that programs have, small: by name, as (rows, columns) of their stored elements.

Half of them, and half of the kernels of :mod:`.given_data`, were put aside until the models were done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Pattern = tuple[Ints, Ints]


def _unique(size: int, row: Ints, column: Ints) -> Pattern:
    inside = (column >= 0) & (column < size) & (row >= 0) & (row < size)
    places = np.unique(row[inside] * size + column[inside])
    return places // size, places % size


def banded(size: int) -> Pattern:
    """Nine diagonals side by side."""
    row = np.repeat(np.arange(size), 9)
    return _unique(size, row, row + np.tile(np.arange(-4, 5), size))


def five_point(size: int) -> Pattern:
    """A square grid, row by row."""
    side = int(size**0.5)
    row = np.repeat(np.arange(side * side), 5)
    return _unique(side * side, row, row + np.tile([-side, -1, 0, 1, side], side * side))


def random(size: int) -> Pattern:
    """About seven elements in a row, anywhere."""
    draw = np.random.default_rng(1)
    row = np.repeat(np.arange(size), draw.poisson(7, size))
    return _unique(size, row, draw.integers(0, size, len(row)))


def blocks(size: int) -> Pattern:
    """Dense blocks of four by four, three in a row of blocks."""
    draw = np.random.default_rng(2)
    many = size // 4
    block = np.repeat(np.arange(many), 3)
    beside = draw.integers(0, many, len(block))
    part = np.arange(16)
    row = (block[:, None] * 4 + part // 4).reshape(-1)
    return _unique(many * 4, row, (beside[:, None] * 4 + part % 4).reshape(-1))


def power_law(size: int) -> Pattern:
    """Rows whose lengths, and columns whose popularity, fall with a power: a social network."""
    draw = np.random.default_rng(3)
    lengths = np.minimum(draw.zipf(1.9, size), size // 4)
    row = np.repeat(np.arange(size), lengths)
    return _unique(size, row, np.minimum(draw.zipf(1.6, len(row)), size) - 1)


def shuffled_grid(size: int) -> Pattern:
    """A square grid whose points are numbered at random."""
    row, column = five_point(size)
    order = np.random.default_rng(4).permutation(int(row.max()) + 1)
    return _unique(len(order), order[row], order[column])


def arrow(size: int) -> Pattern:
    """A diagonal, a full first row and a full first column."""
    every = np.arange(size)
    zero = np.zeros(size, dtype=np.int64)
    return _unique(size, np.concatenate([every, zero, every]), np.concatenate([every, every, zero]))


def twenty_seven_point(size: int) -> Pattern:
    """A cube, with all neighbours of each point, as HPCG has it."""
    side = round(size ** (1 / 3))
    point = np.arange(side**3)
    place = np.stack([point // side**2, point // side % side, point % side])
    rows, columns = [], []
    for number in range(27):
        moved = place + np.array([[number // 9 - 1], [number // 3 % 3 - 1], [number % 3 - 1]])
        inside = ((moved >= 0) & (moved < side)).all(axis=0)
        rows.append(point[inside])
        columns.append((moved[0] * side**2 + moved[1] * side + moved[2])[inside])
    return _unique(side**3, np.concatenate(rows), np.concatenate(columns))


Make = Callable[[int], Pattern]
WORKED_WITH: Mapping[str, Make] = {"banded": banded, "five-point": five_point, "random": random, "blocks": blocks}
PUT_ASIDE: Mapping[str, Make] = {
    "power-law": power_law,
    "shuffled-grid": shuffled_grid,
    "arrow": arrow,
    "27-point": twenty_seven_point,
}
