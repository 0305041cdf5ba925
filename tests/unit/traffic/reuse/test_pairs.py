"""The parts of the analytic model against enumeration: lines, uses, reuse pairs, windows, histories."""

from collections import Counter, defaultdict
from itertools import pairwise
from unittest.mock import Mock

import numpy as np
import pytest

from analyzer.ir.passes.substitute import bind
from analyzer.traffic.hierarchy import CacheLevel
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.program.lines.lines import LineCounts, Lines
from analyzer.traffic.program.program import walk
from analyzer.traffic.reuse.distances.distance_fit import fit_distances
from analyzer.traffic.reuse.distances.stack_distance import Moments, StackDistances
from analyzer.traffic.reuse.line_uses.alike import uses_of
from analyzer.traffic.reuse.line_uses.line_search import LineSearch
from analyzer.traffic.reuse.line_uses.pairs import Drawer, Scope
from analyzer.traffic.reuse.line_uses.search import Finder, Found
from analyzer.traffic.reuse.line_uses.writeback_lifetime import Lifetimes
from analyzer.traffic.reuse.miss_probability import MissEstimator
from analyzer.traffic.reuse.strata import Strata
from tests.lowering import lower

LINE = 64
ARRAYS = "double a[24][21], b[24][21], c[600];"
NESTS = {
    "product": "for (i = 0; i < 9; i++) for (j = 0; j < 9; j++) for (k = 0; k < 9; k++) b[i][j] += a[i][k] * a[k][j];",
    "triangle": "for (i = 0; i < 20; i++) for (j = 0; j <= i; j++) b[i][j] = a[j][i] + a[i][0];",
    "down": "for (i = 20; i > 0; i--) for (j = i; j < 21; j += 2) b[j][i] += b[i][j] * c[3 * j];",
    "sweeps": "for (t = 0; t < 3; t++) { for (i = 1; i < 190; i++) c[i] += c[i - 1];"
    " for (i = 9; i < 99; i++) c[2 * i] = 1; }",
    "tiles": "for (u = 0; u < 20; u += 8) for (i = 0; i < 20; i++)"
    " for (j = u; j < (u + 8 < 20 ? u + 8 : 20); j++) b[j][i] = a[i][j];",
    "records": "for (t = 0; t < 3; t++) for (i = 0; i < 60; i++) { c[9 * i] += 1; if (i > 0) c[9 * i - 9] = 2; }",
    "butterflies": "for (t = 0; t < 3; t++) for (i = 0; i < 18; i++)"
    " for (j = 0; j < 16; j++) c[32 * i + j] += c[32 * i + j + 16];",
    "chunks": "for (t = 0; t < 3; t++) for (i = 0; i < 10; i++) for (k = 0; k < 4; k++)"
    " for (j = 0; j < 14; j++) if (i + 10 * j < 138) c[4 * i + k + 40 * j] += 1;",
    "diagonals": "for (i = 0; i < 30; i++) for (j = 0; j < 30; j++) c[i + j] += c[2 * i + 3];",
}

TIED = {  # by conditions that are not affine
    "causal": "for (i = 0; i < 4; i++) for (j = 0; j < 3; j++) for (k = 0; k < 6; k++) for (t = 0; t < 8; t++)"
    " if (t <= (18 * i + 6 * j + k) % 24 && (i + t) / 3 % 2 == 0) b[t][0] += a[t][(18 * i + 6 * j + k) / 9];",
}


def program(name):
    (found,) = lower(f"{ARRAYS} {(NESTS | TIED)[name]}").regions
    return lay_out(bind(found, {symbol.name: symbol.value for symbol in found.symbols if symbol.value is not None}))


def trace(found):
    """Every reference in order: its statement, counters, the reference and its line."""

    def run(children, counters):
        for child in children:
            if hasattr(child, "children"):
                low, high = child.range(counters)
                for value in range(int(low), int(high) + 1):
                    yield from run(child.children, (*counters, value))
            elif all(bool(test.holds(counters)) for test in child.tests):
                for reference in child.references:
                    yield child, counters, reference, int(reference.address.at(counters)) // LINE

    return list(run(found.children, ()))


