"""The invariants of reports reject what contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from analyzer.quantities.quantity import exact
from analyzer.quantities.quasipolynomial import fixed
from roofline.machine.units import Time
from roofline.report.report import RegionReport
from tests.checked import report_of
from tests.invariants import violations

SOURCE = """
static double a[4000], b[4000], s;
void f(void) {
    for (int i = 0; i < 4000; i++) a[i] = b[i];
    for (int i = 0; i < 4000; i++) a[i] += 2 * b[i];
    s = a[7] + b[9];
}
"""


def region() -> RegionReport:
    return report_of(SOURCE, "haswell").files[0].regions[0]


def test_a_report_holds_together() -> None:
    assert list(violations(region())) == []


def test_a_part_that_is_missing_is_found() -> None:
    found = region()
    texts = list(violations(replace(found, nests=found.nests[1:])))
    for what in ("loads:", "stores:", "bytes written from registers:", "moved, read:", "haswell-e5-2695v3:"):
        assert any(what in text for text in texts), what
    assert any("FLOPs:" in text for text in violations(replace(found, outside=None)))


def test_bytes_of_another_nest_are_found() -> None:
    found = region()
    first, second = found.nests
    twice = replace(first, moved=second.moved, served=second.served)
    assert any("DRAM, " in text for text in violations(replace(found, nests=(twice, second))))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"time": Time(1.0)}, "for "),
        ({"time": Time(0.0)}, "alone takes"),
        ({"iterations_per_s": 1e30}, "iterations/s"),
        ({"level": None}, "bound by memory, level None"),
    ],
)
def test_speeds_that_contradict_each_other_are_found(changes: dict[str, Any], what: str) -> None:
    nest = region().nests[0]
    (projection,) = nest.projections
    texts = list(violations(replace(nest, projections=(replace(projection, **changes),))))
    assert any(what in text for text in texts), texts


@pytest.mark.parametrize(("value", "what"), [(-1, "negative"), (10**9, "not between its bounds")])
def test_counts_that_cannot_be_are_found(value: int, what: str) -> None:
    nest = region().nests[1]
    flops = replace(exact(fixed(8000)), lower=fixed(value))
    wrong = replace(nest, profile=replace(nest.profile, work=replace(nest.profile.work, flops=flops)))
    assert any(what in text for text in violations(wrong))
