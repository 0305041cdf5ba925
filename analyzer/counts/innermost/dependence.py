"""Whether the iterations of an innermost loop can run side by side: carried dependences, reductions, strides.

Input: the statements in the body of one loop, in order.  Output: a :class:`~..results.Vectorization`.

* A *chain* is a value that one iteration hands to a later one: through a scalar, through an element that stays the
  same (``c[i][j] += ...`` over k), or through the element that an earlier iteration stored (``a[i] = f(a[i-1])``).
  Its length is the operations between taking the value up and handing it on, after contraction, over the number of
  iterations between the two (the distance).  Values are assumed to pass in registers, so that no store-to-load
  forwarding is counted: the least that the loop can take (the loop-carried dependency of Laukemann et al., *Automatic
  throughput and critical path analysis*, PMBS 2019).
* A chain of one associative operation of which nothing else in the loop uses the intermediate values is a *reduction*.
* A condition on counters leaves a sum its chain: ``if (j != i) s -= a[j]`` hands ``s`` on in each iteration, and waits
  in those that subtract, a ``share`` of all.
* Distances come from :mod:`.distance`; what cannot be decided is a dependence.  Of very many chains through memory
  the 64 shortest distances are followed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Union

from msgspec import Struct
from msgspec.structs import replace

from ...domains.access_relations import never_meet
from ...domains.domain import Domain, StatementDomain
from ...domains.isl.sets import relation
from ...domains.limits import OverBudget, check
from ...ir.names import in_source
from ...ir.nodes import Loop, Strided
from ...ir.nodes import Mapping as LoopMapping
from ...ir.scalars import carried_scalars
from ...ir.types import ScalarType
from ...ir.values import Access, Operation, Register, loads_of
from ..references import RegisterReference
from ..results import Chain, Obstacle, ObstacleKind, Vectorization
from .data_branches import data_branches
from .distance import Distances
from .followed import NONE, Followed
from .obstacles import (
    alias_checks,
    converts_long,
    divides,
    may_alias,
    of_accesses,
    of_control,
    of_types,
    quotients_of_indices,
)
from .paths import (
    Link,
    Location,
    Path,
    is_associative,
    location_of,
    longest_path,
    operations_in,
    reads,
)
from .pursuit import pursuits

_MOST_FLOWS = 64  # from stores to loads that are followed
_Pair = tuple[Access, Access, Union[int, None]]


def vectorization_of(
    loop: Loop,
    members: Sequence[StatementDomain],
    whole: Domain,
    references: Sequence[RegisterReference],
    others: frozenset[str],
    share: Callable[[Domain], Fraction],
    *,
    contract: bool,
) -> Vectorization:
    """Return what the loop's iterations hand on and what keeps them from running in vector lanes.

    ``members`` are the statements of the body, ``whole`` is the domain of an unconditional one, and ``references``
    are what remains of the accesses at register level.  ``others`` are the names that other statements write, and
    ``share`` is the part of all iterations that is surely in a domain.
    """
    read = [frozenset(reads(statement.node.value)) for statement in members]
    body = _Body(loop, members, read, whole, others, share, contract)
    varying = [reference.access for reference in references if not reference.hoisted]
    in_memory = frozenset(varying)
    try:
        pairs = tuple(body.pairs())
        chains, undecided = tuple(body.chains(pairs, in_memory)), tuple(_undecided(pairs))
    except OverBudget:
        chains, undecided = (), (Obstacle(ObstacleKind.DEPENDENCE),)
    obstacles = [*of_accesses(varying, loop, body.step), *of_types(members, varying), *of_control(loop, members)]
    asserted = loop.lanes or loop.mapping is LoopMapping.SIMD
    if not asserted:
        obstacles = [*(_from_chain(chain) for chain in chains if not chain.is_reduction), *undecided, *obstacles]
    always = [statement.domain is whole for statement in members]
    pursued = tuple(pursuits(loop, [statement.node for statement in members], always))
    longest = longest_path(members, contract=contract)
    checks = alias_checks(body.stores(), dict.fromkeys(varying))
    return Vectorization(
        chains,
        tuple(dict.fromkeys(obstacles)),
        asserted,
        _trip(loop),
        pursued,
        longest,
        checks,
        tuple(data_branches(members)),
        sum(map(divides, operations_in(members))) + quotients_of_indices(loop, members),
        any(map(converts_long, operations_in(members))),
    )


def _trip(loop: Loop) -> int | None:
    if not isinstance(loop.range, Strided):
        return None
    distance = (loop.range.stop - loop.range.start).constant
    return None if distance is None else max(0, -(-distance // loop.range.step))


class _Body(Struct, frozen=True):
    """The body of the loop as a straight list of statements, and what each of them reads."""

    loop: Loop
    members: Sequence[StatementDomain]
    read: Sequence[frozenset[Location]]
    whole: Domain
    others: frozenset[str]
    share: Callable[[Domain], Fraction]
    contract: bool

    @property
    def step(self) -> int:
        return self.loop.range.step if isinstance(self.loop.range, Strided) else 1

    def chains(self, pairs: Sequence[_Pair], in_memory: frozenset[Access]) -> Iterator[Chain]:
        """Yield the chains; ``in_memory`` are accesses that stay in the loop."""
        carried = self._carried()
        for location in carried:
            found = self._chain(location, {location: ()}, 1, location, carried)
            if found is None:
                continue
            if isinstance(location, Access):
                stored = location in in_memory or any(may_alias(location, store) for store in self.stores())
                observed = any(_may_be(location, load) for load in self._loads())
                alone = location not in in_memory and self._is_alone(location)
                found = replace(found, through_memory=stored, is_observed=observed, is_alone=alone)
            yield found
        flows = sorted(self._flows(pairs), key=lambda flow: flow[2])
        for store, load, distance in flows[:_MOST_FLOWS]:
            found = self._chain(store, {load: ()}, distance, load, carried)
            if found is not None:
                yield found

    def pairs(self) -> Iterator[_Pair]:
        """Yield every store with every load of its array, and the iterations from the one to the other.

        Raises ``OverBudget`` after the deadline.
        """
        found = Distances(self.loop.iterator, self.step)
        loads: dict[str, dict[Access, None]] = {}
        for statement in self.members:
            for load in loads_of(statement.node.value):
                loads.setdefault(load.array, {})[load] = None
        for store in self.stores():
            check()
            for load in loads.get(store.array, ()):
                yield store, load, found.between(store, load)

    def _is_alone(self, location: Access) -> bool:
        """Return whether no load of the array is of an element that stays the same, under another subscript."""
        return all(
            never_meet(statement, location, load)
            for statement in self.members
            for load in loads_of(statement.node.value)
            if _may_be(location, load)
        )

    def _loads(self) -> Iterator[Access]:
        return (load for statement in self.members for load in loads_of(statement.node.value))

    def stores(self) -> list[Access]:
        """Return the elements that the body stores to, each once."""
        targets = (statement.node.target for statement in self.members)
        return list(dict.fromkeys(target for target in targets if isinstance(target, Access)))

    def _carried(self) -> list[Location]:
        """Return scalars and invariant elements that an iteration reads before it has written them, and writes."""
        iterator = self.loop.iterator
        scalars = carried_scalars((*self.loop.header, *self.loop.body))
        surely: set[Location] = set()
        read: dict[Location, None] = {}
        written: set[Location] = set()
        for statement in self.members:
            for location in reads(statement.node.value):
                if location not in surely:
                    read[location] = None
            target = location_of(statement.node.target)
            if target is not None:
                written.add(target)
                if statement.domain is self.whole:
                    surely.add(target)

        def goes_on(location: Location) -> bool:
            return location in scalars if isinstance(location, str) else not _varies(location, iterator)

        return [location for location in read if location in written and goes_on(location)]

    def _flows(self, pairs: Sequence[_Pair]) -> Iterator[tuple[Access, Access, int]]:
        """Yield stores with the loads that take their values up in a later iteration."""
        written, read = self._domains()
        for store, load, distance in pairs:
            if distance is not None and distance > 0 and _varies(store, self.loop.iterator):
                writers, readers = written[store], read[load]
                domain = next(iter(writers))
                alone = writers == readers == {domain} and domain is not self.whole
                if not alone or _meets(domain, distance * self.step):
                    yield store, load, distance

    def _domains(self) -> tuple[dict[Access, set[Domain]], dict[Access, set[Domain]]]:
        """Return where each target is written, and where each access is read."""
        written: dict[Access, set[Domain]] = {}
        read: dict[Access, set[Domain]] = {}
        for statement in self.members:
            if isinstance(statement.node.target, Access):
                written.setdefault(statement.node.target, set()).add(statement.domain)
            for load in loads_of(statement.node.value):
                read.setdefault(load, set()).add(statement.domain)
        return written, read

    def _chain(
        self,
        end: Location,
        start: Mapping[Location, Path],
        distance: int,
        begin: Location,
        carried: Collection[Location],
    ) -> Chain | None:
        """Return the longest path from the start to what ``end`` holds after the body; None where nothing gets there.

        It is alone where no element and no other ``carried`` value takes anything of it up.
        """
        followed = Followed(start, end, carried, self.share, contract=self.contract)
        for statement, read in zip(self.members, self.read, strict=True):
            followed.take(statement, read, always=statement.domain is self.whole)
        floating, size = _is_floating(end, self.members), _size_bytes(end, self.members)
        path, rest = followed.held.get(end), followed.rest
        if followed.reached and path is not None:
            if rest and not followed.certain:  # chosen by a comparison with itself
                path = (*path, Link(Operation.MAX, not path))
                rest = False
            restarts = self._restarts(begin)
            chain = Chain(
                name=_name(end),
                operations=tuple(link.operation for link in path),
                distance=distance,
                is_reduction=begin == end and followed.alone and not rest and is_associative((*followed.kinds, *path)),
                is_floating=floating,
                addends=sum(link.is_addend for link in path),
                restarts=restarts,
                side_by_side=restarts and self._is_side_by_side(begin),
                is_certain=followed.certain,
                share=followed.share,
                size_bytes=size,
            )
            return chain if path else None
        if followed.compared and rest and followed.alone and begin == end:
            name, extreme = _name(end), (Operation.MAX,)
            return Chain(name, extreme, distance, True, floating, is_certain=False, share=NONE, size_bytes=size)
        return None

    def _restarts(self, location: Location) -> bool:
        """Return whether the loop may take up another value than it left, whenever it is entered."""
        if isinstance(location, str):
            return location in self.others
        outer = {loop.iterator for loop in self.members[0].loops_of_source[:-1]}
        return location.array in self.others or any(not outer.isdisjoint(each.names()) for each in location.subscripts)

    def _is_side_by_side(self, location: Location) -> bool:
        """Return whether compilers may put iterations of the loop around in lanes, as they do where trips are constant.

        These then only read what nothing in the nest writes, but for what is at the location.
        """
        if _trip(self.loop) is None or len(self.members[0].loops_of_source) == 1:
            return False
        own, stored = _array_or_name(location), {store.array for store in self.stores()}
        read = {load.array for load in self._loads() if load != location}
        return stored <= {own} and own not in read and (self.others - {own}).isdisjoint(read)


def _array_or_name(location: Location) -> str:
    return location if isinstance(location, str) else location.array


def _may_be(one: Access, other: Access) -> bool:
    """Return whether two accesses with other subscripts are of one array."""
    return one != other and one.array == other.array


def _undecided(pairs: Sequence[_Pair]) -> Iterator[Obstacle]:
    """Yield stores that may hit an element of another iteration at a distance that the subscripts do not tell."""
    for store, load, distance in pairs:
        if distance is None:
            yield Obstacle(ObstacleKind.DEPENDENCE, (_name(store), _name(load)))


def _meets(domain: Domain, shift: int) -> bool:
    """Return whether two iterations of a condition are so far apart: those of one colour are not neighbours."""
    *outer, last = (f"x{location}" for location in range(len(domain.iterators)))
    before, after = ", ".join([*outer, last]), ", ".join([*outer, f"{last} + {shift}"])
    moved = relation(f"{{ [{before}] -> [{after}] }}").image(domain.upper)
    try:
        return not (moved & domain.upper).count(domain.names.meaning).is_zero
    except OverBudget:
        return True


def _varies(location: Location, iterator: str) -> bool:
    return isinstance(location, Access) and any(iterator in subscript.names() for subscript in location.subscripts)


def _name(location: Location) -> str:
    """Return the place as the source spells it, without the numbers that tell repeated iterators apart."""
    return in_source(location if isinstance(location, str) else location.spelling)


def _is_floating(location: Location, members: Sequence[StatementDomain]) -> bool:
    return any(scalar.is_float for scalar in _types(location, members))


def _size_bytes(location: Location, members: Sequence[StatementDomain]) -> int:
    return max((scalar.size_bytes for scalar in _types(location, members)), default=0)


def _types(location: Location, members: Sequence[StatementDomain]) -> Iterator[ScalarType]:
    """Yield the types that a location has where the body stores to it."""
    if isinstance(location, Access):
        yield location.type.scalar
        return
    for statement in members:
        target = statement.node.target
        if isinstance(target, Register) and target.name == location:
            yield target.type.scalar


def _from_chain(chain: Chain) -> Obstacle:
    return Obstacle(ObstacleKind.DEPENDENCE, (chain.name,), chain.distance)
