"""Counting: the IR of a region to its :class:`~...profile.RegionProfile`, and to those of its nests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from ...access_patterns import AccessPatterns
from ...counts.references import RegisterReference, register_references, source_references
from ...counts.results import InnerLoop, PerIteration
from ...counts.work import InnerCall, inner_calls, lines_of, with_calls_around, work_of
from ...diagnostics import Diagnostic
from ...domains.domain import StatementDomain, StatementDomains
from ...domains.limits import deadline
from ...domains.statement_domains import statement_domains_of
from ...ir.flags import Flag, assignments, sizes_for
from ...ir.index import Number
from ...ir.nodes import Assumption, Loop, Node, Region, RegionKind, Uncounted
from ...ir.passes.drivers import Driver, driver_of, outermost_loops, same_work_times, trips_of
from ...ir.passes.flags import flags_of, is_condition, with_flags
from ...ir.passes.nontemporal import past_caches
from ...ir.passes.substitute import bind
from ...ir.passes.summaries import is_summary
from ...ir.passes.tables import with_outer_elements
from ...ir.traverse import all_nodes
from ...parallelism import Parallelism
from ...profile import DistinctData, RegionProfile, StoredStream, one_after_another
from ...python.cached_property import cached_property
from ...quantities.quantity import TYPICAL_SIZE
from ...quantities.quasipolynomial import Count
from ...traffic.register_arrays import held_in_registers
from ...traffic.unknown_strides import UnknownStride, unknown_strides
from ...traffic.without_caches import compulsory_line_traffic, compulsory_traffic, register_traffic
from ...transformations.fusion import fusible_pairs
from ..access_patterns import access_patterns_of
from ..extents import beyond_extents
from ..footprints import Footprints
from ..loop_info import loops_of
from ..lower_bounds import with_lower_bounds
from ..parallel_loops import first_parallel, parallelism_of
from ..repetitions import repeated_profile, repetition_of
from ..stored_streams import stored_streams
from ..streamed import streamed_of
from ..zero_divisors import zero_divisors
from .assumptions import assumptions_of, not_counted
from .innermost import InnermostLoops
from .options import ProfileOptions
from .parts import Part


def profile_region(
    region: Region, options: ProfileOptions | None = None, alike: RegionProfile | None = None
) -> RegionProfile:
    """Return the counts of a region and, one by one, of its nests.

    ``alike`` is the profile of the same operations on the same elements in another order, whose distinct data and
    parallelism are taken.
    """
    chosen = options or ProfileOptions()
    flagged, of_data = with_flags(region)
    whole = _profiler_of(region, chosen, alike)
    nests = _profiler_of(flagged, chosen, alike) if of_data else whole
    return replace(whole.region(nests, of_data), findings=whole.findings())


def _profiler_of(region: Region, chosen: ProfileOptions, alike: RegionProfile | None) -> _Profiler:
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    found = statement_domains_of(region, chosen.branch_probability, chosen.branches)
    is_bound = bool(values) and (
        bool(found.uncertain) or found.is_open or any(statement.domain.is_over_budget for statement in found.statements)
    )
    if is_bound:
        found = statement_domains_of(bind(region, values), chosen.branch_probability, chosen.branches)
    trips = [uncertain.symbol for uncertain in found.uncertain]
    values |= {trip: chosen.trips[trip] for trip in trips if trip in chosen.trips}
    return _Profiler(region, chosen, values, found, alike, is_bound=is_bound)


class _Profiler:
    """Profiles one region and its nests from one set of statements."""

    def __init__(
        self,
        region: Region,
        options: ProfileOptions,
        values: Mapping[str, int],
        found: StatementDomains,
        alike: RegionProfile | None,
        *,
        is_bound: bool,
    ) -> None:
        self._region = region
        self._alike = alike
        self._options = options
        self._values = values
        self._domains = found
        self._is_bound = is_bound
        self._innermost = InnermostLoops(region, options, values, found, self._references, is_bound=is_bound)
        self._past = past_caches(region.body)
        self._held = frozenset[str]() if region.kind is RegionKind.KERNEL else held_in_registers(region)
        self._summaries = _summaries(region)
        trips = (uncertain.symbol for uncertain in found.uncertain)
        own = (symbol.name for symbol in region.symbols if symbol.name not in found.closed and not is_condition(symbol))
        self._symbols = (*own, *trips)
        knows_sizes = not found.uncertain and len(values) >= len(self._symbols)
        self._footprints = Footprints(
            region,
            statements=found.statements,
            values=values,
            numbered=self._with_numbers if knows_sizes else None,
            line_bytes=options.line_bytes if options.in_full else None,
        )

    def findings(self) -> tuple[Diagnostic, ...]:
        """Return what is wrong with the region at the values of its symbols."""
        beyond = beyond_extents(self._region, self._domains.statements, self._values)
        return (*zero_divisors(self._region, self._values), *beyond)

    def _with_numbers(self) -> Sequence[StatementDomain]:
        """Return the statements with numbers for all sizes."""
        options, region = self._options, with_outer_elements(bind(self._region, self._values))
        return statement_domains_of(region, options.branch_probability, options.branches).statements

    def region(self, of_nests: _Profiler, of_data: tuple[Flag, ...]) -> RegionProfile:
        """Return the profile of the region, with those of its nests by a profiler with symbols for ``of_data``."""
        region = self._region
        everything = Part(region.name, region.kind, region.span, self._domains.statements, region.body)
        whole = self._alternative(everything, is_sum=not of_data and self._is_sum)
        nests = tuple(of_nests.nests(None if of_data else whole, of_data))
        outside = self._outside() if nests else None
        if region.kind is not RegionKind.KERNEL:
            nests = one_after_another(nests, outside)
        patterns = AccessPatterns() if nests else self._patterns(region.body)
        finds_data = any(nest.finds_data for nest in nests)
        whole = replace(whole, nests=nests, outside=outside, finds_data=finds_data, stored_streams=_streams(nests))
        return replace(whole, access_patterns=patterns, flags=(*whole.flags, *of_data))

    def _patterns(self, nodes: Sequence[Node]) -> AccessPatterns:
        return access_patterns_of(nodes, self._region.arrays, in_full=self._options.in_full)

    def nests(self, whole: RegionProfile | None, of_data: tuple[Flag, ...]) -> Iterator[RegionProfile]:
        """Yield the profiles of the nests; ``whole`` is that of all statements, where it may be that of a nest."""
        region = self._region
        fusible = fusible_pairs(region.body)
        by_nest: dict[str, list[StatementDomain]] = {}
        for statement in self._domains.statements:
            if statement.loops:
                by_nest.setdefault(statement.loops[0].source_iterator, []).append(statement)
        for loop in outermost_loops(region.body):
            if loop.iterator in self._summaries:
                continue
            statements = by_nest.get(loop.iterator, [])
            name = _name_of(region, loop)
            if whole is not None and len(statements) == len(self._domains.statements):
                loops = tuple(loops_of((loop,)))
                nest = replace(whole, name=name, kind=RegionKind.LOOP, span=loop.span, loops=loops)
            elif statements:
                nest = self._alternative(Part(name, RegionKind.LOOP, loop.span, statements, (loop,)), of_data)
            else:
                continue
            nest = replace(
                nest,
                access_patterns=self._patterns((loop,)),
                fusible=fusible.get(loop.iterator, ()),
                parallelism=self._parallelism(loop),
                stored_streams=stored_streams(loop, region),
                same_work_times=same_work_times(loop, nest.values),
                outermost_trips=trips_of(loop, nest.values),
            )
            if region.kind is not RegionKind.KERNEL and self._is_certain_within(loop):
                with deadline(self._options.seconds):
                    rows = self._footprints.rows_of(statements)
                    nest = replace(nest, streamed=streamed_of(nest, statements, rows, self._past))
            driver = driver_of(loop, nest.values) if region.kind is not RegionKind.KERNEL else None
            yield nest if driver is None else self._repeated(nest, driver, statements)

    @cached_property
    def _is_sum(self) -> bool:
        """Return whether the bytes that a table shows of the region are those of its parts, whatever these share."""
        if self._options.in_full or self._flags or self._region.kind is RegionKind.KERNEL:
            return False
        statements = self._domains.statements
        found = {statement.loops[0].source_iterator if statement.loops else None for statement in statements}
        own = {loop.iterator for loop in outermost_loops(self._region.body)} - self._summaries
        return len(found) > 1 and not own.isdisjoint(found)

    def _alternative(self, part: Part, of_data: tuple[Flag, ...] = (), *, is_sum: bool = False) -> RegionProfile:
        """Profile a part of the region for the values of flags with the most work; of a sum without distinct data."""
        found = self._profile(part, is_sum=is_sum)
        if not self._flags and not of_data:
            return found
        moved = found.compulsory_traffic
        work = (found.work.flops, found.loads.elements, found.stores.elements, moved.read_bytes, moved.write_bytes)
        counts = tuple(count.estimate for count in work)
        symbols = frozenset().union(*(count.symbols for count in counts))
        flags = tuple(flag for flag in (*self._flags, *of_data) if flag.name in symbols)
        if not flags:
            return found
        chosen = {flag.name for flag in flags}
        fixed = {name: self._values.get(name, TYPICAL_SIZE) for name in symbols - chosen}
        bound = [count.bind(fixed) for count in counts]

        def size_of(some: Mapping[str, int]) -> tuple[Number, ...]:
            sizes = sizes_for(flags, some)
            return _size([count.bind({**fixed, **sizes}) for count in counts] if sizes else bound, some)

        assumed = max(assignments(flags), key=size_of)
        values = {**self._values, **assumed}
        inner = self._innermost.of_part(part, self._references(part.statements), values)
        found = replace(
            found,
            values=values,
            per_iteration=_first(inner),
            inner_loops=inner,
            written_loops=self._innermost.written_out(part, values),
            assumed=assumed,
            flags=flags,
        )
        return with_lower_bounds(found)

    def _is_certain_within(self, loop: Loop) -> bool:
        """Return whether the trip counts of all loops are expressed, but for that of this one."""
        own = loop.range.trip if isinstance(loop.range, Uncounted) else ""
        return all(uncertain.symbol == own for uncertain in self._domains.uncertain)

    def _parallelism(self, loop: Loop, *, is_repeated: bool = False) -> Parallelism | None:
        """Return why a nest runs on several cores or on one; None of those of a kernel, which is one part."""
        if self._region.kind is RegionKind.KERNEL:
            return None
        if self._alike is not None:
            return self._alike.parallelism
        others_are = self._has_parallel_loops
        return parallelism_of(loop, self._region, self._values, others_are=others_are, is_repeated=is_repeated)

    @cached_property
    def _has_parallel_loops(self) -> bool:
        return first_parallel(self._region.body) is not None

    @cached_property
    def _flags(self) -> tuple[Flag, ...]:
        return flags_of(self._region, self._values)

    def _repeated(self, nest: RegionProfile, driver: Driver, statements: Sequence[StatementDomain]) -> RegionProfile:
        """Return the profile of a loop that only repeats nests, with those of the nests."""
        inner = {loop.iterator: (loop, drivers) for loop, drivers in driver.nests(nest.values)}
        by_nest: dict[str, list[StatementDomain]] = {}
        outside: list[StatementDomain] = []
        for statement in statements:
            around = (loop.source_iterator for loop in statement.loops)
            owner = next((iterator for iterator in around if iterator in inner), None)
            is_outside = owner is None or owner in self._summaries
            (outside if is_outside else by_nest.setdefault(str(owner), [])).append(statement)
        nests = []
        for iterator, (loop, drivers) in inner.items():
            if iterator in by_nest:
                name = _name_of(nest, loop)
                part = Part(name, RegionKind.LOOP, loop.span, by_nest[loop.iterator], (loop,))
                repeated, times = repetition_of(drivers, part.statements, nest.values)
                found = self._profile(part, nest.values, repeated)
                streams = stored_streams(loop, self._region)
                found = replace(
                    found,
                    assumed=nest.assumed,
                    flags=nest.flags,
                    access_patterns=self._patterns((loop,)),
                    parallelism=self._parallelism(loop, is_repeated=True),
                    stored_streams=streams,
                    finds_data=found.finds_data or driver.loops[0].timed,
                )
                nests.append(repeated_profile(found, times))
        rest = self._profile(Part(nest.name, nest.kind, nest.span, outside)) if outside else None
        parts = one_after_another(nests, rest)
        finds_data = any(part.finds_data for part in parts)
        return replace(nest, nests=parts, outside=rest, finds_data=finds_data, stored_streams=_streams(nests))

    def _outside(self) -> RegionProfile | None:
        """Profile the statements outside of loops, and what calls take that are not inlined; None without any."""
        region = self._region
        statements = [
            statement
            for statement in self._domains.statements
            if not statement.loops or statement.loops[0].source_iterator in self._summaries
        ]
        return self._profile(Part(region.name, region.kind, region.span, statements)) if statements else None

    def _profile(
        self,
        part: Part,
        values: Mapping[str, int] | None = None,
        once: Mapping[str, int] | None = None,
        *,
        is_sum: bool = False,
    ) -> RegionProfile:
        """Profile a part of the region; ``values`` are those of its symbols, and what is assumed.

        Its bytes are those of one repetition where iterators are ``once`` what they are there.  The data of its parts
        together are not counted where it ``is_sum``.
        """
        options, region, statements = self._options, self._region, part.statements
        values = self._values if values is None else values
        references = self._references(statements)
        with deadline(options.seconds) as limit:
            distinct = None if is_sum else self._distinct(statements, once)
        loads, stores = source_references(statements)
        machine = self._innermost.compiled_of(part)
        work = work_of(statements, options.policy, contract=options.contract, compiled=machine)
        work = with_calls_around(work, part.span, self._inner_calls)
        register = register_traffic(references, self._past)
        inner = self._innermost.of_part(part, references, values)
        written = self._innermost.written_out(part, values)
        found = RegionProfile(
            name=part.name,
            kind=part.kind,
            function=region.function,
            span=part.span,
            depth=max((len(statement.loops_of_source) for statement in statements), default=0),
            symbols=self._symbols,
            values=values,
            work=work,
            loads=loads,
            stores=stores,
            per_iteration=_first(inner),
            inner_loops=inner,
            written_loops=written,
            distinct=distinct,
            register_traffic=register,
            loops=tuple(loops_of(part.body)),
            lines=lines_of(statements, options.policy, contract=options.contract, compiled=machine),
            assumptions=(
                *region.assumptions,
                *assumptions_of(
                    region, self._domains, statements, self._strides(statements), self._footprints.rows_of(statements)
                ),
                *not_counted(region.function or part.name, work),
                *([Assumption.of("AI208", part.span, "distinct")] if limit.over else ()),
            ),
            nests=(),
            launch=region.launch,
            is_bound=self._is_bound,
        )
        return with_lower_bounds(found)

    def _distinct(self, statements: Sequence[StatementDomain], once: Mapping[str, int] | None) -> DistinctData:
        """Return the distinct data of some statements; with ``once`` the bytes are those of one repetition."""
        known = None if self._alike is None or statements is not self._domains.statements else self._alike.distinct
        if known is not None:
            return known
        footprint = self._footprints.of(statements)
        moved = self._footprints.of(statements, once) if once else footprint
        lines = compulsory_line_traffic(moved, self._past) if self._options.in_full else None
        return DistinctData(footprint, compulsory_traffic(moved, self._past, self._strides(statements)), lines)

    @cached_property
    def _inner_calls(self) -> Sequence[InnerCall]:
        return inner_calls(self._domains.statements)

    def _strides(self, statements: Sequence[StatementDomain]) -> dict[str, UnknownStride]:
        """Return the arrays of the host whose elements are an unknown distance apart."""
        if self._region.kind is RegionKind.KERNEL:
            return {}
        rows = self._footprints.rows_of(statements)
        return unknown_strides(statements, rows, self._values, self._options.line_bytes)

    def _references(self, statements: Sequence[StatementDomain]) -> Sequence[RegisterReference]:
        """Return the references to memory: to arrays that registers hold there are none."""
        found = register_references(statements)
        return [each for each in found if each.access.array not in self._held] if self._held else found


def _summaries(region: Region) -> frozenset[str]:
    """Return the iterators of the loops of other functions that stand for the work of calls."""
    loops = (node for node in all_nodes(region.body) if isinstance(node, Loop))
    return frozenset(loop.iterator for loop in loops if not loop.span.is_within(region.span) and is_summary(loop))


def _streams(nests: Sequence[RegionProfile]) -> tuple[StoredStream, ...]:
    return tuple(dict.fromkeys(stream for nest in nests for stream in nest.stored_streams))


def _size(counts: Sequence[Count], values: Mapping[str, int]) -> tuple[Number, ...]:
    return tuple(count.evaluate(values) for count in counts)


def _name_of(around: Region | RegionProfile, loop: Loop) -> str:
    """Return the name of a nest: its function, if it has one, and its line."""
    return f"{around.function}:{loop.span.line}" if around.function else f"line {loop.span.line}"


def _first(inner: Sequence[InnerLoop]) -> PerIteration | None:
    """Return one iteration of the dominant loop."""
    return inner[0].iteration if inner else None
