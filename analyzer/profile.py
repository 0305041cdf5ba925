"""Profiles of regions and files, independent of any machine: the results of the analysis.

All numbers are :class:`~analyzer.quantities.quantity.Quantity` values over the region's symbols;
:attr:`RegionProfile.values` holds the values of those symbols that are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from msgspec import Struct, field
from msgspec.structs import replace

from .access_patterns import AccessPatterns
from .annotations.model import Annotation
from .bounds.results import LowerBound
from .counts.results import InnerLoop, LineWork, PerIteration, References, Work
from .diagnostics import Diagnostic
from .ir.flags import Flag
from .ir.launches import Launch, LaunchSeries
from .ir.nodes import Assumption, RegionKind
from .ir.nodes import Mapping as LoopMapping
from .parallelism import Parallelism
from .quantities.blend import Blend
from .source import Language, Span
from .traffic.results import Footprint, LevelTraffic, RegionTraffic
from .transformations.kinds import Transformation
from .usage import FunctionUsage


class LoopInfo(Struct, frozen=True, kw_only=True):
    """One loop of a region, outermost first, as far as reports and ceilings need it."""

    iterator: str
    path: str
    line: int
    end_line: int
    depth: int
    mapping: LoopMapping
    innermost: bool
    trip_text: str


class RepeatedLaunches(Struct, frozen=True):
    """The launches that a profile is the sum of; ``analyzed`` are those looked at one by one, by their position.

    ``blend`` adds up their quantities, in the same order.
    """

    series: LaunchSeries
    analyzed: tuple[tuple[int, RegionProfile], ...]
    blend: Blend


class StoredStream(Struct, frozen=True):
    """An array that a nest stores in the order of its elements, each once, and never reads.

    ``is_read_elsewhere``: another nest of the function reads it.
    """

    array: str
    is_read_elsewhere: bool = False


class DistinctData(Struct, frozen=True):
    """The distinct data of a region, and the bytes that every cache moves for them: in elements, and in whole lines.

    ``line_traffic`` is None where lines were not counted; those of the footprint are 0 then.
    """

    footprint: Footprint
    traffic: LevelTraffic
    line_traffic: LevelTraffic | None


_MOST_WAYS = 256


class _Running:
    """Whether a part runs, by the values of the flags that it depends on."""

    def __init__(self, part: RegionProfile, values: Mapping[str, int]) -> None:
        self._part = part
        self._values = values
        self._known: dict[tuple[int | None, ...], bool | None] = {}

    def under(self, choice: Mapping[str, int]) -> bool | None:
        """Return whether the part runs for a choice; None where it does something else than was assumed."""
        key = tuple(choice.get(name) for name in self._part.assumed)
        if key not in self._known:
            self._known[key] = self._part.runs_with({**self._values, **choice})
        return self._known[key]


class RegionProfile(Struct, frozen=True):
    """The counts of one region, on any machine; of a series of launches the sum over all of them.

    ``nests`` are those of the region, or those that a nest only repeats (:mod:`.ir.passes.drivers`), each of them as
    often as ``repetitions`` says; ``averages`` are trip counts that are not whole, which counts no longer have as
    symbols;
    ``outside`` are the statements outside of them.  ``is_bound``: counts are numbers that
    hold for ``values`` alone.  ``fusible`` are the arrays that a nest shares
    with the one before it, where the two may be made one; ``access_patterns`` are those of a nest, or of a region
    without one.  ``finds_data``: what runs before touches the same arrays, so that caches may hold some of its data
    where sizes are small.
    Where ``flags`` decide what runs, the profile is that of those values among ``values`` that are ``assumed``: of the
    alternative with the most work.  A region has the ``flags`` of conditions on data around its nests too, and takes
    them both ways.  ``per_iteration`` is of the first of the ``inner_loops``, of which a region of several nests has
    the dominant one alone; ``written_loops`` remain where a compiler unrolls short loops inside of others in whole,
    none where there are no such.  ``streamed`` are the bytes of a nest whose intensity grows with unknown
    sizes, where no cache holds anything from one iteration of its outermost loop to the next.  ``findings`` are what is
    wrong with the whole at the values of its symbols.  ``parallelism`` says why a nest runs on several cores or on one.
    ``stored_streams`` are the arrays that it, or one of its nests, only stores, in the order of their elements.
    A nest does the same work ``same_work_times`` where its outer loops repeat it, as for a measurement;
    ``outermost_trips`` are the iterations of its outermost loop, None where they are not known.
    ``variants`` are the nest alone, first as it is, then transformed, ``fusions`` several of its ``nests`` as one, and
    ``least`` is the traffic that no order of its operations is below, where these were asked for.  ``distinct`` is
    None of a region of several nests that was not asked for ``in_full`` (:class:`~analyzer.options.AnalysisOptions`).
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
    distinct: DistinctData | None
    register_traffic: LevelTraffic
    loops: tuple[LoopInfo, ...]
    lines: tuple[LineWork, ...]
    assumptions: tuple[Assumption, ...]
    nests: tuple[RegionProfile, ...]
    outside: RegionProfile | None = None
    repetitions: int = 1
    same_work_times: int = 1
    outermost_trips: int | None = None
    launch: Launch | None = None
    access_patterns: AccessPatterns = field(default_factory=AccessPatterns)
    fusible: tuple[str, ...] = ()
    launches: RepeatedLaunches | None = None
    is_bound: bool = False
    assumed: Mapping[str, int] = field(default_factory=dict)
    flags: tuple[Flag, ...] = ()
    inner_loops: tuple[InnerLoop, ...] = ()
    written_loops: tuple[InnerLoop, ...] = ()
    streamed: LevelTraffic | None = None
    averages: Mapping[str, Fraction] = field(default_factory=dict)
    finds_data: bool = False
    findings: tuple[Diagnostic, ...] = ()
    parallelism: Parallelism | None = None
    stored_streams: tuple[StoredStream, ...] = ()
    variants: tuple[Variant, ...] = ()
    fusions: tuple[Fusion, ...] = ()
    least: LowerBound | None = None

    @property
    def footprint(self) -> Footprint:
        """Return the distinct data; raises ``ValueError`` where they were not counted."""
        return self._distinct.footprint

    @property
    def compulsory_traffic(self) -> LevelTraffic:
        """Return the bytes of an ideal cache; raises ``ValueError`` where distinct data were not counted."""
        return self._distinct.traffic

    @property
    def compulsory_line_traffic(self) -> LevelTraffic:
        """Return the same in whole cache lines; raises ``ValueError`` where these were not counted."""
        found = self._distinct.line_traffic
        if found is None:
            raise ValueError(f"the cache lines of {self.name} were not counted")
        return found

    @property
    def _distinct(self) -> DistinctData:
        if self.distinct is None:
            raise ValueError(f"the distinct data of {self.name} were not counted")
        return self.distinct

    @property
    def last_line(self) -> int:
        """Return the last line of the region and its loops, but for those of functions that other files define."""
        ends = (loop.end_line for loop in self.loops if loop.path == self.span.path)
        return max(ends, default=self.span.end_line)

    @property
    def when(self) -> tuple[str, ...]:
        """Return what is assumed of flags, each as a text."""
        chosen = ((flag, self.assumed[flag.name]) for flag in self.flags if flag.name in self.assumed)
        return tuple(flag.text(value) for flag, value in chosen if value != flag.usual)

    @property
    def choices(self) -> Mapping[str, tuple[int, ...]]:
        """Return the values of what stands for conditions on data around nests; nothing is assumed of them."""
        return {flag.name: flag.values for flag in self.flags if flag.is_of_data and flag.name not in self.assumed}

    def runs_with(self, values: Mapping[str, int]) -> bool | None:
        """Return whether it does what is assumed of it where flags have these values; None for something else."""
        if not self.assumed:
            return True
        counts = (self.work.flops.estimate, self.loads.elements.estimate, self.stores.elements.estimate)
        flags = {name: values[name] for name in self.assumed if name in values}
        found = [count.bind(flags) for count in counts]
        if all(count.is_zero for count in found):
            return False
        own = [count.bind(self.assumed) for count in counts]
        return True if all((one - other).is_zero for one, other in zip(found, own, strict=True)) else None

    @property
    def ways(self) -> tuple[tuple[tuple[bool, ...], Fraction], ...]:
        """Return which parts run, for each of the choices, with its probability.

        Returns () where that is not known, or where there are more than 256 choices.
        """
        count = prod(map(len, self.choices.values()))
        if count > _MOST_WAYS:
            return ()
        running = [_Running(part, self.values) for part in self.parts]
        found = []
        for values in product(*self.choices.values()):
            choice = dict(zip(self.choices, values, strict=True))
            runs = [part.under(choice) for part in running]
            if None in runs:
                return ()
            found.append((tuple(map(bool, runs)), Fraction(1, count)))
        return tuple(found)

    @property
    def parts(self) -> tuple[RegionProfile, ...]:
        """Return the parts that run one after the other: nests, and the statements outside; () without nests.

        The blocks of a kernel run at the same time: it is one part.
        """
        if not self.nests or self.kind is RegionKind.KERNEL:
            return ()
        return self.nests if self.outside is None else (*self.nests, self.outside)


