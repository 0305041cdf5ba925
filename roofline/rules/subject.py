"""What a rule looks at: one nest of a report with its surroundings and the demands on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from msgspec import Struct

from analyzer.diagnostics import Phrase
from analyzer.ir.nodes import RegionKind
from analyzer.profile import FileProfile, RegionProfile
from analyzer.python.cached_property import cached_property
from analyzer.quantities.quantity import Quantity
from analyzer.source import Span
from analyzer.traffic.results import Request

from ..model.intensity import Ratio
from ..model.projection import Projection
from ..report.locations import column_of_loop, first_column
from ..report.report import FileReport, RegionReport
from .demands import Budget, Demand, demand_of
from .findings import Finding
from .sentences import Shown

_Location = tuple[str, int]  # file and first line


class Subject(Struct, frozen=True, dict=True):
    """A nest (``nest``, with this ``number`` from 1 among the nests of ``region``) and what is asked of it.

    ``home`` is the same nest in its own function (the ``home_number``-th there), from which it may be inlined into
    ``region``.  ``sources`` are all files of the report by path: the nest may be of another one than ``file``.
    """

    file: FileReport
    sources: Mapping[str, FileProfile]
    region: RegionReport
    nest: RegionReport
    number: int
    home: RegionReport
    home_number: int
    demand: Demand

    @property
    def path(self) -> str:
        """Return the file as it was named."""
        return self.file.profile.path

    @property
    def profile(self) -> RegionProfile:
        """Return the counts of the nest."""
        return self.nest.profile

    @property
    def requests(self) -> tuple[Request, ...]:
        """Return what the warps of a kernel ask of memory, on the first machine."""
        return () if self.nest.caches is None else self.nest.caches.requests

    @property
    def function(self) -> str:
        """Return the function whose text the nest is of."""
        return self.home.profile.function

    @property
    def fingerprint(self) -> str:
        """Return the digest of what the nest does in its own function."""
        return self.home.profile.access_patterns.fingerprint

    @property
    def is_inlined(self) -> bool:
        """Return whether the nest is judged as part of another function."""
        return self.nest is not self.home and self.profile.function != self.function

    @property
    def unknown_sizes(self) -> int:
        """Return how many sizes that the intensity depends on have no value."""
        counts = (self.profile.work.flops.estimate, self.nest.moved.total.estimate)
        return len(frozenset().union(*(count.symbols for count in counts)) - self.profile.values.keys())

    @property
    def is_kernel(self) -> bool:
        """Return whether the nest runs on a grid of threads."""
        return any(loop.mapping.is_of_grid for loop in self.profile.loops)

    @cached_property
    def title(self) -> str:
        """Return the name of the nest: ``triad:12-14``; that of a kernel."""
        profile = self.home.profile
        if self.region.profile.kind is RegionKind.KERNEL:
            return profile.function
        last = profile.last_line
        lines = f"{profile.span.line}-{last}" if last > profile.span.line else f"{profile.span.line}"
        return f"{profile.function}:{lines}" if profile.function else f"lines {lines}"

    def lines_from(self, line: int) -> list[str]:
        """Return the lines of the nest's file from one on; none where that file is no part of the report."""
        source = self._source
        return [] if source is None else self._lines[max(0, line - source.first_line) :]

    @property
    def _source(self) -> FileProfile | None:
        path = self.profile.span.path
        return self.file.profile if path == self.path else self.sources.get(path)

    @cached_property
    def _lines(self) -> list[str]:
        return [] if self._source is None else self._source.source_text.split("\n")

    def judged(self) -> Iterator[tuple[Ratio, Projection | None]]:
        """Yield the intensity on every machine; without one that of the bytes in force."""
        if not self.nest.projections:
            yield self.nest.intensity, None
        for projection in self.nest.projections:
            yield projection.intensity, projection

    def on(self, projection: Projection | None) -> Phrase | str:
        """Return `` on v100`` where there are several machines."""
        if projection is None or len(self.nest.projections) < 2:
            return ""
        return Phrase.of("AI100", "on", machine=projection.machine.id)

    def value(self, quantity: Quantity) -> float | None:
        """Return the estimate at the known sizes; None where one is missing."""
        count = quantity.estimate
        return float(count.evaluate(self.profile.values)) if count.symbols <= self.profile.values.keys() else None

    def finding(
        self,
        code: str,
        form: str,
        fields: Mapping[str, Shown],
        *,
        at: tuple[int, int] | None = None,
        column: int | None = None,
        facts: Mapping[str, str | int | float | None] = MappingProxyType({}),
    ) -> Finding:
        """Return a finding with this sentence of the catalog, at the nest or at some lines of it, first and last."""
        span = self.profile.span
        line = next(iter(self.lines_from((at or (span.line,))[0])), "")
        if column is None:
            column = column_of_loop(line) if at is None else first_column(line)
        if at is not None:
            span = Span(span.path, at[0], max(at))
        return Finding(
            code,
            span,
            form,
            fields,
            self.function,
            self.title,
            self.fingerprint,
            {**self.facts(), **facts},
            column=column if span.path == self.path else 0,
        )

    def facts(self) -> dict[str, str | int | float | None]:
        """Return numbers about the nest that go with every finding."""
        projection = self.nest.projections[0] if self.nest.projections else None
        number = self.nest.intensity.number if projection is None else projection.intensity.number
        found: dict[str, str | int | float | None] = {"intensity": None if number is None else float(number)}
        if projection is not None:
            found["machine"] = projection.machine.id
            found["bound"] = projection.bound.value
            found["level"] = projection.level
            if projection.ceiling is not None:
                memory = projection.machine.memory.name
                outermost = next((level for level in projection.levels if level.level == memory), None)
                if outermost is not None:
                    found["ridge"] = (projection.ceiling.rate / outermost.bandwidth.rate).value
            found["attainable_flop_per_s"] = None if projection.attainable is None else projection.attainable.value
        return found


