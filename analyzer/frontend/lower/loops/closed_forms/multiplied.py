"""Conditions on sums of a variable that is multiplied: ``b < n`` with ``b += size, size *= 2`` is one of ``size``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from .....ir.conditions import map_condition_indices
from .....ir.index import Poly, Power, var
from .....ir.nodes import Condition
from .induction import COUNT, geometric_step


def of_multiplied(
    condition: Condition, tested: Iterable[str], ends: Mapping[str, Poly | None], forms: Mapping[str, Poly]
) -> Condition:
    """Return a condition with the ``tested`` variables that are sums of a growing power in terms of that power.

    ``ends`` are the values after an iteration, ``forms`` those in iteration ``@n``.
    """
    multiplied = {
        name: forms[name]
        for name, end in ends.items()
        if name in forms and end is not None and (step := geometric_step(name, end)) is not None and not step.shrinking
    }
    sums = {
        name: value
        for name in tested
        if name in forms and name not in multiplied
        for other, of_other in multiplied.items()
        if (value := _in_terms_of(forms[name], other, of_other)) is not None
    }
    return map_condition_indices(condition, lambda index: index.substitute(sums)) if sums else condition


def _in_terms_of(form: Poly, other: str, of_other: Poly) -> Poly | None:
    """Return a form as a multiple of a variable that is multiplied, and a rest without ``@n``; None where it is none.

    >>> from .....ir.index import power
    >>> size = power(2, var(COUNT)) * 3
    >>> str(_in_terms_of(size * 2 + var("m"), "size", size))
    'm + 2*size'
    """
    for monomial, number in of_other.terms.items():
        if any(isinstance(atom, Power) and COUNT in atom.names() for atom in monomial):
            ratio = Fraction(form.terms.get(monomial, 0)) / Fraction(number)
            rest = form - of_other * int(ratio)
            whole = ratio.denominator == 1 and ratio and COUNT not in rest.names()
            return var(other) * int(ratio) + rest if whole else None
    return None
