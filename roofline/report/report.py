"""The report: one immutable tree per run, of which renderers are functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

from msgspec import Struct

from analyzer.diagnostics import Diagnostic
from analyzer.errors import OptionError
from analyzer.profile import AnalyzedFile, FileProfile

from ..machine.machine import Machine
from ..model.level_bytes import ProjectionOptions, Target
from .regions import FileReport, RegionReport, file_report

__all__ = ["FileReport", "RegionReport", "Report", "make_report"]

_RENDERERS = "ai_estimate.renderers"


class Report(Struct, frozen=True, kw_only=True):
    """Everything that one run found; ``files`` may be made one by one, each time they are asked for.

    ``targets`` are the machines with the caches in force, in the order in which they were named; ``projection`` is how
    every one of them is projected onto.
    """

    version: str
    options: Mapping[str, Any]
    targets: tuple[Target, ...]
    projection: ProjectionOptions
    files: Sequence[FileReport]

    def __repr__(self) -> str:
        """Return a line; the values of a report are many pages."""
        names = ", ".join(machine.id for machine in self.machines) or "no machine"
        count = f"{len(self.files)} file{'s' * (len(self.files) != 1)}"
        return f"<Report on {count}, {names}: regions, diagnostics, to_json(), to_frame(), plot()>"

    @property
    def machines(self) -> tuple[Machine, ...]:
        """Return the machines, in the order in which they were named."""
        return tuple(target.machine for target in self.targets)

    @property
    def regions(self) -> tuple[RegionReport, ...]:
        """Return the regions of all files, in the order of the source; each takes the sizes of all of them."""
        found = [region for file in self.files for region in file.regions]
        sizes = frozenset(name for region in found for name in region.profile.symbols)
        return tuple(region.with_sizes(sizes) for region in found)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return what is to be said about the sources, which the command line writes to standard error."""
        return tuple(dict.fromkeys(found for file in self.files for found in file.profile.diagnostics))

    @property
    def profiles(self) -> Sequence[FileProfile]:
        """Return the profiles of the files, for which those of many files need not be projected anew."""
        files = self.files.analyzed if isinstance(self.files, _Projected) else self.files
        return [file.profile for file in files]

    def to_primitive(self) -> dict[str, Any]:
        """Return the JSON document (``report.schema.json``) as plain dictionaries and lists."""
        from .json.document import file_form  # here, as tables do without

        return {**self.head(), "files": [file_form(file) for file in self.files]}

    def head(self) -> dict[str, Any]:
        """Return the JSON document without its files."""
        from .json.document import SCHEMA_VERSION, machine_form

        machines = [machine_form(machine) for machine in self.machines]
        return {
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "ai-estimate", "version": self.version},
            "options": dict(self.options),
            "machine": machines[0] if machines else None,
            "machines": machines,
        }

    def to_json(self) -> str:
        """Return the JSON document as text."""
        return json.dumps(self.to_primitive(), indent=2, allow_nan=False)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row for each region and nest, and for each machine: plain numbers in FLOP, byte and second."""
        for file in self.files:
            for region in file.regions:
                for part in (region, *region.all_nests):
                    yield from _rows(file, part)

    def to_frame(self) -> Any:
        """Return :meth:`rows` as a ``pandas.DataFrame``; raises ``OptionError`` where pandas is not installed."""
        try:
            import pandas
        except ImportError:
            raise OptionError("to_frame needs pandas", hint="pip install 'ai-estimate[notebook]'") from None
        return pandas.DataFrame(list(self.rows()))

    def plot(self) -> Any:
        """Return the roofline plot as a ``matplotlib.figure.Figure``; raises ``OptionError`` without a machine."""
        if not self.targets:
            raise OptionError("a roofline needs a machine", hint='name one, as in estimate(..., machines="v100")')
        return _renderer("figure")(self)

    def _repr_html_(self) -> str:
        """Return the first screen for notebooks."""
        return str(_renderer("notebook")(self))


def _renderer(name: str) -> Callable[[Report], Any]:
    """Return a renderer by name: renderers belong to the command line, which reports do not import."""
    from importlib.metadata import entry_points  # here, as it takes longer to import than most reports to render

    for found in entry_points(group=_RENDERERS, name=name):
        renderer: Callable[[Report], Any] = found.load()
        return renderer
    raise OptionError(f"no renderer named {name} is installed", hint="pip install ai-estimate")


def _rows(file: FileReport, region: RegionReport) -> Iterator[dict[str, Any]]:
    profile = region.profile
    common: dict[str, Any] = {
        "file": file.profile.path,
        "name": profile.name,
        "kind": profile.kind.value,
        "line": profile.span.line,
        "flops": region.flops.value,
        "flops_formula": str(region.flops),
    }
    for projection in region.projections or (None,):
        intensity = (region.intensity if projection is None else projection.intensity).number
        found: dict[str, Any] = {
            "bytes": region.bytes.value if projection is None else region.bytes_of(projection).value
        }
        found["intensity"] = None if intensity is None else float(intensity)
        if projection is not None:
            found |= {
                "machine": projection.machine.id,
                "bound": projection.bound.value,
                "level": projection.level,
                "flop_per_s": None if projection.attainable is None else projection.attainable.value,
                "time_s": None if projection.time is None else projection.time.value,
                "expected_s": None if projection.expected is None else projection.expected.time.value,
            }
        yield common | found


class _Projected(Sequence[FileReport]):
    """Reports of files, made when asked for: profiles of many files need not be in memory together."""

    def __init__(self, files: Sequence[AnalyzedFile], project: Callable[[AnalyzedFile], FileReport]) -> None:
        self.analyzed = files
        self._project = project

    def __len__(self) -> int:
        return len(self.analyzed)

    @overload
    def __getitem__(self, index: int) -> FileReport: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[FileReport]: ...

    def __getitem__(self, index: int | slice) -> FileReport | Sequence[FileReport]:
        if isinstance(index, slice):
            return [self._project(file) for file in self.analyzed[index]]
        return self._project(self.analyzed[index])


def make_report(
    files: Sequence[AnalyzedFile],
    targets: Sequence[Target],
    projection: ProjectionOptions,
    *,
    version: str,
    options: Mapping[str, Any],
) -> Report:
    """Project every region of every file onto every machine: a tuple of files at once, others as they are asked for."""

    def projected(file: AnalyzedFile) -> FileReport:
        return file_report(file, targets, projection)

    reports = tuple(map(projected, files)) if isinstance(files, tuple) else _Projected(files, projected)
    return Report(version=version, options=options, targets=tuple(targets), projection=projection, files=reports)
