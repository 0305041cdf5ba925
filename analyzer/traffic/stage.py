"""The cache models behind one question: how many bytes move between the levels of some hierarchies?

numpy is loaded only when the question is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..diagnostics import Phrase
from ..domains.limits import OverBudget
from ..ir.index import Poly
from ..ir.nodes import Assumption, Loop, Region, RegionKind, Statement
from ..ir.passes.drivers import outermost_loops
from ..ir.passes.given import uses_given, without_given
from ..ir.passes.nontemporal import without_past_caches
from ..ir.traverse import accesses, all_nodes
from ..ir.values import Access
from ..ir.walk import statements, walk
from ..quantities.quantity import add
from .hierarchy import Hierarchy
from .options import CacheModel, CacheOptions
from .parts.known_part import KnownPart, known_part, without_nests
from .parts.open_repetitions import FEW, MORE, in_line, repetitions_of, with_repetitions
from .results import CacheTraffic, LevelTraffic, Reuse

if TYPE_CHECKING:
    from .gpu.kernel import KernelTraffic
    from .level_bytes import TrafficBytes
    from .parts.repetition import Repetition
    from .reuse.analytic import Asked


_MANY_STATEMENTS = 200  # whose reuses among one another take longer to find than a short stream takes to simulate


class CacheAnswers:
    """The traffic of a region's caches, for the region as a whole and for its nests."""

    def __init__(
        self, region: Region, values: Mapping[str, int], options: CacheOptions, wanted: Set[str | None] | None = None
    ) -> None:
        """Model the region, but for nests of unknown sizes, without a hierarchy, and for plain loops on a GPU.

        ``wanted`` are the iterators of the nests that are asked for, with None for the statements outside of nests; if
        it is None, all are.  Others only fill the caches; where none that is asked for is known nothing is modelled.
        """
        kernel = region.kind is RegionKind.KERNEL
        self._hierarchies = [each for each in options.hierarchies if kernel or each.gpu is None]
        self._options = options
        self._wanted = wanted
        if self._hierarchies and kernel:
            from .register_arrays import with_register_arrays, with_rolled_loops

            region = with_rolled_loops(with_register_arrays(region))
        self._region = region = without_past_caches(region)
        self._values = values
        self.notes: list[Assumption] = []
        self._kernels: dict[Hierarchy, KernelTraffic] = {}
        self._repetitions = repetitions_of(region, values) if self._is_wanted() and not kernel else None
        self._part = self._known_part(FEW) if self._is_wanted() else KnownPart(region, {})
        self._moves: list[TrafficBytes] = []
        self._more: Sequence[TrafficBytes] = ()
        if not self._is_wanted() or not self._has_known_nests():
            return
        is_asked = wanted is None or bool(wanted - self._part.missing.keys())
        if is_asked:
            self._moves = self._all_moves()
        if self._moves or not is_asked:
            self._note_missing()
        if self._moves and self._repetitions:
            self._more = self._moves_of_more()

    def is_modelled(self, iterator: str) -> bool:
        """Return whether the bytes between the caches are known for the nest whose outermost loop has this iterator."""
        return bool(self._moves) and iterator not in self._part.missing

    def of_nest(
        self,
        register: LevelTraffic,
        iterator: str,
        inner: str | None = None,
        others: Sequence[LevelTraffic] = (),
    ) -> tuple[CacheTraffic, ...]:
        """Return for each hierarchy the bytes of a nest; () where it is not modelled.

        With ``inner`` those of a nest that the nest only repeats; else ``others`` are the bytes of such nests that are
        not modelled.
        """
        if not self.is_modelled(iterator) or (inner is not None and not self.is_modelled(inner)):
            return ()
        if inner is not None:
            return self._of(register, lambda driver, nest: driver == iterator and nest == inner)
        found = self._of(register, lambda driver, nest: iterator == (driver or nest))
        return tuple(_with_others(traffic, others) for traffic in found)

    def outside(self, register: LevelTraffic, iterator: str | None = None) -> tuple[CacheTraffic, ...]:
        """Return for each hierarchy the bytes of the statements outside of loops.

        With the ``iterator`` of a loop that only repeats nests those in this loop, outside of the nests; () where the
        loop is not modelled.
        """
        if iterator is not None and not self.is_modelled(iterator):
            return ()
        return self._of(register, lambda driver, nest: driver == iterator and nest is None)

    def _of(self, register: LevelTraffic, wanted: Callable[[str | None, str | None], bool]) -> tuple[CacheTraffic, ...]:
        found = [moves.of(register, wanted) for moves in self._moves]
        if self._repetitions is not None:
            more = (moves.of(register, wanted) for moves in self._more)
            found = [in_line(one, other, self._repetitions) for one, other in zip(found, more, strict=True)]
        return tuple(_with_past(self._with_requests(traffic), register) for traffic in found)

    def _known_part(self, repetitions: int) -> KnownPart:
        """Return the nests of known sizes, with so many repetitions where their number is the only one not known."""
        if self._repetitions is None:
            return known_part(self._region, self._values)
        region = with_repetitions(self._region, self._repetitions, repetitions)
        return known_part(region, {**self._values, self._repetitions: repetitions})

    def _moves_of_more(self) -> Sequence[TrafficBytes]:
        """Return the bytes with another repetition; without it they are those of no caches."""
        few, missing = self._part, self._part.missing
        self._part = without_nests(self._known_part(MORE), missing)
        found = list(self._model([]))
        self._part = few
        if len(found) == len(self._moves):
            return found
        self._moves = []
        return ()

    def of_region(self, register: LevelTraffic, others: Sequence[LevelTraffic]) -> tuple[CacheTraffic, ...]:
        """Return for each hierarchy the bytes of the region: those of its nests and of the statements outside of loops.

        ``others`` are the bytes of the nests that are not modelled: at least these move between any two levels.
        """
        found = self._of(register, lambda _driver, _nest: True)
        return tuple(_with_others(traffic, others) for traffic in found)

    def _with_requests(self, traffic: CacheTraffic) -> CacheTraffic:
        traffic = replace(traffic, warm=self._options.warm)
        found = self._kernels.get(traffic.hierarchy)
        return traffic if found is None else replace(traffic, requests=found.requests, occupancy=found.occupancy)

    def _is_wanted(self) -> bool:
        modelled = self._options.model in (CacheModel.ANALYTIC, CacheModel.SIMULATE)
        return modelled and bool(self._hierarchies)

    def _has_known_nests(self) -> bool:
        if not self._part.missing:
            return True
        if self._region.kind is RegionKind.KERNEL:
            return False
        return not all(self._part.lacks(loop) for loop in outermost_loops(self._part.region.body))

    def _all_moves(self) -> list[TrafficBytes]:
        """Return for each hierarchy the bytes by the model in force, and by simulation where it is to be verified."""
        failures: list[Phrase] = []
        found = list(self._model(failures))
        if failures and self._region.kind is not RegionKind.KERNEL:
            reasons = self._not_numeric()
            self._part = without_nests(self._part, reasons)
            if reasons and self._has_known_nests():
                failures.clear()
                found = list(self._model(failures))
        for reason in failures:
            self._note(Assumption.of("AI210", self._region.span, "unknown", why=reason))
        return found

    def _note_missing(self) -> None:
        for loop in all_nodes(self._region.body):
            if isinstance(loop, Loop) and loop.iterator in self._part.missing:
                why = self._part.missing[loop.iterator]
                self._note(Assumption.of("AI210", self._region.span, "nest", line=loop.span.line, why=why))

    def _not_numeric(self) -> dict[str, Phrase]:
        """Return why nests cannot be laid out, by the iterator of their outermost loop."""
        from .program.layout import lay_out
        from .program.program import NotNumeric

        found = {}
        for loop in outermost_loops(self._part.region.body):
            try:
                lay_out(replace(self._part.region, body=(loop,)))
            except NotNumeric as error:
                found[loop.source_iterator] = error.why
        return found

    def _model(self, failures: list[Phrase]) -> Iterator[TrafficBytes]:
        """Yield the bytes of each hierarchy and model; append to ``failures`` why some cannot be computed."""
        from .program.program import NotNumeric

        models = [self._options.model]
        if self._options.verify and CacheModel.SIMULATE not in models:
            models.append(CacheModel.SIMULATE)
        for hierarchy in self._hierarchies:
            for model in models:
                try:
                    yield self._moved(self._part.region, hierarchy, model)
                except NotNumeric as error:
                    failures.append(error.why)
                except OverBudget:
                    self._note(Assumption.of("AI208", self._region.span, "caches"))

    def _note(self, note: Assumption) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _moved(self, bound: Region, hierarchy: Hierarchy, model: CacheModel) -> TrafficBytes:
        if bound.kind is RegionKind.KERNEL and hierarchy.gpu is not None:
            from .gpu.kernel import kernel_traffic

            if hierarchy not in self._kernels:
                self._kernels[hierarchy] = kernel_traffic(bound, hierarchy, warm=self._options.warm)
            return self._kernels[hierarchy].moves
        moved = self._moved_in(bound, hierarchy, model)
        if hierarchy.whole is hierarchy:
            return moved
        try:
            return moved.or_as_few_as(self._moved_in(bound, hierarchy.whole, model))
        except OverBudget:
            return moved.limited_to(None)

    def _moved_in(self, bound: Region, hierarchy: Hierarchy, model: CacheModel) -> TrafficBytes:
        """Return the bytes between caches of which so much is ours as the hierarchy says."""
        from .parts.repetition import without_drivers

        repetition = without_drivers(bound, self._values)

        def asked(position: int, nest: str | None) -> bool:
            return self._wanted is None or (repetition.drivers.get(position) or nest) in self._wanted

        moved = self._modelled(repetition.region, hierarchy, model, asked)
        moved = self._with_certain_part(moved, repetition.region, hierarchy, model, asked)
        return self._beside_missing(moved, repetition).repeated(repetition)

    def _with_certain_part(
        self, moved: TrafficBytes, region: Region, hierarchy: Hierarchy, model: CacheModel, asked: Asked
    ) -> TrafficBytes:
        """Return the bytes of a region with those of the part that data cannot skip as the least."""
        from .parts.certain_part import certain_part
        from .program.program import NotNumeric

        part = certain_part(region)
        if part is None:
            return moved
        certain, since = part
        if self._options.warm:
            since = 0  # the code before it follows on the uncertain code of the first run
        fewest = None
        if any(accesses(each) for each in all_nodes(certain.body[since:]) if isinstance(each, Statement)):
            try:
                fewest = self._modelled(
                    certain, hierarchy, model, lambda position, nest: position >= since and asked(position, nest)
                )
            except (NotNumeric, OverBudget):
                fewest = None
        return moved.limited_to(fewest, since)

    def _beside_missing(self, moved: TrafficBytes, repetition: Repetition) -> TrafficBytes:
        """Return the bytes where nests behind one that is missing may find their data in the caches, or nothing of it.

        The missing one may leave there what follows needs, if it touches the same arrays, or take its place.
        """
        body, drivers = repetition.region.body, repetition.drivers
        missing = [at for at, node in enumerate(body) if any(map(self._part.lacks, all_nodes((node,))))]
        if not missing:
            return moved
        since = 0 if self._options.warm else missing[0]  # the code before follows on the missing nest of the first run
        behind = range(since, len(body))
        repeating = {drivers.get(at) for at in missing}
        times: Counter[object] = Counter()  # that a nest runs in all
        for at in behind:
            times[repetition.nest_at(at)] += repetition.times[at]
        runs = {at: 1.0 if drivers.get(at) in repeating else 1 / max(times[repetition.nest_at(at)], 1) for at in behind}
        return moved.with_unknown_state(runs, self._part.touched)

    def _modelled(self, region: Region, hierarchy: Hierarchy, model: CacheModel, asked: Asked) -> TrafficBytes:
        """Return the bytes of a region whose symbols are all bound and that repeats no nests.

        Nodes that are not ``asked`` for may have none.  What given arrays decide is simulated: its reuses follow no
        formula.
        """
        if model is CacheModel.SIMULATE or uses_given(region.body):
            from .simulation.simulate import NotFollowed
            from .simulation.simulated import simulated_traffic

            try:
                return simulated_traffic(region, hierarchy, warm=self._options.warm)
            except NotFollowed as error:
                self._note(error.note(region.span))
                region = without_given(region)
        if self._options.by_working_sets:
            from .reuse.working_sets import working_set_traffic

            found = working_set_traffic(region, hierarchy, warm=self._options.warm)
            if found is not None:
                return found
        from .reuse.analytic import analytic_traffic
        from .simulation.simulate import lines_of_short
        from .simulation.simulated import simulated_if_short

        if sum(1 for _ in statements(region)) > _MANY_STATEMENTS:
            simulated = simulated_if_short(region, hierarchy, warm=self._options.warm)
            if simulated is not None:
                return simulated
        return analytic_traffic(
            region,
            hierarchy,
            warm=self._options.warm,
            short=lines_of_short,
            asked=asked,
            branches=self._options.branches,
        )


