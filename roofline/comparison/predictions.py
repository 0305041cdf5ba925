"""The prediction side of a comparison: the regions of a report, with plain numbers at the known sizes.

A level is named as in measured data: the machine's memory is ``DRAM`` whatever it is called.  ``stated`` are the
compulsory bytes, which a benchmark states that it moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from analyzer.ir.launches import Launch
from analyzer.quantities.quantity import ZERO, Quantity, add

from ..measured.results import DRAM, STATED
from ..model.intensity import Ratio, ratio
from ..model.level_bytes import MovedBytes
from ..model.projection import Projection
from ..report.report import RegionReport, Report


class Interval(Struct, frozen=True):
    """An estimate and its bounds."""

    value: float
    lower: float
    upper: float


class PredictedBytes(Struct, frozen=True):
    """Bytes of one level by direction; ``read`` includes what write-allocate reads."""

    total: Interval
    read: Interval
    write: Interval
    write_allocate: float


class Prediction(Struct, frozen=True):
    """One region of the report: a function, a kernel, or a nest of one."""

    path: str
    region: RegionReport
    is_nest: bool

    @property
    def name(self) -> str:
        """Return the region's name."""
        return self.region.profile.name

    @property
    def launch(self) -> Launch | None:
        """Return how the kernel is launched, None for host code."""
        return self.region.profile.launch

    @property
    def projection(self) -> Projection | None:
        """Return the projection on the machine of the comparison."""
        return self.region.projections[0] if self.region.projections else None

    @property
    def flops(self) -> Interval | None:
        """Return FLOPs of one execution, None where sizes are not known."""
        return self.number(self.region.profile.work.flops)

    @property
    def missing(self) -> tuple[str, ...]:
        """Return symbols without a value."""
        profile = self.region.profile
        return tuple(symbol for symbol in profile.symbols if symbol not in profile.values)

    def number(self, quantity: Quantity) -> Interval | None:
        """Return a quantity at the known sizes, None where one is missing; what is not counted is not in its bounds."""
        values = self.region.profile.values
        most = quantity.estimate if quantity.upper is None else quantity.upper
        counts = (quantity.estimate, quantity.lower, most)
        if any(not count.symbols <= values.keys() for count in counts):
            return None
        return Interval(*(float(count.evaluate(values)) for count in counts))

    @property
    def moves(self) -> Mapping[str, tuple[Quantity, Quantity, Quantity]]:
        """Return bytes read, read for stores, and written, by level."""
        profile, memory = self.region.profile, self._memory
        register = profile.register_traffic
        found = {"L1": (register.read_bytes, register.write_allocate_bytes, register.write_bytes)}
        served: tuple[tuple[str, MovedBytes], ...] = self.region.served or ((memory, self.region.moved),)
        for level, moved in served:
            found[DRAM if level == memory else level] = (moved.read, moved.write_allocate, moved.write)
        compulsory = profile.compulsory_traffic
        found[STATED] = (compulsory.read_bytes, ZERO, compulsory.write_bytes)
        return found

    def bytes_at(self, level: str) -> PredictedBytes | None:
        """Return bytes that a level serves, None where the level is not there or sizes are not known."""
        moves = self.moves.get(level)
        if moves is None:
            return None
        read, allocated, write = moves
        numbers = (self.number(add(moves)), self.number(add((read, allocated))), self.number(write))
        extra = self.number(allocated)
        total, reads, writes = numbers
        if total is None or reads is None or writes is None or extra is None:
            return None
        return PredictedBytes(total, reads, writes, extra.value)

    def intensity_at(self, level: str) -> Ratio | None:
        """Return FLOP/byte at a level: a number, or how it grows; None where the level is not there."""
        moves = self.moves.get(level)
        return None if moves is None else ratio(self.region.profile, self.region.profile.work.flops, add(moves))

    @property
    def _memory(self) -> str:
        return DRAM if self.projection is None else self.projection.machine.memory.name


def predictions_of(report: Report) -> Iterator[Prediction]:
    """Yield every region of the report, each followed by its nests; of many launches each that was analyzed."""
    for file in report.files:
        for region in (one for found in file.regions for one in found.launches or (found,)):
            yield Prediction(file.profile.path, region, False)
            for nest in region.all_nests:
                yield Prediction(file.profile.path, nest, True)
