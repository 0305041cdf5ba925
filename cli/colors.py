"""Whether output has colors: ``--no-color`` and ``NO_COLOR`` say no, ``FORCE_COLOR`` yes, else a terminal has them."""

from __future__ import annotations

import os
import sys


def colors_allowed(*, no_color: bool) -> bool:
    """Return whether nothing forbids colors."""
    return not no_color and not os.environ.get("NO_COLOR")


def shows_colors() -> bool:
    """Return whether standard output shows colors, or is said to."""
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout is not None and sys.stdout.isatty())
