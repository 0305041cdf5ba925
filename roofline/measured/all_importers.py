"""All importers: those that the modules of :mod:`.formats` declare."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from . import formats
from .importers import KernelImporter, RoofImporter


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
