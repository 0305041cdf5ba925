from __future__ import annotations

import pytest

from roofline.catalog import load_catalog
from roofline.machine.schema import parse_machine
from roofline.machine.text import machine_text


@pytest.mark.parametrize("name", load_catalog().ids)
def test_every_shipped_machine_survives_being_written(name: str) -> None:
    machine = load_catalog().machine(name)
    assert parse_machine(machine_text(machine)) == machine


def test_text_of_people_survives() -> None:
    machine = load_catalog().machine("haswell")
    from msgspec.structs import replace

    odd = replace(machine, name='a "quoted" \\ name, µ\x7f\n')
    assert parse_machine(machine_text(odd)).name == odd.name


def test_ports_of_narrower_instructions_survive() -> None:
    from msgspec.structs import replace

    from roofline.machine.hardware import Ports

    machine = load_catalog().machine("haswell")
    assert machine.core is not None
    ports = (Ports(bits=64, loads_per_cycle=2, fma_per_cycle=1.5), Ports(bits=128, stores_per_cycle=1))
    wide = replace(machine, core=replace(machine.core, widths=ports))
    assert parse_machine(machine_text(wide)) == wide
