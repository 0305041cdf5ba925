"""The report: one immutable tree per run, and its JSON form (``schema_version`` 1, ``report.schema.json``).

Renderers are functions of :class:`Report`.  :func:`to_primitive` gives plain dictionaries and lists in a stable order:
files as given, regions and nests as in the source.  Every counted quantity is an object

``{"symbolic", "value", "lower", "upper", "unit", "exactness"}``

where ``value`` is the estimate at the known sizes (an integer where it is an exact count) and ``null`` where a size is
missing; ``lower`` and ``upper`` likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from analyzer.counts.shapes import PerIteration, References, Vectorization, Work
from analyzer.diagnostics import Diagnostic
from analyzer.ir.index import var
from analyzer.ir.nodes import Assumption, Launch
from analyzer.poly.quantity import add, exact
from analyzer.poly.quasi import fixed, polynomial
from analyzer.profile import FileProfile, RegionProfile
from analyzer.traffic.shapes import CacheTraffic, Condition, Extent, Footprint, LevelTraffic, Reuse

from .advice import Advice, advice_for
from .keeping import decisive_conditions, reuses_within
from .machine import Machine
from .moves import cache_traffic, hierarchy_in_force, level_moves
from .primitive import (
    condition_form,
    fraction_text,
    occupancy_form,
    plain,
    projection_form,
    quantity,
    ratio_form,
    request_form,
    reuse_form,
)
from .projection import Moved, Projection, ProjectionOptions, Ratio, fma_share, moved_bytes, project, ratio

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class RegionReport:
    """A region with its projections (one for each machine, in order) and its nests.

    ``caches`` is the traffic whose outermost bytes are the ones ``moved``, and ``served`` are the bytes of its levels;
    None and () where caches are not modelled.  ``reuses`` are those inside the region, where they were asked for, and
    ``conditions`` has of each cache the one that decides at common sizes.
    """

    profile: RegionProfile
    moved: Moved
    intensity: Ratio
    caches: CacheTraffic | None
    served: tuple[tuple[str, Moved], ...]
    projections: tuple[Projection, ...]
    advice: tuple[Advice, ...]
    reuses: tuple[Reuse, ...]
    conditions: tuple[Condition, ...]
    nests: tuple[RegionReport, ...]


@dataclass(frozen=True, slots=True)
class FileReport:
    """A file with its regions."""

    profile: FileProfile
    regions: tuple[RegionReport, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that one run found; ``files`` may be made one by one, each time they are asked for."""

    version: str
    options: Mapping[str, Any]
    machines: tuple[Machine, ...]
    files: Sequence[FileReport]


class _Projected(Sequence[FileReport]):
    """Reports of files, made when asked for: profiles of many files need not be in memory together."""

    def __init__(self, files: Sequence[FileProfile], project: Callable[[FileProfile], FileReport]) -> None:
        self._files = files
        self._project = project

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, place: int) -> FileReport: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[FileReport]: ...

    def __getitem__(self, place: int | slice) -> FileReport | Sequence[FileReport]:
        if isinstance(place, slice):
            return [self._project(file) for file in self._files[place]]
        return self._project(self._files[place])


def make_report(
    files: Sequence[FileProfile],
    machines: Sequence[Machine],
    projection: ProjectionOptions,
    *,
    version: str,
    options: Mapping[str, Any],
) -> Report:
    """Project every region of every file onto every machine: a tuple of files at once, others as they are asked for."""

    def projected(file: FileProfile) -> FileReport:
        return FileReport(file, tuple(region_report(region, machines, projection) for region in file.regions))

    reports = tuple(map(projected, files)) if isinstance(files, tuple) else _Projected(files, projected)
    return Report(version, options, tuple(machines), reports)


def region_report(
    profile: RegionProfile,
    machines: Sequence[Machine],
    options: ProjectionOptions,
    reuses: Sequence[Reuse] | None = None,
) -> RegionReport:
    """One region and its nests on every machine; the first machine decides which bytes the headline counts.

    ``reuses`` are those of the whole that the profile is a nest of; None where it is the whole.
    """
    machine = machines[0] if machines else None
    moved = moved_bytes(profile, options, machine)
    projections = tuple(project(profile, machine, options) for machine in machines)
    own = profile.reuses if reuses is None else reuses_within(profile, reuses)
    hierarchies = (hierarchy_in_force(options, machine) for machine in machines or (None,))
    hierarchy = next((found for found in hierarchies if found is not None and found.gpu is None), None)
    return RegionReport(
        profile,
        moved,
        ratio(profile, profile.work.flops, moved.total),
        cache_traffic(profile, options, machine),
        level_moves(profile, options, machine),
        projections,
        advice_for(profile, moved, projections, options),
        own,
        () if hierarchy is None else decisive_conditions(own, hierarchy),
        tuple(region_report(nest, machines, options, own) for nest in profile.nests),
    )


