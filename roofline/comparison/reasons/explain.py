"""Why a measured quantity may differ from the predicted one: small rules, each with its evidence.

A rule looks at one :class:`Case` and says something only where the numbers fit it.  Rules on bytes are tried for every
level that differs, the plainest first, and one of them is enough.  A region that ran several times is recognised first;
the other rules then look at one execution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from ...measured.repeats import scaled
from ...measured.results import Sample
from ..performance import Performance
from ..predictions import Prediction
from ..quantities import Row, Verdict, rows_of
from ..tolerance import Tolerance
from .codes import Code
from .flops import FLOP_RULES
from .memory import memory_reasons
from .reason import Case, Reason
from .speed import SPEED_RULES

_WHOLE = 0.01
_NEAR = 0.25
_SAME = 0.05


def reasons_for(
    sample: Sample,
    prediction: Prediction,
    rows: tuple[Row, ...],
    performance: Performance,
    tolerance: Tolerance,
    policies: Callable[[Prediction], Mapping[str, float]],
) -> tuple[Reason, ...]:
    """Return the likely reasons, those of FLOPs first; ``policies`` gives the FLOPs under other policies when asked."""
    case = Case(sample, prediction, rows, performance, tolerance, policies)
    found = []
    repeated = _repetitions(case) or _other_size(case)
    if repeated is not None:
        found.append(repeated)
        factor = repeated.evidence["ratio"]
        once = scaled(sample, 1 / factor)
        case = replace(case, sample=once, rows=tuple(rows_of(once, prediction, tolerance)))
    for rule in FLOP_RULES:
        found += rule(case)
    found += memory_reasons(case)
    for rule in SPEED_RULES:
        found += rule(case)
    return tuple(found)


def _ratios(case: Case) -> tuple[list[float], list[float]]:
    """Return the quotients of measured and predicted: of FLOPs, and of the bytes of every level."""
    known = [row for row in case.rows if row.verdict in (Verdict.AGREES, Verdict.DIFFERS) and row.ratio]
    flops = [row.ratio for row in known if row.quantity == "flops" and row.ratio]
    return flops, [row.ratio for row in known if row.quantity == "bytes" and row.ratio]


def _repetitions(case: Case) -> Reason | None:
    """Recognise FLOPs that are a whole multiple of the predicted, and bytes of some level about as many times."""
    flops, moved = _ratios(case)
    ratio = flops[0] if flops else moved[0] if moved else 0.0
    times = round(ratio)
    if times < 2 or abs(ratio / times - 1) > _WHOLE or not (flops and moved):
        return None
    if not any(abs(other / times - 1) <= _NEAR for other in moved):
        return None
    return Reason(Code.REPETITIONS, "flops", "", {"ratio": float(times), "executions": float(times)})


def _other_size(case: Case) -> Reason | None:
    """Recognise FLOPs and bytes of all levels that differ by one and the same factor, which is not whole."""
    flops, moved = _ratios(case)
    if not flops or not moved or case.agrees("flops"):
        return None
    ratio = flops[0]
    if any(abs(other / ratio - 1) > _SAME for other in moved):
        return None
    return Reason(Code.OTHER_SIZE, "flops", "", {"ratio": ratio})
