"""Rules on FLOPs: what counts as one, and which were executed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from analyzer.counts.policy import MACHINE_CODE
from analyzer.ir.values import Operation

from .codes import Code
from .reason import Case, Reason, alike

_NOTABLE = 0.01
_LONG = (Operation.DIV, Operation.SQRT, Operation.CALL)


def _fma(case: Case) -> Iterator[Reason]:
    """Recognise an FMA counted once, or twice over."""
    row, fma = case.row("flops"), case.prediction.number(case.prediction.region.profile.work.fma_instructions)
    if row is None or not case.differs("flops") or row.predicted is None or fma is None or not fma.value:
        return
    evidence = {"fma_instructions": fma.value, "predicted_flops": row.predicted.value}
    if alike(row.measured, row.predicted.value - fma.value):
        yield Reason(Code.FMA_COUNTED_ONCE, "flops", "", evidence)
    elif alike(row.measured, row.predicted.value + 2 * fma.value):
        yield Reason(Code.FMA_COUNTED_TWICE, "flops", "", evidence)


def _policy(case: Case) -> Iterator[Reason]:
    """Recognise as many FLOPs as another policy counts."""
    row = case.row("flops")
    if row is None or not case.differs("flops"):
        return
    for policy, flops in case.policies(case.prediction).items():
        if not alike(row.measured, flops):
            continue
        evidence = {"flops": flops}
        if policy == MACHINE_CODE:
            operations = ", ".join(_long_operations(case)) or "contracted and shared operations"
            names = {"operations": operations, "policy": policy}
            yield Reason(Code.EXPANSION, "flops", "", evidence, names)
        else:
            yield Reason(Code.OTHER_POLICY, "flops", "", evidence, {"policy": policy})
        return


def _long_operations(case: Case) -> list[str]:
    operations = case.prediction.region.profile.work.operations
    return list(dict.fromkeys(key.function or key.operation.value for key in operations if key.operation in _LONG))


def _precision(case: Case) -> Iterator[Reason]:
    """Recognise FLOPs in a precision that the source does not have: constants and functions of another type."""
    measured = case.sample.flops_by_precision
    whole = sum(measured.values())
    predicted = {
        precision.value.removeprefix("complex_")
        for precision, count in case.prediction.region.profile.work.flops_by_precision.items()
        if not count.is_zero
    }
    for precision, flops in measured.items():
        if predicted and precision not in predicted and whole and flops > _NOTABLE * whole:
            evidence = {"flops": flops, "share": flops / whole}
            yield Reason(Code.OTHER_PRECISION, "flops", "", evidence, {"precision": precision})


def _not_counted(case: Case) -> Iterator[Reason]:
    """Recognise more FLOPs than predicted where the work of some calls is not known."""
    row, work = case.row("flops"), case.prediction.region.profile.work
    rest = (*work.not_counted, *work.without_cost)
    if not rest or row is None or not case.differs("flops") or row.predicted is None:
        return
    more = row.measured - row.predicted.value
    if more > 0:
        names = {"missing": ", ".join(str(found.what) for found in rest)}
        yield Reason(Code.NOT_COUNTED, "flops", "", {"flops": more}, names)


FLOP_RULES: tuple[Callable[[Case], Iterator[Reason]], ...] = (_fma, _policy, _precision, _not_counted)
