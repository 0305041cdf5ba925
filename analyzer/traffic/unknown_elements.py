"""Elements whose subscripts are no sums of multiples of iterators: ``a[idx[i]]``, ``a[h * (C / NH)]``.

Input: the references of one cell with such subscripts.  Output: how many distinct elements they touch: at most one for
each use, and never more than there are.  References whose subscripts are the same function of the same iterations
touch the same elements, so that they count once, and a load of what was stored before does not read it first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ..counts.references import Direction
from ..counts.tally import executions
from ..domains.domain import StatementDomain
from ..domains.isl.sets import Points
from ..domains.limits import OverBudget
from ..ir.index import Atom, Poly, Unknown, const, names_in, var
from ..ir.values import Access
from ..quantities.chambers import Chamber, Constraint
from ..quantities.quantity import ZERO, Exactness, Quantity, add
from ..quantities.quasipolynomial import NOTHING, Count, polynomial


class UnknownElements(Struct, frozen=True):
    """What one reference uses: ``uses`` elements at most, one for each of the ``iterations`` that they vary with.

    ``subscripts`` have ``#0``, ``#1``, ... for the iterators of these, from the outside.  Without ``iterations`` their
    set is not known.
    """

    direction: Direction
    uses: Quantity
    subscripts: tuple[Poly, ...]
    iterations: Points | None

    def equals(self, other: UnknownElements) -> bool:
        """Return whether two references touch the same elements."""
        if self.subscripts != other.subscripts:
            return False
        one, two = self.iterations, other.iterations
        if one is None or two is None:
            return one is two and self.uses == other.uses
        try:
            return one is two or (one.dimension == two.dimension and one.is_within(two) and two.is_within(one))
        except OverBudget:
            return False


def unknown_elements(statement: StatementDomain, direction: Direction, access: Access, width: int) -> UnknownElements:
    """Return what a reference uses, ``width`` elements each time.

    What loops with average trip counts and conditions on data choose is the same in other iterations, too, as an
    estimate.
    """
    domain = statement.domain
    names = names_in(access.subscripts)
    varying = [loop.iterator for loop in statement.loops if loop.iterator in names]
    placed = {name: var(f"#{position}") for position, name in enumerate(varying)}
    subscripts = tuple(_by_element(subscript.substitute(placed)) for subscript in access.subscripts)
    runs = executions(domain)
    others = [position for position, loop in enumerate(statement.loops) if loop.iterator not in names]
    is_set = domain.summed is None and domain.known is None
    if not is_set or not others:
        iterations = domain.upper if is_set and domain.is_exact else None
        return UnknownElements(direction, runs * width, subscripts, iterations)
    try:
        iterations = domain.upper.without(others)
        combinations = iterations.count(domain.names.meaning)
    except OverBudget:
        return UnknownElements(direction, runs * width, subscripts, None)
    most = combinations if domain.averaged is None else runs.upper
    uses = Quantity(combinations * (1 if domain.is_exact else domain.weight), NOTHING, most, Exactness.INTERVAL)
    return UnknownElements(direction, uses * width, subscripts, iterations if domain.is_exact else None)


def elements_of_a_row(statement: StatementDomain, access: Access) -> int | None:
    """Return how many elements of a row a reference with a row that data choose uses at most; None if unknown."""
    within, domain = access.subscripts[1:], statement.domain
    if not within or access.strides_bytes[0] is not None or any(index.unknowns() for index in within):
        return None
    if domain.averaged is not None or domain.summed is not None or domain.known is not None:
        return None
    names = names_in(within)
    others = [position for position, loop in enumerate(statement.loops) if loop.iterator not in names]
    try:
        count = domain.upper.without(others).count(domain.names.meaning)
    except OverBudget:
        return None
    numbers = [chamber.value.constant for chamber in count.chambers]  # none, where loops around do not run
    known = [number for number in numbers if number is not None]
    return max(known) if known and len(known) == len(numbers) else None


def _by_element(subscript: Poly) -> Poly:
    """Return a subscript in which ``idx[i]`` and ``idx[j]`` with the same number are the same value."""
    return subscript.map_atoms(_named_by_element) if subscript.unknowns() else subscript


def _named_by_element(atom: Atom) -> Poly:
    if isinstance(atom, str):
        return var(atom)
    if not isinstance(atom, Unknown) or atom.element is None:
        return atom.rebuilt([_by_element(operand) for operand in atom.operands])
    name, subscripts = atom.element
    at = tuple((str(place), _by_element(subscript)) for place, subscript in enumerate(subscripts))
    return Poly({(replace(atom, label=name, at=at, rises=None, element=None),): 1})


def distinct(references: Sequence[UnknownElements], direction: Direction | None, elements: int | None) -> Quantity:
    """Return the distinct elements of references, in order, to ``elements`` in all: at most, and estimated.

    Loads are those of what is not stored before.  Without a direction those stored stand for all.
    """
    if direction is Direction.LOAD:
        found = [each for position, each in enumerate(references) if _reads_first(each, references[:position])]
    else:
        stored = [each for each in references if each.direction is Direction.STORE]
        found = stored if stored or direction is Direction.STORE else [*references]
    if not found:
        return ZERO
    likely = add(each.uses for each in _once(found))
    most = add(each.uses for each in found).upper
    if elements is None:
        return Quantity(likely.estimate, NOTHING, most, Exactness.INTERVAL)
    every = polynomial(const(elements))
    estimate = every if _reaches(likely.estimate, elements) else _no_more(likely.estimate, elements)
    if most is not None and (estimate is None or not _reaches(most, elements)):
        upper = _no_more(most, elements) or most
        return Quantity(likely.estimate if estimate is None else estimate, NOTHING, upper, Exactness.INTERVAL)
    return Quantity(every if estimate is None else estimate, NOTHING, every, Exactness.INTERVAL)


def _reads_first(reference: UnknownElements, before: Iterable[UnknownElements]) -> bool:
    return reference.direction is Direction.LOAD and not any(
        each.direction is Direction.STORE and each.equals(reference) for each in before
    )


def _once(references: Iterable[UnknownElements]) -> list[UnknownElements]:
    """Return references, of those to the same elements the first."""
    kept: list[UnknownElements] = []
    for reference in references:
        if not any(each.equals(reference) for each in kept):
            kept.append(reference)
    return kept


def _no_more(count: Count, number: int) -> Count | None:
    """Return a count, or the number where it is above that; None of one with several cases."""
    if not count.symbols:
        return count
    if len(count.chambers) != 1:
        return None
    (chamber,) = count.chambers
    below, above = Constraint(number - chamber.value), Constraint(chamber.value - number - 1)
    family = chamber.families
    return Count(
        (
            Chamber((*chamber.guard, below), chamber.value, family),
            Chamber((*chamber.guard, above), const(number), family),
        )
    )


def _reaches(count: Count, number: int) -> bool:
    """Return whether a count is at least a number where all its symbols are 1."""
    return count.evaluate(dict.fromkeys(count.symbols, 1)) >= number
