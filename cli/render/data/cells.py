"""Cells of CSV that spreadsheets take for text."""

from __future__ import annotations

_FORMULAS = ("=", "+", "-", "@", "\t", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def plain(name: str) -> str:
    """Return a name of the user's such that no spreadsheet takes it for a formula.

    >>> plain("=1+1")
    "'=1+1"
    """
    return f"'{name}" if name.startswith(_FORMULAS) else name
