"""The sentences of the reasons: one template for each code, filled with the evidence and the names of a reason."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from analyzer.diagnostics import SentenceFormatter

from ...machine.units import format_rate, format_share
from .codes import Code
from .reason import Delivered, Reason

_FORMATTER = SentenceFormatter()
_SENTENCES = MappingProxyType(
    {
        Code.REPETITIONS: (
            "the measured region ran {executions:.0f} times: FLOPs and bytes are {executions:.0f} times the predicted "
            "(--executions {executions:.0f})"
        ),
        Code.OTHER_SIZE: (
            "measured at another size: FLOPs and bytes are both {ratio:.3g} times the predicted (-D, --launch)"
        ),
        Code.FMA_COUNTED_ONCE: "the tool counts an FMA as one FLOP, not as two",
        Code.FMA_COUNTED_TWICE: (
            "the tool counts an FMA twice over: counters that count it as two already were doubled"
        ),
        Code.EXPANSION: (
            "as many FLOPs as machine code has ({operations} become several instructions): --policy {policy}"
        ),
        Code.OTHER_POLICY: "as many FLOPs as --policy {policy} counts",
        Code.OTHER_PRECISION: (
            "{share:.0%} of the measured FLOPs are {precision}, which is not predicted: "
            "a constant, a function or an expansion of that type"
        ),
        Code.NOT_COUNTED: "the prediction is without {missing}",
        Code.NO_WRITE_ALLOCATE: (
            "no line was read for a store at {level}: non-temporal stores, or a processor that avoids write-allocate "
            "(--nontemporal, --no-write-allocate)"
        ),
        Code.WRITE_ALLOCATE: (
            "stores read their lines first at {level} (--write-allocate): as many bytes more as are stored"
        ),
        Code.SOME_CHANNELS: (
            "reads and writes are both 1/{channels:.0f} of the predicted: "
            "one of {channels:.0f} memory channels was counted"
        ),
        Code.GRANULARITY: "as many bytes as {unit}, each once, where the prediction counts otherwise",
        Code.EVERY_REFERENCE: (
            "as many bytes as all references of the source: values were not held in registers (optimisation?)"
        ),
        Code.WARM_CACHES: (
            "the data ({footprint_bytes:.4g} B) fits {cache} and was there already: warm caches (--warm)"
        ),
        Code.CACHE_REUSE: (
            "{cache} held more than the model expects: {ratio:.3g} times the predicted bytes came from {level}"
        ),
        Code.LESS_CACHE_REUSE: (
            "{cache} held less than the model expects (conflicts, prefetches, other data, shared capacity): "
            "{ratio:.3g} times the predicted bytes came from {level}"
        ),
        Code.NO_CACHES: (
            "predicted are the elements, each once: what comes from {level} depends on lines, sectors and caches "
            "(give --machine)"
        ),
        Code.SPILLS: (
            "{local_bytes:.4g} B of local memory{share}: spilled registers or arrays of a thread, "
            "which are not predicted"
        ),
        Code.REORDERED_SUMS: (
            "the sum {value} was taken in another order (-ffast-math, several accumulators): it did not wait for one "
            "addition after the other (--reassociate)"
        ),
        Code.ABOVE_THE_ROOF: (
            "{efficiency:.3g} times the bound, which nothing can be: "
            "the ceiling, the clock or a count is wrong: {detail}"
        ),
        Code.NOT_VECTORISED: (
            "not vectorised: {scalar_share:.0%} of the floating-point instructions are scalar "
            "(-O3, -march=native, restrict)"
        ),
        Code.PART_OF_THE_MACHINE: (
            "measured with {threads:.0f} {noun}, the bound is for {units:.0f} x {unit} (--cores {threads:.0f})"
        ),
    }
)


def reason_text(reason: Reason) -> str:
    """Return the sentence of a reason."""
    values: dict[str, object] = {"level": reason.level, **reason.names, **reason.evidence}
    match reason.code:
        case Code.ABOVE_THE_ROOF:
            otherwise = "another machine, another precision, or bytes that were not all measured"
            values["detail"] = "; ".join(_causes(reason)) or otherwise
        case Code.SPILLS:
            share = reason.evidence.get("share_of_L1")
            values["share"] = "" if share is None else f", {format_share(share)} of the bytes at L1"
        case Code.PART_OF_THE_MACHINE:
            values["noun"] = "thread" if reason.evidence["threads"] == 1 else "threads"
        case _:
            pass
    return _FORMATTER.format(_SENTENCES[reason.code], **values)


def _causes(reason: Reason) -> Iterator[str]:
    """Yield what may have lifted a kernel above its roof."""
    evidence, names = reason.evidence, reason.names
    if "clock_hz" in evidence:
        ran, stated = (evidence[key] / 1e9 for key in ("clock_hz", "machine_clock_hz"))
        yield f"it ran at {ran:.4g} GHz, the machine file says {stated:.4g}"
    if "device" in names:
        yield f"it was measured on {names['device']}, the bound is of {names['machine']}"
    yield from map(_delivered_text, reason.delivered)


def _delivered_text(found: Delivered) -> str:
    rate, roof = format_rate(found.bytes_per_s, "B/s"), format_rate(found.roof_bytes_per_s, "B/s")
    return f"{found.level} delivered {rate}, its roof is {roof}"
