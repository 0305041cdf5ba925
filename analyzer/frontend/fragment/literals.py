"""Literals of C: their spelling to values and types."""

from __future__ import annotations

import math

from ...ir.types import ElementType, ScalarType
from ..surface.nodes import DOUBLE, FLOAT, INT, ScalarT

_INT_MAX = 2**31 - 1
_LONG_MAX = 2**63 - 1
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}

_BOOL = ScalarT(ElementType(ScalarType.BOOL))
_POINTER = ScalarT(ElementType(ScalarType.INT64))

NAMED_CONSTANTS: dict[str, tuple[int | float, ScalarT]] = {
    "true": (1, _BOOL), "false": (0, _BOOL), "TRUE": (1, INT), "FALSE": (0, INT), "NULL": (0, _POINTER),
    "M_PI": (math.pi, DOUBLE), "M_PI_2": (math.pi / 2, DOUBLE), "M_PI_4": (math.pi / 4, DOUBLE),
    "M_E": (math.e, DOUBLE), "M_SQRT2": (math.sqrt(2), DOUBLE), "M_SQRT1_2": (math.sqrt(0.5), DOUBLE),
    "M_LN2": (math.log(2), DOUBLE), "HUGE_VAL": (math.inf, DOUBLE), "INFINITY": (math.inf, FLOAT),
    "NAN": (math.nan, FLOAT), "INT_MAX": (_INT_MAX, INT), "INT_MIN": (-_INT_MAX - 1, INT),
    "DBL_MAX": (1.7976931348623157e308, DOUBLE), "DBL_MIN": (2.2250738585072014e-308, DOUBLE),
    "DBL_EPSILON": (2.0**-52, DOUBLE), "FLT_MAX": (3.4028234663852886e38, FLOAT),
    "FLT_MIN": (1.1754943508222875e-38, FLOAT), "FLT_EPSILON": (2.0**-23, FLOAT), "EOF": (-1, INT),
}  # fmt: skip
"""Constants of the standard headers that a snippet may use without including them."""


def literal(kind: str, spelling: str) -> tuple[int | float, ScalarT] | None:
    """Return the value and type of a numeric or character literal, or None where it is malformed."""
    try:
        if kind == "char" or spelling.lstrip("uUL8").startswith("'"):
            return _character(spelling), INT
        if "int" in kind:
            return _integer(spelling)
        return _floating(spelling)
    except (ValueError, OverflowError):
        return None


def _integer(spelling: str) -> tuple[int, ScalarT]:
    digits = spelling.rstrip("uUlLzZ")
    suffix = spelling[len(digits) :].lower()
    lowered = digits.lower()
    if lowered.startswith("0x"):
        value = int(digits, 16)
    elif lowered.startswith("0b"):
        value = int(digits, 2)
    else:
        value = int(digits, 8 if len(digits) > 1 and digits.startswith("0") else 10)
    unsigned = "u" in suffix or value > _LONG_MAX
    limit = 2 * _INT_MAX + 1 if unsigned or lowered.startswith(("0x", "0b")) else _INT_MAX
    bits = 64 if "l" in suffix or "z" in suffix or value > limit else 32
    unsigned = unsigned or (bits == 32 and value > _INT_MAX)
    return value, ScalarT(ElementType(ScalarType(f"{'u' if unsigned else ''}int{bits}")))


def _floating(spelling: str) -> tuple[float, ScalarT]:
    lowered = spelling.lower()
    is_hex = lowered.startswith("0x")
    digits = lowered.rstrip("l" if is_hex and "p" not in lowered else "fl")
    value = float.fromhex(digits) if is_hex else float(digits)
    suffix = lowered[len(digits) :]
    scalar = {"f": ScalarType.FP32, "l": ScalarType.FP80}.get(suffix, ScalarType.FP64)
    return value, ScalarT(ElementType(scalar))


def _character(spelling: str) -> int:
    body = spelling[spelling.index("'") + 1 : -1]
    if not body.startswith("\\"):
        value = 0
        for character in body:
            value = (value << 8 | ord(character)) & 0xFFFFFFFF
        return value
    if body[1:2] == "x":
        return int(body[2:], 16)
    if body[1:].isdigit():
        return int(body[1:], 8)
    return _ESCAPES.get(body[1:2], 0)
