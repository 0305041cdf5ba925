"""A value on its way through the body of a loop: from the locations that hold it at the start to one at the end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction

from ...domains.domain import Domain, StatementDomain
from ...ir.nodes import Condition, Not
from ...ir.values import Access, Apply, Operation, Value, loads_of
from .index_operations import names_in
from .paths import Link, Location, Pair, Path, location_of, longer, path_to, reads

_ALL, NONE = Fraction(1), Fraction(0)


class Followed:
    """Where a value is on its way through a body, from the locations that hold it at the start to one at the end.

    It is ``reached`` where a statement on the way stores to the end, ``certain`` where all on that way always run, in a
    ``share`` of all iterations where counters decide, and ``alone`` where no element and no other carried value takes
    anything of it up.  The end may be chosen by what
    it is ``compared`` with; a comparison of the value is ``rest``.
    """

    def __init__(
        self,
        start: Mapping[Location, Path],
        end: Location,
        carried: Collection[Location],
        share: Callable[[Domain], Fraction],
        *,
        contract: bool,
    ) -> None:
        self.held = dict(start)
        self.reached = self.compared = self.rest = False
        self.alone = True
        self.kinds: list[Link] = []
        self._end, self._carried, self._contract = end, carried, contract
        self._locations = set(start)  # a set is compared by the hashes that it holds, a mapping is hashed anew
        self._before: dict[Condition, dict[Location, Path]] = {}
        self._uncertain: set[Location] = set()
        self._share_of_domain = share
        self._pairs: dict[str, Pair] = {}
        self._shares: dict[Location, Fraction] = {}

    @property
    def certain(self) -> bool:
        """Return whether the value gets to the end in each iteration; what else becomes of it does not matter."""
        return self._end not in self._uncertain

    @property
    def share(self) -> Fraction:
        """Return the part of all iterations in which the value surely goes all the way to the end."""
        return self._shares.get(self._end, _ALL)

    def take(self, statement: StatementDomain, read: Collection[Location], *, always: bool) -> None:
        """Follow the value through a statement, which reads these locations, in each iteration or not ``always``."""
        known = self._known(_arm(statement))
        on_way = not self._locations.isdisjoint(read)
        value = statement.node.value
        path = path_to(value, known, contract=self._contract, compared=self._pairs) if on_way else None
        target = location_of(statement.node.target)
        self._note_comparison(value, target)
        self.alone &= not _addresses(statement, self._end)
        if path is None:
            self.compared |= target == self._end and not always
            if target in self.held and target is not None:
                if always:
                    del self.held[target]
                    self._locations.discard(target)
                else:
                    self._uncertain.add(target)
                    self._shares[target] = NONE
            return
        if target is not None:
            taken_up = [self._shares.get(location, _ALL) for location in read if location in self.held]
            own = _ALL if always else self._share_of_update(statement, target, path)
            self._shares[target] = min([own, *taken_up])
            longest = longer(self.held.get(target, ()), path)
            known[target] = longest if known is self.held else path
            self.held[target] = longest
            self._locations.add(target)
            if always and self._uncertain.isdisjoint(read):
                self._uncertain.discard(target)
            else:
                self._uncertain.add(target)
        if target == self._end:
            self.reached = True
            self.kinds += path
        elif path and path[-1].operation is Operation.COMPARE:
            self.rest = True
        elif not isinstance(target, str) or target in self._carried:
            self.alone = False

    def _note_comparison(self, value: Value, target: Location | None) -> None:
        """Hold the operands that a register compares, until one of the two may have another value."""
        if not isinstance(target, str):
            self._pairs.clear()
            return
        if self._pairs:
            self._pairs = {name: pair for name, pair in self._pairs.items() if not _reads(pair, target)}
        match value:
            case Apply(operation=Operation.COMPARE, operands=(first, second)):
                self._pairs[target] = (first, second)

    def _share_of_update(self, statement: StatementDomain, target: Location, path: Path) -> Fraction:
        """Return in how many of all iterations the path goes on at a target that is what it was in the others.

        Without a statement that updates it nothing leads on from where the path was.
        """
        before = self.held.get(target)
        if statement.choice is not None or before is None or path[: len(before)] != before:
            return NONE
        return self._share_of_domain(statement.domain)

    def _known(self, arm: Condition | None) -> dict[Location, Path]:
        """Return what is held where a branch begins: the other branch does not run before it."""
        if isinstance(arm, Not):
            return self._before.setdefault(arm, dict(self._before.get(arm.operand, self.held)))
        if arm is not None:
            self._before.setdefault(arm, dict(self.held))
        return self.held


def _reads(pair: Pair, name: str) -> bool:
    return any(name in set(reads(value)) for value in pair)


def stored_access(statement: StatementDomain) -> Access | None:
    """Return the element that a statement stores to; None of one that stores to a name."""
    return statement.node.target if isinstance(statement.node.target, Access) else None


def _addresses(statement: StatementDomain, location: Location) -> bool:
    """Return whether a statement finds an element by the value of a register."""
    accesses = [*loads_of(statement.node.value), *filter(None, [stored_access(statement)])]
    return any(location in names_in(subscript) for access in accesses for subscript in access.subscripts)


def _arm(statement: StatementDomain) -> Condition | None:
    """Return the last condition on data that a statement is under: of a condition and its opposite one runs."""
    return None if statement.choice is None or not statement.choice.path else statement.choice.path[-1]
