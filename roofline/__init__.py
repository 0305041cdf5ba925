"""What a machine makes of a kernel: machine data, rates, projection, report and rules.

The machine half answers "how fast can this machine compute, and how fast does each level deliver bytes":

* :mod:`roofline.machine.units` holds rates with only the operators that physics allows;
* :mod:`roofline.machine.machine` holds one machine as frozen values and chooses a figure among several;
* :mod:`roofline.machine.schema` reads one TOML document into a :class:`~roofline.machine.machine.Machine` and checks
  its physics;
* :mod:`roofline.catalog` finds the machines that ship with the package.

Importing the package loads none of them: a name is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .catalog import Catalog, CatalogEntry, find_machine, load_catalog
    from .machine.machine import Machine, Precision
    from .machine.schema import load_machine
    from .machine.units import Bandwidth, FlopRate, Intensity, Time

__all__ = [
    "Bandwidth",
    "Catalog",
    "CatalogEntry",
    "FlopRate",
    "Intensity",
    "Machine",
    "Precision",
    "Time",
    "find_machine",
    "load_catalog",
    "load_machine",
]

_HOME = {
    "Bandwidth": "machine.units",
    "Catalog": "catalog",
    "CatalogEntry": "catalog",
    "FlopRate": "machine.units",
    "Intensity": "machine.units",
    "Machine": "machine.machine",
    "Precision": "machine.machine",
    "Time": "machine.units",
    "find_machine": "catalog",
    "load_catalog": "catalog",
    "load_machine": "machine.schema",
}


def __getattr__(name: str) -> object:
    """Import the module that owns a public name on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
