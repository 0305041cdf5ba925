"""Registers that a division or a function takes while it is computed, on top of what is live around it.

``costs.toml`` has them by name and type, made by ``python -m tests.bench.gpu_registers --costs``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ..ir.types import ScalarType
from ..ir.values import Apply, Constant, IndexValue, Operation, Value

_DIVISIONS = (Operation.DIV, Operation.REM)
_WITHOUT_CALL = ("__", "atomic", "tex", "surf", "sincos")  # beginnings of names that are instructions, or inlined


@cache
def _costs() -> Mapping[str, Mapping[str, int]]:
    found: Mapping[str, Mapping[str, int]] = tomllib.loads(Path(__file__).with_name("costs.toml").read_text("utf-8"))
    return found


def extra_registers(value: Apply) -> int:
    """Return the registers of an operation while it is computed; 0 where the result has room for it."""
    scalar = value.type.scalar
    if value.operation in _DIVISIONS and scalar.is_integer:
        if is_literal(value.operands[1]):
            return 0  # a product, or a shift
        return _costs()[value.operation.value].get(scalar.value, 0)
    precision = "fp64" if scalar is ScalarType.FP64 else "fp32"
    match value.operation:
        case Operation.DIV if precision == "fp32" and isinstance(value.operands[1], Constant):
            return 0
        case Operation.DIV | Operation.SQRT:
            return _costs()[value.operation.value][precision]
        case Operation.CALL:
            return _row(value.function).get(precision, 0)
        case _:
            return 0


def is_literal(value: Value) -> bool:
    """Return whether a number is a constant for a compiler, without computing."""
    return isinstance(value, Constant) or (isinstance(value, IndexValue) and value.index.constant is not None)


def is_called(function: str) -> bool:
    """Return whether a function is called as such: it may use all registers that the calling convention gives it."""
    return bool(function) and not function.startswith(_WITHOUT_CALL) and not _row(function)


def _row(function: str) -> Mapping[str, int]:
    return _costs().get(function) or _costs().get(function.removesuffix("f"), {})
