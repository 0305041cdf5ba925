"""No published measurement is above our roof for its machine, level, cores and pattern by more than its spread."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from roofline.catalog import find_machine
from tests.bench.published import Held, Published, Row, bandwidth_roof, hold, read_published, table
from tests.oracle.sources import ROOT

PUBLISHED = tuple(read_published())


@pytest.mark.parametrize("source", PUBLISHED, ids=lambda source: str(source.title))
def test_no_measurement_is_above_its_roof(source: Published) -> None:
    assert source.rows
    assert [each for each in hold([source]) if each.above] == []


def test_there_are_hundreds_of_measurements() -> None:
    assert sum(len(source.rows) for source in PUBLISHED) >= 300
    assert all(source.url.startswith("https://") for source in PUBLISHED)


def test_a_roof_that_is_too_low_is_found() -> None:
    held = [each for each in hold(PUBLISHED) if each.row.machine == "v100" and each.row.level == "DRAM"]
    assert any(replace(each, roof=0.9 * each.roof).above for each in held)
    row = Row(machine="haswell-e5-2695v3", pattern="copy", gbs=1.0)
    assert not Held(row, "", measured=101.0, roof=100.0).above
    assert Held(row, "", measured=103.0, roof=100.0).above
    assert not Held(replace(row, spread=0.05), "", measured=103.0, roof=100.0).above


def test_ordinary_stores_read_their_lines_first() -> None:
    machine, row = find_machine("haswell"), Row(machine="haswell", pattern="copy", gbs=1.0)
    assert bandwidth_roof(machine, row, "bytes") == pytest.approx(68.3)
    assert bandwidth_roof(machine, row, "allocate") == pytest.approx(68.3 * 16 / 24)
    inside = replace(row, level="L1")
    assert bandwidth_roof(machine, inside, "allocate") == bandwidth_roof(machine, inside, "bytes")


def test_the_readme_has_the_table() -> None:
    text = (ROOT / "roofline" / "README.md").read_text("utf-8")
    assert "\n".join(table(hold(PUBLISHED))) in text