def _with_past(traffic: CacheTraffic, register: LevelTraffic) -> CacheTraffic:
    """Return the traffic with what is stored past the caches, which only the memory sees."""
    if register.past_caches.is_zero:
        return traffic
    *inner, memory = traffic.levels
    stored = add((memory.write_bytes, register.past_caches))
    return replace(traffic, levels=(*inner, replace(memory, write_bytes=stored)))


def _with_others(traffic: CacheTraffic, others: Sequence[LevelTraffic]) -> CacheTraffic:
    """Return the traffic with the bytes of nests that are not modelled at every level behind the innermost cache."""
    if not others:
        return traffic
    first, *outer = traffic.levels
    return replace(traffic, levels=(first, *(_sum((level, *others)) for level in outer)))


def _sum(parts: Sequence[LevelTraffic]) -> LevelTraffic:
    return replace(
        parts[0],
        read_bytes=add(part.read_bytes for part in parts),
        write_allocate_bytes=add(part.write_allocate_bytes for part in parts),
        write_bytes=add(part.write_bytes for part in parts),
    )


def reuses_of(region: Region, values: Mapping[str, int], options: CacheOptions) -> tuple[Reuse, ...]:
    """Return the reuses of a region with the sizes up to which the caches of the first hierarchy hold them.

    () where they were not asked for, and for kernels, whose blocks have no order in time. Raises ``OverBudget`` after
    the deadline.
    """
    hierarchy = next((each for each in options.hierarchies if each.gpu is None), None)
    if hierarchy is None or region.kind is RegionKind.KERNEL:
        return ()
    region = without_given(without_past_caches(region))  # arrays of other sizes have other elements
    wanted = options.conditions or (options.conditions_if_unknown and known_part(region, values).missing)
    if not wanted or not may_reuse(region):
        return ()
    from .conditions import reuses

    return reuses(region, hierarchy)


