"""Arrays of objects, whose elements are constructed one after the other."""

from __future__ import annotations

from typing import TypeGuard

from ..nodes import (
    INT,
    ArrayT,
    Assign,
    Binary,
    Call,
    CType,
    Declare,
    Evaluate,
    Expression,
    For,
    Index,
    Name,
    Number,
    Statement,
    Storage,
    Unary,
    Variable,
)
from ..types import innermost


def constructed(declaration: Declare) -> list[Statement]:
    """Return a declaration of an array of objects with the loop that constructs them; others as they are."""
    kind, value = declaration.variable.type, declaration.initial
    is_array = isinstance(kind, ArrayT) and not declaration.variable.reference
    if not is_array or not _makes_each(value) or declaration.variable.storage is not Storage.LOCAL:
        return [declaration]
    target = Name(declaration.variable, declaration.span)
    return [Declare(declaration.variable, None, declaration.span), initialised(target, kind, value)]


def initialised(target: Expression, kind: CType, value: Expression) -> Statement:
    """Return what gives a variable or a member its first value, of an array of objects the loop that makes them."""
    if not _makes_each(value):
        return Evaluate(Assign("", target, value, target.span), target.span)
    made = Call(value.function, value.name, value.arguments, innermost(kind), value.span)
    return for_each_element(target, kind, made)


def _makes_each(value: Expression | None) -> TypeGuard[Call]:
    return isinstance(value, Call) and value.for_each


def for_each_element(target: Expression, kind: CType, value: Expression) -> Statement:
    """Return the loops that store a value in each element of an array, for each of which it is computed."""
    span = target.span
    if not isinstance(kind, ArrayT) or kind.extent is None:
        return Evaluate(Assign("", target, value, span), span)
    index = Variable("element", INT, Storage.LOCAL, span)
    here = Name(index, span)
    return For(
        initial=Declare(index, Number(0, INT, span), span),
        condition=Binary("<", here, kind.extent, span),
        advance=Unary("x++", here, span),
        body=for_each_element(Index(target, here, span), kind.element, value),
        span=span,
    )
