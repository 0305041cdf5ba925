"""What a rule looks at: one nest of a report with its surroundings and the demands on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from analyzer.ir.nodes import Mapping, RegionKind
from analyzer.poly.quantity import Quantity
from analyzer.profile import RegionProfile
from analyzer.source import Span

from ..projection import Projection
from ..ratios import Ratio
from ..report import FileReport, RegionReport
from .demands import Budget, Demand, demand_of
from .findings import Finding

_GRID = frozenset(mapping for mapping in Mapping if mapping.value.startswith(("block", "thread.")))


@dataclass(frozen=True)
class Subject:
    """A nest (``nest``, with this ``number`` from 1 among the nests of ``region``) and what is asked of it."""

    file: FileReport
    region: RegionReport
    nest: RegionReport
    number: int
    demand: Demand

    @property
    def path(self) -> str:
        """The file as it was named."""
        return self.file.profile.path

    @property
    def profile(self) -> RegionProfile:
        """The counts of the nest."""
        return self.nest.profile

    @property
    def is_kernel(self) -> bool:
        """Whether the nest runs on a grid of threads."""
        return any(loop.mapping in _GRID for loop in self.profile.loops)

    @cached_property
    def title(self) -> str:
        """What people call the nest: ``triad:12-14``; a kernel by its name."""
        profile = self.profile
        if self.region.profile.kind is RegionKind.KERNEL:
            return profile.function
        last = max((loop.end_line for loop in profile.loops), default=profile.span.end_line)
        lines = f"{profile.span.line}-{last}" if last > profile.span.line else f"{profile.span.line}"
        return f"{profile.function}:{lines}" if profile.function else f"lines {lines}"

    def judged(self) -> Iterator[tuple[Ratio, Projection | None]]:
        """The intensity on every machine; without one that of the bytes in force."""
        if not self.nest.projections:
            yield self.nest.intensity, None
        for projection in self.nest.projections:
            yield projection.intensity, projection

    def on(self, projection: Projection | None) -> str:
        """`` on v100`` where there are several machines."""
        return f" on {projection.machine.id}" if projection and len(self.nest.projections) > 1 else ""

    def value(self, quantity: Quantity) -> float | None:
        """The estimate at the known sizes; None where one is missing."""
        count = quantity.estimate
        return float(count.evaluate(self.profile.values)) if count.symbols <= self.profile.values.keys() else None

    def finding(
        self,
        code: str,
        message: str,
        *,
        hint: str = "",
        line: int | None = None,
        end_line: int | None = None,
        **facts: str | int | float | None,
    ) -> Finding:
        """A finding at the nest, or at a line of it."""
        span = self.profile.span
        if line is not None:
            span = Span(span.path, line, max(line, end_line or line))
        return Finding(
            code,
            span,
            message,
            hint,
            self.profile.function,
            self.title,
            self.profile.traits.fingerprint,
            {**self.facts(), **facts},
        )

    def facts(self) -> dict[str, str | int | float | None]:
        """Numbers about the nest that go with every finding."""
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


def subjects_of(file: FileReport, budgets: Sequence[Budget], hot_min_ai: Fraction | None = None) -> Iterator[Subject]:
    """Every nest of a file, in the order of the source; a region without a loop is a nest of its own."""
    for region in file.regions:
        for number, nest in enumerate(region.nests or (region,), 1):
            directives = file.profile.directives
            demand = demand_of(file.profile.path, region.profile, number, nest.profile, budgets, directives, hot_min_ai)
            yield Subject(file, region, nest, number, demand)
