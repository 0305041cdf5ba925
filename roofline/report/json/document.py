"""The JSON form of a report (``schema_version`` 1, ``report.schema.json``).

:func:`file_form` gives plain dictionaries and lists in a stable order: files as given, regions and nests as in the
source.  Every counted quantity is an object

``{"symbolic", "value", "lower", "upper", "unit", "exactness"}``

where ``value`` is the estimate at the known sizes (an integer where it is an exact count) and ``null`` where a size is
missing; ``lower`` and ``upper`` likewise.  Where the formula (the last piece of it) needs more than positive sizes and
some are missing, ``"holds_if"`` says what: ``"n >= 9"``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.counts.results import LineWork, PerIteration, References, Vectorization, Work
from analyzer.diagnostics import Diagnostic
from analyzer.ir.index import var
from analyzer.ir.launches import Launch
from analyzer.ir.nodes import Assumption
from analyzer.parallelism import Parallelism
from analyzer.profile import LoopInfo, RegionProfile
from analyzer.quantities.quantity import add, exact
from analyzer.quantities.quasipolynomial import fixed, polynomial
from analyzer.traffic.results import CacheTraffic, Extent, Footprint, LevelTraffic

from ...machine.machine import Machine
from ...model.intensity import plain
from ...model.launches import count_of
from ...model.projection import Projection, fma_share, ratio
from ..regions import FileReport, RegionReport
from ..sentences import obstacle_text
from .best import best_form
from .counted import condition_form, fraction_text, occupancy_form, quantity, ratio_form, request_form, reuse_form
from .projections import projection_form
from .reasons import advice_form, fields_form

SCHEMA_VERSION = 1


def machine_form(machine: Machine) -> dict[str, Any]:
    """Return the part of the JSON document that belongs to one machine."""
    return {
        "id": machine.id,
        "name": machine.name,
        "kind": machine.kind.value,
        "scale_flops": machine.scaling.flops,
        "scale_bandwidth": machine.scaling.bandwidth,
    }


def file_form(file: FileReport) -> dict[str, Any]:
    """Return the part of the JSON document that belongs to one file."""
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
        "form": found.form,
        "fields": fields_form(found.fields),
    }


def _parameters(profile: RegionProfile) -> dict[str, Any]:
    """Return the values of symbols, null where they are not known; averages need not be whole."""
    averages = {name: float(average) for name, average in profile.averages.items()}
    given = {name: value for name, value in profile.values.items() if name not in profile.assumed}
    return {symbol: given.get(symbol) for symbol in profile.symbols} | averages


def _region(region: RegionReport, *, is_nest: bool = False) -> dict[str, Any]:
    """Return a region as an object; a nest has the parameters of its region, which are not repeated."""
    profile, values = region.profile, region.profile.values
    return {
        **_location(profile, region.caches),
        **({} if is_nest else {"parameters": _parameters(profile)}),
        "assumed": {name: value for name, value in profile.assumed.items() if name in profile.symbols},
        "when": list(profile.when),
        "alternatives": [
            {
                "when": list(found.when),
                "flops": quantity(found.flops, "flop", values),
                "bytes": None if found.bytes is None else quantity(found.bytes, "byte", values),
            }
            for found in region.alternatives
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
        "traffic": [_traffic(profile, level) for level in _levels(region)],
        "caches": [_caches(profile, found) for found in region.traffic.models],
        "reuses": [reuse_form(found) for found in region.reuses],
        "projection": projection_form(region.projections[0]) if region.projections else None,
        "projections": [
            {**projection_form(projection), **_warps(projection, is_first=not number)}
            for number, projection in enumerate(region.projections)
        ],
        "assumptions": [_assumption(assumption) for assumption in region.assumptions],
        "advice": [advice_form(found) for found in region.advice],
        "best": None if profile.least is None else best_form(profile.least, region.best),
        "lines": [_line(line, values) for line in profile.lines],
        "launches": _launches(region),
        "nests": [_region(nest, is_nest=True) for nest in region.nests],
        "parallelism": None if profile.parallelism is None else _parallelism(profile.parallelism),
    }


def _parallelism(found: Parallelism) -> dict[str, Any]:
    """Return why a nest runs on several cores or on one."""
    return {
        "ground": found.ground.value,
        "iterator": found.iterator,
        "line": found.line,
        "threads": found.threads,
        "name": found.name,
    }


def _warps(projection: Projection, *, is_first: bool) -> dict[str, Any]:
    """Return occupancy and requests on a machine; null on the first one, which has those of the region."""
    traffic = projection.traffic
    if is_first or traffic is None:
        return {"occupancy": None, "requests": None}
    return {
        "occupancy": None if traffic.occupancy is None else occupancy_form(traffic.occupancy),
        "requests": [request_form(found) for found in traffic.requests],
    }


def _location(profile: RegionProfile, traffic: CacheTraffic | None) -> dict[str, Any]:
    """Return the kind of the region, its lines, and its launch; occupancy and requests are of the first machine."""
    return {
        "name": profile.name,
        "kind": profile.kind.value,
        "function": profile.function,
        "line": profile.span.line,
        "end_line": profile.span.end_line,
        "depth": profile.depth,
        "launch": None if profile.launch is None else _launch(profile.launch),
        "occupancy": None if traffic is None or traffic.occupancy is None else occupancy_form(traffic.occupancy),
        "requests": [request_form(found) for found in (() if traffic is None else traffic.requests)],
        "loops": [_loop(loop) for loop in profile.loops],
    }


def _loop(loop: LoopInfo) -> dict[str, Any]:
    return {
        "iterator": loop.iterator,
        "line": loop.line,
        "depth": loop.depth,
        "range": loop.trip_text,
        "mapping": loop.mapping.value,
    }


def _levels(region: RegionReport) -> tuple[LevelTraffic, ...]:
    """Return the bytes at the registers, then those of the caches in force, else of an ideal one."""
    profile = region.profile
    ideal = (profile.compulsory_traffic, profile.compulsory_line_traffic)
    return (profile.register_traffic, *(ideal if region.caches is None else region.caches.levels))


def _line(line: LineWork, values: Mapping[str, int]) -> dict[str, Any]:
    return {
        "line": line.line,
        "flops": quantity(line.flops, "flop", values),
        "load_bytes": quantity(line.load_bytes, "byte", values),
        "store_bytes": quantity(line.store_bytes, "byte", values),
        "executions": quantity(line.executions, "1", values),
    }


def _launch(launch: Launch) -> dict[str, Any]:
    """Return the launch configuration; an unknown extent is the symbol of the region that stands for it."""

    def dimensions(name: str, values: Sequence[int | None]) -> list[dict[str, Any]]:
        return [_size(f"{name}.{axis}", value, "1") for axis, value in zip("xyz", values, strict=True)]

    return {
        "grid": dimensions("gridDim", launch.grid),
        "block": dimensions("blockDim", launch.block),
        "shared_bytes": _size("shared_bytes", launch.shared_bytes, "byte"),
        "source": launch.source,
        "arguments": dict(launch.arguments),
    }


def _launches(region: RegionReport) -> dict[str, Any] | None:
    """Return the launches that the region is the sum of; None where it is one."""
    found = region.profile.launches
    if found is None:
        return None
    return {
        "count": quantity(count_of(found.series), "1", {}),
        "distinct": len(found.series.launches),
        "analyzed": [
            {
                "launch": None if one.profile.launch is None else _launch(one.profile.launch),
                "count": found.series.launches[position].most,
                "flops": quantity(one.profile.work.flops, "flop", one.profile.values),
                "bytes": quantity(one.moved.total, "byte", one.profile.values),
                "times_s": [None if made.time is None else made.time.value for made in one.projections],
            }
            for (position, _), one in zip(found.analyzed, region.launches, strict=True)
        ],
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
            {"what": str(found.what), "line": found.span.line, "runs": quantity(found.runs, "1", values)}
            for found in (*work.not_counted, *work.without_cost)
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
            {
                "kind": obstacle.kind.value,
                "text": obstacle_text(obstacle),
                "subjects": list(obstacle.subjects),
                "distance": obstacle.distance,
                "stride_bytes": obstacle.stride_bytes,
            }
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
    return {
        "code": assumption.code,
        "text": assumption.text,
        "line": assumption.span.line,
        "form": assumption.form,
        "subject": assumption.subject or None,
        "fields": fields_form(assumption.fields),
    }