def parting(start, end):
    """Depth at which two executions part, and whether in turns of a loop."""
    (one, first, *_), (other, second, *_) = start, end
    for depth in range(len(one.positions)):
        if one.positions[depth] != other.positions[depth]:
            return depth, False
        if depth < len(first) and first[depth] != second[depth]:
            return depth, True
    return None


def pairs(steps, number=150):
    """Some pairs of executions of different statements, earlier first, drawn from a fixed seed."""
    draw = np.random.default_rng(7)
    while number:
        first, last = sorted(int(position) for position in draw.integers(0, len(steps), 2))
        if first != last and parting(steps[first], steps[last]) is not None:
            number -= 1
            yield first, last


def columns(counters):
    return tuple(np.array([value]) for value in counters)


@pytest.mark.parametrize("name", NESTS)
def test_windows_count_the_distinct_lines_between_two_moments(name):
    found = program(name)
    steps, stack_distances = trace(found), StackDistances(found, LINE, 10_000)
    for first, last in pairs(steps):
        (leaf, counters, reference, _), (end_leaf, end_counters, end, line) = steps[first], steps[last]
        depth, carried = parting(steps[first], steps[last])
        distinct, (in_set,) = stack_distances.distinct(
            Moments(leaf, columns(counters), reference.order),
            Moments(end_leaf, columns(end_counters), end.order),
            depth,
            carried=carried,
            target=np.array([line]),
            sets=(4,),
        )
        between = {step[3] for step in steps[first + 1 : last]}
        # Lines of references that a span of lines covers only in part count as a whole.
        assert len(between) <= distinct[0] <= len(between) + 2
        assert abs(int(in_set[0]) - sum(other % 4 == line % 4 for other in between)) <= 1


