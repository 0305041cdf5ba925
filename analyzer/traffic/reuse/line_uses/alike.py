"""References of one array that move alike: those of one statement whose addresses have equal coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from ...program.program import Child, Leaf, Reference, leaves_of
from ...program.ranges import Ints


class Uses(Struct, frozen=True, eq=False):
    """References of one array in one statement with equal coefficients, one execution of each."""

    leaf: Leaf
    terms: tuple[tuple[int, int], ...]
    references: tuple[Reference, ...]
    offsets: Ints
    irrelevant: tuple[bool, ...]


def uses_of(child: Child, array: str, *, writes: bool) -> list[Uses]:
    """Return references of an array under a node, by statement and coefficients."""
    found: list[Uses] = []
    for leaf in leaves_of(child):
        groups: dict[tuple[tuple[int, int], ...], list[Reference]] = {}
        for reference in leaf.references:
            if reference.array == array and (reference.write or not writes):
                groups.setdefault(reference.address.terms, []).append(reference)
        for terms, references in groups.items():
            offsets = np.array([reference.address.constant for reference in references], dtype=np.int64)
            found.append(Uses(leaf, terms, tuple(references), offsets, _irrelevant(leaf, terms)))
    return found


def _irrelevant(leaf: Leaf, terms: Sequence[tuple[int, int]]) -> tuple[bool, ...]:
    """Return for every depth whether its counter changes neither the address nor inner bounds nor conditions."""
    matters = {depth for depth, _ in terms}.union(*(test.depths for test in leaf.tests))
    for loop in leaf.loops:
        for bound in (*loop.lows, *loop.highs):
            matters |= {depth for depth, _ in bound.limit.terms}
    return tuple(loop.depth not in matters for loop in leaf.loops)


def address_of(terms: Sequence[tuple[int, int]], counters: Ints) -> Any:
    """Return what counters (a row per depth) add to an address."""
    total: Any = 0
    for depth, factor in terms:
        total = total + factor * counters[depth]
    return total
