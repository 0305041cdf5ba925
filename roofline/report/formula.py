"""A counted quantity with the sizes of its region: its formula, its value, and its value at other sizes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from analyzer.errors import OptionError
from analyzer.ir.flags import Flag, decided
from analyzer.quantities.quantity import Exactness, Quantity
from analyzer.quantities.quasipolynomial import Count

from ..model.intensity import number

_MARKS = {
    Exactness.EXACT: "",
    Exactness.INTERVAL: "~ ",
    Exactness.LOWER: ">= ",
    Exactness.UPPER: "<= ",
    Exactness.UNKNOWN: "? ",
}


class Formula(Struct, frozen=True, kw_only=True):
    """A count of FLOPs or bytes over the symbols of a region, of which ``values`` are known.

    ``is_bound``: the count is a number that holds for these values alone, as that of modelled caches does.
    ``others`` are sizes of other regions of the report, which :meth:`at` takes and this count does not depend on.
    ``flags`` choose between alternatives, of which ``values`` has one; what sizes decide of them, :meth:`at` takes.

    >>> from analyzer.quantities.quantity import exact
    >>> from analyzer.quantities.quasipolynomial import polynomial
    >>> from analyzer.ir.index import var
    >>> flops = Formula(quantity=exact(polynomial(var("n") * 2)), values={"n": 100}, symbols=("n",))
    >>> str(flops), flops.value, flops.at(n=7), float(flops)
    ('2*n', 200, 14, 200.0)
    """

    quantity: Quantity
    values: Mapping[str, int]
    symbols: tuple[str, ...] = ()
    is_bound: bool = False
    others: frozenset[str] = frozenset()
    flags: tuple[Flag, ...] = ()

    def __repr__(self) -> str:
        """Return a line: the formula, with the value where it is known, and its range; the quantity itself is pages."""
        value = self.value
        known = "" if value is None or not self.symbols or str(self.quantity.estimate) == str(value) else f" = {value}"
        is_range = self.exactness is Exactness.INTERVAL and None not in (self.lower, self.upper)
        return f"<{self}{known}, {self.exactness.value}{f' {self.lower} to {self.upper}' if is_range else ''}>"

    def __str__(self) -> str:
        """Return the formula as text, with ``<=``, ``>=`` or ``~`` before one that is not exact."""
        return _MARKS[self.exactness] + str(self.quantity.estimate)

    def __float__(self) -> float:
        """Return the value; raises ``OptionError`` where a size is not known."""
        return float(self.at())

    @property
    def exactness(self) -> Exactness:
        """Return whether the count is exact, a bound or an estimate."""
        return self.quantity.exactness

    @property
    def value(self) -> int | float | None:
        """Return the estimate at the known sizes; None where one is missing."""
        return number(self.quantity.estimate, self.values)

    @property
    def lower(self) -> int | float | None:
        """Return the least value at the known sizes; None where one is missing."""
        return number(self.quantity.lower, self.values)

    @property
    def upper(self) -> int | float | None:
        """Return the greatest value at the known sizes; None where one is missing or there is no bound."""
        return None if self.quantity.upper is None else number(self.quantity.upper, self.values)

    def at(self, **sizes: int) -> int | float:
        """Return the estimate at some sizes, else the known ones.

        Raises ``OptionError`` for names that no region of the report has, for a size that is missing, and where the
        count holds for the known sizes alone.
        """
        own = {*self.symbols, *self.quantity.estimate.symbols}
        unknown = sorted(set(sizes) - own - self.others)
        if unknown:
            named = ", ".join(self.symbols) or "none"
            raise OptionError(f"there is no size named {', '.join(unknown)}", hint=f"the sizes are: {named}")
        sizes = {name: value for name, value in sizes.items() if name in own}
        if self.is_bound and any(self.values.get(name) != value for name, value in sizes.items()):
            known = ", ".join(f"{name} = {value}" for name, value in self.values.items() if name in self.symbols)
            raise OptionError(f"this count holds for {known} alone", hint="call estimate with the other sizes")
        values = {**self.values, **sizes}
        return _evaluated(self.quantity.estimate, values | decided(self.flags, values))


def _evaluated(count: Count, values: Mapping[str, int]) -> int | float:
    found = number(count, values)
    if found is None:
        missing = ", ".join(sorted(count.symbols - values.keys()))
        raise OptionError(f"no value is known for {missing}", hint="name it, as in at(n=1000)")
    return found
