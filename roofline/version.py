"""The version of the program: that of the installed distribution, else the one of this source tree."""

from __future__ import annotations

SOURCE_VERSION = "0.1.0"


def version() -> str:
    """Return the version as in ``pyproject.toml``."""
    from importlib import metadata

    try:
        return metadata.version("ai-estimate")
    except metadata.PackageNotFoundError:
        return SOURCE_VERSION
