"""What an importer is, and all importers: those that the modules of :mod:`.formats` declare.

A module of that package ends with::

    IMPORTERS = (KernelImporter(NAME, made_by="tool --csv", recognises=recognises, read=read),)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from msgspec import Struct

from . import formats
from .results import Reading
from .roofs import MeasuredRoofs


class KernelImporter(Struct, frozen=True, kw_only=True):
    """A format of measured kernels.

    ``name`` is that of the command line, ``made_by`` the command that writes such files; ``recognises`` takes the text,
    ``read`` the text and the path for messages, and raises ``MeasurementError``.  FLOPs of profilers of GPUs count
    machine code (``counts_machine_code``).  Formats of a higher ``rank`` are tried later: 0 has a mark of its own, 1
    accepts columns that other formats have too, 2 has no header.
    """

    name: str
    made_by: str
    recognises: Callable[[str], bool]
    read: Callable[[str, str], Reading]
    counts_machine_code: bool = False
    rank: int = 0


class RoofImporter(Struct, frozen=True, kw_only=True):
    """A format of measured roofs of a machine; ``what`` names such a file in a message ("an ERT roofline.json")."""

    name: str
    what: str
    recognises: Callable[[str], bool]
    read: Callable[[str, str], MeasuredRoofs]


@cache
def kernel_importers() -> tuple[KernelImporter, ...]:
    """Return the formats of measured kernels in the order in which they are tried: by rank, then by name."""
    found = (importer for importer in _declared() if isinstance(importer, KernelImporter))
    return tuple(sorted(found, key=lambda importer: (importer.rank, importer.name)))


@cache
def roof_importers() -> tuple[RoofImporter, ...]:
    """Return the formats of measured roofs by name."""
    found = (importer for importer in _declared() if isinstance(importer, RoofImporter))
    return tuple(sorted(found, key=lambda importer: importer.name))


@cache
def _declared() -> tuple[KernelImporter | RoofImporter, ...]:
    """Return what the modules declare; raises ``TypeError`` for a module without ``IMPORTERS``."""
    found: list[KernelImporter | RoofImporter] = []
    for module in iter_modules(formats.__path__):
        declared = getattr(import_module(f".{module.name}", formats.__name__), "IMPORTERS", ())
        importers = [one for one in declared if isinstance(one, KernelImporter | RoofImporter)]
        if not importers or len(importers) != len(declared):
            raise TypeError(f"{formats.__name__}.{module.name} must end with IMPORTERS, a tuple of importers")
        found += importers
    return tuple(found)
