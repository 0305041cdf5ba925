"""Names and loops as the source spells them: iterators of copies and tiles, counters, the next use of an array."""

from __future__ import annotations

from analyzer.python.regex import regex

_COPY_NUMBER = regex(r"\b((?!trip_L|prob_L)[A-Za-z_]\w*)\.\d+\b")
_OF_LINE = regex(r"L\d+")  # the name of a loop without a counter


def next_use_text(loop: str, *, carried: bool) -> str:
    """Return when an array is used again."""
    if not loop:
        return "the next nest"
    return f"the next {'iteration' if carried else 'part'} of {counter_text(loop)}"


def counter_text(iterator: str) -> str:
    """Return the counter of a loop, or which loop it is where the source has none (``while``).

    >>> counter_text("k.2"), counter_text("L28")
    ('k', 'the loop in line 28')
    """
    name = source_name(iterator)
    return f"the loop in line {name[1:]}" if _OF_LINE.fullmatch(name) else name


def loop_text(iterator: str) -> str:
    """Return which loop it is: ``the loop over k``, or by its line where it has no counter."""
    name = counter_text(iterator)
    return name if " " in name else f"the loop over {name}"


def source_name(iterator: str) -> str:
    """Return the iterator as in the source, also for copies and tiles of its loop.

    >>> source_name("k.2"), source_name("k.block"), source_name("k")
    ('k', 'k', 'k')
    """
    return iterator.partition(".")[0]


def spelled(text: str) -> str:
    """Return a formula with names as in the source, without the numbers that distinguish copies of loops.

    Trip counts and probabilities have no name in the source: theirs is the one that can be given.

    >>> spelled("0 <= i.2 < n"), spelled("trip_L4*trip_L4.2")
    ('0 <= i < n', 'trip_L4*trip_L4.2')
    """
    return _COPY_NUMBER.sub(r"\1", text)
