"""The instruction roofline as JSON: what is due to start, what each level delivers, and the part of the peak."""

from __future__ import annotations

from typing import Any

from ...model.instructions import InstructionRoof

_DECIMALS = 6


def instructions_form(roof: InstructionRoof) -> dict[str, Any]:
    """Return the instruction roofline: instructions of warps on a GPU, of cores on a CPU, all of them lower bounds."""
    mix, attainable = roof.mix, roof.attainable
    total = None if mix is None else round(mix.total, _DECIMALS)
    return {
        "instructions_per_s": roof.peak.value,
        "warp_instructions": total if roof.of_warps else None,
        "number": None
        if mix is None
        else {
            "total": total,
            "memory": round(mix.memory, _DECIMALS),
            "floating_point": round(mix.floating, _DECIMALS),
            "integer": round(mix.integer, _DECIMALS),
        },
        "ceilings": [
            {
                "name": each.name,
                "instructions": round(each.instructions, _DECIMALS),
                "instructions_per_s": each.rate.value,
            }
            for each in roof.ceilings
        ],
        "transactions": [
            {
                "level": each.level,
                "bytes": each.bytes_each,
                "number": round(each.number, _DECIMALS),
                "transactions_per_s": each.rate.value,
                "intensity": each.intensity,
                "attainable_per_s": each.attainable.value,
            }
            for each in roof.transactions
        ],
        "attainable_per_s": None if attainable is None else attainable.value,
        "share_of_peak": None if attainable is None else attainable.value / roof.peak.value,
    }
