"""Values of ``-D NAME=VALUE``: numbers as people write them, ranges, and any other text as macro text.

==========================  =====================================================================
``-D N=1000``, ``0x400``     an integer
``1e6``, ``2^20``            powers of ten and of any base
``10k``, ``64Ki``            decimal (k, M, G, T) and binary (Ki, Mi, Gi, Ti) prefixes
``100:10000``                20 values with equal steps
``100:1000:100``             values with a step, both ends included where the step meets them
``100:10000:log``            20 values with equal ratios
``1,2,4``                    these values
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
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from analyzer.errors import OptionError

POINTS = 20
_MOST_POINTS = 10_000
_LONGEST = 40
_NAME = re.compile(r"[A-Za-z_]\w*(?:\([\w\s,.]*\))?")
_POWER = re.compile(r"(\d+)\^(\d+)")
_PREFIXED = re.compile(r"(\d+(?:\.\d+)?)(k|M|G|T|Ki|Mi|Gi|Ti)")
_DECIMAL = re.compile(r"\d+(?:\.\d+)?[eE]\+?\d+")
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


@dataclass(frozen=True, slots=True)
class Define:
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
    number = integer(value)
    return Define(name, value if number is None else str(number))


def integer(text: str) -> int | None:
    """The whole number that a text stands for, None where it stands for none."""
    plain = text.strip()
    if plain.lower().startswith("0x"):
        try:
            return int(plain, 16)
        except ValueError:
            return None
    if re.fullmatch(r"-?\d+", plain):
        return int(plain)
    if found := _POWER.fullmatch(plain):
        power = int(found[2])
        return int(found[1]) ** power if power <= 4 * _LONGEST else None
    if found := _PREFIXED.fullmatch(plain):
        return _whole(Decimal(found[1]) * _FACTORS[found[2]])
    if _DECIMAL.fullmatch(plain):
        return _whole(Decimal(plain))
    return None


def _whole(value: Decimal) -> int | None:
    try:
        return int(value) if value == value.to_integral_value() and value.adjusted() < _LONGEST else None
    except InvalidOperation:
        return None


def _range(argument: str, value: str) -> tuple[int, ...] | None:
    """The values of a range or a list; None where the text is neither."""
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
            raise OptionError(f"-D {argument}: a range with equal ratios starts at 1 or above")
        return _unique(first * (last / first) ** (point / (POINTS - 1)) for point in range(POINTS))
    step = integer(parts[2])
    if step is None:
        raise wrong
    if step < 1:
        raise OptionError(f"-D {argument}: the step must be at least 1")
    if (last - first) // step >= _MOST_POINTS:
        raise OptionError(f"-D {argument} has more than {_MOST_POINTS} values", hint="take a larger step")
    return tuple(range(first, last + 1, step))


def _unique(values: Iterable[float]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(round(value) for value in values))
