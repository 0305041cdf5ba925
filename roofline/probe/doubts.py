"""Figures that physics forbids: reported, and left in the file with the reason, so that the file stays usable.

Input: a machine. Output: the machine whose offending figures carry an ``explain``, which the physical checks
(:mod:`roofline.machine.physics`) accept, and one sentence for each.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ..machine.figures import BandwidthFigure, Figure, Peak
from ..machine.machine import Machine
from ..machine.physics import Violation, find_violations

_REASON = "doubtful, measure again on an idle machine"
_MOST = 100  # broken rules that are explained: a machine file has fewer figures
FigureT = TypeVar("FigureT", Figure, BandwidthFigure)


class Checked(Struct, frozen=True):
    """A machine that passes the physical checks, and the doubts that had to be explained for that."""

    machine: Machine
    doubts: tuple[str, ...]


def explain_violations(machine: Machine) -> Checked:
    """Explain one broken rule after the other until none is left."""
    doubts: list[str] = []
    for _ in range(_MOST):
        violation = next(find_violations(machine), None)
        if violation is None:
            return Checked(replace(machine, discrepancies=(*machine.discrepancies, *doubts)), tuple(doubts))
        doubts.append(violation.message)
        machine = _explained(machine, violation)
    raise AssertionError(f"explanations do not end: {doubts[-1]}")


def _explained(machine: Machine, violation: Violation) -> Machine:
    text = f"{_REASON}: {violation.message}"
    match violation.key_path:
        case ("levels", int(position), "bandwidth_gbs", int(index)):
            level = machine.levels[position]
            changed = replace(level, bandwidths=_mark(level.bandwidths, index, text))
            return replace(machine, levels=(*machine.levels[:position], changed, *machine.levels[position + 1 :]))
        case ("levels", int(position), _):
            changed = replace(machine.levels[position], explain=text)
            return replace(machine, levels=(*machine.levels[:position], changed, *machine.levels[position + 1 :]))
        case ("memory", "bandwidth_gbs", int(index)):
            memory = replace(machine.memory, bandwidths=_mark(machine.memory.bandwidths, index, text))
            return replace(machine, memory=memory)
        case ("peaks", str(precision), str(key), int(index)):
            peaks = tuple(
                _mark_peak(peak, key.rpartition("_")[0], index, text) if peak.precision == precision else peak
                for peak in machine.peaks
            )
            return replace(machine, peaks=peaks)
        case path:
            raise AssertionError(f"{path}: {violation.message}")


def _mark(figures: tuple[FigureT, ...], index: int, text: str) -> tuple[FigureT, ...]:
    changed = [replace(figure, explain=text) if at == index else figure for at, figure in enumerate(figures)]
    return tuple(changed)


def _mark_peak(peak: Peak, mode: str, index: int, text: str) -> Peak:
    match mode:
        case "fma":
            return replace(peak, fma=_mark(peak.fma, index, text))
        case "no_fma":
            return replace(peak, no_fma=_mark(peak.no_fma, index, text))
        case "add_only":
            return replace(peak, add_only=_mark(peak.add_only, index, text))
        case _:
            return replace(peak, matrix=_mark(peak.matrix, index, text))