def may_reuse(region: Region) -> bool:
    """Return whether a region may reuse data at a distance that grows with the sizes.

    False for one nest that walks through each array once, in the order of its elements.
    """
    depths = [len(visit.loops) for visit in walk(region) if isinstance(visit.node, Loop)]
    if depths != list(range(len(depths))):
        return True
    first: dict[str, tuple[tuple[Loop, ...], tuple[Poly, ...]]] = {}
    for visit in statements(region):
        assert isinstance(visit.node, Statement)
        iterators = [loop.iterator for loop in visit.loops]
        for access, _ in accesses(visit.node):
            loops, known = first.setdefault(access.array, (visit.loops, access.subscripts))
            names = {name for subscript in access.subscripts for name in subscript.names()}
            apart = [(one - other).constant for one, other in zip(access.subscripts, known, strict=False)]
            if names - set(iterators) or None in apart or any(subscript.unknowns() for subscript in access.subscripts):
                return True
            inside = len(iterators) == len(depths) and loops == visit.loops
            if len(depths) > 1 and not (inside and not any(apart[:-1]) and _is_walk(access, iterators)):
                return True
    return False


def _is_walk(access: Access, iterators: Sequence[str]) -> bool:
    """Return whether each loop, from the outside, moves one subscript, from the first one on."""
    moving = [subscript for subscript in access.subscripts if subscript.constant is None]
    return len(moving) == len(iterators) and all(
        subscript.terms.keys() <= {(), (name,)} for subscript, name in zip(moving, iterators, strict=True)
    )