@pytest.mark.parametrize(("name", "lines"), [("butterflies", 18 * 32 // 8), ("chunks", 138 * 4 // 8)])
def test_rows_that_leave_no_line_out_are_one_run(name: str, lines: int) -> None:
    """The halves of a row follow each other, as do the rows, and the chunks but for an end that is not the same."""
    found = program(name)
    (sweep,) = found.children
    distances = StackDistances(found, LINE, 10_000, most_runs=60)
    (leaf,) = sweep.leaves
    first, last = (Moments(leaf, columns([t] + [0] * (len(leaf.loops) - 1)), 0) for t in (0, 2))
    distinct, _ = distances.distinct(first, last, 0, carried=True, target=np.array([0]), sets=())
    assert lines <= distinct[0] <= lines + 1
    assert not distances.exhausted


def test_a_budget_that_is_used_up_leaves_lines_of_records_that_are_one_row():
    """Records of 72 bytes, of which 8 are used: the lines between them are counted as if they were touched."""
    found = program("records")
    fixed = [np.arange(3)]
    (loop,) = found.children
    exact = len({line for _, (turn, *_), _, line in trace(found) if turn == 0})
    all_lines = (9 * 59 * 8) // LINE + 1
    spent = StackDistances(found, LINE, 10_000, -1)
    assert StackDistances(found, LINE, 10_000).touched(loop.children, fixed).tolist() == [exact] * 3 == [60] * 3
    assert spent.touched(loop.children, fixed).tolist() == [all_lines] * 3


def test_a_chance_is_known_where_the_budget_is_used_up():
    """All reuses that the outer loop carries are longer than one line, and none is longer than the array."""
    found = program("diagonals")
    (outer,) = found.children
    caches = [CacheLevel("one", 1 * LINE), CacheLevel("all", 1000 * LINE)]
    estimator = MissEstimator(
        found, Scope(outer, True, outer.children), "c", caches, StackDistances(found, LINE, 2000, 0), None
    )
    estimator.draw(32)
    assert estimator.probability().miss.tolist() == pytest.approx([1, 0])


@pytest.mark.parametrize("latest", [False, True])
@pytest.mark.parametrize("name", [*NESTS, *TIED])
def test_the_earliest_and_latest_use_of_every_line_are_found(name, latest):
    found = program(name)
    for array in {step[2].array for step in trace(found)}:
        mine = [step for step in trace(found) if step[2].array == array]
        uses = [group for child in found.children for group in uses_of(child, array, writes=False)]
        levels = max(len(group.leaf.loops) for group in uses)
        lines = sorted({step[3] for step in mine})
        result, _ = Finder(uses, LINE, levels).search(
            range(len(uses)), np.zeros((0, len(lines)), np.int64), np.array(lines) * LINE, None, latest=latest
        )
        assert result.found.all()
        for sample, line in enumerate(lines):
            touching = [step for step in mine if step[3] == line]
            leaf, counters, reference, _ = touching[-1 if latest else 0]
            group = uses[result.uses[sample]]
            assert group.leaf is leaf
            assert tuple(result.counters[: len(counters), sample]) == counters
            assert group.references[result.reference[sample]].order == reference.order


def test_values_that_no_inner_one_goes_with_are_left_out():
    """Row ``r = 40*i + j`` reads the first ``r + 1`` elements: element 1217 is read first by ``i`` 30 and ``j`` 17."""
    loops = "for (i = 0; i < 40; i++) for (k = 0; k < 40; k++) for (j = 0; j < 40; j++) for (t = 0; t < 1600; t++)"
    (region,) = lower(f"double c[1600], d[40]; {loops} if (t <= (40 * i + j) % 1600) d[k] += c[t];").regions
    found = lay_out(bind(region, {}))
    (uses,) = (group for child in found.children for group in uses_of(child, "c", writes=False))
    searched = LineSearch(uses, 8, latest=False)
    levels = Mock(wraps=searched._level)
    searched._level = levels
    exists, counters = searched.solve(np.zeros((0, 1), np.int64), np.array([1217 * 8]), None)
    assert (exists.tolist(), counters[:, 0].tolist()) == ([True], [30, 0, 17, 1217])
    assert levels.call_count < 20


@pytest.mark.parametrize("name", NESTS)
def test_lines_are_counted_by_block(name):
    found = program(name)
    steps = trace(found)
    for array in {step[2].array for step in steps}:
        count = LineCounts(found, array, LINE, writes=False)
        for turn in walk(found.children):
            mine = [step for step in steps if step[0] in turn.leaves and step[2].array == array]
            for depth in (turn.depth, turn.depth + 1):
                assert count(Lines((turn,), depth)) == len({(step[1][:depth], step[3]) for step in mine})


def exact_reuses(steps, array, turn):
    """How often each (line, turn) of a loop reuses the line of an earlier turn, all else outside being the same."""
    turns = defaultdict(set)
    for leaf, counters, reference, line in steps:
        if leaf in turn.leaves and reference.array == array:
            turns[counters[: turn.depth], line].add(counters[turn.depth])
    return Counter({(*key, value): 1 for key, values in turns.items() for value in sorted(values)[1:]})


@pytest.mark.parametrize("name", NESTS)
def test_reuse_pairs_are_drawn_uniformly(name):
    found = program(name)
    steps = trace(found)
    for array in {step[2].array for step in steps}:
        for turn in walk(found.children):
            exact = exact_reuses(steps, array, turn)
            if len(exact) < 20:
                continue
            drawer = Drawer(found, Scope(turn, True, turn.children), array, LINE, writes=False)
            drawn = drawer.draw(4096)
            keys = [
                (
                    tuple(drawn.end.counters[: turn.depth, n]),
                    int(drawn.line[n]) // LINE,
                    drawn.end.counters[turn.depth, n],
                )
                for n in range(len(drawn.line))
            ]
            assert set(keys) <= set(exact)
            assert drawer.expected == pytest.approx(len(exact), rel=0.15)
            # The share of one half of the lines: what is drawn twice as often as it should be would show.
            middle = np.median([key[1] for key in exact])
            drawn_share = (
                sum(w for key, w in zip(keys, drawn.weight, strict=True) if key[1] <= middle) / drawn.weight.sum()
            )
            assert drawn_share == pytest.approx(sum(key[1] <= middle for key in exact) / len(exact), abs=0.08)


@pytest.mark.parametrize("name", NESTS)
def test_few_draws_bound_the_reuses_that_a_loop_carries(name: str) -> None:
    found = program(name)
    steps, caches = trace(found), [CacheLevel("one", LINE)]
    for array in {step[2].array for step in steps}:
        for turn in walk(found.children):
            scope = Scope(turn, True, turn.children)
            estimator = MissEstimator(found, scope, array, caches, StackDistances(found, LINE, 2000), None)
            estimator.draw(64)
            assert estimator.most_expected >= 0.85 * len(exact_reuses(steps, array, turn))  # of 64 draws
            assert estimator.pairs or estimator.most_expected <= len(steps) * 3 / 64  # of so many uses at most


def test_the_longest_rest_is_the_largest_distance_between_neighbouring_uses():
    found = program("product")
    caches = (CacheLevel("L1", 4 * LINE),)
    lifetimes = Lifetimes(found, "b", StackDistances(found, LINE, 1000), caches)
    mine = [(position, step) for position, step in enumerate(trace(found)) if step[2].array == "b"]
    line = mine[0][1][3]
    touching = [(position, step) for position, step in mine if step[3] == line]
    steps = trace(found)
    rests = [len({step[3] for step in steps[a + 1 : b]}) for (a, _), (b, _) in pairwise(touching)]

    def at(step):
        _, counters, reference, _ = step
        position = next(n for n, uses in enumerate(lifetimes.uses) if reference in uses.references)
        one = np.ones(1, np.int64)
        own = lifetimes.uses[position].references.index(reference)
        return Found(one.astype(bool), position * one, own * one, np.array(counters).reshape(-1, 1))

    longest, _ = lifetimes.longest_rest(at(touching[0][1]), at(touching[-1][1]), np.array([line * LINE]), ())
    # Uses within a span that fits the cache are passed over: their rests are shorter than the cache.
    assert longest[0] == max(rests) or max(rests) < 4


def test_nests_beyond_the_smallest_cache_are_counted_once_for_all_samples() -> None:
    found = program("sweeps")
    distances = StackDistances(found, LINE, 1000)
    asked = distances.touched_near = Mock(wraps=distances.touched_near)  # type: ignore[method-assign]
    lifetimes = Lifetimes(found, "c", distances, (CacheLevel("L1", 4 * LINE),))
    for uses in lifetimes.uses:  # two statements
        lifetimes._short_span(uses.leaf, np.zeros((lifetimes.levels, 16), np.int64), np.zeros(16, np.int64))
    assert [
        len(target)
        for _, fixed, first, target, *_ in (call.args for call in asked.call_args_list)
        if not len(fixed) and first is None
    ] == [1]


def test_quadratics_are_foretold_and_noise_is_not():
    draw = np.random.default_rng(3)
    counters = draw.integers(0, 100, (2, 400))
    known = np.arange(400) < 60
    values = 3 * counters[0] * counters[1] + counters[0] ** 2 + 7
    fit = fit_distances(counters, known, values)
    assert fit is not None
    assert np.allclose(fit.value, values, atol=1e-6 * values.max())
    assert fit_distances(counters, known, draw.integers(0, 100, 400)) is None


@pytest.mark.parametrize("name", NESTS)
def test_a_larger_cache_never_misses_more(name):
    caches = [CacheLevel(f"C{lines}", lines * LINE) for lines in (8, 16, 32, 64, 128)]
    misses = Strata(program(name), caches).misses()
    filled = (misses.read + misses.allocate).sum(axis=0)
    assert (np.diff(filled) <= 1e-9).all()
    assert (np.diff(misses.written.sum(axis=0)) <= 1e-9).all()
