"""Numbers that people write in options and files, to exact values: of a length that arithmetic can bear.

``Fraction("1e999999999")`` and ``int`` of a text of megabytes take minutes, gigabytes or an error of their own.
"""

from __future__ import annotations

import re
from fractions import Fraction

from ..python.regex import regex

MOST_DIGITS = 40
_RATIONAL = regex(
    r"[+-]?(?:[0-9]{1,40}(?:/[0-9]{1,40}|\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?", re.ASCII
)


def rational(text: str) -> Fraction:
    """Return the value of ``0.4``, ``1/12`` or ``2e-3``; raise ``ValueError`` for anything else and for long ones.

    >>> rational("1/12"), rational(" 2e-3 ")
    (Fraction(1, 12), Fraction(1, 500))
    >>> rational("1e999999999")
    Traceback (most recent call last):
    ValueError: not a number of at most 40 digits
    """
    plain = text.strip()
    if not _RATIONAL.fullmatch(plain):
        raise ValueError(f"not a number of at most {MOST_DIGITS} digits")
    try:
        return Fraction(plain)
    except ZeroDivisionError:
        raise ValueError("a fraction over 0") from None


def whole(text: str) -> int | None:
    """Return the decimal whole number that a text is, None where it is none or has more than 40 digits."""
    plain = text.strip()
    return int(plain) if re.fullmatch(r"[+-]?[0-9]{1,40}", plain) else None
