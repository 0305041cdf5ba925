"""The codes of a check, apart from what they do: listing them needs no analysis."""

from __future__ import annotations

from functools import cache
from typing import Final

from analyzer.diagnostics import catalog

BOUND_CODE: Final = "AI100"
_ANNOTATION_CODE: Final = "AI005"
_RULE_PREFIX: Final = "AI1"


@cache
def check_codes() -> tuple[str, ...]:
    """Return the codes that a check can report: annotations not understood, and every AI1xx of ``codes.toml``."""
    return (_ANNOTATION_CODE, *sorted(code for code in catalog() if code.startswith(_RULE_PREFIX)))
