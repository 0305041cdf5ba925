"""Memory references: source-level totals, and the register level, where an element is loaded once per iteration.

*Source level*: every use of an array element is a load or a store.  *Register level* (scalar replacement): per
iteration of a loop body an element that is read twice is one load, one that was just written is not loaded again, and
a reference that does not change with the innermost iterator moves out of that loop unless a store to the same array
with another subscript, or another thread behind a barrier, could change it (Callahan, Carr, Kennedy, *Improving
register allocation for subscripted variables*, PLDI 1990).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

from msgspec import Struct

from ..domains.domain import Domain, StatementDomain
from ..domains.limits import OverBudget
from ..ir.types import QuickEnum
from ..ir.values import Access, Opaque, changed_at_barriers, loads_of, walk_values
from ..quantities.quantity import ZERO, Exactness, Quantity, add, exact
from ..quantities.quasipolynomial import NOTHING
from .branch_uses import in_any_case
from .operations import REMEMBERED
from .results import References
from .tally import enclosing, executions, tally


class Direction(QuickEnum):
    """Whether a reference reads or writes."""

    LOAD = "load"
    STORE = "store"


class Reference(Struct, frozen=True):
    """One reference of a statement."""

    direction: Direction
    access: Access


class RegisterReference(Struct, frozen=True):
    """A reference that remains at register level, and the ``domain`` in which it is made.

    ``hoisted`` ones run once per execution of the innermost loop.
    """

    statement: StatementDomain
    domain: Domain
    direction: Direction
    access: Access
    hoisted: bool


@lru_cache(maxsize=REMEMBERED)
def references_of(statement: StatementDomain) -> tuple[Reference, ...]:
    """Return references of one statement in order of execution: loads of the value, then the store."""
    found = [Reference(Direction.LOAD, access) for access in loads_of(statement.node.value)]
    if isinstance(statement.node.target, Access):
        found.append(Reference(Direction.STORE, statement.node.target))
    return tuple(found)


def source_references(statements: Sequence[StatementDomain]) -> tuple[References, References]:
    """Return dynamic totals of loads and of stores as the source writes them."""
    totals = tally(statements, _reference_numbers)
    loads, stores = (
        References(totals.get((direction, "elements"), ZERO), totals.get((direction, "bytes"), ZERO))
        for direction in Direction
    )
    return loads, stores


def _reference_numbers(statement: StatementDomain) -> dict[tuple[Direction, str], int]:
    numbers: dict[tuple[Direction, str], int] = {}
    for direction, size_bytes, number in sizes_of(statement):
        for what, amount in (("elements", number), ("bytes", number * size_bytes)):
            numbers[direction, what] = numbers.get((direction, what), 0) + amount
    return numbers


def sizes_of(statement: StatementDomain) -> Iterator[tuple[Direction, int, int]]:
    """Yield the references of one execution, also those of constructs: direction, bytes of an element, how many."""
    for reference in references_of(statement):
        yield reference.direction, reference.access.type.size_bytes, 1
    for part in walk_values(statement.node.value):
        if isinstance(part, Opaque) and part.counted is not None:
            for direction, sizes in ((Direction.LOAD, part.counted.loads), (Direction.STORE, part.counted.stores)):
                yield from ((direction, size_bytes, number) for size_bytes, number in sizes)


def register_references(statements: Sequence[StatementDomain]) -> tuple[RegisterReference, ...]:
    """Return the references that are left when values stay in registers in an iteration and across the inner loop."""
    found: list[RegisterReference] = []
    barriers = [statement.loops for statement in statements if statement.node.barrier]
    pairs = (pair for statement in statements for pair in statement.node.accesses)
    changed = changed_at_barriers(pairs) if barriers else frozenset()
    before = accumulate(statement.node.barrier is not None for statement in statements)
    since = dict(zip(map(id, statements), before, strict=True))
    for body in _bodies(statements):
        stored = {statement.node.target for statement in body if isinstance(statement.node.target, Access)}
        waits = any(loops[: len(body[0].loops)] == body[0].loops for loops in barriers)
        held: set[tuple[Domain, Access, int]] = set()
        written: set[tuple[Domain, Access, int]] = set()
        uses = [(statement, reference) for statement in body for reference in references_of(statement)]
        for (statement, reference), domain in in_any_case(uses, lambda use: use):
            is_changed = reference.access.array in changed
            key = (domain, reference.access, since[id(statement)] if is_changed else 0)
            known = written if reference.direction is Direction.STORE else held
            if key in known:
                continue
            known.add(key)
            held.add(key)
            hoisted = not (waits and is_changed) and _is_hoisted(statement, reference.access, stored)
            found.append(RegisterReference(statement, domain, reference.direction, reference.access, hoisted))
    return tuple(found)


def register_bytes(references: Iterable[RegisterReference], direction: Direction) -> Quantity:
    """Return bytes of the register-level references of one direction over the whole region."""
    parts = [
        _runs(reference) * reference.access.type.size_bytes
        for reference in references
        if reference.direction is direction
    ]
    return add(parts) if parts else ZERO


def _runs(reference: RegisterReference) -> Quantity:
    domain = reference.domain
    if not reference.hoisted:
        return executions(domain)
    if domain.summed is not None:
        return executions(enclosing(domain, len(domain.iterators) - 1))
    meaning = domain.names.meaning
    try:
        most = domain.upper.without_last().count(meaning)
        least = most if domain.is_exact else domain.lower.without_last().count(meaning)
    except OverBudget:
        most, least = domain.count(), NOTHING
    return exact(most) if least is most else Quantity(most, least, most, Exactness.UPPER)


def _bodies(statements: Sequence[StatementDomain]) -> list[list[StatementDomain]]:
    """Return statements grouped by the loop whose body they are in; headers apart."""
    groups: dict[tuple[object, ...], list[StatementDomain]] = {}
    for statement in statements:
        inside = tuple(loop.iterator for loop in statement.loops)
        groups.setdefault((inside, statement.is_header), []).append(statement)
    return list(groups.values())


def _is_hoisted(statement: StatementDomain, access: Access, stored: set[Access]) -> bool:
    if not statement.loops or statement.is_header or access.atomic:
        return False
    iterator = statement.loops_of_source[-1].iterator
    if any(iterator in subscript.names() for subscript in access.subscripts):
        return False
    return not any(other.array == access.array and other != access for other in stored)
