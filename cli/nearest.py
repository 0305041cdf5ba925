"""The nearest of some known words to one that is not known, for hints."""

from __future__ import annotations

from collections.abc import Iterable

_LEAST_ALIKE = 0.6


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean ...?`` with the nearest known word; empty where none is near.

    >>> nearest("chek", ("check", "machines")), nearest("gemm.c", ("check", "machines"))
    ('did you mean check?', '')
    """
    from difflib import get_close_matches  # takes longer to import than most runs need

    close = get_close_matches(word, list(known), n=1, cutoff=_LEAST_ALIKE)
    return f"did you mean {close[0]}?" if close else ""
