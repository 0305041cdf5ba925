"""Values of ``-D NAME=VALUE``: numbers as people write them, ranges, and any other text as macro text.

==========================  =====================================================================
``-D N=1000``, ``0x400``     an integer
``1e6``, ``2^20``            powers of ten and of any base
``10k``, ``64Ki``            decimal (k, M, G, T) and binary (Ki, Mi, Gi, Ti) prefixes
``100:10000``                20 values with equal steps
``100:1000:100``             values with a step, both ends included where the step meets them
``100:10000:log``            20 values with equal ratios
``1,2,4``                    these values
``trip_L12=2.5``, ``1/3``     an average, or a probability
``DATA_TYPE=float``          the text of a macro
==========================  =====================================================================

>>> integer("64Ki"), integer("1e6"), integer("2^20"), integer("double")
(65536, 1000000, 1048576, None)
>>> parse_define("N=100:300:100")
Define(name='N', text='100', values=(100, 200, 300))
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from msgspec import Struct

from analyzer.data_files.numbers import rational
from analyzer.errors import OptionError
from analyzer.python.regex import regex

POINTS = 20
_MOST_POINTS = 10_000
_LONGEST = 40
# An identifier, a macro with parameters, or whatever else a report calls a symbol: A.rows, g->nx, row[0].n, n@run
_NAME = regex(r"[A-Za-z_](?:[^=\s\[\](){}\"'`]|\[[^\[\]=]*\]|\([^()=]*\)){0,300}")
_POWER = regex(r"([0-9]+)\^([0-9]+)")
_PREFIXED = regex(r"([0-9]+(?:\.[0-9]+)?)(k|M|G|T|Ki|Mi|Gi|Ti)")
_DECIMAL = regex(r"[0-9]{1,40}(?:\.[0-9]{1,40})?[eE]\+?[0-9]{1,2}")
_MISREAD = regex(r"[0-9]+(?:\.[0-9]+)?(?!0?[xXbB])[A-Za-z]+")
_LIKE_A_RANGE = regex(r"[\w.]+:[\w.]+(?::[\w.]+)?")
_SEVERAL = regex(r"[^,=]{1,80}(?:,[^,=]{1,80}=[^,=]{1,80})+")
_LITERAL = regex(r"[0-9.]+(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU]|[fF]|[eE][0-9]+[fFlL]?)")
_LONG = regex(r"-?[0-9]+|0[xX][0-9a-fA-F]+")
_FACTORS = {
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
}


class Define(Struct, frozen=True):
    """One ``-D``: a name and its text; ``values`` holds the values of a range, and ``text`` the first of them."""

    name: str
    text: str
    values: tuple[int, ...] = ()


def parse_define(argument: str) -> Define:
    """Read the argument of one ``-D``; raises ``OptionError``."""
    name, equals, value = argument.partition("=")
    if not _NAME.fullmatch(name):
        raise OptionError(f"-D {argument}: {name!r} is not a name", hint="write -D NAME or -D NAME=VALUE")
    if not equals:
        return Define(name, "1")
    values = _range(argument, value)
    if values is not None:
        return Define(name, str(values[0]), values)
    if _LIKE_A_RANGE.fullmatch(value) and any(integer(part) is not None for part in value.split(":")):
        raise OptionError(f"-D {argument}: {value} is not a range of numbers", hint="write -D N=100:10000")
    if _SEVERAL.fullmatch(value) and integer(value.partition(",")[0]) is not None:
        each = " ".join(f"-D {part}" for part in argument.split(","))
        raise OptionError(f"-D {argument}: a -D has one name", hint=f"write {each}")
    number = integer(value)
    if number is None and _LONG.fullmatch(value.strip()):
        raise OptionError(f"-D {name}: the number has more than {_LONGEST} digits", hint="write a smaller number")
    if number is None and _MISREAD.fullmatch(value) and not _LITERAL.fullmatch(value):
        raise OptionError(f"-D {argument}: {value} is not a number", hint="prefixes are k, M, G, T, Ki, Mi, Gi and Ti")
    return Define(name, value if number is None else str(number))


def integer(text: str) -> int | None:
    """Return the whole number of at most 40 digits that a text stands for, None where it stands for none."""
    plain = text.strip()
    if len(plain) > 2 * _LONGEST:
        return None
    value = _value(plain)
    return None if value is None or value.denominator != 1 or abs(value) >= 10**_LONGEST else int(value)


def _value(text: str) -> Fraction | None:
    if text.lower().startswith("0x"):
        try:
            return Fraction(int(text, 16))
        except ValueError:
            return None
    if re.fullmatch(r"-?[0-9]+", text):
        return Fraction(int(text))
    if found := _POWER.fullmatch(text):
        power = int(found[2])
        return Fraction(int(found[1])) ** power if power <= 4 * _LONGEST else None
    if found := _PREFIXED.fullmatch(text):
        return Fraction(found[1]) * _FACTORS[found[2]]
    return rational(text) if _DECIMAL.fullmatch(text) else None


def _range(argument: str, value: str) -> tuple[int, ...] | None:
    """Return the values of a range or a list; None where the text is neither."""
    if "," in value:
        listed = [integer(part) for part in value.split(",")]
        whole = [number for number in listed if number is not None]
        return tuple(dict.fromkeys(whole)) if len(whole) == len(listed) else None
    parts = value.split(":")
    if len(parts) < 2 or integer(parts[0]) is None:
        return None
    return _spaced(argument, parts)


def _spaced(argument: str, parts: list[str]) -> tuple[int, ...]:
    wrong = OptionError(
        f"-D {argument} is not a range", hint="write FIRST:LAST, FIRST:LAST:STEP or FIRST:LAST:log, in whole numbers"
    )
    first, last = integer(parts[0]), integer(parts[1])
    if first is None or last is None or len(parts) > 3:
        raise wrong
    if last < first:
        raise OptionError(f"-D {argument}: the range ends before it starts", hint="write the smaller number first")
    if len(parts) == 2:
        return _unique(first + (last - first) * point / (POINTS - 1) for point in range(POINTS))
    if parts[2] == "log":
        if first < 1:
            raise OptionError(
                f"-D {argument}: a range with equal ratios starts at 1 or above", hint="write FIRST:LAST for one from 0"
            )
        return _unique(first * (last / first) ** (point / (POINTS - 1)) for point in range(POINTS))
    step = integer(parts[2])
    if step is None:
        raise wrong
    if step < 1:
        raise OptionError(f"-D {argument}: the step must be at least 1", hint="write FIRST:LAST:STEP")
    if (last - first) // step >= _MOST_POINTS:
        raise OptionError(f"-D {argument} has more than {_MOST_POINTS} values", hint="take a larger step")
    return tuple(range(first, last + 1, step))


def _unique(values: Iterable[float]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(round(value) for value in values))
