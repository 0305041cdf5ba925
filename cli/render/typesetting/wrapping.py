"""Sentences in lines of a width, such that no number is parted from its unit and no option from its value."""

from __future__ import annotations

from textwrap import wrap

from analyzer.python.regex import regex

_BEFORE_UNIT = regex(r"(?<=[0-9]) (?=(?:[kMGTPEmunpf]?(?:FLOPs?|B|FLOP/s|B/s|it/s|s)|[KMGT]iB|FLOP/byte)\b)")
_OPTION = regex(r"(?<![\w-])(--[a-z][a-z-]{0,30}|-[A-Z]) (?=[^ ]{0,80}[0-9=':]|[A-Z]{1,8}\b)")
_QUOTED = regex(r"(?<=[ (])'[^']{1,80}'")
_KEPT = "\N{NO-BREAK SPACE}"


def wrapped(text: str, width: int, *, first: str = "", rest: str = "", break_words: bool = True) -> list[str]:
    """Wrap a text; ``first`` is put before its first line, ``rest`` before the others.

    >>> wrapped("bound by 828.8 GB/s of DRAM", 16, rest="  ")
    ['bound by', '  828.8 GB/s of', '  DRAM']
    >>> wrapped("one is used (--cores 1)", 21), wrapped("as in --launch 'k<float, 4>:grid=1'", 12, break_words=False)
    (['one is used', '(--cores 1)'], ['as in', "--launch 'k<float, 4>:grid=1'"])
    """
    held = _BEFORE_UNIT.sub(_KEPT, text)
    if "'" in held:
        held = _QUOTED.sub(lambda found: found[0].replace(" ", _KEPT), held)
    if "-" in held:
        held = _OPTION.sub(rf"\1{_KEPT}", held)
    lines = wrap(
        held,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=break_words,
    )
    return [line.replace(_KEPT, " ") for line in lines]
