"""The instruction roofline of a region, as text."""

from __future__ import annotations

from collections.abc import Iterator

from roofline.machine.units import format_rate, format_time
from roofline.model.instructions import InstructionMix, InstructionRoof, LevelTransactions
from roofline.model.projection import Projection

_DIGITS = 3


def instructions_text(projection: Projection) -> Iterator[str]:
    """Yield the instruction roofline line by line: how many there are, what each level allows, the part of the peak."""
    roof = projection.instructions
    attainable = None if roof is None else roof.attainable
    if roof is None or roof.mix is None or attainable is None:
        return
    kind = "warp instructions" if roof.of_warps else "instructions"
    yield f"{kind} >= {amount_text(roof.mix.total)} ({_mix_text(roof.mix)}); peak {roof.peak}"
    for ceiling in roof.ceilings:
        if ceiling.instructions:
            took = format_time(ceiling.seconds)
            yield f"{ceiling.name}: {amount_text(ceiling.instructions)} at {ceiling.rate} take {took}"
    for level in roof.transactions:
        yield _level_text(level)
    yield f"instruction roofline: at most {attainable}, {share_text(roof)} of the peak"


def _mix_text(mix: InstructionMix) -> str:
    parts = ((mix.memory, "to memory"), (mix.floating, "floating-point"), (mix.integer, "integer"))
    return ", ".join(f"{amount_text(number)} {name}" for number, name in parts if number)


def _level_text(level: LevelTransactions) -> str:
    number = f"{amount_text(level.number)} transactions of {level.bytes_each} B"
    return (
        f"{level.level}: {number}, {level.intensity:.{_DIGITS}g} instructions per transaction; "
        f"at {level.rate} at most {level.attainable}"
    )


def share_text(roof: InstructionRoof) -> str:
    """Return the part of the peak that is attainable; empty where no instructions are known."""
    if roof.attainable is None:
        return ""
    return f"{100 * roof.attainable.value / roof.peak.value:.{_DIGITS}g} %"


def amount_text(number: float) -> str:
    """Return a number of instructions or transactions with a prefix.

    >>> amount_text(8388608.0), amount_text(12.0)
    ('8.39 M', '12')
    """
    return format_rate(number, "", digits=_DIGITS).strip()
