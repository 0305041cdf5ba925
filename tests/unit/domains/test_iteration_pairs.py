"""Whether two iterations share an element, against the iterations one by one."""

from itertools import product
from random import Random

import pytest

from analyzer.domains.iteration_pairs import may_share_element
from analyzer.ir.index import const, var
from analyzer.ir.nodes import Loop, Strided
from analyzer.source import NO_SPAN

_SIZE = 5


def loop(iterator, start, stop, step):
    return Loop(iterator=iterator, range=Strided(start, stop, step), body=(), span=NO_SPAN)


def iterations(loops, values=()):
    """Yield the values of all iterators, loop by loop."""
    if not loops:
        yield dict(values)
        return
    first, *inner = loops
    known = dict(values)
    ends = (first.range.start.evaluate(known), first.range.stop.evaluate(known), first.range.step)
    for value in range(*ends):
        yield from iterations(inner, {**known, first.iterator: value})


@pytest.mark.parametrize("seed", range(60))
def test_pairs_of_iterations_are_those_that_enumeration_finds(seed):
    random = Random(seed)
    i, j, n = var("i"), var("j"), var("n")
    outer = random.choice([loop("i", const(0), n, 1), loop("i", const(1), n * 2, 2), loop("i", n - 1, const(-1), -1)])
    bounds = [const(0), i, i + 1, n, n - i, const(4)]
    inner = loop("j", random.choice(bounds), random.choice(bounds) + random.choice([0, 2]), random.choice([1, 1, 2, 3]))

    def subscript():
        return i * random.choice([0, 1, 1, 2, -1]) + j * random.choice([0, 1, 1, -1, 3]) + random.choice([-1, 0, 0, 2])

    pairs = [(subscript(), subscript()) for _ in range(random.choice([1, 2, 2]))]
    runs = list(iterations((outer, inner), {"n": _SIZE}))
    shared = any(
        first["i"] != second["i"] and all(left.evaluate(first) == right.evaluate(second) for left, right in pairs)
        for first, second in product(runs, runs)
    )
    uses_inner = any("j" in side.names() for pair in pairs for side in pair)
    if uses_inner:
        assert may_share_element(pairs, outer, {"j": inner}, {"n": _SIZE}) == shared
    assert may_share_element(pairs, outer, {"j": inner}, {}) >= shared
