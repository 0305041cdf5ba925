"""Hotspots: the nests and kernels of a report, each line of the source once, with what they cost; and their order.

A nest that is inlined in several functions is one hotspot, with the sizes that are known best (:mod:`.instances`).
What makes them is :mod:`.nests` for a region, :mod:`.costs` for a report.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from analyzer.profile import RegionProfile
from analyzer.quantities.quantity import Quantity, add
from roofline.model.advice.kinds import Advice, TransformLoops
from roofline.model.best import BestIntensity
from roofline.model.intensity import Ratio
from roofline.model.projection import Bound, Projection
from roofline.model.verdicts.reasons import Reason

from ..words.remarks import Remark
from .roles import Location, Role

MOST_OF_TIME = 0.5  # from which on a part of the time is what matters


class Heading(Struct, frozen=True):
    """A loop of a ``function`` that only repeats nests, ``times`` often where that is known.

    ``advice`` is what transforms all of it, as tiles that go through several of its iterations.
    """

    location: Location
    times: int
    function: str = ""
    advice: tuple[TransformLoops, ...] = ()


class OnMachine(Struct, frozen=True, kw_only=True):
    """What a hotspot does on a machine, or (None) without one; ``moved`` are the bytes of the level that binds.

    ``seconds`` are the least, ``at_roof`` those of the bytes and FLOPs that are estimated at the roof, ``expected``
    those to expect; None where sizes are not known, or no model is.
    ``transfers``: it takes most of them to read or write files.
    """

    projection: Projection | None
    moved: Quantity
    intensity: Ratio
    seconds: float | None = None
    at_roof: float | None = None
    expected: float | None = None
    transfers: bool = False

    @property
    def time(self) -> float | None:
        """Return the seconds to expect, else the least."""
        return self.seconds if self.expected is None else self.expected

    @property
    def share_of_roof(self) -> float | None:
        """Return which part of its roof a run is expected to reach."""
        roof = self.seconds if self.at_roof is None else self.at_roof
        return None if roof is None or not self.expected else min(1.0, roof / self.expected)

    @property
    def bound(self) -> Bound | None:
        """Return the kind of bound; None without a machine."""
        return None if self.projection is None else self.projection.bound

    @property
    def reason(self) -> Reason | None:
        """Return why it is bound so; None without a machine."""
        return None if self.projection is None else self.projection.reason


class Hotspot(Struct, frozen=True, kw_only=True):
    """A nest or a kernel, which ``caller`` (at ``region``) does ``runs`` times; ``within`` is its function.

    That is empty where no region is this function.  ``instances`` is how many of a template there are.  It
    ``is_alternative`` to others of less weight, by the value of a flag.  ``is_timed``: a library of benchmarks times
    it, or what is shown next to it; None where nothing is timed.  ``alike`` are the other loops of its file that are
    equal, with equal figures; its weight is that of all of them.
    """

    location: Location
    region: Location
    within: str
    caller: str
    runs: int
    instances: int
    profile: RegionProfile
    flops: Quantity
    machines: tuple[OnMachine, ...]
    weight: float
    heading: Heading | None
    advice: tuple[Advice, ...]
    findings: tuple[Remark, ...]
    best: tuple[BestIntensity, ...]
    held: str
    is_launched: bool
    is_conditional: bool
    is_alternative: bool = False
    is_timed: bool | None = None
    alike: int = 0
    role: Role = Role.ONCE

    @property
    def work(self) -> Quantity:
        """Return what grows: the FLOPs, without any that are counted the bytes of all references."""
        references = self.profile.register_traffic
        counted = not self.flops.estimate.is_zero
        return self.flops if counted else add((references.read_bytes, references.write_bytes))

    @property
    def first(self) -> OnMachine:
        """Return what it does on the first machine, or without one."""
        return self.machines[0]

    @property
    def time(self) -> float | None:
        """Return the seconds on the first machine; None where sizes are not known."""
        return self.machines[0].time


def in_order(spots: Sequence[Hotspot]) -> tuple[Hotspot, ...]:
    """Return hotspots by role, then by the weight of their headings, or their own, and by their own below a heading."""
    totals: dict[Location, float] = {}
    roles: dict[Location, Role] = {}
    for spot in spots:
        unit = _unit(spot)
        totals[unit] = totals.get(unit, 0.0) + spot.weight
        roles[unit] = min(roles.get(unit, spot.role), spot.role)

    def order(spot: Hotspot) -> tuple[Role, float, Location, float, Location]:
        unit = _unit(spot)
        return roles[unit], -totals[unit], unit, -spot.weight, spot.location

    return tuple(sorted(spots, key=order))


def _unit(spot: Hotspot) -> Location:
    return spot.location if spot.heading is None else spot.heading.location
