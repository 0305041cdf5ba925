"""Sentences in lines of a width, such that no number is parted from its unit."""

from __future__ import annotations

from textwrap import wrap

from analyzer.python.regex import regex

_BEFORE_UNIT = regex(r"(?<=[0-9]) (?=(?:[kMGTPEmunpf]?(?:FLOPs?|B|FLOP/s|B/s|it/s|s)|[KMGT]iB|FLOP/byte)\b)")
_KEPT = "\N{NO-BREAK SPACE}"


def wrapped(text: str, width: int, *, first: str = "", rest: str = "", break_words: bool = True) -> list[str]:
    """Wrap a text; ``first`` is put before its first line, ``rest`` before the others.

    >>> wrapped("bound by 828.8 GB/s of DRAM", 16, rest="  ")
    ['bound by', '  828.8 GB/s of', '  DRAM']
    """
    held = _BEFORE_UNIT.sub(_KEPT, text)
    lines = wrap(
        held,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=break_words,
    )
    return [line.replace(_KEPT, " ") for line in lines]
