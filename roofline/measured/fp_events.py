"""Floating-point events of x86 processors: how many FLOPs one count stands for.

Intel ``FP_ARITH_INST_RETIRED.*``: one for each instruction, twice for an FMA, so that counts times lanes are FLOPs
(Intel, *Software Developer's Manual*, vol. 3B, performance monitoring events); AMD ``FP_RET_SSE_AVX_OPS.ALL`` and
LIKWID's ``RETIRED_SSE_AVX_FLOPS_ALL`` count FLOPs themselves, without their precision.

>>> lanes_of("FP_ARITH_INST_RETIRED_512B_PACKED_DOUBLE"), lanes_of("fp_arith_inst_retired.scalar_single:u")
(Lanes(count=8, precision='fp64', scalar=False), Lanes(count=1, precision='fp32', scalar=True))
>>> lanes_of("fp_ret_sse_avx_ops.all"), lanes_of("cycles")
(Lanes(count=1, precision='', scalar=False), None)
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from analyzer.python.regex import regex

_INTEL = regex(
    r"fp_arith_inst_retired[._](?:(?P<scalar>scalar)|(?P<bits>128|256|512)b_packed)_(?P<kind>double|single|half)"
)
_AMD = regex(r"(?:fp_ret_sse_avx_ops[._]all|retired_sse_avx_flops_all)\b")
_BITS = {"double": 64, "single": 32, "half": 16}
_PRECISIONS = {"double": "fp64", "single": "fp32", "half": "fp16"}


class Lanes(Struct, frozen=True):
    """FLOPs of one count, their precision (empty: not known), and whether the instruction is scalar."""

    count: int
    precision: str
    scalar: bool


class FpWork(Struct, frozen=True):
    """FLOPs, by precision where it is known, and the share of scalar instructions (None: not known)."""

    flops: float
    by_precision: dict[str, float]
    scalar_share: float | None


def lanes_of(event: str) -> Lanes | None:
    """Return what an event counts, None where it is no floating-point event."""
    text = event.lower()
    found = _INTEL.search(text)
    if found is not None:
        kind = found["kind"]
        count = 1 if found["scalar"] else int(found["bits"]) // _BITS[kind]
        return Lanes(count, _PRECISIONS[kind], bool(found["scalar"]))
    return Lanes(1, "", False) if _AMD.search(text) else None


def work_of(counts: Iterable[tuple[Lanes, float]]) -> FpWork | None:
    """Return the work of all counts, None where there are none."""
    known = list(counts)
    if not known:
        return None
    by_precision: dict[str, float] = {}
    for lanes, count in known:
        by_precision[lanes.precision] = by_precision.get(lanes.precision, 0.0) + lanes.count * count
    classified = [(lanes, count) for lanes, count in known if lanes.precision]
    instructions = sum(count for _, count in classified)
    scalar = sum(count for lanes, count in classified if lanes.scalar)
    vectors = any(not lanes.scalar for lanes, _ in classified)
    share = scalar / instructions if instructions and vectors and any(lanes.scalar for lanes, _ in classified) else None
    flops = sum(by_precision.values())
    return FpWork(flops, {} if "" in by_precision else by_precision, share)
