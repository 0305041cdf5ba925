"""Numbers and units as tools print them.

Tools follow the locale: ``16,777,216`` and ``1,234.5``, or ``16.777.216`` and ``402,65``.  One file follows one style,
which :func:`style_of` infers from all its numbers; ``16,777`` alone is taken for thousands, as without a locale.

>>> style_of([(2, "402,65"), (3, "16.777.216")], "f.csv"), style_of([(2, "16,777,216"), (3, "402.65")], "f.csv")
(<Style.COMMA: ','>, <Style.POINT: '.'>)
>>> number("16.777.216", Style.COMMA), number("402,65", Style.COMMA), number("16,777", Style.POINT), number("n/a")
(16777216.0, 402.65, 16777.0, None)
>>> scale_of("Mbyte"), scale_of("usecond"), scale_of("Gbyte/second"), scale_of("KiB"), scale_of("fathom")
(1000000.0, 1e-06, 1000000000.0, 1024.0, None)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from enum import Enum

from analyzer.python.regex import regex

from .errors import MeasurementError

CAS_BYTES = 64
"""Bytes of one CAS at a memory controller, which counters of DRAM count (LIKWID, groups/*/MEM.txt)."""


class Style(Enum):
    """The decimal mark; the other one of point and comma parts thousands."""

    POINT = "."
    COMMA = ","


_EXPONENT = r"(?:[eE][+-]?\d+)?"
_PLAIN = {
    Style.POINT: re.compile(rf"[+-]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)?(?:\.\d*)?{_EXPONENT}"),
    Style.COMMA: re.compile(rf"[+-]?(?:\d{{1,3}}(?:\.\d{{3}})+|\d+)?(?:,\d*)?{_EXPONENT}"),
}
_NUMERIC = regex(rf"[+-]?\d[\d.,]*{_EXPONENT}")
_EITHER = regex(r"[+-]?\d{1,3}[.,]\d{3}")
_LEAST, _MOST = 1e-30, 1e30
_LONGEST_UNIT, _SHOWN = 40, 40
_SPACES = dict.fromkeys(map(ord, "   _'"), None)
_PREFIXES = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "K": 1e3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}
_COUNTED = frozenset(
    ("byte", "bytes", "B", "inst", "sector", "request", "cycle", "block", "thread", "warp", "hz", "Hz", "flop", "FLOP")
)
_TIMES = frozenset(["s", "second", "seconds", "sec"])


def style_of(cells: Iterable[tuple[int, str]], path: str) -> Style:
    """Return the style of the numbers of a file, given as lines and cells.

    Raises ``MeasurementError`` at the line where a second style appears.
    """
    styles: dict[Style, tuple[int, str]] = {}
    for line, cell in cells:
        text = cell.strip().translate(_SPACES)
        if not _NUMERIC.fullmatch(text) or _EITHER.fullmatch(text):
            continue
        fitting = [style for style, pattern in _PLAIN.items() if pattern.fullmatch(text)]
        if len(fitting) == 1:
            styles.setdefault(fitting[0], (line, cell.strip()))
    if len(styles) > 1:
        (_, one), (line, other) = styles.values()
        raise MeasurementError(
            f"has numbers of two locales: {one[:_SHOWN]!r} and {other[:_SHOWN]!r}",
            path=path,
            line=line,
            hint="measure with LC_ALL=C",
        )
    return next(iter(styles), Style.POINT)


def number(text: str, style: Style = Style.POINT) -> float | None:
    """Return the finite, non-negative number that a cell holds; None where it holds none (``n/a``)."""
    plain = text.strip().translate(_SPACES)
    if not any(letter.isdigit() for letter in plain) or not _PLAIN[style].fullmatch(plain):
        return None
    apart = "," if style is Style.POINT else "."
    value = float(plain.replace(apart, "").replace(style.value, "."))
    return value if is_measurable(value) else None


def is_measurable(value: float) -> bool:
    """Return whether a number can be a measurement: finite, not negative, of a size without overflow."""
    return math.isfinite(value) and (value == 0 or _LEAST <= value <= _MOST)


def scale_of(unit: str) -> float | None:
    """Return the factor to base units (byte, second, 1/s, a count); None for a unit that is not known."""
    text = unit.strip()
    if len(text) > _LONGEST_UNIT:
        return None
    above, slash, below = text.partition("/")
    if slash:
        top, bottom = scale_of(above), scale_of(below)
        if bottom is None or top is None or not _is_time(below):
            return None
        return top / bottom
    if text in _COUNTED or text in _TIMES or text in ("", "%", "percent"):
        return 0.01 if text in ("%", "percent") else 1.0
    for prefixes in (_BINARY, _PREFIXES):
        for prefix, factor in prefixes.items():
            rest = text.removeprefix(prefix)
            if rest != text and (rest in _TIMES or (rest in _COUNTED and factor >= 1)):
                return factor
    return None


def _is_time(unit: str) -> bool:
    text = unit.strip()
    return text in _TIMES or text[1:] in _TIMES
