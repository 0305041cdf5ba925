"""Objects, copies and instances of C++ that are easily taken for each other, against runs that count and by hand."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity
from analyzer.source import read_source
from tests.bench.counted import run_counted
from tests.bench.figures import Counts
from tests.night import of_day

SOURCES = Path(__file__).parent.parent / "data" / "identity"
ROWS: list[dict[str, Any]] = tomllib.loads((SOURCES / "figures.toml").read_text("utf-8"))["row"]
FLOPS = ("add", "sub", "mul", "div")
WITH_INTEGERS = {"App::both"}
"""Functions whose loads are also of the integers of objects."""
PROGRAM = """#include "counted.hpp"
#include <vector>
#include <array>
#include <functional>
#include <cstdlib>
#include <cstring>
#include <ranges>
#include <tuple>
#include <utility>
#include <valarray>
template <class T> T* make(int number) {{ return static_cast<T*>(std::calloc(number, sizeof(T))); }}
#define double Counted
#define main not_main
#include "kernel.h"
#undef main
int main() {{
    counting::all_but_the_stack();
    int n = 10, m = 6;
{calls}}}
"""
CALL = """    {{
        double *a = make<double>(1000), *b = make<double>(1000);
        for (int i = 0; i < 1000; i++) {{ a[i] = 1 + i % 7; b[i] = 2 + i % 5; }}
        {first};
        counting::reset(); {last}; counting::print("{function}");
    }}
"""


@cache
def regions(file: str) -> Mapping[str, RegionProfile]:
    (profile,) = analyze(read_source(str(SOURCES / file)), AnalysisOptions())
    return {region.function: region for region in profile.regions}


@cache
def counted(file: str) -> Mapping[str, Counts]:
    """Run all calls of a file in one program; what each of them counted, by the function that it is of."""
    calls = ""
    for row in ROWS:
        if row["file"] == file and "call" in row:
            first, _, last = row["call"].rpartition(";")
            calls += CALL.format(first=first, last=last, function=row["function"])
    kernel = (SOURCES / file).read_text("utf-8")
    return {name: counts for name, (counts,) in run_counted(PROGRAM.format(calls=calls), {"kernel.h": kernel}).items()}


def arrays(file: str, function: str) -> list[str]:
    return sorted(item.array for item in regions(file)[function].footprint.arrays)


def name_of(row: Mapping[str, Any]) -> str:
    return f"{row['file']}-{row['function']}"


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_figures_are_exact(row: dict[str, Any]) -> None:
    region = regions(row["file"])[row["function"]]
    values = {**region.values, "n": 10, "m": 6, **row.get("at", {})}

    def number(quantity: Quantity) -> float:
        assert quantity.is_exact
        return float(quantity.estimate.evaluate(values))

    assert number(region.work.flops) == row["flops"]
    assert number(region.stores.elements) == row["stores"]
    if row["function"] not in WITH_INTEGERS:
        assert number(region.loads.elements) == row["loads"]


def test_a_virtual_method_of_an_unknown_object_is_one_of_its_bodies() -> None:
    region = regions("virt.cpp")["v1"]
    flops, values = region.work.flops, {**region.values, "n": 10}
    assert flops.upper is not None
    assert (flops.lower.evaluate(values), flops.upper.evaluate(values)) == (0, 20)
    assert any(note.code == "AI315" for note in region.assumptions)


@pytest.mark.parametrize("function", ["unknown", "applied", "Stepper::run"])
def test_a_function_object_of_an_unknown_target_leaves_a_lower_bound(function: str) -> None:
    flops = regions("closures.cpp")[function].work.flops
    assert flops.upper is None


def test_a_function_object_that_data_choose_is_between_its_targets() -> None:
    flops = regions("closures.cpp")["either"].work.flops
    assert flops.upper is not None
    assert (flops.lower.evaluate({"n": 10}), flops.upper.evaluate({"n": 10})) == (10, 20)


@pytest.mark.parametrize("function", ["of_tables", "compared"])
def test_what_the_compiler_computes_or_defaults_is_no_reason_to_leave_a_function_out(function: str) -> None:
    found = regions("tables.cpp")
    assert found[function].work.flops.lower.evaluate({"n": 10}) == 10
    assert found["of_tables"].work.flops.is_exact


def test_two_objects_of_a_class_have_arrays_of_their_own() -> None:
    found = [arrays("m1.cpp", "m1"), arrays("lin.cpp", "x5"), arrays("lin.cpp", "x3")]
    assert found == [["A.d_", "B.d_", "C.d_"], ["p.a", "p.b", "q.a", "q.b"], ["s.e.d", "s.rho.d", "s.u.d"]]


@pytest.mark.parametrize(
    ("function", "least", "most"), [("resized", 30, 30), ("resized_by_reference", 10, 10), ("resized_again", 30, 35)]
)
def test_a_container_moves_its_elements_where_it_has_no_room_and_may_where_that_is_unknown(
    function: str, least: int, most: int
) -> None:
    """Zeros that it is made of are stores, too: of 10 elements and of 10 more, of which 10 move in between."""
    stores = regions("sizes.cpp")[function].stores.elements
    assert stores.upper is not None
    assert (stores.lower.evaluate({"n": 10}), stores.upper.evaluate({"n": 10})) == (least, most)


def test_a_container_that_each_iteration_makes_smaller_stores_at_least_its_first_zeros() -> None:
    region = regions("sizes.cpp")["halved"]
    stores, flops = region.stores.elements, region.work.flops
    assert stores.upper is not None
    assert stores.lower.evaluate({"n": 10}) == 10 <= stores.upper.evaluate({"n": 10})
    assert flops.estimate.evaluate({"n": 10}) == 21


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
@pytest.mark.parametrize("row", of_day([row for row in ROWS if "call" in row], 3), ids=name_of)
def test_the_figures_are_what_runs_count(row: dict[str, Any]) -> None:
    counts = counted(row["file"])[row["function"]]
    found = (sum(counts.get(kind, 0) for kind in FLOPS), counts.get("loads", 0), counts.get("stores", 0))
    assert found == (row["flops"], row["loads"], row["stores"])
