"""Mistakes of this program: reported as such in one line, with the traceback on request."""

from __future__ import annotations

import os
import sys
from pathlib import PurePath

_ASKED = "AI_ESTIMATE_TRACEBACK"


def tracebacks_wanted() -> bool:
    """Return whether ``AI_ESTIMATE_TRACEBACK`` asks for tracebacks."""
    return bool(os.environ.get(_ASKED))


def describe(error: BaseException) -> str:
    """Return the error and its location in one line; the traceback goes to standard error on request."""
    import traceback  # here, as hardly any run needs it

    if tracebacks_wanted():
        traceback.print_exception(error, file=sys.stderr)
    frames = traceback.extract_tb(error.__traceback__)
    location = f" at {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    text = " ".join(str(error).split())
    return f"a defect of ai-estimate: {type(error).__name__}{location}{': ' if text else ''}{text[:200]}"


HINT = f"please report it with this input; {_ASKED}=1 shows more"
