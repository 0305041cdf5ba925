"""Totals over a region: what one execution of each statement contributes, times how often it runs.

``work = sum over statements S of measure(S) * card(D_S)``.  Where a domain is bracketed the total is an interval:
statements under a data-dependent condition contribute from never to always, but of branches that exclude each other one
runs, so that what they have in common is certain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from msgspec.structs import replace

from ..domains.domain import Domain, StatementDomain
from ..domains.isl.budget import remembered
from ..ir.index import Number
from ..ir.nodes import Condition
from ..quantities.quantity import Exactness, Factor, Quantity, bounded, combined, combined_between, exact
from ..quantities.quasipolynomial import Count
from .alternatives import Part, bounds

Key = TypeVar("Key", bound=Hashable)
_Way = tuple[tuple[Condition, ...], Fraction]
Measure = Callable[[StatementDomain], Mapping[Key, Number]]


def tally(statements: Iterable[StatementDomain], measure: Measure[Key]) -> dict[Key, Quantity]:
    """Return the total of a measure over the statements, by key."""
    by_domain: dict[Domain, defaultdict[Key, Number]] = {}
    choices: dict[Domain, dict[_Way, defaultdict[Key, Number]]] = {}
    for statement in statements:
        share: Number = 1
        if statement.choice is None:
            numbers = by_domain.setdefault(statement.domain, defaultdict(int))
        elif statement.choice.is_counted:
            numbers, share = by_domain.setdefault(statement.choice.domain, defaultdict(int)), statement.choice.share
        else:
            ways = choices.setdefault(statement.choice.domain, {})
            numbers = ways.setdefault((statement.choice.path, statement.choice.share), defaultdict(int))
        for key, number in measure(statement).items():
            numbers[key] += number * share
    certain: defaultdict[Key, list[tuple[Quantity, Number]]] = defaultdict(list)
    for domain, numbers in by_domain.items():
        runs = executions(domain)
        for key, number in numbers.items():
            certain[key].append((runs, number))
    if not choices:
        return {key: combined(parts) for key, parts in certain.items()}
    found: defaultdict[Key, list[tuple[Quantity, Factor]]] = defaultdict(list)
    for key, parts in certain.items():
        found[key] = [(runs, Factor(number, number, number)) for runs, number in parts]
    groups = ([Part(path, numbers, share) for (path, share), numbers in ways.items()] for ways in choices.values())
    for domain, factors in zip(choices, bounds(groups), strict=True):
        for key, factor in factors.items():
            found[key].append((executions(domain), factor))
    return {key: combined_between(factors) for key, factors in found.items()}


def tally_each(statements: Iterable[StatementDomain], *measures: Measure[Any]) -> list[dict[Any, Quantity]]:
    """Return the totals of several measures; what conditions exclude is looked for once for all of them."""

    def numbers(statement: StatementDomain) -> dict[tuple[int, Hashable], Number]:
        return {
            (position, key): number
            for position, measure in enumerate(measures)
            for key, number in measure(statement).items()
        }

    found: list[dict[Any, Quantity]] = [{} for _ in measures]
    for (position, key), total in tally(statements, numbers).items():
        found[position][key] = total
    return found


@remembered
def executions(domain: Domain) -> Quantity:
    """Return how often the statements of a domain run."""
    most = domain.count()
    if domain.is_exact:
        return exact(most)
    least = domain.count(upper=False)
    if domain.singled is not None and not domain.is_of_averages:
        return Quantity(domain.singled.likely, least, most, Exactness.INTERVAL)
    if domain.is_of_averages:
        return bounded(_between(least, most, domain.weight), domain.limit_count)
    if domain.weight == 1:
        return Quantity(most, least, most, Exactness.UPPER)
    return Quantity(_between(least, most, domain.weight), least, most, Exactness.INTERVAL)


def enclosing(domain: Domain, depth: int) -> Domain:
    """Return the iterations of the ``depth`` outermost loops in which the rest of the domain is not empty.

    Where counting them takes too long, the bound is the number of iterations of all its loops.
    """
    upper, lower, limit = domain.upper, domain.lower, domain.limit
    for _ in domain.iterators[depth:]:
        upper = upper.without_last()
        limit = limit.without_last() if limit is not None else None
        lower = upper if domain.lower is domain.upper else lower.without_last()
    if domain.averaged is not None and depth <= domain.averaged and domain.skippable and lower is upper:
        lower = upper - upper
    strided = tuple(position for position in domain.strided if position < depth)
    summed = domain.summed and domain.summed_around(depth)
    return replace(
        domain,
        iterators=domain.iterators[:depth],
        strided=strided,
        upper=upper,
        lower=lower,
        known=None,
        is_given_up=False,
        limit=limit,
        summed=summed,
        singles=tuple(single for single in domain.singles if single.depth < depth),
        sure=None if domain.sure is None else domain.sure.without(range(depth, len(domain.iterators))),
    )


def _between(least: Count, most: Count, share: Fraction) -> Count:
    return least * (1 - share) + most * share
