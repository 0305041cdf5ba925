"""Kernels transformed by trial: each legal transformation is applied and analyzed again, as those of nests are.

Output: the :class:`~..profile.Variant` values of a kernel whose launch and sizes are known, the kernel as it is first.
There is a variant of each kind, of shared tiles one for each loop: each costs as much as the kernel itself, or more.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from msgspec.structs import replace

from ..domains.limits import OverBudget
from ..ir.nodes import Mapping as Axis
from ..ir.nodes import Region
from ..profile import RegionProfile, Variant
from ..profiling.counting.options import ProfileOptions
from ..profiling.counting.profiler import profile_region
from ..registers.prediction import predicted_registers, with_prediction
from ..traffic.options import CacheOptions
from ..traffic.results import RegionTraffic
from ..transformations.grids.axes import exchanged, reshaped
from ..transformations.grids.coarsening import coarsened
from ..transformations.grids.grid import Grid, grid_of
from ..transformations.grids.staging import stages_of
from ..transformations.grids.turning import turned as with_rows
from ..transformations.grids.widening import widened
from ..transformations.kinds import Coarsen, Transformation
from .region_traffic import traffic_of

_BLOCK = (32, 8)  # threads along x and y of a block that fits most kernels: whole warps, 8 blocks of 2048 threads
_FEWEST, _MOST = 128, 512  # threads of a block that is not worth a trial of another shape
_WARP = 32
_Steps = tuple[Transformation, ...]
_RESULTS = ((4, 4), (2, 2), (1, 4), (4, 1))
"""Results of a thread along y and x that are tried, the simplest first."""


def kernel_variants(
    region: Region, profile: RegionProfile, traffic: RegionTraffic, options: ProfileOptions, cache: CacheOptions
) -> tuple[Variant, ...]:
    """Return the kernel as it is and the transformed ones; () where there are none of these."""
    grid = grid_of(region)
    if grid is None or profile.work.not_counted or profile.averages:
        return ()
    units = max((each.units for each in cache.hierarchies if each.gpu is not None), default=1)
    tried = [*_turned(grid, traffic), *_tried(grid, units), *_widened(grid, units)]
    found = [_analyzed(steps, made, options, cache) for steps, made in tried]
    made = tuple(variant for variant in found if variant is not None)
    return (Variant((), profile, traffic), *made) if made else ()


def _turned(grid: Grid, traffic: RegionTraffic) -> Iterator[tuple[_Steps, Grid]]:
    """Yield the kernel with columns in tiles, or x and y exchanged, where warps waste sectors; then other blocks."""
    requests = [request for model in traffic.models for request in model.requests]
    wasted = any(request.is_uncoalesced for request in requests)
    through = with_rows(grid) if wasted else None
    if through is not None:
        yield (through[0],), through[1]
    starts: list[tuple[_Steps, Grid]] = [((), grid)]
    turned = exchanged(grid) if wasted and grid.extent(Axis.THREAD_Y) > 1 else None
    if turned is not None:
        starts = [((turned[0],), turned[1])]
        yield starts[0]
    for steps, start in starts:
        shape = _BLOCK if start.extent(Axis.THREAD_Y) * start.extent(Axis.BLOCK_Y) > 1 else (prod(_BLOCK), 1)
        odd = start.extent(Axis.THREAD_X) % _WARP or not _FEWEST <= start.block <= _MOST
        made = reshaped(start, shape) if odd else None
        if made is not None:
            yield (*steps, made[0]), made[1]


def _tried(grid: Grid, units: int) -> Iterator[tuple[_Steps, Grid]]:
    """Yield transformed kernels: tiles in shared memory, several results in a thread, and both."""
    staged: list[tuple[_Steps, Grid]] = [((step,), made) for step, made in stages_of(grid)]
    yield from staged
    for steps, start in staged or [((), grid)]:
        for step, made in _several(start, units):
            yield (*steps, step), made


def _widened(grid: Grid, units: int) -> Iterator[tuple[_Steps, Grid]]:
    """Yield the kernel with vectors of elements for each thread, where that leaves all ``units`` of the GPU a block."""
    made = widened(grid)
    if made is not None and made[1].blocks >= units:
        yield (made[0],), made[1]


def _several(grid: Grid, units: int) -> Iterator[tuple[Coarsen, Grid]]:
    """Yield the kernel with the most results in each thread that leave all ``units`` of the GPU a block."""
    for down, across in _RESULTS:
        made: Grid | None = grid
        for axis, by in ((Axis.BLOCK_Y, down), (Axis.BLOCK_X, across)):
            made = made if made is None or by == 1 else coarsened(made, axis, by)
        if made is not None and made.blocks >= units:
            yield Coarsen((across, down, 1), grid.region.span.line), made
            return


def _analyzed(steps: _Steps, grid: Grid, options: ProfileOptions, cache: CacheOptions) -> Variant | None:
    """Return a transformed kernel with its counts and its bytes; None where that takes too long."""
    shapes = [each.gpu for each in cache.hierarchies if each.gpu is not None]
    free = {shape.free_registers for shape in shapes if shape.free_registers is not None}
    region = with_prediction(grid.region, predicted_registers(grid.region, free))
    try:
        profile = profile_region(region, options)
        traffic = traffic_of(region, profile, replace(cache, verify=False), options.seconds)
    except OverBudget:
        return None
    return Variant(steps, profile, traffic)
