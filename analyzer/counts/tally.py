"""Totals over a region: what one execution of each statement contributes, times how often it runs.

``work = sum over statements S of measure(S) * card(D_S)``.  Where a domain is bracketed the total is an interval:
statements under a data-dependent condition contribute from never to always, and of the two branches of such a
conditional exactly one runs, so that what both have in common is certain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Generic, TypeVar

from ..ir.index import Number
from ..poly.domains import Choice, Domain, Schedule, Site
from ..poly.quantity import Exactness, Quantity, combined, exact
from ..poly.quasi import Count

Key = TypeVar("Key", bound=Hashable)
Measure = Callable[[Site], Mapping[Key, Number]]


def tally(sites: Iterable[Site], measure: Measure[Key]) -> dict[Key, Quantity]:
    """Total of a measure over the sites, by key."""
    by_domain: dict[Domain, defaultdict[Key, Number]] = {}
    choices: dict[Schedule, _Branches[Key]] = {}
    for site in sites:
        if site.choice is None:
            numbers = by_domain.setdefault(site.domain, defaultdict(int))
        else:
            numbers = choices.setdefault(site.choice.schedule, _Branches(site.choice)).numbers[site.choice.branch]
        for key, number in measure(site).items():
            numbers[key] += number
    parts: defaultdict[Key, list[tuple[Quantity, Number]]] = defaultdict(list)
    for domain, numbers in by_domain.items():
        ran = executions(domain)
        for key, number in numbers.items():
            parts[key].append((ran, number))
    for branches in choices.values():
        for key in {*branches.numbers[0], *branches.numbers[1]}:
            parts[key].append((branches.total(key), 1))
    return {key: combined(found) for key, found in parts.items()}


def executions(domain: Domain) -> Quantity:
    """How often the statements of a domain run."""
    most = domain.count()
    if domain.is_exact:
        return exact(most)
    least = domain.count(upper=False)
    if domain.weight == 1:
        return Quantity(most, least, most, Exactness.UPPER)
    return Quantity(_between(least, most, domain.weight), least, most, Exactness.ESTIMATE)


def enclosing(domain: Domain, depth: int) -> Domain:
    """The iterations of the ``depth`` outermost loops in which the rest of the domain is not empty.

    Where counting them takes too long, the bound is the number of iterations of all its loops.
    """
    upper, lower = domain.upper, domain.lower
    for _ in domain.iterators[depth:]:
        upper = upper.without_last()
        lower = upper if domain.lower is domain.upper else lower.without_last()
    strided = tuple(position for position in domain.strided if position < depth)
    return replace(domain, iterators=domain.iterators[:depth], strided=strided, upper=upper, lower=lower, _counts={})


class _Branches(Generic[Key]):
    """What the two branches of a conditional contribute per execution; exactly one of them runs each time."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self.numbers: tuple[defaultdict[Key, Number], defaultdict[Key, Number]] = (defaultdict(int), defaultdict(int))

    def total(self, key: Key) -> Quantity:
        """Bounds by the lesser and the larger branch; exact where both are the same."""
        first, second = (numbers[key] for numbers in self.numbers)
        ran = executions(self._choice.domain)
        if first == second:
            return ran * first
        share = self._choice.share if self._choice.branch == 0 else 1 - self._choice.share
        likely = first * share + second * (1 - share)
        least, most = min(first, second), max(first, second)
        return Quantity(ran.estimate * likely, ran.lower * least, ran.upper * most, Exactness.ESTIMATE)


def _between(least: Count, most: Count, share: Fraction) -> Count:
    return least * (1 - share) + most * share
