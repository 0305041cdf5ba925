"""Bounds of lines, and what they spare, against enumeration."""

from collections import defaultdict
from math import inf

import numpy as np
import pytest

from analyzer.traffic.hierarchy import CacheLevel
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.program.lines.lines import LineCounts, Lines
from analyzer.traffic.program.program import walk
from analyzer.traffic.reuse.extents import Extents, fits_well
from analyzer.traffic.reuse.line_uses.pairs import Drawer, Scope
from analyzer.traffic.reuse.miss_probability import MissEstimator
from analyzer.traffic.reuse.strata import Strata
from tests.lowering import lower

from .test_pairs import LINE, NESTS, program, trace

IN_A_ROW = " ".join(f"for (i = {k}; i < {9 * k + 20}; i++) c[{k % 3 + 1} * i] += c[i + {k}];" for k in range(7))


def nests_in_a_row():
    (found,) = lower(f"double c[600]; {IN_A_ROW}").regions
    return lay_out(found)


@pytest.mark.parametrize("name", NESTS)
def test_no_execution_touches_more_lines_than_the_bound(name: str) -> None:
    found = program(name)
    steps = trace(found)
    extents = Extents(found, LINE)
    for loop in walk(found.children):
        lines = defaultdict(set)
        for leaf, counters, reference, line in steps:
            if leaf in loop.leaves:
                lines[counters[: loop.depth]].add((reference.array, line))
        most = max(map(len, lines.values()))
        assert most <= extents.at_most([loop])


def test_lines_that_references_share_count_once_and_an_unbounded_loop_touches_any_number() -> None:
    found = nests_in_a_row()
    sweep = found.children[0]  # c[i], thrice, for i < 20; the next ones end at c[3 * 28], and are in its bytes
    extents = Extents(found, LINE)
    assert extents.at_most([sweep]) == (20 * 8 - 2) // LINE + 2
    assert extents.at_most(found.children[:3]) == (3 * 37 * 8 + 8 - 2) // LINE + 2
    assert extents.at_most_in_set(found.children[:3], 5) == 3  # 15 lines in a row
    assert extents.at_most_in_set(found.children[:3], 4) == 4
    sweep.highs = ()
    assert Extents(found, LINE).at_most([sweep]) == inf


def test_what_fits_well_is_far_from_every_limit() -> None:
    assert fits_well(69, 69, CacheLevel("L1", 100 * LINE))
    assert not fits_well(70, 70, CacheLevel("L1", 100 * LINE))
    assert fits_well(48, 6, CacheLevel("L1", 64 * LINE, ways=8))
    assert not fits_well(48, 7, CacheLevel("L1", 64 * LINE, ways=8))


@pytest.mark.parametrize("name", NESTS)
def test_where_everything_fits_no_pair_is_drawn_and_nothing_else_changes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    caches = [CacheLevel("all", 4096 * LINE)]
    before = Strata(program(name), caches)
    for layers in before.layers:
        for stratum in layers.strata:
            stratum.estimator.never_misses = False
    drawn = before.misses()
    monkeypatch.setattr(MissEstimator, "_find", lambda *_: pytest.fail("drawn in vain"))
    found = Strata(program(name), caches).misses()
    for part in ("read", "allocate", "written", "fill_error", "written_error", "close"):
        assert np.array_equal(getattr(found, part), getattr(drawn, part))


def test_lines_of_growing_parts_are_those_of_all_their_nests() -> None:
    found = nests_in_a_row()
    steps = trace(found)
    count = LineCounts(found, "c", LINE, writes=False)
    for number in (1, 2, 3, 5, 4, 7):
        some = tuple(found.children[:number])
        leaves = {id(leaf) for loop in some for leaf in loop.leaves}
        assert count(Lines(some, 0)) == len({step[3] for step in steps if id(step[0]) in leaves})
    last = tuple(found.children[4:])
    leaves = {id(leaf) for loop in last for leaf in loop.leaves}
    assert count(Lines(last, 0)) == len({step[3] for step in steps if id(step[0]) in leaves})


def test_a_pair_between_nests_is_the_last_use_before_one_and_the_first_in_it() -> None:
    found = nests_in_a_row()
    nest_of = {id(leaf): number for number, loop in enumerate(found.children) for leaf in loop.leaves}
    uses = defaultdict(list)
    for leaf, counters, reference, line in trace(found):
        uses[line].append((nest_of[id(leaf)], counters[0], reference.order))
    exact = {
        (line, mine[position - 1], mine[position])
        for line, mine in uses.items()
        for position in range(1, len(mine))
        if mine[position][0] != mine[position - 1][0]
    }
    drawer = Drawer(found, Scope(None, False, found.children), "c", LINE, writes=False)
    drawn = drawer.draw(2048)

    def moment(of, sample):
        some = drawer.uses[of.uses[sample]]
        return nest_of[id(some.leaf)], int(of.counters[0, sample]), some.references[of.reference[sample]].order

    pairs = {
        (int(drawn.line[sample]) // LINE, moment(drawn.start, sample), moment(drawn.end, sample))
        for sample in range(len(drawn.line))
    }
    assert pairs == exact
