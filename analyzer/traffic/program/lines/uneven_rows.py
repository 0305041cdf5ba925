"""Lines of references under a loop whose trip count is an average: between what its longest row and all rows may touch.

The models give each execution of such a loop the average number of iterations.  The number of all iterations is right,
and so is what rows that follow one another touch; rows that start at a place of their own are longer or shorter: of
5 and 1 iterations, 3 on average, ``x[k]`` touches 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..program import Child, CountedLoop, Leaf, Reference, leaves_of
from .lines import executions


def uneven_arrays(child: Child) -> frozenset[str]:
    """Return the arrays of a nest that such references use."""
    return frozenset(reference.array for leaf in leaves_of(child) for reference, _ in _uneven(leaf))


def uneven_lines(child: Child, line_bytes: int) -> Mapping[str, tuple[float, float]]:
    """Return for each of these arrays the fewest lines that a nest touches, and how often it comes to one at most."""
    found: dict[str, tuple[float, float]] = {}
    for leaf in leaves_of(child):
        uneven = dict(_uneven(leaf))
        if not uneven:
            continue
        number = executions(leaf)
        for reference in leaf.references:
            loop = uneven.get(reference)
            least, most = (0.0, number) if loop is None else _lines(leaf, reference, loop, number, line_bytes)
            fewest, visits = found.get(reference.array, (0.0, 0.0))
            found[reference.array] = (max(fewest, least), visits + most)
    return found


def _uneven(leaf: Leaf) -> Iterator[tuple[Reference, CountedLoop]]:
    """Yield references with the loop of average trip count that moves them, unless rows follow one another."""
    for reference in leaf.references:
        for loop in leaf.loops[1:]:
            factor = reference.address.coefficient(loop.depth)
            length = loop.average_trips
            if length is None or not factor:
                continue
            if reference.address.coefficient(loop.depth - 1) != factor * length:
                yield reference, loop
                break


def _lines(leaf: Leaf, reference: Reference, loop: CountedLoop, number: float, line_bytes: int) -> tuple[float, float]:
    factor, length = abs(reference.address.coefficient(loop.depth)), loop.average_trips or 0
    is_inner = loop is leaf.loops[-1]
    most = number * min(1.0, factor / line_bytes) + 2 * number / max(length, 1) if is_inner else number
    if leaf.tests or leaf.uncertain or not is_inner:
        return 0.0, min(most, number)
    apart = abs(reference.address.coefficient(loop.depth - 1)) >= factor * length
    least = (number if apart and len(leaf.loops) == 2 else length) * min(1.0, factor / line_bytes)
    return least, min(most, number)
