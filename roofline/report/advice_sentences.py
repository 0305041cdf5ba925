"""The sentences of advice: what to change, and how many times as fast the region would be."""

from __future__ import annotations

from typing import assert_never

from ..model.advice.kinds import (
    REGISTERS,
    Advice,
    AvoidBankConflicts,
    CallOnce,
    CoalesceAccesses,
    CopyToDevice,
    HoldElements,
    MultiplyByInverse,
    ReorderSums,
    ReuseData,
    SplitChain,
    StreamingStores,
    TransformLoops,
)
from ..model.gpu.requests import PATH, SHARED
from .source_names import spelled
from .transformed import transformed_text
from .waiting import split_text


def advice_text(advice: Advice) -> str:
    """Return a suggestion with its predicted gain."""
    match advice:
        case StreamingStores(arrays, gain):
            stored = ", ".join(map(spelled, arrays))
            return f"non-temporal stores to {stored} would save the write-allocate: {gain:.2f} times as fast"
        case ReuseData():
            return (
                f"{_reuse_advice(advice)}, up to {advice.gain:.3g} times as fast, "
                f"until compulsory bytes or the {advice.ceiling} ceiling limit"
            )
        case ReorderSums(gain, is_most, called):
            what = "several accumulators, or sums in any order (-ffast-math)"
            if called:
                what = f"calls of {', '.join(called)} in vectors, and sums in any order (-ffast-math)"
            return f"{what}: {'up to ' if is_most else ''}{gain:.3g} times as fast (--reassociate)"
        case TransformLoops():
            return transformed_text(advice)
        case CoalesceAccesses(arrays, gain):
            what = "let neighbouring threads use neighbouring elements of"
            return f"{what} {', '.join(arrays)}: {gain:.3g} times as fast"
        case AvoidBankConflicts(arrays, gain, paddings):
            parts = [
                f"pad the rows of {array} by {padding} {'element' if padding == 1 else 'elements'}"
                if padding
                else f"permute the rows of {array}"
                for array, padding in zip(arrays, paddings, strict=True)
            ]
            what = f"{' and '.join(parts)}, against bank conflicts"
            return f"{what}: {gain:.3g} times as fast"
        case SplitChain():
            return split_text(advice)
        case MultiplyByInverse(lines, gain):
            where = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}"
            what = f"the divisor in {where} stays the same: multiply by its inverse, computed once before the loop"
            return f"{what}: {gain:.3g} times as fast"
        case CallOnce(functions, lines, gain):
            where = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}"
            what = f"call {', '.join(functions)} of the same arguments in the loop of {where} once, before it"
            return f"{what} (-fno-math-errno lets the compiler do it): {gain:.3g} times as fast"
        case HoldElements(elements, gain):
            what = "declare the pointers restrict if they never meet: the compiler checks too many pairs of them"
            if elements:
                where = f"{'local variables' if len(elements) > 1 else 'a local variable'} during the innermost loop"
                what = f"hold {', '.join(elements)} in {where}, or declare the pointers restrict if they never meet"
            return f"{what}: {gain:.3g} times as fast"
        case CopyToDevice(arrays, gain):
            return (
                f"{', '.join(arrays)} in the memory of the host: copied to the GPU once (cudaMemcpy), each further use "
                f"is up to {gain:.3g} times as fast"
            )
        case _:
            assert_never(advice)


def _reuse_advice(advice: ReuseData) -> str:
    if advice.inner is None and advice.arrays:
        apart = f"keep the members of {', '.join(advice.arrays)} that are used here apart from the others"
        return f"{apart}, as in a structure of arrays"
    if advice.inner is None:
        return "move fewer bytes (fusion, blocking)"
    if advice.arrays:  # what is read from tiles takes the path to L1 as well: only registers spare it
        tiles = f"keep tiles of {', '.join(advice.arrays)} in shared memory"
        then = " and let each thread compute several results from them" if advice.level == PATH else ""
        return f"{tiles}, loaded once for a block{',' if then else ''}{then}, for fewer bytes from {advice.level}"
    if advice.level in (SHARED, PATH):
        return f"let each thread compute several results from what it loads, for fewer bytes from {advice.level}"
    registers = advice.inner == REGISTERS
    how = "unroll outer loops, block for registers" if registers else "block for it"
    return f"reuse data from {advice.inner} ({how}), for fewer bytes from {advice.level}"
