"""References of which conditions on data decide, but that happen whatever the data are.

A reference happens in any case where one to the same element comes before it in the same iterations without a
condition, and where both branches of a conditional make it: ``a[i] = a[i] < b[i] ? a[i] : b[i]`` reads both elements.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from ..domains.domain import Domain, StatementDomain
from ..ir.conditions import negated
from ..ir.nodes import Condition

Use = TypeVar("Use")
Path = tuple[Condition, ...]


def in_any_case(
    uses: Sequence[Use], of: Callable[[Use], tuple[StatementDomain, Hashable]], *, ordered: bool = False
) -> Iterator[tuple[Use, Domain]]:
    """Yield the uses in order, each with the iterations in which it happens.

    ``of`` gives the statement of a use, and what is equal for uses of the same element and direction.  A use is left
    out where the same element is used anyway, before it if the uses are ``ordered``, or where the other branch uses it.
    """
    groups: dict[tuple[Domain, Hashable], list[tuple[int, Path]]] = {}
    made = [of(use) for use in uses]
    if all(statement.choice is None for statement, _ in made):
        yield from ((use, statement.domain) for use, (statement, _) in zip(uses, made, strict=True))
        return
    for index, (statement, key) in enumerate(made):
        choice = statement.choice
        domain, path = (statement.domain, ()) if choice is None else (choice.domain, choice.path)
        groups.setdefault((domain, key), []).append((index, path))
    found: dict[int, Domain] = {}
    for (domain, _), members in groups.items():
        for index, path in _without_repeated(members, ordered=ordered):
            found[index] = made[index][0].domain if path else domain
    for index in sorted(found):
        yield uses[index], found[index]


def _without_repeated(members: Sequence[tuple[int, Path]], *, ordered: bool) -> Iterator[tuple[int, Path]]:
    """Yield the members, those of both branches as the first of them, without those beside a certain one."""
    kept = dict(members)
    waiting = [*members]
    while waiting:
        index, path = waiting.pop(0)
        other = None if not path else (*path[:-1], negated(path[-1]))
        twin = next((at for at, known in kept.items() if at < index and known == other), None)
        if twin is not None and index in kept:
            del kept[index]
            kept[twin] = path[:-1]
            waiting.append((twin, path[:-1]))
    certain = min((index for index, path in kept.items() if not path), default=None)
    for index, path in kept.items():
        if not path or certain is None or (ordered and index < certain):
            yield index, path
