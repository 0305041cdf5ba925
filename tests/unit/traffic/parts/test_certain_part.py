"""The bytes of code that data may skip: an interval that holds those of every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from unittest.mock import Mock

import pytest

from analyzer.ir.index import ZERO, var
from analyzer.ir.nodes import DataDependent, Guard, Loop, Node, Region, RegionKind, Strided
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import NO_SPAN, Language, SourceFile
from analyzer.traffic.hierarchy import parse_hierarchy
from analyzer.traffic.options import CacheModel, CacheOptions
from analyzer.traffic.parts import certain_part as module
from analyzer.traffic.results import CacheTraffic
from tests.oracle.cachesim import Cache, hierarchy, simulate

Uses = Iterator[tuple[int, bool, int]]
ROWS, COLUMNS = 12, 512
A, B, FLAGS = 0, 1 << 20, 1 << 21


def traffic(body: str, model: CacheModel) -> CacheTraffic:
    text = f"""double a[{ROWS}][{COLUMNS}], b[{ROWS}][{COLUMNS}]; double c[{COLUMNS}];
    double f(double s) {{ {body} return s; }}"""
    cache = CacheOptions(model=model, hierarchies=(parse_hierarchy("L1:2KiB,L2:16KiB"),))
    (file,) = analyze(SourceFile("f.c", text, Language.C), AnalysisOptions(cache=cache))
    ((_, found),) = file.regions_with_traffic
    return found.models[0]


def guarded(runs: Callable[[int, int], bool]) -> Uses:
    """What the guarded loop uses where its condition is this one of the row and the column."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            yield FLAGS + 8 * column, False, 8
            if runs(row, column):
                yield A + 8 * column, False, 8
                yield B + 8 * (COLUMNS * row + column), True, 8


GUARDED = f"for (int i = 0; i < {ROWS}; i++) for (int j = 0; j < {COLUMNS}; j++) if (c[j] > s*i) b[i][j] = a[0][j];"
RUNS = {
    "never": (GUARDED, lambda: guarded(lambda row, column: False)),
    "always": (GUARDED, lambda: guarded(lambda row, column: True)),
    "in some rows": (GUARDED, lambda: guarded(lambda row, column: row % 3 == 0)),
    "in some columns": (GUARDED, lambda: guarded(lambda row, column: column % 40 < 3)),
}


@pytest.mark.parametrize("model", [CacheModel.ANALYTIC, CacheModel.SIMULATE])
@pytest.mark.parametrize("run", RUNS)
def test_the_interval_holds_every_run(run: str, model: CacheModel) -> None:
    body, uses = RUNS[run]
    inner, outer = Cache(2 << 10), Cache(16 << 10)
    simulate(((address // 64, write, size) for address, write, size in uses()), hierarchy([inner, outer]))
    found = traffic(body, model)
    for cache, level in zip((inner, outer), found.levels[1:], strict=True):
        moved = (cache.bytes_from_below, cache.bytes_to_below + cache.flushed_bytes)
        filled = level.read_bytes, level.write_allocate_bytes
        for real, parts in zip(moved, (filled, (level.write_bytes,)), strict=True):
            least = sum(part.lower.evaluate({}) for part in parts)
            most = sum(part.upper.evaluate({}) for part in parts if part.upper is not None)
            assert least <= real <= most


def test_code_that_always_runs_has_no_interval() -> None:
    tested = f"for (int i = 0; i < {ROWS}; i++) if (i % 2) for (int j = 0; j < {COLUMNS}; j++) s += a[i][j];"
    for level in traffic(tested, CacheModel.SIMULATE).levels[1:]:
        assert str(level.read_bytes.lower) == str(level.read_bytes.estimate) == str(ROWS // 2 * COLUMNS * 8)


def test_each_condition_in_a_deep_nest_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Mock(wraps=module._is_decided)
    monkeypatch.setattr(module, "_is_decided", asked)
    node: Node = Guard(DataDependent("x", "x > 0"), (), (), NO_SPAN)
    for depth in range(6):
        node = Loop(f"i{depth}", Strided(ZERO, var("n")), (node,), NO_SPAN)
    assert module.certain_part(Region("f", RegionKind.FUNCTION, "f", NO_SPAN, (), (), (node,))) is not None
    assert asked.call_count == 1


COPY = f"for (int i = 0; i < {ROWS}; i++) for (int j = 0; j < {COLUMNS}; j++) b[i][j] = a[i][j];"
ONCE = 2 * ROWS * COLUMNS * 8  # a and b, which no cache holds


@pytest.mark.parametrize(
    ("body", "certain"),
    [
        (f"for (int t = 0; t < 10; t++) {{ {COPY} }}", 10 * ONCE),
        (f"for (int t = 0; t < 10; t++) {{ {COPY} if (b[0][0] < s) break; }}", ONCE),
        (f"for (int t = 0; t < 10; t++) {{ if (c[0] < s) break; {COPY} }}", 64),
        (f"for (int t = 0; t < 10; t++) {{ {COPY} if (b[0][0] < s) return 0; }} {COPY}", ONCE),
        (f"for (int t = 0; t < 10; t++) {{ {COPY} if (b[0][0] < s) goto out; }} out: {COPY}", 2 * ONCE),
        (f"if (c[0] < s) return 0; {COPY}", 64),
        (f"int t = 0; do {{ {COPY} t++; }} while (t < 10 && b[0][0] > s);", ONCE),
    ],
)
def test_of_a_loop_that_data_may_end_the_first_iteration_is_certain(body: str, certain: int) -> None:
    outermost = traffic(body, CacheModel.ANALYTIC).levels[-1]
    filled = outermost.read_bytes, outermost.write_allocate_bytes
    assert sum(part.lower.evaluate({}) for part in filled) == certain
    assert sum(part.estimate.evaluate({}) for part in filled) >= certain
