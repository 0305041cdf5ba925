"""Mistakes of this program: told in one line as what they are, with the traceback for those who ask for it."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import PurePath

_ASKED = "AI_ESTIMATE_TRACEBACK"


def tracebacks_wanted() -> bool:
    """Whether ``AI_ESTIMATE_TRACEBACK`` asks for tracebacks."""
    return bool(os.environ.get(_ASKED))


def describe(error: BaseException) -> str:
    """What happened where, in one line; the traceback goes to standard error where it was asked for."""
    if tracebacks_wanted():
        traceback.print_exception(error, file=sys.stderr)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    text = " ".join(str(error).split())
    return f"a defect of ai-estimate: {type(error).__name__}{place}{': ' if text else ''}{text[:200]}"


HINT = f"please report it with this input; {_ASKED}=1 shows more"
