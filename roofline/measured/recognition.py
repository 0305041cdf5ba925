"""Measured data of any format, recognised by what the file holds; the one door to all importers of kernels."""

from __future__ import annotations

from analyzer.near_names import did_you_mean

from .all_importers import kernel_importers, roof_importers
from .errors import MeasurementError
from .importers import KernelImporter
from .results import Reading
from .text import read_text

_NAMES_KERNELS = frozenset({"name", "kernel", "region", "loop", "function"})
"""Columns of our own CSV that few other tables have."""


def importer_named(name: str) -> KernelImporter:
    """Return the importer of the format with this name; raises ``MeasurementError`` with the names that there are."""
    found = next((form for form in kernel_importers() if form.name == name), None)
    if found is None:
        names = [form.name for form in kernel_importers()]
        hint = did_you_mean(name, names, most=2) or f"there are {', '.join(names)}"
        raise MeasurementError(f"no format of measured data is called {name!r}", hint=hint)
    return found


def read_measured(path: str, name: str | None = None) -> Reading:
    """Return the samples of a file, in the format asked for, else in the one it is recognised as.

    Raises ``MeasurementError``.
    """
    text = read_text(path)
    form = detect(text, path) if name is None else importer_named(name)
    return form.read(text, path)


def detect(text: str, path: str) -> KernelImporter:
    """Return the importer that recognises a text.

    Raises ``MeasurementError`` where none does, or where the text describes a machine.
    """
    found = next((form for form in kernel_importers() if form.recognises(text)), None)
    if found is not None:
        return found
    machine = next((form for form in roof_importers() if form.recognises(text)), None)
    if machine is not None:
        raise MeasurementError(
            f"is {machine.what}: it describes a machine, not kernels",
            path=path,
            line=1,
            hint=f"--machine {path}@NAME, NAME being the catalog machine that it was measured on",
        )
    columns = [cell.strip(" \"'").lower() for cell in text.lstrip().partition("\n")[0].replace(";", ",").split(",")]
    if _NAMES_KERNELS.intersection(columns) and len(columns) > 1:
        hint = "our own CSV has columns such as name,time_s,flops,DRAM_bytes: base units, and commas between them"
        raise MeasurementError("is no CSV whose columns are known", path=path, line=1, hint=hint)
    made_by = ", ".join(f"{form.name} ({form.made_by})" for form in kernel_importers())
    raise MeasurementError(
        "is of no format that is known", path=path, line=1, hint=f"name it with --measured-format: {made_by}"
    )
