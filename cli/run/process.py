"""How a process of the program is set up: the one that was called, and those that analyze for it."""

from __future__ import annotations

import gc
import os

_OBJECTS_BETWEEN_COLLECTIONS = 3000  # hardly any is in a cycle, but what is may hold large arrays


def prepare_process() -> None:
    """Collect cycles early, and use one thread for linear algebra: matrices are small, further threads would wait."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
