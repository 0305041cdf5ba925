"""``python -m cli``: the same as the command ``ai-estimate``."""

from __future__ import annotations

import sys

from .main import run

sys.exit(run())
