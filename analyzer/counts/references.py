"""Memory references: source-level totals, and the register level, where an element is loaded once per iteration.

*Source level*: every use of an array element is a load or a store.  *Register level* (scalar replacement): per
iteration of a loop body an element that is read twice is one load, one that was just written is not loaded again, and
a reference that does not change with the innermost iterator moves out of that loop unless a store to the same array
with another subscript could change it (Callahan, Carr, Kennedy, *Improving register allocation for subscripted
variables*, PLDI 1990).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

from ..domains.domain import Domain, Site
from ..domains.limits import OverBudget
from ..domains.quantity import ZERO, Exactness, Quantity, add, exact
from ..domains.quasipolynomial import NOTHING
from ..ir.types import QuickEnum
from ..ir.values import Access, loads_of
from .operations import REMEMBERED
from .results import References
from .tally import executions, tally


class Direction(QuickEnum):
    """Whether a reference reads or writes."""

    LOAD = "load"
    STORE = "store"


class Reference(Struct, frozen=True):
    """One reference of a statement."""

    direction: Direction
    access: Access


class RegisterReference(Struct, frozen=True):
    """A reference that remains at register level: ``hoisted`` ones run once per execution of the innermost loop."""

    site: Site
    direction: Direction
    access: Access
    hoisted: bool


@lru_cache(maxsize=REMEMBERED)
def references_of(site: Site) -> tuple[Reference, ...]:
    """References of one statement in order of execution: loads of the value, then the store."""
    found = [Reference(Direction.LOAD, access) for access in loads_of(site.statement.value)]
    if isinstance(site.statement.target, Access):
        found.append(Reference(Direction.STORE, site.statement.target))
    return tuple(found)


def source_references(sites: Sequence[Site]) -> tuple[References, References]:
    """Dynamic totals of loads and of stores as the source writes them."""
    totals = tally(sites, _reference_numbers)
    loads, stores = (
        References(totals.get((direction, "elements"), ZERO), totals.get((direction, "bytes"), ZERO))
        for direction in Direction
    )
    return loads, stores


def _reference_numbers(site: Site) -> dict[tuple[Direction, str], int]:
    numbers: dict[tuple[Direction, str], int] = {}
    for reference in references_of(site):
        for what, amount in (("elements", 1), ("bytes", reference.access.type.size_bytes)):
            key = (reference.direction, what)
            numbers[key] = numbers.get(key, 0) + amount
    return numbers


def register_references(sites: Sequence[Site]) -> tuple[RegisterReference, ...]:
    """What is left of the references when values stay in registers within an iteration and across the inner loop."""
    found: list[RegisterReference] = []
    for body in _bodies(sites):
        stored = {site.statement.target for site in body if isinstance(site.statement.target, Access)}
        held: set[tuple[Domain, Access]] = set()
        written: set[tuple[Domain, Access]] = set()
        for site in body:
            for reference in references_of(site):
                key = (site.domain, reference.access)
                known = written if reference.direction is Direction.STORE else held
                if key in known:
                    continue
                known.add(key)
                held.add(key)
                hoisted = _is_hoisted(site, reference.access, stored)
                found.append(RegisterReference(site, reference.direction, reference.access, hoisted))
    return tuple(found)


def register_bytes(references: Iterable[RegisterReference], direction: Direction) -> Quantity:
    """Bytes of the register-level references of one direction over the whole region."""
    parts = [
        _runs(reference) * reference.access.type.size_bytes
        for reference in references
        if reference.direction is direction
    ]
    return add(parts) if parts else ZERO


def _runs(reference: RegisterReference) -> Quantity:
    domain = reference.site.domain
    if not reference.hoisted:
        return executions(domain)
    meaning = domain.names.meaning
    try:
        most = domain.upper.without_last().count(meaning)
        least = most if domain.is_exact else domain.lower.without_last().count(meaning)
    except OverBudget:
        most, least = executions(domain).upper, NOTHING
    return exact(most) if least is most else Quantity(most, least, most, Exactness.UPPER)


def _bodies(sites: Sequence[Site]) -> list[list[Site]]:
    """Statements grouped by the loop whose body they are in; headers apart."""
    groups: dict[tuple[object, ...], list[Site]] = {}
    for site in sites:
        inside = tuple(loop.iterator for loop in site.loops)
        groups.setdefault((inside, site.is_header), []).append(site)
    return list(groups.values())


def _is_hoisted(site: Site, access: Access, stored: set[Access]) -> bool:
    if not site.loops or site.is_header or access.atomic:
        return False
    iterator = site.loops[-1].iterator
    if any(iterator in subscript.names() for subscript in access.subscripts):
        return False
    return not any(other.array == access.array and other != access for other in stored)
