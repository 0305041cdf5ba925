"""The folder of stored results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def folder_of(environment: Mapping[str, str]) -> Path | None:
    """Return ``AI_ESTIMATE_CACHE_DIR``, else ``ai-estimate`` in ``XDG_CACHE_HOME`` or ``~/.cache``.

    None where there is no folder: no home, or an empty ``AI_ESTIMATE_CACHE_DIR``.
    """
    if "AI_ESTIMATE_CACHE_DIR" in environment:
        chosen = environment["AI_ESTIMATE_CACHE_DIR"]
        return Path(chosen) if chosen else None
    home = environment.get("XDG_CACHE_HOME")
    try:
        return (Path(home) if home else Path.home() / ".cache") / "ai-estimate"
    except RuntimeError:
        return None
