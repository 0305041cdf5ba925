"""What a region does, independent of any machine: the result of the analysis.

All numbers are :class:`~analyzer.domains.quantity.Quantity` values over the region's symbols;
:attr:`RegionProfile.values` holds the values of those symbols that are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from .access_patterns import AccessPatterns, access_patterns_of
from .annotations.model import Annotation
from .counts.iteration import dominant_iteration
from .counts.policy import FlopPolicy, load_policy
from .counts.references import references_of, register_references, source_references
from .counts.results import LineWork, PerIteration, References, Work
from .counts.work import lines_of, work_of
from .diagnostics import Diagnostic
from .domains.access_relations import delinearize
from .domains.blend import Blend
from .domains.domain import StatementDomain, StatementDomains
from .domains.limits import OverBudget, deadline
from .domains.quantity import ZERO
from .domains.statement_domains import statement_domains_of
from .fusion import fusible_pairs
from .ir.drivers import Driver, driver_of, outermost_loops
from .ir.index import Poly
from .ir.nodes import Assumption, Guard, Launch, LaunchSeries, Loop, MemorySpace, Node, Region, RegionKind, Strided
from .ir.nodes import Mapping as LoopMapping
from .ir.substitute import bind
from .source import Language, Span
from .traffic.footprint import footprint_of
from .traffic.hierarchy import Hierarchy
from .traffic.options import CacheOptions
from .traffic.results import (
    ArrayFootprint,
    Blocking,
    CacheTraffic,
    Extent,
    Footprint,
    LevelTraffic,
    Occupancy,
    Request,
    Reuse,
)
from .traffic.stage import CacheAnswers, reuses_of
from .traffic.without_caches import compulsory_line_traffic, compulsory_traffic, register_traffic

_TOO_MANY = "counting distinct elements takes too long: of some arrays there are at most as many as references"

_NO_REUSES = "up to which sizes caches keep what is reused takes too long to work out"


class LoopInfo(Struct, frozen=True):
    """One loop of a region, outermost first, as far as people and ceilings need it."""

    iterator: str
    line: int
    end_line: int
    depth: int
    mapping: LoopMapping
    innermost: bool
    trip_text: str


class RepeatedLaunches(Struct, frozen=True):
    """The launches that a profile is the sum of; ``analyzed`` are those looked at one by one, by their position.

    ``blend`` adds up whatever they have, in the same order.
    """

    series: LaunchSeries
    analyzed: tuple[tuple[int, RegionProfile], ...]
    blend: Blend


class RegionProfile(Struct, frozen=True):
    """Everything known about one region on any machine; of a series of launches the sum over all of them.

    ``nests`` are those of the region, or those that a nest only repeats (:mod:`.ir.drivers`), each of them as often as
    ``repetitions`` says; ``outside`` are the statements outside of them.  ``fusible`` are the arrays that a nest shares
    with the one before it, where the two may be made one; ``traits`` are those of a nest, or of a region without one.
    """

    name: str
    kind: RegionKind
    function: str
    span: Span
    depth: int
    symbols: tuple[str, ...]
    values: Mapping[str, int]
    work: Work
    loads: References
    stores: References
    per_iteration: PerIteration | None
    footprint: Footprint
    register_traffic: LevelTraffic
    compulsory_traffic: LevelTraffic
    compulsory_line_traffic: LevelTraffic
    loops: tuple[LoopInfo, ...]
    lines: tuple[LineWork, ...]
    assumptions: tuple[Assumption, ...]
    nests: tuple[RegionProfile, ...]
    outside: RegionProfile | None = None
    repetitions: int = 1
    launch: Launch | None = None
    caches: tuple[CacheTraffic, ...] = ()
    reuses: tuple[Reuse, ...] = ()
    blockings: tuple[Blocking, ...] = ()
    requests: tuple[Request, ...] = ()
    occupancy: Occupancy | None = None
    traits: AccessPatterns = field(default_factory=AccessPatterns)
    fusible: tuple[str, ...] = ()
    launches: RepeatedLaunches | None = None

    @property
    def parts(self) -> tuple[RegionProfile, ...]:
        """What the region does one after the other: its nests, and what is outside of loops; () without nests.

        The blocks of a kernel run at the same time: it is one part.
        """
        if not self.nests or self.kind is RegionKind.KERNEL:
            return ()
        return self.nests if self.outside is None else (*self.nests, self.outside)

    def cache_traffic(self, hierarchy: Hierarchy) -> CacheTraffic | None:
        """The bytes at every level of a hierarchy; None where sizes are not known or no cache was to be modelled."""
        return next((found for found in self.caches if found.hierarchy == hierarchy), None)


class FileProfile(Struct, frozen=True):
    """The result for one input file; ``regions`` is empty where nothing could be analyzed.

    ``first_line`` is the line of the containing document at which ``source_text`` starts.  ``directives`` are what the
    comments of the source tell the analysis.
    """

    path: str
    language: Language
    frontend: str
    regions: tuple[RegionProfile, ...]
    diagnostics: tuple[Diagnostic, ...]
    ir_text: str
    source_text: str
    first_line: int = 1
    directives: tuple[Annotation, ...] = ()


class ProfileOptions(Struct, frozen=True):
    """How to count: the FLOP policy, FMA contraction, odds of data-dependent branches, the line size, the caches.

    ``trips`` are the values of trip counts that turn out to be symbols only here, as their bounds are not affine.
    ``seconds`` of CPU time are what counting elements and modelling caches may each take for a region or a nest (0: no
    limit); beyond, the answers are bounds and those of ideal caches.
    """

    policy: FlopPolicy = field(default_factory=lambda: load_policy("source"))
    contract: bool = True
    branch_probability: Fraction = Fraction(1, 2)
    line_bytes: int = 64
    cache: CacheOptions = field(default_factory=CacheOptions)
    seconds: float = 10
    trips: Mapping[str, int] = field(default_factory=dict)


def profile_region(region: Region, options: ProfileOptions | None = None) -> RegionProfile:
    """Count everything about a region, but for its reuses; its nests are profiled one by one beside the whole."""
    chosen = options or ProfileOptions()
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    found = statement_domains_of(region, chosen.branch_probability)
    if values and (found.uncertain or any(site.domain.is_over_budget for site in found.statements)):
        found = statement_domains_of(bind(region, values), chosen.branch_probability)
    trips = [uncertain.symbol for uncertain in found.uncertain]
    values |= {trip: chosen.trips[trip] for trip in trips if trip in chosen.trips}
    return _Profiler(region, chosen, values, found).region()


def with_reuses(profile: RegionProfile, region: Region, options: ProfileOptions) -> RegionProfile:
    """The profile of a region with the sizes up to which caches keep what it reuses, if asked for and in time."""
    try:
        return replace(profile, reuses=reuses_of(region, profile.values, options.cache))
    except OverBudget:
        return replace(profile, assumptions=(*profile.assumptions, Assumption("AI208", _NO_REUSES, region.span)))


class _Profiler:
    """Profiles one region and its nests from one set of sites."""

    def __init__(
        self, region: Region, options: ProfileOptions, values: Mapping[str, int], found: StatementDomains
    ) -> None:
        self._region = region
        self._options = options
        self._values = values
        self._sites = found
        trips = (uncertain.symbol for uncertain in found.uncertain)
        self._symbols = (*(symbol.name for symbol in region.symbols), *trips)
        iterators = frozenset(loop.iterator for site in found.statements for loop in site.loops)
        accesses = (reference.access for site in found.statements for reference in references_of(site))
        self._renamed = delinearize(accesses, iterators)
        self._on_chip = _on_chip(region)
        with deadline(options.seconds):
            self._caches = CacheAnswers(region, values, options.cache)

    def region(self) -> RegionProfile:
        region = self._region
        whole = self._profile(region.name, region.kind, region.span, self._sites.statements, region.body)
        nests = []
        fusible = fusible_pairs(region.body)
        by_nest: dict[str, list[StatementDomain]] = {}
        for site in self._sites.statements:
            if site.loops:
                by_nest.setdefault(site.loops[0].source_iterator, []).append(site)
        for loop in outermost_loops(region.body):
            sites = by_nest.get(loop.iterator, [])
            name = f"{region.function}:{loop.span.line}" if region.function else f"line {loop.span.line}"
            if len(sites) == len(self._sites.statements):
                nest = replace(whole, name=name, kind=RegionKind.LOOP, span=loop.span)
            elif sites:
                nest = self._profile(name, RegionKind.LOOP, loop.span, sites, (loop,))
            else:
                continue
            nest = replace(
                nest,
                caches=self._caches.of_nest(nest.register_traffic, loop.iterator),
                blockings=self._caches.blockings(nest.register_traffic, loop),
                traits=access_patterns_of((loop,), region.arrays),
                fusible=fusible.get(loop.iterator, ()),
            )
            driver = driver_of(loop, self._values) if region.kind is not RegionKind.KERNEL else None
            nests.append(nest if driver is None else self._repeated(nest, driver, sites))
        outside = self._outside() if nests else None
        traits = AccessPatterns() if nests else access_patterns_of(region.body, region.arrays)
        others = [nest.compulsory_traffic for nest in nests if not nest.caches]
        caches = self._caches.of_region(whole.register_traffic, others)
        return replace(whole, nests=tuple(nests), outside=outside, traits=traits, caches=caches)

    def _repeated(self, nest: RegionProfile, driver: Driver, sites: Sequence[StatementDomain]) -> RegionProfile:
        """Return the profile of a loop that only repeats nests, with those of the nests."""
        by_nest: dict[str, list[StatementDomain]] = {}
        outside: list[StatementDomain] = []
        for site in sites:
            inner = site.loops[driver.depth].source_iterator if len(site.loops) > driver.depth else None
            (outside if inner is None else by_nest.setdefault(inner, [])).append(site)
        nests = []
        for loop in driver.nests:
            if loop.iterator in by_nest:
                name = f"{nest.function}:{loop.span.line}" if nest.function else f"line {loop.span.line}"
                found = self._profile(name, RegionKind.LOOP, loop.span, by_nest[loop.iterator], (loop,))
                caches = self._caches.of_nest(found.register_traffic, driver.iterator, loop.iterator)
                nests.append(_times(replace(found, caches=caches), driver.times))
        rest = self._straight(nest.name, nest.kind, nest.span, outside, driver.iterator)
        return replace(nest, nests=tuple(nests), outside=rest)

    def _outside(self) -> RegionProfile | None:
        """Profile the statements outside of loops; None where there are none."""
        region = self._region
        sites = [site for site in self._sites.statements if not site.loops]
        return self._straight(region.name, region.kind, region.span, sites, None)

    def _straight(
        self, name: str, kind: RegionKind, span: Span, sites: Sequence[StatementDomain], driver: str | None
    ) -> RegionProfile | None:
        if not sites:
            return None
        found = self._profile(name, kind, span, sites, ())
        return replace(found, caches=self._caches.outside(found.register_traffic, driver))

    def _profile(
        self,
        name: str,
        kind: RegionKind,
        span: Span,
        sites: Sequence[StatementDomain],
        body: tuple[Node, ...],
    ) -> RegionProfile:
        """Profile some sites of the region, all but their traffic between caches."""
        options, region = self._options, self._region
        references = register_references(sites)
        with deadline(options.seconds) as limit:
            footprint = self._footprint(sites)
        loads, stores = source_references(sites)
        work = work_of(sites, options.policy, contract=options.contract)
        register = register_traffic(references)
        return RegionProfile(
            name=name,
            kind=kind,
            function=region.function,
            span=span,
            depth=max((len(site.loops) for site in sites), default=0),
            symbols=self._symbols,
            values=self._values,
            work=work,
            loads=loads,
            stores=stores,
            per_iteration=dominant_iteration(
                sites, self._sites.bodies, references, options.policy, self._values, contract=options.contract
            ),
            footprint=footprint,
            register_traffic=register,
            compulsory_traffic=compulsory_traffic(footprint),
            compulsory_line_traffic=compulsory_line_traffic(footprint),
            loops=tuple(_loops(body, 0)),
            lines=lines_of(sites, options.policy, contract=options.contract),
            assumptions=(
                *region.assumptions,
                *self._assumptions(sites),
                *_left_out(region.function or name, work),
                *([Assumption("AI208", _TOO_MANY, span)] if limit.over else ()),
                *self._caches.notes,
            ),
            nests=(),
            launch=region.launch,
            requests=self._caches.requests,
            occupancy=self._caches.occupancy,
        )

    def _footprint(self, sites: Sequence[StatementDomain]) -> Footprint:
        """Symbolic elements; lines of rows from their addresses where all sizes are known."""
        accesses = (reference.access for site in sites for reference in references_of(site))
        rows = any(len(self._renamed.get(access, access).subscripts) > 1 for access in accesses)
        if not rows or self._sites.uncertain or len(self._values) < len(self._symbols):
            return footprint_of(sites, self._renamed, self._options.line_bytes, None, self._on_chip)
        found = footprint_of(sites, self._renamed, self._options.line_bytes, self._values, self._on_chip)
        if all(extent.lines.is_exact for extent in (found.read, found.written, found.touched)):
            return found
        bound = _same_places(self._numeric.statements, sites, of=self._sites.statements)
        return _with_lines(found, footprint_of(bound, {}, self._options.line_bytes, None, self._on_chip))

    @cached_property
    def _numeric(self) -> StatementDomains:
        """The sites with numbers for all sizes."""
        return statement_domains_of(bind(self._region, self._values), self._options.branch_probability)

    def _assumptions(self, sites: Sequence[StatementDomain]) -> Iterator[Assumption]:
        for uncertain in self._sites.uncertain:
            text = f"the number of iterations is taken as the symbol {uncertain.symbol}: its bound is not affine"
            yield Assumption("AI203", text, uncertain.span)
        for span in sorted({site.node.span for site in sites if site.domain.is_over_budget}):
            yield Assumption("AI208", "counting this exactly takes too long: an upper bound is given", span)
        told: set[str] = set()
        for site in sites:
            for reference in references_of(site):
                access = reference.access
                if access in self._renamed and access.array not in told:
                    told.add(access.array)
                    rows = self._renamed[access].strides_bytes[:-1]
                    length = ", ".join(_elements(row, access.type.size_bytes) for row in rows if row is not None)
                    text = f"subscripts of {access.array} stay inside their rows of {length} elements"
                    yield Assumption("AI303", text, site.node.span)


def _times(nest: RegionProfile, times: int) -> RegionProfile:
    """Return the profile of a nest that is repeated: each repetition has to move its elements again."""
    return replace(
        nest,
        repetitions=times,
        compulsory_traffic=_multiplied(nest.compulsory_traffic, times),
        compulsory_line_traffic=_multiplied(nest.compulsory_line_traffic, times),
    )


def _multiplied(traffic: LevelTraffic, times: int) -> LevelTraffic:
    return replace(
        traffic,
        read_bytes=traffic.read_bytes * times,
        write_allocate_bytes=traffic.write_allocate_bytes * times,
        write_bytes=traffic.write_bytes * times,
    )


def _left_out(name: str, work: Work) -> Iterator[Assumption]:
    """That there is more than is counted."""
    for found in work.not_counted:
        yield Assumption("AI214", f"{name} does more than is counted: {found.what}", found.span)


def _on_chip(region: Region) -> frozenset[str]:
    """Arrays of a kernel that are not in the memory that all blocks share."""
    if region.kind is not RegionKind.KERNEL:
        return frozenset()
    return frozenset(array.name for array in region.arrays if array.space in (MemorySpace.SHARED, MemorySpace.LOCAL))


def _same_places(
    numeric: Sequence[StatementDomain], sites: Sequence[StatementDomain], *, of: Sequence[StatementDomain]
) -> list[StatementDomain]:
    """Of the sites with numbers for sizes those that stand where ``sites`` stand among ``of``.

    Loops that were unrolled with the numbers have other statements; these are told by their place in the source.
    """
    if [_place(site) for site in numeric] == [_place(site) for site in of]:
        places = {_place(site) for site in sites}
        return [site for site in numeric if _place(site) in places]
    spans = {site.node.span for site in sites}
    return [site for site in numeric if site.node.span in spans]


def _place(site: StatementDomain) -> tuple[int, ...]:
    return tuple(entry for entry in site.schedule if isinstance(entry, int))


def _elements(stride_bytes: Poly, size_bytes: int) -> str:
    terms = {monomial: Fraction(number) / size_bytes for monomial, number in stride_bytes.terms.items()}
    return str(Poly({m: int(n) if n.denominator == 1 else n for m, n in terms.items()}))


def _loops(nodes: Sequence[Node], depth: int) -> Iterator[LoopInfo]:
    for node in nodes:
        if isinstance(node, Loop):
            inner = tuple(_loops(node.body, depth + 1))
            span = node.span
            yield LoopInfo(node.iterator, span.line, span.end_line, depth, node.mapping, not inner, _range_text(node))
            yield from inner
        elif isinstance(node, Guard):
            yield from _loops(node.body, depth)
            yield from _loops(node.orelse, depth)


def _range_text(loop: Loop) -> str:
    match loop.range:
        case Strided(start, stop, step):
            by = "" if abs(step) == 1 else f", step {step}"
            return f"{loop.iterator} = {start} .. {stop}{by}"
        case other:
            return f"{loop.iterator}: {other.trip} iterations"


def _with_lines(found: Footprint, exact: Footprint) -> Footprint:
    """The element counts of one footprint with the line counts of another, array by array.

    Arrays that only the first one has are not touched at the known sizes.
    """
    by_name = {array.array: array for array in exact.arrays}
    nothing = Extent(ZERO, ZERO, ZERO)
    arrays = []
    for array in found.arrays:
        lines = by_name.get(array.array, ArrayFootprint(array.array, nothing, nothing, nothing))
        read, written = _take_lines(array.read, lines.read), _take_lines(array.written, lines.written)
        arrays.append(ArrayFootprint(array.array, read, written, _take_lines(array.touched, lines.touched)))
    return Footprint(
        exact.line_bytes,
        _take_lines(found.read, exact.read),
        _take_lines(found.written, exact.written),
        _take_lines(found.touched, exact.touched),
        tuple(arrays),
    )


def _take_lines(elements: Extent, lines: Extent) -> Extent:
    return Extent(elements.elements, elements.bytes, lines.lines)
