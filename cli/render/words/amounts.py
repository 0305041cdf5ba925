"""Amounts of FLOPs and bytes in one notation: SI prefixes, or all digits where these are asked for.

Formulas keep their terms; one that is too long for its column is given by how it grows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial

from analyzer.ir.index import Atom, Monomial, Poly
from analyzer.quantities.quantity import Quantity
from roofline.machine.units import format_rate
from roofline.model.intensity import number

from ..typesetting.shortened import ELLIPSIS, cut_text
from .interiors import in_interiors, leading_monomials, whole_of
from .numbers import INTERVAL, PLAIN, decimal_text, form_for_powers_of_two, is_of_small_sizes, mark_of, quantity_text

_DIGITS = 3
_MOST_TERMS = 2
_OF_LAUNCHES = ("gridDim", "blockDim")
_TRIP = "trip_L"  # a line says more than a part of it
_SHORT_NAMES = (14, 12, 10, 8, 6, 4)


def amount_text(
    quantity: Quantity, values: Mapping[str, int], unit: str = "", *, exact: bool = False, longest: int = 1 << 16
) -> str:
    """Return an amount with its mark: ``~ 3.2 GB``, all digits with ``exact``, or a formula of at most ``longest``.

    >>> from analyzer.quantities.quantity import exact
    >>> from analyzer.quantities.quasipolynomial import polynomial
    >>> from analyzer.ir.index import var
    >>> moved = exact(polynomial(var("n") * 24))
    >>> amount_text(moved, {"n": 10**6}, "B"), amount_text(moved, {"n": 10**6}, "B", exact=True), amount_text(moved, {})
    ('24 MB', '24,000,000 B', '24*n')
    """
    mark = mark_of(quantity, values)
    if quantity.is_zero:
        return f"{mark}0{f' {unit}' if unit else ''}"
    value = number(quantity.estimate, values)
    if value is None and not exact:
        bound = quantity.estimate.bind(values)
        value = bound.generic.constant  # the same for all but small sizes
        value = None if value == 0 and is_of_small_sizes(bound) else value
    if value is None:
        text = (
            f"{mark}{quantity.estimate.bind(values).generic}" if exact else quantity_text(quantity, values, short=True)
        )
        if len(text) <= longest:
            return text
        even = form_for_powers_of_two(quantity.estimate.bind(values))
        mark = mark or ("" if even is None else INTERVAL)
        return f"{mark}{leading_text(quantity, values, longest - len(mark))}"
    if exact:
        whole = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
        return f"{mark}{whole}{f' {unit}' if unit else ''}"
    return f"{mark}{format_rate(float(value), unit, digits=_DIGITS)}".rstrip()


def leading_text(quantity: Quantity, values: Mapping[str, int], longest: int) -> str:
    """Return the terms that no other outgrows, as many as fit, then an ellipsis; long names are cut.

    >>> from analyzer.quantities.quantity import exact
    >>> from analyzer.quantities.quasipolynomial import polynomial
    >>> from analyzer.ir.index import var
    >>> moved = exact(polynomial(20 * var("A.numberOfRows") * var("trip_L67") + 33 * var("A.numberOfRows")))
    >>> leading_text(moved, {}, 34), leading_text(moved, {}, 27)
    ('20*A.numberOfRows*trip_L67 + …', '20*numberOfR…*trip_L67 + …')
    """
    generic = _leading_form(quantity, values)
    monomials = leading_monomials(generic)
    for name in _namings(monomials):
        terms = [_term(generic.terms[monomial], monomial, name) for monomial in monomials]
        for shown in (terms, terms[:1]):
            rest = f" + {ELLIPSIS}" if len(shown) < len(generic.terms) else ""
            text = " + ".join(shown).replace("+ -", "- ") + rest
            if shown and len(text) <= longest:
                return text
    return ELLIPSIS


def growth_text(quantity: Quantity, values: Mapping[str, int], longest: int = 1 << 16) -> str:
    """Return the sizes that an amount grows with: ``n^2 k``; ``n m + k`` where neither outgrows the other.

    Terms whose degree is less by two or more are left to the ellipsis.

    >>> from analyzer.quantities.quantity import exact
    >>> from analyzer.quantities.quasipolynomial import polynomial
    >>> from analyzer.ir.index import var
    >>> n, k = var("n"), var("k")
    >>> growth_text(exact(polynomial(2 * n * n * k - 4 * n)), {})
    'k n^2'
    >>> product = exact(polynomial(var("this->cols") * var("o.cols") * var("this->rows")))
    >>> growth_text(product, {}, 24)
    'o.cols this->cols rows'
    """
    generic = _leading_form(quantity, values)
    monomials = leading_monomials(generic)
    for name in _namings(monomials):
        texts = [_product(monomial, name) for monomial in monomials]
        leading = [text for text, each in zip(texts, monomials, strict=True) if len(each) + 1 >= len(monomials[0])]
        for shown in (leading[:_MOST_TERMS], leading[:1]):
            text = " + ".join(shown) + (f" + {ELLIPSIS}" if len(texts) > len(shown) else "")
            if len(text) <= longest:
                return text
    return cut_text(texts[0], longest) if texts else ELLIPSIS


def _leading_form(quantity: Quantity, values: Mapping[str, int]) -> Poly:
    """Return the formula for large sizes in a form of which few terms lead."""
    count = quantity.estimate.bind(values)
    return form_for_powers_of_two(count) or in_interiors(count.generic, count)


def _last_part(atom: Atom) -> str:
    """Return the last member that a name names: ``n`` of ``grid->size.n``, and of ``(grid->size.n - 2*r)``."""
    text = whole_of(atom) if isinstance(atom, str) else str(atom)
    first, _, last = text.replace("->", ".").rpartition(".")
    return last if isinstance(atom, str) and not last.isdigit() and first not in _OF_LAUNCHES else text


def _shortened(atom: Atom, longest: int) -> str:
    """Return the last member that a name names, cut to so many characters."""
    text = _last_part(atom)
    return text if text.startswith(_TRIP) else cut_text(text, longest)


_NAMINGS: tuple[Callable[[Atom], str], ...] = (
    str,
    _last_part,
    *(partial(_shortened, longest=few) for few in _SHORT_NAMES),
)


def _namings(monomials: Iterable[Monomial]) -> Iterator[Callable[[Atom], str]]:
    """Yield names of atoms, the longest first: sizes whose short names would be the same keep their own."""
    atoms = dict.fromkeys(atom for monomial in monomials for atom in monomial)
    for name in _NAMINGS:
        yield partial(_apart, name, Counter(map(name, atoms)))


def _apart(name: Callable[[Atom], str], alike: Mapping[str, int], atom: Atom) -> str:
    return name(atom) if alike[name(atom)] == 1 else str(atom)


def _term(coefficient: int | Fraction, monomial: Monomial, name: Callable[[Atom], str]) -> str:
    """Return a term as in a formula: ``3*n^2/2``."""
    factors = _product(monomial, name, "*")
    if coefficient.denominator > PLAIN:
        return f"{decimal_text(coefficient)}*{factors}"
    text = factors if abs(coefficient.numerator) == 1 else f"{abs(coefficient.numerator)}*{factors}"
    over = "" if coefficient.denominator == 1 else f"/{coefficient.denominator}"
    return f"{'-' if coefficient < 0 else ''}{text}{over}"


def _product(monomial: Monomial, name: Callable[[Atom], str], times: str = " ") -> str:
    atoms: dict[Atom, int] = {}
    for atom in monomial:
        atoms[atom] = atoms.get(atom, 0) + 1
    return times.join(name(atom) if power == 1 else f"{name(atom)}^{power}" for atom, power in atoms.items())
