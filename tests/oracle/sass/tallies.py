"""What instructions are, as profilers count them: thread instructions whose predicate is on.

Floating point by precision: an addition or product is 1, an FMA 2, on each half of a pair.  Moves that the compiler
makes of idle units (``HFMA2 R1, -RZ, RZ, 1, 2``) and conversions (``HADD2.F32``) are no arithmetic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from .listing import Instruction
from .machine import Executed

_FLOPS = {"ADD": 1, "MUL": 1, "FMA": 2}
_PRECISIONS = {"F": "fp32", "D": "fp64"}
_MEMORY = {
    "LDG": "load",
    "LD": "load",
    "STG": "store",
    "ST": "store",
    "LDS": "shared load",
    "STS": "shared store",
    "LDL": "local load",
    "STL": "local store",
    "ATOM": "atomic",
    "ATOMG": "atomic",
    "RED": "atomic",
    "REDG": "atomic",
    "ATOMS": "shared atomic",
}
_INTEGER = frozenset(
    [
        "IADD",
        "IADD3",
        "IMAD",
        "VIADD",
        "VIADDMNMX",
        "LOP3",
        "SHF",
        "SHL",
        "SHR",
        "LEA",
        "ISETP",
        "IMNMX",
        "VIMNMX",
        "IABS",
        "SEL",
        "PRMT",
        "FLO",
        "POPC",
        "BREV",
        "BMSK",
        "SGXT",
    ]
)


def kind_of(instruction: Instruction) -> str:
    """Return what an instruction is: fp32, fp64, fp16, bf16, special, integer, a kind of memory access, or other."""
    name = instruction.name.removesuffix("32I")
    if flops_of(instruction):
        return next(iter(flops_of(instruction)))
    if name == "MUFU":
        return "special"
    if name in _MEMORY:
        return _MEMORY[name]
    return "integer" if name in _INTEGER else "other"


def flops_of(instruction: Instruction) -> Mapping[str, int]:
    """Return the FLOPs of one execution by precision."""
    name = instruction.name.removesuffix("32I")
    if name[1:] in _FLOPS and name[0] in _PRECISIONS:
        return {_PRECISIONS[name[0]]: _FLOPS[name[1:]]}
    halves = name.removesuffix("2")
    if name.startswith("H") and halves[1:] in _FLOPS and name.endswith("2") and not _is_move(instruction):
        is_short = {"BF16", "BF16_V2"} & set(instruction.modifiers)
        return {"bf16" if is_short else "fp16": _lanes(instruction) * _FLOPS[halves[1:]]}
    return {}


def _lanes(instruction: Instruction) -> int:
    """Return 1 where all operands are one half of their registers, so that both lanes compute the same number."""
    read = [operand for operand in instruction.operands[1:] if operand.kind == "register" and not operand.is_zero]
    return 1 if read and all(operand.part in ("H0_H0", "H1_H1") for operand in read) else 2


def _is_move(instruction: Instruction) -> bool:
    """Return whether halves are only moved or converted: all factors, or the summand, are zero."""
    operands = [operand for operand in instruction.operands[1:] if operand.kind == "register"]
    is_product = not instruction.name.startswith("HADD2")
    return ("F32" in instruction.modifiers and not is_product) or (
        is_product and len(operands) >= 2 and operands[0].is_zero and operands[1].is_zero
    )


def flops(ran: Executed) -> Counter[str]:
    """Return the FLOPs of a run by precision."""
    found: Counter[str] = Counter()
    for position, number in ran.counts.items():
        for precision, weight in flops_of(ran.code.instructions[position]).items():
            found[precision] += weight * number
    return found


def kinds(ran: Executed) -> Counter[str]:
    """Return the instructions of a run by kind."""
    found: Counter[str] = Counter()
    for position, number in ran.counts.items():
        found[kind_of(ran.code.instructions[position])] += number
    return found