def one_after_another(nests: Sequence[RegionProfile], outside: RegionProfile | None) -> tuple[RegionProfile, ...]:
    """Return nests that run one after the other, each with whether it may find data of the others in a cache.

    Those that are repeated may find their own.
    """
    touched = set() if outside is None else {found.array for found in outside.footprint.arrays}
    found = []
    for nest in nests:
        arrays = {each.array for each in nest.footprint.arrays}
        finds = nest.finds_data or nest.repetitions > 1 or not arrays.isdisjoint(touched)
        found.append(replace(nest, finds_data=finds))
        touched |= arrays
    return tuple(found)


class Variant(Struct, frozen=True):
    """A nest after some transformations (none: as it is), analyzed alone: with cold caches, no nest before it.

    Without sizes it has no ``traffic``.
    """

    steps: tuple[Transformation, ...]
    profile: RegionProfile
    traffic: RegionTraffic


class Fusion(Struct, frozen=True):
    """Some of the nests of a region, or of a loop that repeats them, as one: their numbers, and what they become."""

    nests: tuple[int, ...]
    made: Variant


class FileProfile(Struct, frozen=True):
    """The result for one input file; ``regions`` is empty where nothing could be analyzed.

    ``first_line`` is the line of the containing document at which ``source_text`` starts.  ``annotations`` are the
    annotations in the comments of the source.  ``used`` are the names given with ``-D`` that something depends on;
    ``names`` those that may be given; ``usage`` is what its functions call, and in which loops.  ``given`` are the
    arrays and matrices of ``--array`` and ``--matrix`` that something depends on, ``arrays`` the names of those that
    may be given.
    """

    path: str
    language: Language
    frontend: str
    regions: tuple[RegionProfile, ...]
    diagnostics: tuple[Diagnostic, ...]
    ir_text: str
    source_text: str
    first_line: int = 1
    annotations: tuple[Annotation, ...] = ()
    used: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    usage: tuple[FunctionUsage, ...] = ()
    given: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()


class AnalyzedFile(Struct, frozen=True):
    """The analysis of one file: its profile, and the traffic of each of the profile's regions, in order.

    The traffic is that between the levels of the cache hierarchies that were asked for.
    """

    profile: FileProfile
    traffic: tuple[RegionTraffic, ...] = ()

    @property
    def path(self) -> str:
        """Return the file as it was named."""
        return self.profile.path

    @property
    def regions(self) -> tuple[RegionProfile, ...]:
        """Return the profiles of the regions."""
        return self.profile.regions

    @property
    def regions_with_traffic(self) -> tuple[tuple[RegionProfile, RegionTraffic], ...]:
        """Return the profile of each region with its traffic, which is empty where none was asked for."""
        traffic = self.traffic or (RegionTraffic(),) * len(self.profile.regions)
        return tuple(zip(self.profile.regions, traffic, strict=True))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return the findings about the source."""
        return self.profile.diagnostics
