"""Functions of several nests: how a report of one is held against itself, other names, another order, and the caches.

What nests fetch is held against exact caches as :mod:`.test_traffic` does: a few drawn pairs of references decide
where distances are about as long as a cache is large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from msgspec import Struct

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.quantities.quantity import Quantity
from analyzer.source import Language, SourceFile
from analyzer.traffic.hierarchy import Hierarchy, parse_hierarchy
from analyzer.traffic.options import CacheOptions
from roofline.catalog import find_machine
from roofline.model.level_bytes import MovedBytes, ProjectionOptions
from roofline.report.report import RegionReport
from tests.projected import make_report

from ..invariants import check_report
from ..oracle.cachesim import LINE_BYTES, Cache, hierarchy
from ..oracle.drawn_nests import SIZES, Program, drawn

CACHES = parse_hierarchy("L1:1KiB/4,L2:8KiB/8")
_FEW_LINES = 8
_SHARE = 0.15


class Rows(Struct, frozen=True):
    """The report of a program: the function, and the row of each nest that runs, by its number."""

    function: RegionReport
    nests: Mapping[int, RegionReport]

    def figures(self) -> Mapping[int | None, tuple[Any, ...]]:
        """Return all figures of each row, None being the function."""
        return {None: _figures(self.function), **{number: _figures(nest) for number, nest in self.nests.items()}}


def check_program(seed: int) -> None:
    """Hold the program of a seed against all that is known of it; raise ``AssertionError``."""
    program = drawn(seed)
    numbers = count()
    rows = rows_of(program)
    assert rows.figures() == rows_of(program, lambda depth: f"i{next(numbers)}").figures(), "names of counters"
    check_fetches(program, rows)
    check_order(drawn(seed, apart=True))


def check_order(program: Program) -> None:
    """Hold nests that share no array against the same ones in reverse order."""
    order = range(len(program.nests))[::-1]
    back = program.reordered(order)
    first, second = rows_of(program), rows_of(back)
    check_fetches(program, first)
    check_fetches(back, second)
    truths, others = fetched(program), fetched(back)
    for number, nest in first.nests.items():
        other = second.nests[order[number]]
        assert _counts(nest) == _counts(other), f"counts of nest {number} in another order"
        for level, ((_, one), (_, two)) in enumerate(zip(nest.served[1:], other.served[1:], strict=True)):
            moved = abs(_filled(one) - _filled(two))
            truth = abs(truths[number][level] - others[order[number]][level])
            within = moved <= truth + _FEW_LINES * LINE_BYTES
            assert within, f"nest {number}, level {level}: {moved} B of difference, {truth} simulated"


def check_fetches(program: Program, rows: Rows, caches: Hierarchy = CACHES) -> None:
    """Hold what each nest fetches over each level against exact caches."""
    for number, truth in fetched(program, caches).items():
        if number is None:
            continue
        nest = rows.nests.get(number)
        for level, wanted in enumerate(truth):
            if nest is None:
                assert not wanted, f"nest {number} is no row"
                continue
            _, moved = nest.served[1 + level]
            least, most = _filled(moved, "lower"), _filled(moved, "upper")
            slack = _FEW_LINES * LINE_BYTES + _SHARE * wanted
            within = least - slack <= wanted <= most + slack
            assert within, f"nest {number}, level {level}: {least} to {most} B, {wanted} simulated"


def fetched(program: Program, caches: Hierarchy = CACHES) -> Mapping[int | None, list[int]]:
    """Return the bytes that each nest (None: outside) fetches from the level below each cache."""
    levels = [Cache(level.capacity_bytes, level.ways) for level in caches.levels]
    top = hierarchy(levels)
    found: dict[int | None, list[int]] = {}
    for number, references in program.references():
        before = [level.bytes_from_below for level in levels]
        for address, write in references:
            (top.store if write else top.load)(address // LINE_BYTES)
        sums = found.setdefault(number, [0] * len(levels))
        for place, level in enumerate(levels):
            sums[place] += level.bytes_from_below - before[place]
    return found


def rows_of(program: Program, name: Callable[[int], str] | None = None) -> Rows:
    """Analyze a program, counters being named by their depth unless ``name`` does it, and check the report."""
    text = program.text(name or "tij".__getitem__)
    options = AnalysisOptions(defines=SIZES, cache=CacheOptions(hierarchies=(CACHES,)))
    profiles = analyze(SourceFile("drawn.c", text, Language.C), options)
    projection = ProjectionOptions(hierarchy=CACHES, cores=1)
    report = make_report(profiles, (find_machine("haswell"),), projection, version="0", options={})
    check_report(report)
    ((function,),) = (file.regions for file in report.files)
    lines = {line: number for number, line in enumerate(_lines(program, text))}
    nests = {lines[nest.profile.span.line]: nest for nest in function.all_nests if nest.profile.span.line in lines}
    return Rows(function, nests)


def _lines(program: Program, text: str) -> list[int]:
    """Return the line of each nest: those with a store by a loop of one line."""
    lines = enumerate(text.splitlines(), 1)
    found = [number for number, line in lines if "for (" in line and line.endswith(";")]
    assert len(found) == len(program.nests)
    return found


def _figures(row: RegionReport) -> tuple[Any, ...]:
    (projection,) = row.projections
    moved = [(level, *map(_number, (each.read, each.write_allocate, each.write))) for level, each in row.served]
    rates = (projection.time, projection.attainable, projection.iterations_per_s, projection.bound, projection.level)
    return (*_counts(row), tuple(moved), *rates)


def _counts(row: RegionReport) -> tuple[float, ...]:
    profile = row.profile
    quantities = (profile.work.flops, profile.loads.elements, profile.stores.elements, profile.footprint.touched.lines)
    return tuple(map(_number, quantities))


def _filled(moved: MovedBytes, end: str = "estimate") -> float:
    """Return the bytes that come from the level below."""
    return _number(moved.read, end) + _number(moved.write_allocate, end)


def _number(quantity: Quantity, end: str = "estimate") -> float:
    return float(getattr(quantity, end).evaluate({"n": int(SIZES["n"])}))
