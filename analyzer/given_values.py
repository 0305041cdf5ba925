"""What ``-D`` gives: macros of the preprocessor, and values of symbols, everywhere or in one function.

Any name that a report prints can be given (``A.rows``, ``g->nx``, ``trip_L12``); only what a macro may be called goes
to the preprocessor.  ``NAME@FUNCTION`` holds in one function, where it overrides ``NAME``.  Trip counts may be
averages: numbers that are not whole.

>>> given = given_values({"g->nx": "64", "n@run": "8", "T": "float", "trip_L12": "2.5"})
>>> given.macros, given.values, given.averages, given.of_function(("run",))
({'T': 'float'}, {'g->nx': 64}, {'trip_L12': Fraction(5, 2)}, {'n': 8})
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from msgspec import Struct

from .data_files.numbers import rational
from .ir.index import Number
from .python.regex import regex

TRIP = "trip_L"
_MACRO = regex(r"[A-Za-z_]\w*(?:\([^()]*\))?")
_ESTIMATED = regex(r"(?:trip|prob)_L([0-9]+)")
_SUFFIX = "uUlL"


class GivenValues(Struct, frozen=True, kw_only=True):
    """``values`` are whole numbers, ``averages`` others; ``in_functions`` are both by the name of a function."""

    macros: Mapping[str, str]
    values: Mapping[str, int]
    averages: Mapping[str, Fraction]
    in_functions: Mapping[str, Mapping[str, Number]]

    def of_function(self, names: Iterable[str]) -> dict[str, Number]:
        """Return the values that hold only in a function, by any of the names that it has."""
        found: dict[str, Number] = {}
        for name in names:
            found |= self.in_functions.get(name, {})
        return found

    def holding_in(self, names: Iterable[str]) -> dict[str, Number]:
        """Return all values that hold in a function, by any of the names that it has."""
        return {**self.averages, **self.values, **self.of_function(names)}


def trip_of_line(line: int) -> str:
    """Return the symbol for the average trip count of the loop in a line.

    >>> trip_of_line(12)
    'trip_L12'
    """
    return f"{TRIP}{line}"


def is_trip(name: str) -> bool:
    """Return whether a name is that of a trip count.

    >>> is_trip("trip_L12"), is_trip("prob_L3")
    (True, False)
    """
    return name.startswith(TRIP)


def symbol_of(name: str) -> str:
    """Return the symbol in what ``-D`` names, without the function that its value holds in.

    >>> symbol_of("n@run"), symbol_of("n")
    ('n', 'n')
    """
    return name.partition("@")[0]


def function_of(name: str) -> str:
    """Return the function in which a value that ``-D`` names holds; "" of one that holds everywhere.

    >>> function_of("n@run"), function_of("n")
    ('run', '')
    """
    return name.partition("@")[2]


def may_be_fraction(name: str) -> bool:
    """Return whether a name is that of a trip count or of a probability.

    >>> may_be_fraction("trip_L12"), may_be_fraction("prob_L3"), may_be_fraction("n")
    (True, True, False)
    """
    return _ESTIMATED.match(name) is not None


def line_of(name: str) -> int | None:
    """Return the line that a trip count or a probability is named after; None for other names.

    >>> line_of("trip_L12.2"), line_of("n")
    (12, None)
    """
    found = _ESTIMATED.match(name)
    return None if found is None else int(found[1])


def given_values(defines: Mapping[str, str]) -> GivenValues:
    """Return macros and values apart; a number for a name that a macro may have is both, and the reader decides."""
    values: dict[str, int] = {}
    averages: dict[str, Fraction] = {}
    in_functions: dict[str, dict[str, Number]] = {}
    for name, text in defines.items():
        number = number_of(text)
        symbol, at, function = name.rpartition("@")
        if number is None:
            continue
        if at:
            in_functions.setdefault(function, {})[symbol] = number
        elif isinstance(number, int):
            values[name] = number
        else:
            averages[name] = number
    macros = {name: text for name, text in defines.items() if is_macro(name)}
    return GivenValues(macros=macros, values=values, averages=averages, in_functions=in_functions)


def is_macro(name: str) -> bool:
    """Return whether a macro may have this name: an identifier, or one with parameters."""
    return _MACRO.fullmatch(name) is not None and not _ESTIMATED.match(name)


def number_of(text: str) -> Number | None:
    """Return the number that a text is, whole where it can be; None where it is none."""
    plain = text.strip()
    try:
        return int(plain.rstrip(_SUFFIX), 0)
    except ValueError:
        pass
    try:
        found = rational(plain)
    except ValueError:
        return None
    return int(found) if found.denominator == 1 else found
