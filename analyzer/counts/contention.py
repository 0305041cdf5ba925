"""Attempts of atomic updates in shared memory that the compiler makes a loop of: load, add, compare and swap.

Each attempt adds once.  Of the lanes of a warp that update one element one succeeds at a time, so that ``d`` of them
take ``d (d + 1) / 2`` attempts.  ``w`` warps that do make each other fail, by a factor of 1 to ``w``: ``w**0.75``.  (A
sum over 4 warps took 2.7 times the attempts that they take apart on an RTX 3080 where blocks were many, 3.9 times in
one block; gpuFLOPBench, aop-cuda.)  An update fails at most once for each success of another thread of the block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod

from msgspec import Struct

from ..domains.domain import StatementDomain
from ..ir.index import Number, Poly
from ..ir.nodes import Loop, Strided
from ..ir.nodes import Mapping as LoopMapping
from ..ir.values import Access

LOOPED = ".shared"  # behind the name of an atomic update
_AXES = (LoopMapping.THREAD_X, LoopMapping.THREAD_Y, LoopMapping.THREAD_Z)
_CONTENTION = 0.75  # the exponent of the warps, see above
_DIGITS = 1000  # the largest denominator of a share of attempts: three digits
_LANES = 32  # of a warp (CUDA C++ Programming Guide, SIMT architecture)
_MOST_THREADS = 1024  # of a block (CUDA C++ Programming Guide, technical specifications)


class Attempts(Struct, frozen=True):
    """Attempts of one update: at least, most likely, at most."""

    least: Number
    likely: Number
    most: Number


ONE = Attempts(1, 1, 1)


def attempts_of(statement: StatementDomain) -> Attempts:
    """Return the attempts of an update, on average over the threads that do it."""
    axes = [loop for mapping in _AXES for loop in statement.loops if loop.mapping is mapping]
    lengths = [_length(loop) for loop in axes]
    threads = _MOST_THREADS if None in lengths else max(1, prod(length or 1 for length in lengths))
    target = statement.node.target
    subscripts = target.subscripts if isinstance(target, Access) else ()
    known = [(axis.iterator, length) for axis, length in zip(axes, lengths, strict=True) if length is not None]
    owners = _owners(subscripts, known) if len(known) == len(axes) else None
    if owners is None:
        return Attempts(1, 2, threads)
    everywhere = Counter(owners)
    of_warps = [Counter(owners[first : first + _LANES]) for first in range(0, len(owners), _LANES)]
    alone = Fraction(sum(number * (number + 1) // 2 for warp in of_warps for number in warp.values()), threads)
    share = _share(statement)
    if share < 1:
        lanes = max(1, int(_LANES * share)) if share < Fraction(1, 2) else _LANES
        alone = max(Fraction(1), alone * (lanes + 1) / (_LANES + 1))
    rivals = sum(number * sum(element in warp for warp in of_warps) for element, number in everywhere.items())
    most = sum(number**2 for number in everywhere.values())
    together = Fraction((rivals / threads) ** _CONTENTION).limit_denominator(_DIGITS)
    return Attempts(alone if share == 1 else 1, alone * together, max(alone * together, Fraction(most, threads)))


def _length(loop: Loop) -> int | None:
    if not isinstance(loop.range, Strided):
        return None
    return (loop.range.stop - loop.range.start).constant


def _owners(subscripts: Sequence[Poly], axes: Sequence[tuple[str, int]]) -> list[tuple[int, ...]] | None:
    """Return the element that each thread of a block updates, x fastest; None where data decide."""
    names = {name for subscript in subscripts for name in subscript.names()}
    others: Mapping[str, int] = dict.fromkeys(names, 0)
    found = []
    for thread in range(prod(length for _, length in axes)):
        position: dict[str, Poly | int | Fraction] = dict(others)
        for name, length in axes:
            thread, position[name] = divmod(thread, length)
        numbers = [subscript.substitute(position).constant for subscript in subscripts]
        known = tuple(number for number in numbers if number is not None)
        if len(known) < len(numbers):
            return None
        found.append(known)
    return found


def _share(statement: StatementDomain) -> Fraction:
    """Return which share of the iterations of its loops a statement runs in, 1 where that depends on sizes."""
    count = statement.domain.count()
    lengths = [_length(loop) for loop in statement.loops]
    if count.symbols or None in lengths:
        return Fraction(1)
    return min(Fraction(1), Fraction(count.evaluate({})) / max(1, prod(length or 1 for length in lengths)))
