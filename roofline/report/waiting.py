"""The sentence of what holds a kernel on a GPU: the start of its instructions, or a chain of them in one thread."""

from __future__ import annotations

from ..machine.units import format_rate
from ..model.advice.kinds import SplitChain
from ..model.core.ceilings import ChainCeiling, InstructionCeiling

_SIZE_DIGITS = 3


def waits_text(ceiling: InstructionCeiling | ChainCeiling) -> str:
    """Return the instructions that a kernel has at least, with their rate, or what one thread waits for."""
    if isinstance(ceiling, ChainCeiling):
        loads = ", each a load that waits for the one before" if ceiling.of_loads else ""
        return (
            f"{ceiling.value} is handed on through {ceiling.iterations:,.6g} iterations of one thread "
            f"(line {ceiling.line}), {ceiling.cycles:.4g} cycles each{loads}; other threads hide no wait of its own"
        )
    number = format_rate(ceiling.instructions, "", digits=_SIZE_DIGITS).strip()
    return f"at least {number} instructions of warps at {ceiling.rate}"


def split_text(advice: SplitChain) -> str:
    """Return how several chains could take the place of one."""
    if advice.of_loads:
        how = f"loads of {advice.value} wait for one another: follow several at a time, or store them in order of use"
    else:
        how = f"one thread adds up {advice.value}: more threads with a part each, or several accumulators"
    return f"{how}; up to {advice.gain:.3g} times as fast"
