"""What is particular to kernels on a GPU: shared memory as a level, and requests mended.

Input: the requests of a kernel and a machine.  Output: a memory bound, and the traffic as it would be without a fault:

* :func:`shared_bytes`: every cycle of the banks is one transaction of all banks, whether they are busy or not.
* :func:`path_bytes`: L1 and shared memory answer requests over one path, in wavefronts of as many bytes.  A request is
  one wavefront at least, however few bytes it asks for (a broadcast), and one for every four sectors.
* :func:`coalesced`: the bytes moved if requests had the sectors that their useful bytes fill.  No level moves more
  than the level inside asks of it; other savings of the caches stay as they are.
* :func:`without_conflicts`: shared memory with the passes of padded rows, or one where no padding helps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Final

from msgspec.structs import replace

from analyzer.ir.nodes import MemorySpace
from analyzer.quantities.quantity import ZERO, Exactness, Quantity
from analyzer.quantities.quasipolynomial import fixed
from analyzer.traffic.results import CacheTraffic, LevelTraffic, Request

from ...machine.figures import (
    BandwidthFigure,
    Basis,
    ChosenBandwidth,
    FigureKind,
    describe_figure,
    rank_figures,
)
from ...machine.hardware import Gpu
from ...machine.machine import Machine
from ...machine.units import Bandwidth
from ..intensity import value_of

SHARED: Final = "shared"
PATH: Final = "L1 path"
_ON_CHIP = (MemorySpace.SHARED, MemorySpace.LOCAL)


def shared_bytes(requests: Sequence[Request], machine: Machine) -> Quantity:
    """Return bytes of all banks in the cycles that the requests to shared memory take, conflicts included."""
    size = None if machine.gpu is None else machine.gpu.shared_transaction_bytes
    asked = [request for request in requests if request.space is MemorySpace.SHARED]
    if size is None or not asked:
        return ZERO
    passes = (
        sum(_likely_passes(request, size) for request in asked),
        sum(request.certain_passes for request in asked),
        sum(request.passes for request in asked),
    )
    likely, certain, most = (fixed(round(number * size)) for number in passes)
    return Quantity(likely, certain, most, Exactness.INTERVAL)


def _likely_passes(request: Request, size: int) -> float:
    """Return the cycles of the banks where a request serves several iterations; its distinct bytes need so many."""
    return max(request.passes / request.iterations, request.useful_bytes / size)


def path_bytes(requests: Sequence[Request], machine: Machine) -> Quantity:
    """Return the bytes of all wavefronts of L1 and shared memory; zero where these have paths of their own."""
    gpu, inner = machine.gpu, machine.levels[0] if machine.levels else None
    size = None if gpu is None else gpu.shared_transaction_bytes
    if gpu is None or size is None or inner is None or inner.capacity_bytes < (gpu.shared_memory_bytes or 1):
        return ZERO
    least = whole = 0.0
    for request in requests:
        if request.space is MemorySpace.SHARED:
            whole += _likely_passes(request, size)
            least += request.certain_passes
        else:
            whole += max(request.requests, request.sectors * request.sector_bytes / size)
            sure = request.requests if request.is_certain else 0.0
            least += max(sure, request.least_sectors * request.sector_bytes / size)
    estimate, lower = fixed(round(whole * size)), fixed(round(least * size))
    return Quantity(estimate, lower, estimate, Exactness.INTERVAL) if whole else ZERO


def path_bandwidth(machine: Machine, basis: Basis, cores: int | None) -> ChosenBandwidth | None:
    """Return the bandwidth of the path that L1 and shared memory have together: that of shared memory."""
    found = shared_bandwidth(machine, basis, cores)
    return None if found is None else replace(found, level=PATH)


def shared_bandwidth(machine: Machine, basis: Basis, cores: int | None) -> ChosenBandwidth | None:
    """Return the stated figure of shared memory, else one transaction per cycle and unit; None without either."""
    gpu = machine.gpu
    if gpu is None:
        return None
    used, total = machine.unit_count(cores), machine.units.count
    stated = rank_figures(gpu.shared_bandwidths, basis, units=total)
    figure = stated[0] if stated else _banks(machine, gpu)
    if figure is None:
        return None
    source = machine.source(figure.source)
    text = describe_figure(figure, basis, figure.source if source is None else source.title)
    rate = Bandwidth(figure.value * used / (figure.units or total) * machine.scaling.bandwidth)
    return ChosenBandwidth(SHARED, rate, figure, basis, text)


def transaction_bytes(machine: Machine, level: str) -> int | None:
    """Return bytes of one transaction of a level; None on a machine that is no GPU."""
    if machine.gpu is None:
        return None
    return machine.gpu.shared_transaction_bytes if level in (SHARED, PATH) else machine.gpu.sector_bytes


def is_conflicting(request: Request) -> bool:
    """Return whether bank conflicts at least double the time of a request."""
    return request.space is MemorySpace.SHARED and request.conflict_ways >= 2


def coalesced(traffic: CacheTraffic, values: Mapping[str, int]) -> CacheTraffic:
    """Return the traffic with the sectors of uncoalesced requests as few as their useful bytes fill."""
    requests = tuple(_packed(request) if request.is_uncoalesced else request for request in traffic.requests)
    read, written = (_sector_bytes(requests, write=write) for write in (False, True))
    levels = tuple(_at_most(level, read, written, values) for level in traffic.levels)
    return replace(traffic, levels=levels, requests=requests)


def without_conflicts(traffic: CacheTraffic, values: Mapping[str, int]) -> CacheTraffic:
    """Return the traffic with as many passes of the banks as the best padding leaves, or as there are at least."""
    requests = tuple(
        replace(request, passes=request.least_passes if request.padding is None else request.padded_passes)
        for request in traffic.requests
    )
    return replace(traffic, requests=requests)


def _banks(machine: Machine, gpu: Gpu) -> BandwidthFigure | None:
    size, units = gpu.shared_transaction_bytes, machine.units.count
    if size is None:
        return None
    how = f"{units} {machine.units.name} x {size} B/cycle x {machine.clock_hz / 1e9:.4g} GHz"
    return BandwidthFigure(
        value=units * size * machine.clock_hz, kind=FigureKind.DERIVED, source="width of the banks", how=how
    )


def _packed(request: Request) -> Request:
    """Return a request with the fewest sectors for its useful bytes, of neighbouring threads side by side."""
    each = ceil(request.useful_bytes / request.requests / request.sector_bytes) if request.requests else 0
    return replace(request, sectors=min(request.sectors, each * request.requests), step_bytes=request.size_bytes)


def _sector_bytes(requests: Sequence[Request], *, write: bool) -> float:
    counted = (request for request in requests if request.write is write and request.space not in _ON_CHIP)
    return sum(request.sectors * request.sector_bytes for request in counted)


def _at_most(level: LevelTraffic, read: float, written: float, values: Mapping[str, int]) -> LevelTraffic:
    def least(size: Quantity, most: float) -> Quantity:
        value = value_of(size.estimate, values)
        return size if value is None or value <= most else _estimate(most)

    return replace(level, read_bytes=least(level.read_bytes, read), write_bytes=least(level.write_bytes, written))


def _estimate(number: float) -> Quantity:
    whole = round(number)
    count = fixed(whole)
    return Quantity(count, count, count, Exactness.INTERVAL) if whole else ZERO