def to_primitive(report: Report) -> dict[str, Any]:
    """The JSON document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "ai-estimate", "version": report.version},
        "options": dict(report.options),
        "machine": _machine(report.machines[0]) if report.machines else None,
        "machines": [_machine(machine) for machine in report.machines],
        "files": [file_form(file) for file in report.files],
    }


def _machine(machine: Machine) -> dict[str, Any]:
    return {
        "id": machine.id,
        "name": machine.name,
        "kind": machine.kind.value,
        "scale_flops": machine.scaling.flops,
        "scale_bandwidth": machine.scaling.bandwidth,
    }


def file_form(file: FileReport) -> dict[str, Any]:
    """The part of the JSON document that belongs to one file."""
    profile = file.profile
    return {
        "path": profile.path,
        "language": profile.language.value,
        "frontend": profile.frontend,
        "diagnostics": [_diagnostic(found) for found in profile.diagnostics],
        "regions": [_region(region) for region in file.regions],
    }


def _diagnostic(found: Diagnostic) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": found.severity.value,
        "line": found.span.line,
        "message": found.message,
        "hint": found.hint,
    }


def _region(region: RegionReport) -> dict[str, Any]:
    profile = region.profile
    values = profile.values
    return {
        "name": profile.name,
        "kind": profile.kind.value,
        "function": profile.function,
        "line": profile.span.line,
        "end_line": profile.span.end_line,
        "depth": profile.depth,
        "parameters": {symbol: values.get(symbol) for symbol in profile.symbols},
        "launch": None if profile.launch is None else _launch(profile.launch),
        "occupancy": None if profile.occupancy is None else occupancy_form(profile.occupancy),
        "requests": [request_form(found) for found in profile.requests],
        "loops": [
            {
                "iterator": loop.iterator,
                "line": loop.line,
                "depth": loop.depth,
                "range": loop.trip_text,
                "mapping": loop.mapping.value,
            }
            for loop in profile.loops
        ],
        "work": _work(profile, profile.work),
        "references": {
            "loads": _references(profile.loads, values),
            "stores": _references(profile.stores, values),
        },
        "per_iteration": None if profile.per_iteration is None else _iteration(profile.per_iteration),
        "footprint": _footprint(profile.footprint, values),
        "convention": region.moved.convention.value,
        "bytes": quantity(region.moved.total, "byte", values),
        "intensity": ratio_form(region.intensity),
        "traffic": [
            _traffic(profile, level)
            for level in (
                profile.register_traffic,
                *(
                    (profile.compulsory_traffic, profile.compulsory_line_traffic)
                    if region.caches is None
                    else region.caches.levels
                ),
            )
        ],
        "caches": [_caches(profile, found) for found in profile.caches],
        "reuses": [reuse_form(found) for found in region.reuses],
        "projection": projection_form(region.projections[0]) if region.projections else None,
        "projections": [projection_form(projection) for projection in region.projections],
        "assumptions": [_assumption(assumption) for assumption in profile.assumptions],
        "advice": [{"code": found.code, "text": found.text, "gain": found.gain} for found in region.advice],
        "lines": [
            {
                "line": line.line,
                "flops": quantity(line.flops, "flop", values),
                "load_bytes": quantity(line.load_bytes, "byte", values),
                "store_bytes": quantity(line.store_bytes, "byte", values),
                "executions": quantity(line.executions, "1", values),
            }
            for line in profile.lines
        ],
        "nests": [_region(nest) for nest in region.nests],
    }


def _launch(launch: Launch) -> dict[str, Any]:
    """Extents that are not known are the symbols of the region that stand for them."""

    def dimensions(name: str, values: Sequence[int | None]) -> list[dict[str, Any]]:
        return [_size(f"{name}.{axis}", value, "1") for axis, value in zip("xyz", values, strict=True)]

    return {
        "grid": dimensions("gridDim", launch.grid),
        "block": dimensions("blockDim", launch.block),
        "shared_bytes": _size("shared_bytes", launch.shared_bytes, "byte"),
        "source": launch.source,
    }


def _size(symbol: str, value: int | None, unit: str) -> dict[str, Any]:
    return quantity(exact(polynomial(var(symbol)) if value is None else fixed(value)), unit, {})


def _work(profile: RegionProfile, work: Work) -> dict[str, Any]:
    values = profile.values
    alpha = fma_share(profile)
    return {
        "flops": quantity(work.flops, "flop", values),
        "operations": [
            {
                "operation": key.operation.value,
                "precision": key.precision.value,
                "function": key.function,
                "count": quantity(count, "1", values),
            }
            for key, count in work.operations.items()
        ],
        "by_precision": {
            precision.value: quantity(flops, "flop", values) for precision, flops in work.flops_by_precision.items()
        },
        "fma_instructions": quantity(work.fma_instructions, "1", values),
        "flop_instructions": quantity(work.flop_instructions, "1", values),
        "fma_share": None if alpha is None else float(alpha),
        "integer_operations": quantity(work.integer_operations, "1", values),
        "index_operations": quantity(work.index_operations, "1", values),
        "not_counted": [
            {"what": found.what, "line": found.span.line, "runs": quantity(found.runs, "1", values)}
            for found in work.not_counted
        ],
    }


def _references(references: References, values: Mapping[str, int]) -> dict[str, Any]:
    return {
        "elements": quantity(references.elements, "1", values),
        "bytes": quantity(references.bytes, "byte", values),
    }


def _iteration(iteration: PerIteration) -> dict[str, Any]:
    return {
        "line": iteration.line,
        "iterator": iteration.iterator,
        "exact": iteration.exact,
        "flops": plain(iteration.flops),
        "operations": [
            {
                "operation": key.operation.value,
                "precision": key.precision.value,
                "function": key.function,
                "count": plain(share),
            }
            for key, share in iteration.operations.items()
        ],
        "loads": plain(iteration.loads),
        "stores": plain(iteration.stores),
        "load_bytes": plain(iteration.load_bytes),
        "store_bytes": plain(iteration.store_bytes),
        "fma_instructions": plain(iteration.fma_instructions),
        "flop_instructions": plain(iteration.flop_instructions),
        "precision": iteration.precision.value,
        "intensity": fraction_text(iteration.intensity),
        "vectorization": _vectorization(iteration.vectorization),
    }


def _vectorization(found: Vectorization) -> dict[str, Any]:
    return {
        "asserted": found.asserted,
        "trip": found.trip,
        "chains": [
            {
                "name": chain.name,
                "operations": [operation.value for operation in chain.operations],
                "distance": chain.distance,
                "reduction": chain.is_reduction,
                "floating": chain.is_floating,
            }
            for chain in found.chains
        ],
        "obstacles": [
            {"kind": obstacle.kind.value, "text": obstacle.text, "distance": obstacle.distance}
            for obstacle in found.obstacles
        ],
    }


def _footprint(footprint: Footprint, values: Mapping[str, int]) -> dict[str, Any]:
    def extent(found: Extent) -> dict[str, Any]:
        return {
            "elements": quantity(found.elements, "1", values),
            "bytes": quantity(found.bytes, "byte", values),
            "lines": quantity(found.lines, "1", values),
        }

    return {
        "line_bytes": footprint.line_bytes,
        "read": extent(footprint.read),
        "written": extent(footprint.written),
        "touched": extent(footprint.touched),
        "arrays": [
            {
                "array": array.array,
                "read": extent(array.read),
                "written": extent(array.written),
                "touched": extent(array.touched),
            }
            for array in footprint.arrays
        ],
    }


def _traffic(profile: RegionProfile, level: LevelTraffic) -> dict[str, Any]:
    values = profile.values
    total = add((level.read_bytes, level.write_allocate_bytes, level.write_bytes))
    return {
        "level": level.level,
        "model": level.model,
        "block_bytes": level.block_bytes,
        "read_bytes": quantity(level.read_bytes, "byte", values),
        "write_allocate_bytes": quantity(level.write_allocate_bytes, "byte", values),
        "write_bytes": quantity(level.write_bytes, "byte", values),
        "total_bytes": quantity(total, "byte", values),
        "intensity": ratio_form(ratio(profile, profile.work.flops, total)),
        "conditions": [condition_form(condition) for condition in level.conditions],
    }


def _caches(profile: RegionProfile, found: CacheTraffic) -> dict[str, Any]:
    return {
        "model": found.model,
        "memory": found.hierarchy.memory,
        "units": found.hierarchy.units,
        "hierarchy": [
            {
                "level": level.name,
                "capacity_bytes": level.capacity_bytes,
                "ways": level.ways,
                "line_bytes": level.line_bytes,
                "inclusion": level.inclusion.value,
                "shared_by": level.shared_by,
                "effective": level.effective,
            }
            for level in found.hierarchy.levels
        ],
        "levels": [_traffic(profile, level) for level in found.levels],
        "notes": [_assumption(note) for note in found.notes],
    }


def _assumption(assumption: Assumption) -> dict[str, Any]:
    return {"code": assumption.code, "text": assumption.text, "line": assumption.span.line}
