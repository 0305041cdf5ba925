"""``python -m ai_estimate``: the same as the command ``ai-estimate``."""

from __future__ import annotations

import sys

from . import run

if __name__ == "__main__":
    sys.exit(run())
