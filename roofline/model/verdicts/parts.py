"""The parts that the bound of a region on a machine follows from: bytes, roofs, ceilings and cycles."""

from __future__ import annotations

from msgspec import Struct

from analyzer.profile import RegionProfile
from analyzer.traffic.results import CacheTraffic

from ..core.ceilings import (
    Ceiling,
    ChainCeiling,
    InstructionCeiling,
)
from ..core.incore import CoreBound
from ..instructions import InstructionRoof
from ..level_bytes import LevelBytes, MovedBytes, Target
from ..levels import LevelBound


class Parts(Struct, frozen=True, kw_only=True):
    """The parts that the bound of a region follows from."""

    profile: RegionProfile
    target: Target
    traffic: CacheTraffic | None
    moved: MovedBytes
    served: LevelBytes
    core: CoreBound | None
    likely: CoreBound | None
    ceilings: tuple[Ceiling, ...]
    levels: tuple[LevelBound, ...]
    instructions: InstructionRoof | None
    held: InstructionCeiling | ChainCeiling | None

    @property
    def core_seconds(self) -> float | None:
        """Return the seconds of the cores in use for the innermost loops; None without sizes or without core data."""
        if self.core is None or self.core.nest_seconds is None:
            return None
        return self.core.nest_seconds / self.target.machine.unit_count(self.target.options.cores)
