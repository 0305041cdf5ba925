"""A region printed as a C function, so that the frontends can read back what was drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from analyzer.ir.index import Atom, Extremum, FloorDiv, Poly, TruncDiv, Unknown
from analyzer.ir.nodes import (
    And,
    Compare,
    Condition,
    DataDependent,
    Exit,
    Geometric,
    Guard,
    Loop,
    Node,
    Not,
    Or,
    Region,
    Statement,
    Strided,
    Truth,
    Uncounted,
)
from analyzer.ir.types import FP32
from analyzer.ir.values import Access, Apply, Constant, Load, Operation, Register, Value

_INFIX = {Operation.ADD: "+", Operation.SUB: "-", Operation.MUL: "*", Operation.DIV: "/"}
_SHIFTS = {2: 1, 4: 2, 8: 3}
_PRELUDE = """\
#include <math.h>
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
struct cell { double x, y, z; };
"""


def to_c(region: Region) -> str:
    """A whole file with one function of the region's name; symbols are ``int`` parameters, arrays pointers to rows."""
    symbols = ", ".join(f"int {symbol.name}" for symbol in region.symbols)
    arrays = ", ".join(_parameter(array.name, array.element == FP32, array.extents) for array in region.arrays)
    lines = [f"void {region.name}({symbols}, {arrays})", "{", "  double s = 0.0;", "  float t = 0.0f;"]
    for node in region.body:
        lines += (f"  {line}" for line in _node(node))
    return _PRELUDE + "\n".join([*lines, "}", ""])


def _parameter(name: str, single: bool, extents: tuple[Poly | None, ...]) -> str:
    if name == "p":
        return "struct cell p[]"
    rows = "".join(f"[{'' if extent is None else _index(extent)}]" for extent in extents)
    return f"{'float' if single else 'double'} {name}{rows}"


def _node(node: Node) -> Iterator[str]:
    match node:
        case Loop():
            yield from _block(_loop_head(node), node.body)
        case Guard():
            yield from _block(f"if ({_condition(node.condition)})", node.body)
            if node.orelse:
                yield from _block("else", node.orelse)
        case Statement(target, value):
            left = f"{_access(target)} = " if isinstance(target, Access) else f"{target.name} = " if target else ""
            yield f"{left}{_value(value)};"
        case Exit(loop):
            yield "return;" if loop is None else "break;"
        case _:
            assert_never(node)


def _block(head: str, body: tuple[Node, ...]) -> Iterator[str]:
    yield f"{head} {{"
    for node in body:
        yield from (f"  {line}" for line in _node(node))
    yield "}"


def _loop_head(loop: Loop) -> str:
    name = loop.iterator
    match loop.range:
        case Strided(start, stop, step) if step > 0:
            advance = f"{name}++" if step == 1 else f"{name} += {step}"
            return f"for (int {name} = {_index(start)}; {name} < {_index(stop)}; {advance})"
        case Strided(start, stop, step):
            advance = f"{name}--" if step == -1 else f"{name} -= {-step}"
            return f"for (int {name} = {_index(start)}; {name} >= {_index(stop + 1)}; {advance})"
        case Geometric(start, stop, factor, shrinking):
            relation, operator = (">", "/=") if shrinking else ("<", "*=")
            return f"for (int {name} = {_index(start)}; {name} {relation} {_index(stop)}; {name} {operator} {factor})"
        case Uncounted(trip):
            return f"for (int {name} = 0; {name} < {trip}; {name}++)"
        case _:
            assert_never(loop.range)


def _condition(condition: Condition) -> str:
    match condition:
        case Compare(comparison, left, right):
            return f"{_index(left)} {comparison.value} {_index(right)}"
        case And(operands):
            return " && ".join(f"({_condition(operand)})" for operand in operands)
        case Or(operands):
            return " || ".join(f"({_condition(operand)})" for operand in operands)
        case Not(operand):
            return f"!({_condition(operand)})"
        case DataDependent(_, text):
            return text
        case Truth(holds):
            return str(int(holds))
        case _:
            assert_never(condition)


def _index(poly: Poly) -> str:
    text = ""
    for monomial, number in poly.terms.items():
        size = [] if abs(number) == 1 and monomial else [str(abs(number))]
        sign = " - " if number < 0 else " + " if text else ""
        text += (sign if text else sign.strip()) + "*".join([*size, *map(_atom, monomial)])
    return text or "0"


def _atom(atom: Atom) -> str:
    match atom:
        case str():
            return atom
        case FloorDiv(numerator, denominator):
            return f"(({_index(numerator)}) >> {_SHIFTS[denominator.constant]})"
        case TruncDiv(numerator, denominator):
            return f"(({_index(numerator)}) / ({_index(denominator)}))"
        case Extremum(largest, operands):
            text = _index(operands[0])
            for operand in operands[1:]:
                text = f"{'MAX' if largest else 'MIN'}({text}, {_index(operand)})"
            return text
        case Unknown():
            raise ValueError("an unknown value has no C text")
        case _:
            assert_never(atom)


def _access(access: Access) -> str:
    member = f".{access.member}" if access.member else ""
    return access.array + "".join(f"[{_index(subscript)}]" for subscript in access.subscripts) + member


def _value(value: Value) -> str:
    match value:
        case Constant(number, kind):
            return f"{number}{'f' if kind == FP32 else ''}"
        case Register(name):
            return name
        case Load(access):
            return _access(access)
        case Apply(operation, _, (left, right)) if operation in _INFIX:
            return f"({_value(left)} {_INFIX[operation]} {_value(right)})"
        case Apply(_, kind, operands, function):
            return f"{function}{'f' if kind == FP32 else ''}({', '.join(map(_value, operands))})"
        case _:
            raise ValueError(f"{value} has no C text")
