"""The way from an lvalue or an address to the variables that it starts from, and from a member to its initialiser.

Conversions are on none of these ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from .nodes import (
    ArrayT,
    Assign,
    Binary,
    Call,
    Cast,
    Comma,
    Conditional,
    CType,
    Expression,
    Index,
    InitializerList,
    Member,
    Name,
    Number,
    OpaqueExpression,
    PointerT,
    StructT,
    Unary,
)
from .traverse import walk
from .types import type_of


@overload
def without_casts(expression: Expression) -> Expression: ...
@overload
def without_casts(expression: None) -> None: ...
def without_casts(expression: Expression | None) -> Expression | None:
    """Return what is converted, behind all explicit conversions."""
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def is_null(expression: Expression) -> bool:
    """Return whether an expression is the number 0 as it stands, as null pointers are written."""
    value = without_casts(expression)
    return isinstance(value, Number) and value.value == 0


def is_address(expression: Expression) -> bool:
    """Return whether the value of an expression is an address: of pointer or array type, or ``&x``."""
    return isinstance(type_of(expression), PointerT | ArrayT)


def is_designator(expression: Expression) -> bool:
    """Return whether an expression names an object that goes on to exist, so that its value is a copy."""
    match expression:
        case Name() | Index() | Member() | Assign() | Unary(operator="*" | "++x" | "--x"):
            return True
        case Comma(right=right):
            return is_designator(right)
        case Conditional(then=then, orelse=orelse):
            return is_designator(then) and is_designator(orelse)
        case _:
            return False


def has_effects(expression: Expression) -> bool:
    """Return whether an expression may do something besides naming an object, so that it is evaluated only once."""
    return any(
        isinstance(node, Call | OpaqueExpression | Assign)
        or (isinstance(node, Unary) and node.operator in ("++x", "--x", "x++", "x--"))
        for node in walk(expression)
    )


def bases(expression: Expression) -> Sequence[Expression]:
    """Return the parts that decide in which object an lvalue or an address lies: none for a variable or a number.

    Of a sum these are the addresses among its operands, else the left one; a call may return any address that it is
    given.
    """
    match expression:
        case Member(base=base) | Index(base=base):
            return (base,)
        case Unary(operand=operand) | Cast(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (right,) if is_address(right) and not is_address(left) else (left,)
        case Conditional(then=then, orelse=orelse):
            return (then, orelse)
        case Assign(target=target):
            return (target,)
        case Comma(right=right):
            return (right,)
        case Call(arguments=arguments) if is_address(expression):
            return tuple(filter(is_address, arguments))
        case _:
            return ()


def roots(expression: Expression) -> Iterator[Name]:
    """Yield the variables that an lvalue or an address starts from, in the order of the source."""
    if isinstance(expression, Name):
        yield expression
    for base in bases(expression):
        yield from roots(base)


def member_of_list(initial: Expression, path: str) -> Expression | None:
    """Return what an initialiser gives a member (``.size.rows``), itself for no path; None where no list has it."""
    for name in path.split(".")[1:]:
        kind = initial.type if isinstance(initial, InitializerList) else None
        if not isinstance(initial, InitializerList) or not isinstance(kind, StructT):
            return None
        names = [field.name for field in kind.fields]
        pairs = zip(kind.fields, initial.items, strict=False)  # not of base classes, which have lists of their own
        if name not in names[: len(initial.items)] or not all(_fits(item, field.type) for field, item in pairs):
            return None
        initial = initial.items[names.index(name)]
    return initial


def _fits(item: Expression, kind: CType) -> bool:
    """Return whether a list is for a member that needs one, and no other expression."""
    if isinstance(kind, StructT | ArrayT):
        return isinstance(item, InitializerList) and (isinstance(kind, ArrayT) or item.type == kind)
    return not isinstance(item, InitializerList)
