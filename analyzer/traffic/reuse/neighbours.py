"""The references of a statement that lie next to one another, as one: what of an array a working set is counted of."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ..program.program import Affine, Leaf, Reference
from .executions import depths_of


def needed_depths(leaf: Leaf, use: Use, depth: int) -> frozenset[int]:
    """Return the depths of the loops from ``depth`` on that what is touched depends on.

    A loop that only the bounds of one other loop depend on is left out: that one takes all values in any of its
    iterations.
    """
    found = {each for each, _ in use.address.terms}
    for loop in reversed(leaf.loops[depth:]):
        users = [each for each in leaf.loops[loop.depth + 1 :] if each.depth in found and loop.depth in depths_of(each)]
        if len(users) > 1:
            found.add(loop.depth)
    return frozenset(each for each in found if each >= depth)


class Use(Struct, frozen=True):
    """References of a statement that are next to one another: the first byte, and how many bytes they extend over."""

    address: Affine
    extent: int
    write: bool


def neighbours(leaf: Leaf, line_bytes: int) -> Iterator[Use]:
    """Yield the references of a statement, neighbours as one."""
    alike: dict[tuple[str, bool, tuple[tuple[int, int], ...]], list[Reference]] = {}
    for each in leaf.references:
        alike.setdefault((each.array, each.write, each.address.terms), []).append(each)
    for (_, write, terms), some in alike.items():
        ordered = sorted({(each.address.constant, each.size_bytes) for each in some})
        first, end = ordered[0][0], sum(ordered[0])
        for start, size in ordered[1:]:
            if start > end + line_bytes // 2:
                yield Use(Affine(first, terms), end - first, write)
                first = start
            end = max(end, start + size)
        yield Use(Affine(first, terms), end - first, write)
