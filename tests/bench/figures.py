"""Figures of a profile, by the names of instrumented runs, held against what these counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf

from msgspec import Struct

from analyzer.ir.flags import decided
from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity, add

Counts = Mapping[str, int]
"""Operations by kind (``add``, ``compare``, ``sqrt``, ...), ``loads``, ``stores``, and turns of loops by line
(``loop@79``); what is absent is 0."""

_NAMES = {"abs": "fabs"}


class Figure(Struct, frozen=True):
    """One count: the bounds that the analysis gives, and whether it calls them exact."""

    low: Fraction
    high: Fraction | float
    is_exact: bool

    def holds(self, truth: int) -> bool:
        return self.low <= truth <= self.high


def figures_of(profile: RegionProfile, sizes: Mapping[str, int], times: int = 1) -> dict[str, Figure]:
    """Operations on floating-point numbers by kind, loads and stores; per execution of what runs so many ``times``."""
    parts: dict[str, list[Quantity]] = {"loads": [profile.loads.elements], "stores": [profile.stores.elements]}
    for key, quantity in profile.work.operations.items():
        if key.precision.is_float and key.operation.value not in ("convert", "select"):
            name = key.function or key.operation.value
            parts.setdefault(_NAMES.get(name, name), []).append(quantity)
    values = {**profile.values, **sizes}
    values |= decided(profile.flags, values)
    return {name: figure(add(quantities), times, values) for name, quantities in parts.items()}


def figure(quantity: Quantity, times: int, sizes: Mapping[str, int]) -> Figure:
    """A quantity at known sizes, per execution of what runs so many ``times``."""
    low = Fraction(quantity.lower.evaluate(sizes)) / times
    high = inf if quantity.upper is None else Fraction(quantity.upper.evaluate(sizes)) / times
    return Figure(low, high, quantity.is_exact)


def misfits(figures: Mapping[str, Figure], truths: Sequence[Counts]) -> dict[str, str]:
    """What is wrong, by name: figures that do not hold what some execution counted.

    A kind that has no figure is not there, unless something is not counted: then no figure has an upper bound.
    """
    most = max((figure.high for figure in figures.values()), default=Fraction(0))
    nothing = Figure(Fraction(0), most if most == inf else Fraction(0), True)
    wrong = {}
    for name in sorted({*figures, *(name for truth in truths for name in truth)}):
        figure = figures.get(name, nothing)
        for truth in truths:
            if not figure.holds(truth.get(name, 0)):
                wrong[name] = f"{figure.low}..{figure.high} not {truth.get(name, 0)}"
    return wrong