Rule = Callable[[Subject], Iterator[Finding]]


def subjects_of(
    file: FileReport,
    sources: Mapping[str, FileProfile],
    budgets: Sequence[Budget],
    hot_min_ai: Fraction | None = None,
) -> Iterator[Subject]:
    """Yield every nest of a file, in the order of the source; a region without a loop is a nest of its own.

    A nest that is inlined into other functions is judged once: in its own function where its sizes are known there,
    else where the most of them are.
    """
    own = _in_own_function(file)
    found: dict[_Location, list[Subject]] = {}
    for region in file.regions:
        for number, nest in enumerate(region.nests or (region,), 1):
            location = _location_of(nest)
            home = own.get(location, _Home(region, nest, number))
            demand = demand_of(
                file.profile.path,
                home.region.profile,
                home.number,
                home.nest.profile,
                budgets,
                file.profile.annotations,
                hot_min_ai,
            )
            subject = Subject(
                file=file,
                sources=sources,
                region=region,
                nest=nest,
                number=number,
                home=home.nest,
                home_number=home.number,
                demand=demand,
            )
            found.setdefault(location, []).append(subject)
    for location in sorted(found):
        yield from _judged_once(found[location])


class _Home(Struct, frozen=True):
    """A nest in the function whose text it is of."""

    region: RegionReport
    nest: RegionReport
    number: int


def _location_of(nest: RegionReport) -> _Location:
    return nest.profile.span.path, nest.profile.span.line


def _in_own_function(file: FileReport) -> dict[_Location, _Home]:
    """Return, by files and first lines, the nests that are analyzed as parts of their own functions."""
    found: dict[_Location, _Home] = {}
    for region in file.regions:
        span = region.profile.span
        for number, nest in enumerate(region.nests or (region,), 1):
            path, line = _location_of(nest)
            if path == span.path and span.line <= line <= span.end_line:
                found.setdefault((path, line), _Home(region, nest, number))
    return found


def _judged_once(copies: Sequence[Subject]) -> Sequence[Subject]:
    at_home = [subject for subject in copies if not subject.is_inlined]
    best = min(copies, key=lambda subject: (subject.unknown_sizes, subject.is_inlined))
    return [best] if best.is_inlined or not at_home else at_home
