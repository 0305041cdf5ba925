"""The simulation against the referee in ``tests/oracle``: exact where all is simulated, within its interval else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from analyzer.ir.index import Poly, Unknown, const, var
from analyzer.ir.nodes import Array, Compare, Comparison
from analyzer.ir.types import FP64
from analyzer.traffic.hierarchy import CacheLevel, Hierarchy, parse_hierarchy
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.program.program import CountedLoop, Leaf, NotNumeric, Program
from analyzer.traffic.simulation.simulate import simulate
from tests.nests import SCALAR, add, element, guard, load, loop, mul, region, store
from tests.oracle import cachesim

I, J, K = var("i"), var("j"), var("k")
HIERARCHIES = [
    parse_hierarchy("L1:1KiB"),
    parse_hierarchy("L1:1KiB/2,L2:4KiB/4"),
    parse_hierarchy("L1:2KiB/8,L2:8KiB,L3:24KiB/6"),
]


def row(array, *subscripts, n):
    return load(array, *subscripts, row=const(n))


def target(array, *subscripts, n):
    return element(array, *subscripts, row=const(n))


def triad(n):
    return (loop("i", 0, n, store(element("a", I), add(load("b", I), mul(SCALAR, load("c", I))))),)


def matmul(n):
    body = store(target("c", I, J, n=n), add(row("c", I, J, n=n), mul(row("a", I, K, n=n), row("b", K, J, n=n))))
    return (loop("i", 0, n, loop("j", 0, n, store(target("c", I, J, n=n), SCALAR), loop("k", 0, n, body))),)


def stencil(n, steps=3):
    def sweep(to, of):
        around = add(
            add(row(of, I - 1, J, n=n), row(of, I, J - 1, n=n)), add(row(of, I, J + 1, n=n), row(of, I + 1, J, n=n))
        )
        return loop("i", 1, n - 1, loop("j", 1, n - 1, store(target(to, I, J, n=n), around)))

    return (loop("t", 0, steps, sweep("b", "a"), sweep("a", "b")),)


def triangle(n):
    return (loop("i", 0, n, loop("j", 0, I + 1, store(target("a", J, I, n=n), row("a", I, J, n=n)))),)


def red_black(n):
    even = Compare(Comparison.LT, J, I)
    return (
        loop("i", 0, n, loop("j", 0, n, guard(even, store(target("a", I, J, n=n), row("b", J, I, n=n))))),
        *triad(n),
    )


def conflicts(n):
    terms = [row("a", const(number), I, n=n) for number in range(12)]
    total = terms[0]
    for term in terms[1:]:
        total = add(total, term)
    return (loop("t", 0, 3, loop("i", 0, n, store(element("s", I), total))),)


def backwards(n):
    return (loop("i", n - 1, -1, store(element("a", I), load("a", const(n) - I)), step=-1),)


PROGRAMS = {
    "triad": triad(1000),
    "matmul": matmul(20),
    "stencil": stencil(22),
    "triangle": triangle(40),
    "guard and a second nest": red_black(36),
    "more lines in a set than ways": conflicts(512),
    "backwards": backwards(300),
    "statement without loops": (store(element("a", const(3)), load("b", const(5))), *triad(40)),
}


def stream(program: Program) -> Iterator[tuple[int, bool, int]]:
    def walk(children, counters):
        for child in children:
            if not all(bool(test.holds(counters)) for test in child.tests):
                continue
            if isinstance(child, Leaf):
                for use in child.references:
                    yield int(use.address.at(counters)) // 64, use.write, use.size_bytes
            elif isinstance(child, CountedLoop):
                low, high = child.range(counters)
                for value in range(low, high + 1):
                    yield from walk(child.children, [*counters, value])

    return walk(program.children, [])


def referee(program: Program, hierarchy: Hierarchy, passes: int = 1) -> list[tuple[int, int]]:
    """Lines filled and written back per level (without a flush in a second pass)."""
    levels = [cachesim.Cache(level.capacity_bytes, level.ways) for level in hierarchy.levels]
    top = cachesim.hierarchy(levels)
    before = [(0, 0)] * len(levels)
    for number in range(passes):
        cachesim.simulate(stream(program), top, flush=passes == 1)
        if number + 1 < passes:
            before = [(level.bytes_from_below, level.bytes_to_below) for level in levels]
    return [
        ((level.bytes_from_below - fills) // 64, (level.bytes_to_below_with_flush - written) // 64)
        for level, (fills, written) in zip(levels, before, strict=True)
    ]


def lines(found) -> list[tuple[int, int]]:
    return list(zip(found.filled.astype(int).tolist(), found.written_back.astype(int).tolist(), strict=True))


@pytest.mark.parametrize("hierarchy", HIERARCHIES, ids=["one", "two", "three"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_short_stream_is_simulated_exactly(name, hierarchy):
    program = lay_out(region(*PROGRAMS[name]))
    found = simulate(program, hierarchy)
    assert found.exact
    assert found.references == len(list(stream(program)))
    assert lines(found) == referee(program, hierarchy)


@pytest.mark.parametrize("name", ["triad", "matmul", "stencil"])
def test_warm_caches_count_the_second_of_two_runs(name):
    program = lay_out(region(*PROGRAMS[name]))
    assert lines(simulate(program, HIERARCHIES[1], warm=True)) == referee(program, HIERARCHIES[1], passes=2)


def test_fills_are_apart_by_loads_and_stores_and_by_nest():
    program = lay_out(region(*triad(800), loop("i", 0, 400, store(element("a", I), SCALAR))))
    found = simulate(program, HIERARCHIES[2])
    assert found.read[0].tolist() == [200, 0]
    assert found.allocate[0].tolist() == [100, 50]
    assert found.written[0].tolist() == [100, 50]
    assert found.allocate[2].tolist() == [100, 0]  # 300 lines stay in the last level


LONG: dict[str, tuple[object, ...]] = {"stencil": stencil(128, 20), "matmul": matmul(80), "triangle": triangle(900)}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_sample_is_within_three_standard_errors(name):
    program = lay_out(region(*LONG[name]))
    hierarchy = parse_hierarchy("L1:1KiB/2,L2:16KiB/8")
    whole, sample = simulate(program, hierarchy), simulate(program, hierarchy, budget=100_000)
    assert whole.exact
    assert not sample.exact
    assert sample.references < whole.references / 2
    assert (np.abs(sample.filled - whole.filled) <= 3 * sample.filled_error + 1).all()
    assert (np.abs(sample.written_back - whole.written_back) <= 3 * sample.written_back_error + 1).all()
    assert sample.filled_error[0] < 0.3 * whole.filled[0]  # an interval that rejects a wrong value


@pytest.mark.slow
@pytest.mark.parametrize("n", [4000, 40_000])
def test_the_cost_does_not_grow_with_the_size(n):
    found = simulate(lay_out(region(*matmul(n))), HIERARCHIES[2], budget=50_000)
    assert found.references < 2_000_000
    assert found.stream == pytest.approx(4 * n**3 + n**2, rel=1e-6)
    assert found.filled[0] == pytest.approx(n**3, rel=0.2)  # b is walked by columns


def test_a_cache_that_holds_everything_moves_every_line_once_however_long_the_stream():
    program = lay_out(region(*stencil(40, 4000)))
    found = simulate(program, parse_hierarchy("L1:1KiB/2,L2:64KiB"), budget=100_000)
    assert lines(found)[1] == (400, 380)
    assert found.filled_error[1] == 0


def test_elements_at_unknown_indices_are_drawn_within_their_array():
    index = Poly({(Unknown("col[i]", frozenset({"i"})),): 1})
    nest = loop("i", 0, 4096, store(element("y", I), load("x", index)))
    program = lay_out(replace(region(nest), arrays=(Array("x", FP64, 8, (const(4096),)),)))
    found = simulate(program, HIERARCHIES[0])
    assert not found.exact
    assert "drawn" in {note.form for note in found.notes}
    assert found.read[0].sum() == pytest.approx(4096 * (1 - 14 / 512), rel=0.02)


def test_lines_of_different_sizes_are_refused():
    levels: Sequence[CacheLevel] = (CacheLevel("L1", 1024), CacheLevel("L2", 4096, line_bytes=128))
    with pytest.raises(NotNumeric):
        simulate(lay_out(region(*triad(10))), Hierarchy(tuple(levels)))
