"""Numbers as people read them: counts, formulas, fractions, intensities. Every renderer for people takes them here."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from analyzer.given_values import is_trip
from analyzer.ir.index import Number, Poly, Sum, Tree
from analyzer.python.regex import regex
from analyzer.quantities.powers_of_two import for_powers_of_two
from analyzer.quantities.quantity import Exactness, Quantity
from analyzer.quantities.quasipolynomial import Count
from analyzer.quantities.saturated import is_saturated
from roofline.model.intensity import Ratio
from roofline.report.source_names import spelled

NO_BYTES = "no bytes"
_LARGEST_DENOMINATOR = 999
PLAIN = 99  # the largest denominator in a narrow column
_LONGEST_EXACT = 10**15
_LONGEST_SHORT = 10**9
_COEFFICIENT = regex(r"(?<![\w.^/)])(\d+)/(\d{3,})(?=\*)")
_DIVIDED = regex(r"(?<![\w.^/)])(\d+)\*([A-Za-z_]\w*)/(\d{3,})(?![\w*^])")
_LARGE = regex(r"(?<![\w.^/)])\d{7,}(?![\w./^])")
_EXPONENT = regex(r"e\+?0*(\d|-)")
_ELSE_NOTHING = "; else 0"
INTERVAL = "~ "
MARKS = {
    Exactness.EXACT: "",
    Exactness.UPPER: "<= ",
    Exactness.LOWER: ">= ",
    Exactness.INTERVAL: INTERVAL,
    Exactness.UNKNOWN: ">= ",
}


def number_text(value: Number | float, *, short: bool = False) -> str:
    """Render a number: whole ones exactly with thousands apart, others with five significant digits.

    >>> number_text(16 * 10**6), number_text(16 * 10**9, short=True), number_text(Fraction(7, 2)), number_text(2e16)
    ('16,000,000', '1.6e10', '3.5', '2e16')
    """
    longest = _LONGEST_SHORT if short else _LONGEST_EXACT
    if value == int(value) and -longest < value < longest:
        return f"{int(value):,}"
    return _EXPONENT.sub(r"e\1", f"{float(value):.5g}")


def formula_text(count: Count, values: Mapping[str, int], *, short: bool = False) -> str:
    """Render a count: its value where every size is known, else its formula with the known sizes put in.

    A short formula is that for large sizes, where small ones give another, and has decimals for long fractions.  One
    with sums begins with its form for powers of two, if it has one.
    If there is something for small sizes alone, it is that of these, ``n if 1 <= n <= 16``.
    """
    return _formula(count, tuple(values.items()), short)


@lru_cache(maxsize=1024)
def _formula(count: Count, known: tuple[tuple[str, int], ...], short: bool) -> str:
    """Return the formula of a quantity from a cache: a table asks again at each width that it tries."""
    values = dict(known)
    if count.symbols <= values.keys():
        return number_text(count.evaluate(values), short=short)
    bound = count.bind(values)
    if not short:
        return str(bound)
    if form_for_powers_of_two(bound) is not None:
        return with_decimals(str(bound))
    return with_decimals(str(bound).removesuffix(_ELSE_NOTHING) if is_of_small_sizes(bound) else str(bound.generic))


def form_for_powers_of_two(count: Count) -> Poly | None:
    """Return the form that sums have where sizes are powers of two; None where there are none, or no such form."""
    generic = count.generic
    return for_powers_of_two(generic) if any(isinstance(form, Sum | Tree) for form in generic.forms) else None


def is_of_small_sizes(count: Count) -> bool:
    """Return whether there is nothing for large sizes, but something for others."""
    return not count.generic.terms and not count.is_zero


def with_decimals(formula: str) -> str:
    """Return a formula with four digits of its large numbers, and of each coefficient that is a fraction of such.

    >>> with_decimals("1772/125*n + 3/2*m + n^(1/128)*n/250")
    '14.18*n + 3/2*m + n^(1/128)*n/250'
    >>> with_decimals("500000*n/22000001"), with_decimals("8000000*n + 20000004")
    ('0.02273*n', '8e6*n + 2e7')
    """
    formula = _DIVIDED.sub(lambda found: f"{decimal_text(Fraction(int(found[1]), int(found[3])))}*{found[2]}", formula)
    formula = _COEFFICIENT.sub(lambda found: decimal_text(Fraction(int(found[1]), int(found[2]))), formula)
    return _LARGE.sub(lambda found: _EXPONENT.sub(r"e\1", f"{int(found[0]):.4g}"), formula)


def has_exceptions(quantity: Quantity, values: Mapping[str, int]) -> bool:
    """Return whether the short formula leaves out what holds for small sizes, or a guard that it asks for."""
    return not quantity.estimate.bind(values).is_general


def mark_of(quantity: Quantity, values: Mapping[str, int] | None = None) -> str:
    """Return the mark of a quantity's estimate: ``>=`` only where that is the lower bound.

    With ``values`` it is that of the short formula: ``<=`` where this is for the most iterations of a loop whose trip
    count is a symbol, which the source limits (``if (++n == 100) break``), or a number that smaller sizes do not reach.
    """
    if values is not None and quantity.is_exact:
        bound = quantity.estimate.bind(values)
        if _is_of_most_trips(bound) or is_saturated(bound):
            return MARKS[Exactness.UPPER]
    return INTERVAL if quantity.upper is None and not quantity.is_single else MARKS[quantity.exactness]


def _is_of_most_trips(count: Count) -> bool:
    """Return whether the formula for large symbols is without the number of iterations that others have."""
    others = count.symbols - count.generic.names()
    return any(map(is_trip, others)) and not count.is_general


def quantity_text(quantity: Quantity, values: Mapping[str, int], *, short: bool = False) -> str:
    """Render a quantity, marked ``<=``, ``>=`` or ``~`` where it is not exact, then with its interval unless short."""
    text = f"{mark_of(quantity, values if short else None)}{formula_text(quantity.estimate, values, short=short)}"
    if quantity.exactness in (Exactness.EXACT, Exactness.UPPER) or short or quantity.is_single:
        return text
    lower = formula_text(quantity.lower, values, short=True)
    if quantity.upper is None:
        return f"{text} (at least {lower})"
    upper = formula_text(quantity.upper, values, short=True)
    return text if lower == upper else f"{text} (between {lower} and {upper})"


def decimal_text(value: Number | float) -> str:
    """Render with four significant digits.

    >>> decimal_text(Fraction(1, 12)), decimal_text(12.5), decimal_text(31250000), decimal_text(12345.6)
    ('0.08333', '12.5', '31,250,000', '12,346')
    """
    if value == int(value):
        return number_text(value)
    text = f"{float(value):.4g}"
    return f"{float(value):,.0f}" if "e+" in text else text


def fraction_text(value: Fraction) -> str:
    """Render an exact fraction and its decimal value, the latter alone where the fraction says nothing.

    >>> fraction_text(Fraction(1, 12)), fraction_text(Fraction(3)), fraction_text(Fraction(37983, 95233))
    ('1/12 = 0.08333', '3', '0.3988')
    """
    exact, decimal = exact_text(value), decimal_text(value)
    return decimal if exact == decimal else f"{exact} = {decimal}"


def exact_text(value: Fraction) -> str:
    """Render a fraction where it says something, else its decimal value.

    >>> exact_text(Fraction(1, 12)), exact_text(Fraction(3)), exact_text(Fraction(37983, 95233))
    ('1/12', '3', '0.3988')
    """
    plain = value.denominator == 1 or value.denominator > _LARGEST_DENOMINATOR
    return decimal_text(value) if plain else str(value)


def intensity_text(ratio: Ratio, *, short: bool = False) -> str:
    """Render an intensity: a number, an interval, or the formula by which it grows.

    ``short`` is without decimals after a fraction and without the ends of an interval.
    """
    if ratio.value is None:
        return NO_BYTES
    if ratio.formula:
        return f"{ratio.formula} ({_trend(ratio)})"
    text = exact_text(ratio.value) if short else fraction_text(ratio.value)
    mark = ratio_mark(ratio)
    if short or mark != INTERVAL or ratio.lower is None:
        return f"{mark}{text}"
    upper = "any" if ratio.upper is None else decimal_text(ratio.upper)
    return f"~ {text} ({decimal_text(ratio.lower)} to {upper})"


def short_intensity(ratio: Ratio, longest: int) -> str:
    """Render an intensity in a few characters: three digits, a formula, or in a word how it grows."""
    if ratio.value is None:
        return NO_BYTES
    if ratio.formula:
        text = with_decimals(spelled(ratio.formula))
        return text if len(text) <= longest else _trend(ratio)
    return ratio_mark(ratio) + decimal_text(float(f"{float(ratio.value):.3g}"))


def _trend(ratio: Ratio) -> str:
    return "grows" if ratio.power > 0 else "falls" if ratio.power < 0 else "varies"


def ratio_mark(ratio: Ratio) -> str:
    """Return the mark of an intensity: none where it is a number, ``>=`` where it is a lower bound, else ``~``."""
    if ratio.lower is None or ratio.lower == ratio.upper:
        return ""
    return MARKS[Exactness.LOWER] if ratio.upper is None and ratio.lower == ratio.value else INTERVAL


def times(number: Number | float, noun: str) -> str:
    """Render a number with its noun.

    >>> times(1, "load"), times(2, "load"), times(Fraction(7, 2), "load")
    ('1 load', '2 loads', '3.5 loads')
    """
    return f"{number_text(number)} {noun}" if number == 1 else f"{number_text(number)} {noun}s"
