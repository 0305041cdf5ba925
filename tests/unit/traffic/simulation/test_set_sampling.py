"""Some sets of every cache stand for all: against the whole simulation of the same stream."""

import numpy as np
import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.ir.given_array import GivenArray
from analyzer.ir.passes.substitute import bind
from analyzer.source import SourceFile, language_of
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.simulation.simulate import NotFollowed, simulate
from tests.bench.given_data import SPMV, compressed
from tests.bench.sparse_matrices import PUT_ASIDE, WORKED_WITH

HIERARCHIES = ("L1:4KiB/8,L2:32KiB/8,L3:128KiB/16", "L1:4KiB/8,L2:32KiB/8,L3:112KiB/14", "L1:32KiB,L2:128KiB/8")


def program(pattern):
    rows, pointer, column = compressed(pattern)
    arrays = {
        name: GivenArray.of_bytes(name, elements.astype(np.int64).tobytes(), source="")
        for name, elements in (("rowptr", pointer), ("col", column))
    }
    unit = parse_clang(SourceFile("a.c", SPMV, language_of("a.c")), ParseOptions()).unit
    (region,) = lower_unit(unit, LowerOptions(arrays=arrays, defines={"n": rows})).regions
    return lay_out(bind(region, {"n": rows}))


@pytest.mark.parametrize("hierarchy", HIERARCHIES)
@pytest.mark.parametrize("matrix", ["random", "five-point", "power-law"])
def test_a_part_of_the_sets_tells_the_whole_within_its_error(matrix, hierarchy):
    laid_out = program({**WORKED_WITH, **PUT_ASIDE}[matrix](3000))
    levels = parse_hierarchy(hierarchy)
    whole = simulate(laid_out, levels)
    part = simulate(laid_out, levels, budget=whole.references // 6)
    assert whole.exact
    assert not part.exact
    for kind, error in (("filled", part.filled_error), ("written_back", part.written_back_error)):
        wanted, found = getattr(whole, kind), getattr(part, kind)
        assert (np.abs(found - wanted) <= 4 * error + 0.02 * wanted).all(), (kind, wanted, found, error)


def test_a_stream_that_is_too_long_is_not_followed(monkeypatch):
    monkeypatch.setattr("analyzer.traffic.simulation.simulate.MOST_REFERENCES", 1000)
    with pytest.raises(NotFollowed):
        simulate(program(WORKED_WITH["random"](500)), parse_hierarchy(HIERARCHIES[0]))
