"""Index expressions as people write them, to polynomials.

Whole numbers (``4096``, ``0x400``, ``1e6``, ``64Ki``), names, ``+ - * /``, ``2^20`` and parentheses; a division rounds
towards zero, as in C.

>>> str(parse_index("(N + 1)/2")), str(parse_index("64Ki*M")), parse_index("2^20").constant
('(N + 1)/2', '65536*M', 1048576)
"""

from __future__ import annotations

import ast

from ...python.regex import regex
from ..index import Poly, const, trunc_div, var

_PREFIXED = regex(r"\b(\d+)(k|M|G|T|Ki|Mi|Gi|Ti)\b")
_EXPONENT = regex(r"\b(\d+)[eE]\+?(\d{1,2})\b")
_FACTORS = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_MOST_BITS = 64  # of a power
_LONGEST = 200  # characters


def parse_index(text: str) -> Poly:
    """Read an expression; raises ``ValueError`` that says what is wrong."""
    if len(text) > _LONGEST:
        raise ValueError("it is too long")
    plain = _PREFIXED.sub(lambda found: str(int(found[1]) * _FACTORS[found[2]]), text.strip())
    plain = _EXPONENT.sub(lambda found: str(int(found[1]) * 10 ** int(found[2])), plain)
    try:
        tree = ast.parse(plain.replace(".", "__dot__"), mode="eval")
    except (SyntaxError, ValueError, MemoryError):
        raise ValueError("it cannot be read") from None
    return _poly(tree.body)


def _poly(node: ast.expr) -> Poly:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return const(value)
        case ast.Name(id=name):
            return var(name.replace("__dot__", "."))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_poly(operand)
        case ast.BinOp(left=left, op=op, right=right):
            return _applied(op, _poly(left), _poly(right))
    raise ValueError("only numbers, names, + - * / ^ and parentheses are understood")


def _applied(op: ast.operator, left: Poly, right: Poly) -> Poly:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div() if right.constant != 0:
            return trunc_div(left, right)
        case ast.Div():
            raise ValueError("it divides by zero")
        case ast.BitXor():
            base, power = left.constant, right.constant
            if base is not None and power is not None and 0 <= power <= _MOST_BITS and abs(base) <= _MOST_BITS:
                return const(base**power)
            raise ValueError("a power needs small numbers")
    raise ValueError("only + - * / ^ are understood")
