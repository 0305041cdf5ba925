"""What a machine makes of a kernel: machines, the roofline model, reports and rules.

:func:`~roofline.estimation.estimate` is the one way from sources to a report, for the command line as for programs and
notebooks.  Beside it:

* :mod:`roofline.machine` holds machines as frozen values, reads machine files and checks their physics;
* :mod:`roofline.catalog` finds the machines that ship with the package;
* :mod:`roofline.model` is the roofline model, :mod:`roofline.report` the report and its JSON form;
* :mod:`roofline.rules` judges reports, :mod:`roofline.comparison` holds them against what :mod:`roofline.measured`
  read.

Importing the package loads none of them: a name is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .catalog import Catalog, CatalogEntry, find_machine, load_catalog
    from .estimation import estimate, source_text
    from .machine.figures import Precision
    from .machine.machine import Machine
    from .machine.schema import load_machine
    from .machine.units import Bandwidth, FlopRate, Intensity, Time
    from .options import EstimateOptions

__all__ = [
    "Bandwidth",
    "Catalog",
    "CatalogEntry",
    "EstimateOptions",
    "FlopRate",
    "Intensity",
    "Machine",
    "Precision",
    "Time",
    "estimate",
    "find_machine",
    "load_catalog",
    "load_machine",
    "source_text",
]

_HOME = {
    "Bandwidth": "machine.units",
    "Catalog": "catalog",
    "CatalogEntry": "catalog",
    "EstimateOptions": "options",
    "FlopRate": "machine.units",
    "Intensity": "machine.units",
    "Machine": "machine.machine",
    "Precision": "machine.figures",
    "Time": "machine.units",
    "estimate": "estimation",
    "find_machine": "catalog",
    "load_catalog": "catalog",
    "load_machine": "machine.schema",
    "source_text": "estimation",
}


def __getattr__(name: str) -> object:
    """Import the module that owns a public name on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
