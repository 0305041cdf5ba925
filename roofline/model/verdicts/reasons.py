"""Why a region is bound as it is: one value for each kind of reason, with the names and numbers that decide.

:mod:`roofline.report.sentences` writes them as text.
"""

from __future__ import annotations

from msgspec import Struct

from analyzer.ir.types import ScalarType
from analyzer.traffic.results import Condition

from ...machine.figures import ChosenBandwidth
from ...machine.units import Intensity
from ..core.ceilings import Ceiling, CeilingName, ChainCeiling, CoreCycles, InstructionCeiling
from ..core.incore import Unit


class AgainstRidge(Struct, frozen=True, kw_only=True):
    """The intensity at the binding level lies below (memory-bound) or above (compute-bound) the ridge point.

    ``outermost``: the level is the machine's memory.  ``spread``: the
    ratio between stated figures that the two are within, None where they are further apart.
    """

    below: bool
    level: str
    outermost: bool
    intensity: float
    ridge: Intensity
    ceiling: Ceiling
    bandwidth: ChosenBandwidth
    spread: float | None


class NoTraffic(Struct, frozen=True):
    """No level has bytes to move: a compute ceiling is the bound."""

    ceiling: Ceiling


class NoFlops(Struct, frozen=True):
    """There are bytes but no FLOPs: the bandwidth of a level is the bound."""

    level: str
    bandwidth: ChosenBandwidth


class CoreHolds(Struct, frozen=True):
    """There are no FLOPs, and the core takes longer for its instructions than any level for its bytes."""

    cycles: CoreCycles


class InstructionsHold(Struct, frozen=True):
    """There are no FLOPs, and instructions, or a chain of them in one thread, take longer than bytes to move."""

    ceiling: InstructionCeiling | ChainCeiling


class NothingCounted(Struct, frozen=True):
    """There are neither FLOPs nor bytes; with ``large`` none for large sizes, but some for others."""

    large: bool = False


class IntensityFalls(Struct, frozen=True):
    """The intensity ``factor * symbol^power`` falls as the sizes grow.

    ``symbol`` is None for several sizes, which the ``formula`` has.
    """

    symbol: str | None
    factor: float
    power: int
    formula: str


class IntensityGrows(Struct, frozen=True, kw_only=True):
    """The intensity ``formula`` grows: ``level`` binds up to the intensity ``ridge``, ``beyond`` above it.

    With one size the formula is ``factor * symbol^power``, and reaches the ridge at ``threshold``; ``symbol`` and
    ``threshold`` are None for several.  ``beyond`` is the inner level that binds large sizes if the caches hold the
    data, None where ``ceiling`` does.
    """

    symbol: str | None
    factor: float
    power: int
    formula: str
    level: str
    ridge: float
    threshold: float | None
    beyond: str | None
    ceiling: Ceiling

    @property
    def is_beyond(self) -> bool:
        """Return whether every size of at least 1 is beyond the threshold."""
        return self.threshold is not None and self.threshold < 1


class HeldUntil(Struct, frozen=True):
    """Caches hold what iterations use again while the ``conditions`` hold: then it is as the ``otherwise`` says.

    Beyond, the memory ``level`` binds, with an ``intensity`` that does not grow; 0 where there are no FLOPs.
    Without ``conditions`` it is not known until which sizes.
    """

    level: str
    intensity: float
    conditions: tuple[Condition, ...]
    otherwise: Reason


class NoPeak(Struct, frozen=True):
    """The machine file states no peak for these precisions."""

    machine: str
    precisions: tuple[ScalarType, ...]


class NoBandwidth(Struct, frozen=True):
    """The machine file states no bandwidth for a level."""

    machine: str
    level: str


class NotSound(Struct, frozen=True):
    """The figures contradict themselves: a defect of this program, and nothing is said about the speed."""


class LongestPart(Struct, frozen=True):
    """The parts run one after the other: the one in these lines has this share of the time, and this reason."""

    share: float
    line: int
    end_line: int
    reason: Reason


Reason = (
    AgainstRidge
    | NoTraffic
    | NoFlops
    | CoreHolds
    | InstructionsHold
    | NothingCounted
    | IntensityFalls
    | IntensityGrows
    | HeldUntil
    | NoPeak
    | NoBandwidth
    | NotSound
    | LongestPart
)


def is_of_integers(reason: Reason) -> bool:
    """Return whether integer operations are the bound."""
    match reason:
        case AgainstRidge(below=below, ceiling=ceiling):
            return not below and _takes_integers(ceiling)
        case NoTraffic(ceiling) | IntensityGrows(ceiling=ceiling):
            return _takes_integers(ceiling)
        case CoreHolds(cycles):
            return cycles.bottleneck.unit is Unit.INTEGERS
        case InstructionsHold(ceiling):
            return ceiling.name is CeilingName.INTEGER
        case LongestPart():
            return is_of_integers(reason.reason)
        case _:
            return False


def _takes_integers(ceiling: Ceiling) -> bool:
    by_core = isinstance(ceiling.source, CoreCycles) and ceiling.source.bottleneck.unit is Unit.INTEGERS
    return by_core or ceiling.name is CeilingName.INTEGER
