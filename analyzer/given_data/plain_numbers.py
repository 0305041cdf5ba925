"""Text files of whole numbers: one column or several, with spaces or commas, ``#`` before comments."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..python.regex import regex

_HINT = "write whole numbers, with spaces, commas or new lines between them, and # before comments"
_MOST_SHOWN = 40
_LARGEST = 10**18  # larger numbers are read as the largest there is
_OTHER = regex(r"(?:^|(?<=\s))(?![+-]?[0-9]{1,18}(?:\s|$))(\S)")


def read_plain_numbers(text: str, path: str) -> NDArray[np.int64]:
    """Return the numbers of a text, row by row; raises ``OptionError`` at the line of anything else."""
    plain = _without_comments(text).replace(",", " ").replace(";", " ")
    numbers = parsed(plain, np.int64)
    if numbers is None:
        line, word = _first_other(plain)
        raise OptionError(f"{word!r} is not a whole number", path=path, line=line, hint=_HINT)
    return numbers


def parsed(text: str, kind: type[np.int64] | type[np.float64]) -> NDArray[Any] | None:
    """Return the numbers in a text with white space between them; None where there is anything else."""
    if not text.strip():
        return np.zeros(0, dtype=np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found: NDArray[Any] = np.fromstring(text, dtype=kind, sep=" ")
        except (DeprecationWarning, ValueError, OverflowError):
            return None
    return None if kind is np.int64 and (np.abs(found) >= _LARGEST).any() else found


def _without_comments(text: str) -> str:
    if "#" not in text:
        return text
    return "\n".join(line.partition("#")[0] for line in text.split("\n"))


def numbered_lines(text: str, first: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, one at a time: a list of all takes ten times the text."""
    start = 0
    for number in count(first):
        end = text.find("\n", start)
        yield number, text[start:] if end < 0 else text[start:end]
        if end < 0:
            return
        start = end + 1


def _first_other(text: str) -> tuple[int, str]:
    """Return the line and the text of the first word that is no whole number of at most 18 digits."""
    found = _OTHER.search(text)
    if found is None:
        return 1, text[:_MOST_SHOWN]
    return text.count("\n", 0, found.start(1)) + 1, text[found.start(1) :][:_MOST_SHOWN].split()[0]
