"""Counting: the IR of a region to its :class:`~.profile.RegionProfile`, and to those of its nests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from .access_patterns import Traits, traits_of
from .counts.iteration import dominant_iteration
from .counts.policy import FlopPolicy, load_policy
from .counts.references import references_of, register_references, source_references
from .counts.results import Work
from .counts.work import lines_of, work_of
from .domains.access_relations import delinearize
from .domains.domain import Site, Sites
from .domains.limits import deadline
from .domains.quantity import ZERO
from .domains.statement_domains import sites_of
from .fusion import fusible_pairs
from .ir.drivers import Driver, driver_of, outermost_loops
from .ir.index import Poly
from .ir.nodes import Assumption, Guard, Loop, MemorySpace, Node, Region, RegionKind, Strided
from .ir.substitute import bind
from .profile import LoopInfo, RegionProfile
from .source import Span
from .traffic.footprint import footprint_of
from .traffic.results import (
    ArrayFootprint,
    Extent,
    Footprint,
    LevelTraffic,
)
from .traffic.without_caches import compulsory_line_traffic, compulsory_traffic, register_traffic


class ProfileOptions(Struct, frozen=True):
    """How to count: the FLOP policy, FMA contraction, probability of data-dependent branches, the line size.

    ``trips`` are the values of trip counts that turn out to be symbols only here, as their bounds are not affine.
    ``seconds`` of CPU time are what counting elements may take for a region or a nest (0: no limit); beyond, the
    answers are bounds.
    """

    policy: FlopPolicy = field(default_factory=lambda: load_policy("source"))
    contract: bool = True
    branch_probability: Fraction = Fraction(1, 2)
    line_bytes: int = 64
    seconds: float = 10
    trips: Mapping[str, int] = field(default_factory=dict)


def profile_region(region: Region, options: ProfileOptions | None = None) -> RegionProfile:
    """Return everything that is counted of a region and, one by one, of its nests."""
    chosen = options or ProfileOptions()
    values = {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}
    found = sites_of(region, chosen.branch_probability)
    is_bound = bool(values) and (bool(found.uncertain) or any(site.domain.is_over_budget for site in found.sites))
    if is_bound:
        found = sites_of(bind(region, values), chosen.branch_probability)
    trips = [uncertain.symbol for uncertain in found.uncertain]
    values |= {trip: chosen.trips[trip] for trip in trips if trip in chosen.trips}
    return _Profiler(region, chosen, values, found, is_bound=is_bound).region()


class _Profiler:
    """Profiles one region and its nests from one set of sites."""

    def __init__(
        self, region: Region, options: ProfileOptions, values: Mapping[str, int], found: Sites, *, is_bound: bool
    ) -> None:
        self._region = region
        self._options = options
        self._values = values
        self._sites = found
        self._is_bound = is_bound
        trips = (uncertain.symbol for uncertain in found.uncertain)
        self._symbols = (*(symbol.name for symbol in region.symbols), *trips)
        iterators = frozenset(loop.iterator for site in found.sites for loop in site.loops)
        accesses = (reference.access for site in found.sites for reference in references_of(site))
        self._renamed = delinearize(accesses, iterators)
        self._on_chip = _on_chip(region)

    def region(self) -> RegionProfile:
        region = self._region
        whole = self._profile(region.name, region.kind, region.span, self._sites.sites, region.body)
        nests = []
        fusible = fusible_pairs(region.body)
        by_nest: dict[str, list[Site]] = {}
        for site in self._sites.sites:
            if site.loops:
                by_nest.setdefault(site.loops[0].source_iterator, []).append(site)
        for loop in outermost_loops(region.body):
            sites = by_nest.get(loop.iterator, [])
            name = f"{region.function}:{loop.span.line}" if region.function else f"line {loop.span.line}"
            if len(sites) == len(self._sites.sites):
                loops = tuple(_loops((loop,), 0))
                nest = replace(whole, name=name, kind=RegionKind.LOOP, span=loop.span, loops=loops)
            elif sites:
                nest = self._profile(name, RegionKind.LOOP, loop.span, sites, (loop,))
            else:
                continue
            nest = replace(
                nest,
                traits=traits_of((loop,), region.arrays),
                fusible=fusible.get(loop.iterator, ()),
            )
            driver = driver_of(loop, self._values) if region.kind is not RegionKind.KERNEL else None
            nests.append(nest if driver is None else self._repeated(nest, driver, sites))
        outside = self._outside() if nests else None
        traits = Traits() if nests else traits_of(region.body, region.arrays)
        return replace(whole, nests=tuple(nests), outside=outside, traits=traits)

    def _repeated(self, nest: RegionProfile, driver: Driver, sites: Sequence[Site]) -> RegionProfile:
        """Return the profile of a loop that only repeats nests, with those of the nests."""
        by_nest: dict[str, list[Site]] = {}
        outside: list[Site] = []
        for site in sites:
            inner = site.loops[driver.depth].source_iterator if len(site.loops) > driver.depth else None
            (outside if inner is None else by_nest.setdefault(inner, [])).append(site)
        nests = []
        for loop in driver.nests:
            if loop.iterator in by_nest:
                name = f"{nest.function}:{loop.span.line}" if nest.function else f"line {loop.span.line}"
                found = self._profile(name, RegionKind.LOOP, loop.span, by_nest[loop.iterator], (loop,))
                nests.append(_times(found, driver.times))
        rest = self._straight(nest.name, nest.kind, nest.span, outside)
        return replace(nest, nests=tuple(nests), outside=rest)

    def _outside(self) -> RegionProfile | None:
        """Profile the statements outside of loops; None where there are none."""
        region = self._region
        sites = [site for site in self._sites.sites if not site.loops]
        return self._straight(region.name, region.kind, region.span, sites)

    def _straight(self, name: str, kind: RegionKind, span: Span, sites: Sequence[Site]) -> RegionProfile | None:
        return self._profile(name, kind, span, sites, ()) if sites else None

    def _profile(
        self,
        name: str,
        kind: RegionKind,
        span: Span,
        sites: Sequence[Site],
        body: tuple[Node, ...],
    ) -> RegionProfile:
        """Profile some sites of the region."""
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
                *([Assumption.of("AI208", span, "distinct")] if limit.over else ()),
            ),
            nests=(),
            launch=region.launch,
            is_bound=self._is_bound,
        )

    def _footprint(self, sites: Sequence[Site]) -> Footprint:
        """Symbolic elements; lines of rows from their addresses where all sizes are known."""
        accesses = (reference.access for site in sites for reference in references_of(site))
        rows = any(len(self._renamed.get(access, access).subscripts) > 1 for access in accesses)
        if not rows or self._sites.uncertain or len(self._values) < len(self._symbols):
            return footprint_of(sites, self._renamed, self._options.line_bytes, None, self._on_chip)
        found = footprint_of(sites, self._renamed, self._options.line_bytes, self._values, self._on_chip)
        if all(extent.lines.is_exact for extent in (found.read, found.written, found.touched)):
            return found
        bound = _same_places(self._numeric.sites, sites, of=self._sites.sites)
        return _with_lines(found, footprint_of(bound, {}, self._options.line_bytes, None, self._on_chip))

    @cached_property
    def _numeric(self) -> Sites:
        """The sites with numbers for all sizes."""
        return sites_of(bind(self._region, self._values), self._options.branch_probability)

    def _assumptions(self, sites: Sequence[Site]) -> Iterator[Assumption]:
        for uncertain in self._sites.uncertain:
            yield Assumption.of("AI203", uncertain.span, "trip", symbol=uncertain.symbol)
        for span in sorted({site.statement.span for site in sites if site.domain.is_over_budget}):
            yield Assumption.of("AI208", span, "counting")
        told: set[str] = set()
        for site in sites:
            for reference in references_of(site):
                access = reference.access
                if access in self._renamed and access.array not in told:
                    told.add(access.array)
                    rows = self._renamed[access].strides_bytes[:-1]
                    length = tuple(_elements(row, access.type.size_bytes) for row in rows if row is not None)
                    yield Assumption.of("AI303", site.statement.span, "rows", array=access.array, elements=length)


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
        yield Assumption.of("AI214", found.span, "not-counted", name, what=found.what)


def _on_chip(region: Region) -> frozenset[str]:
    """Arrays of a kernel that are not in the memory that all blocks share."""
    if region.kind is not RegionKind.KERNEL:
        return frozenset()
    return frozenset(array.name for array in region.arrays if array.space in (MemorySpace.SHARED, MemorySpace.LOCAL))


def _same_places(numeric: Sequence[Site], sites: Sequence[Site], *, of: Sequence[Site]) -> list[Site]:
    """Of the sites with numbers for sizes those that stand where ``sites`` stand among ``of``.

    Loops that were unrolled with the numbers have other statements; these are told by their place in the source.
    """
    if [_place(site) for site in numeric] == [_place(site) for site in of]:
        places = {_place(site) for site in sites}
        return [site for site in numeric if _place(site) in places]
    spans = {site.statement.span for site in sites}
    return [site for site in numeric if site.statement.span in spans]


def _place(site: Site) -> tuple[int, ...]:
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
