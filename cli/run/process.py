"""How a process of the program is set up: the one that was called, and those that analyze for it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

_EXTENSIONS = "typing_extensions"
OBJECTS_BETWEEN_COLLECTIONS = 20_000  # hardly any is in a cycle, but what is may hold large arrays


def prepare_process() -> None:
    """Collect cycles early, and use one thread for linear algebra: matrices are small, further threads would wait."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    _load_msgspec()
    _without_metadata()


def _load_msgspec() -> None:
    """Load msgspec without typing_extensions: it takes the same functions from the ``typing`` of Python 3.11 then.

    The other module loads ``inspect`` and ``ast``, a twentieth of a small run, and nothing else here needs any of them.
    """
    if _EXTENSIONS in sys.modules:
        return
    sys.modules[_EXTENSIONS] = None  # type: ignore[assignment]  # to import it is an ImportError
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[_EXTENSIONS]


def _without_metadata() -> None:
    """Spare islpy its version, which nothing here asks for: it reads it from the metadata of the installed packages.

    What reads these parses e-mails: with it the import of islpy takes two and a half times as long, a tenth of a small
    run.  In a process that is ours alone nobody else misses it.
    """
    version = ModuleType("islpy.version")
    version.__dict__.update(VERSION=(), VERSION_TEXT="")
    sys.modules.setdefault(version.__name__, version)


@contextmanager
def loading(module: str) -> Iterator[None]:
    """Look for no cycles while a module is imported for the first time, nor later among what it and others hold.

    Modules make many objects that last, and hardly any that end: a tenth of a small run would go into looking there.
    """
    if module in sys.modules or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
