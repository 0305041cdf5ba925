"""Distinct pairs of owners and values: the sectors of requests, and the words of banks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...python.integers import distinct
from ..program.ranges import Ints

_MOST = 1 << 62  # a number of 64 bits for each pair


def distinct_owners(owner: Ints, value: Ints) -> Ints:
    """Return the owners, each once for every distinct value of it."""
    return distinct_pairs(owner, value)[0]


def distinct_pairs(owner: Ints, value: Ints) -> tuple[Ints, Ints]:
    """Return the distinct pairs of owners (none negative) and values, sorted."""
    if not len(owner):
        return owner, value
    least = int(value.min())
    span = int(value.max()) - least + 1
    if (int(owner.max()) + 1) * span > _MOST:
        order = np.lexsort((value, owner))
        owner, value = owner[order], value[order]
        first = np.ones(len(owner), bool)
        first[1:] = (owner[1:] != owner[:-1]) | (value[1:] != value[:-1])
        return owner[first], value[first]
    pairs = distinct(owner * span + (value - least))  # a tenth of the time of sorting by two keys
    owner, value = np.divmod(pairs, span)
    return owner, value + least


def bank_rows(busy: NDArray[Any], banks: int) -> NDArray[Any]:
    """Return what each bank of each owner has to do: a row of ``banks`` entries for each owner."""
    rows = -(-len(busy) // banks)
    full = np.zeros(rows * banks, busy.dtype)
    full[: len(busy)] = busy
    return full.reshape(rows, banks)
