"""What the founding documents say about machines, against the catalog."""

from __future__ import annotations

import tomllib

import pytest

from roofline.catalog import find_machine
from roofline.machine.figures import PeakMode
from roofline.machine.machine import Machine

from ..oracle.sources import CORPUS
from .cases import rounds_to

FIGURES = tomllib.loads((CORPUS / "machines" / "figures.toml").read_text("utf-8"))["figure"]
MODES = {"peak": PeakMode.FMA, "no-fma": PeakMode.NO_FMA, "matrix": PeakMode.MATRIX}


def figure(machine: Machine, what: str, basis: str) -> float:
    """One figure in 10^9 of its unit; a ridge as it is."""
    kind, _, name = what.partition(" ")
    match kind:
        case "instructions":
            return machine.instruction_rate().value / 1e9
        case "transactions":
            return machine.transaction_rate(name, basis).value / 1e9
        case "bandwidth":
            return machine.bandwidth(name, basis).rate.value / 1e9
        case "ridge":
            return machine.ridge(name, machine.memory.name, kind=basis).value
        case _:
            return machine.choose_peak(name, mode=MODES[kind], kind=basis).rate.value / 1e9


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: f"{row['row']}-{row['machine']}-{row['what']}-{row['basis']}")
def test_figures_of_machines(row):
    found = figure(find_machine(row["machine"]), row["what"], row["basis"])
    assert rounds_to(found, row["printed"]) is ("why" not in row), found
    assert found == pytest.approx(row.get("exact", found), rel=1e-12)
