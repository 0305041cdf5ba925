"""Arrays of objects, whose elements are constructed one after the other."""

from __future__ import annotations

from .nodes import (
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
    StructT,
    Unary,
    Variable,
)


def constructed(declaration: Declare) -> list[Statement]:
    """Return a declaration of an array of objects with the loop that constructs them; others as they are."""
    kind, value = declaration.variable.type, declaration.initial
    element = kind
    while isinstance(element, ArrayT):
        element = element.element
    is_array = isinstance(kind, ArrayT) and isinstance(element, StructT) and not declaration.variable.reference
    if not is_array or not isinstance(value, Call) or declaration.variable.storage is not Storage.LOCAL:
        return [declaration]
    span = declaration.span
    made = Call(value.function, value.name, value.arguments, element, value.span)
    target = Name(declaration.variable, span)
    return [Declare(declaration.variable, None, span), for_each_element(target, kind, made)]


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
