"""Local vectors and unions whose bytes have two types: ``float4 v; reinterpret_cast<float *>(&v)[i] = ...``.

``Block -> Block``.  Vectors are registers, and what is stored through such a pointer would be no part of them, nor what
is stored to an array that is a member of a union part of its other members.  So they become arrays of one element
(``float4 v[1]``), whose elements both types see.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...ir.types import INT32
from ...source import Span
from .layout import overlap
from .nodes import (
    ArrayT,
    Assign,
    Block,
    Cast,
    CType,
    Declare,
    Evaluate,
    Expression,
    Index,
    Name,
    Number,
    PointerT,
    ScalarT,
    Statement,
    Storage,
    StructT,
    Unary,
    Variable,
)
from .traverse import Tree, map_children, walk

_INT = ScalarT(INT32)


def seen_as_arrays(body: Block) -> Block:
    """Return a body whose vectors that are seen as another type are arrays of one element."""
    local = dict.fromkeys(
        node.variable for node in walk(body) if isinstance(node, Declare) and _is_local(node.variable)
    )
    declared = {variable for variable in local if _is_vector(variable.type)}
    seen = dict.fromkeys(variable for node in walk(body) if (variable := _seen(node)) in declared)
    seen |= dict.fromkeys(variable for variable in local if _is_union_of_arrays(variable.type))
    arrays = {each: replace(each, type=ArrayT(each.type, Number(1, _INT, each.span))) for each in seen if each}
    return _rewritten(body, arrays) if arrays else body


def _is_local(variable: Variable) -> bool:
    return not variable.reference and variable.storage is Storage.LOCAL


def _is_union_of_arrays(kind: CType) -> bool:
    """Return whether a type has an array among members that overlap."""
    return isinstance(kind, StructT) and any(
        isinstance(field.type, ArrayT) and any(overlap(field, other) for other in kind.fields if other is not field)
        for field in kind.fields
    )


def _is_vector(kind: CType) -> bool:
    """Return whether a type is a vector: numbers with no more around them."""
    match kind:
        case ScalarT(element=element):
            return element.lanes > 1
        case StructT(fields=fields):
            return len(fields) > 1 and all(isinstance(field.type, ScalarT) for field in fields)
        case _:
            return False


def _seen(node: Tree) -> Variable | None:
    """Return the variable whose address a node makes one of another type."""
    match node:
        case Cast(type=PointerT(target=target), operand=Unary(operator="&", operand=Name(variable=variable))):
            return variable if _is_other(target, variable.type) else None
        case _:
            return None


def _is_other(target: CType, kind: CType) -> bool:
    return isinstance(target, ScalarT | StructT) and target != kind


def _rewritten(body: Block, arrays: dict[Variable, Variable]) -> Block:
    def changed(inner: Tree) -> Tree:
        match inner:
            case Name(variable=variable, span=span) if variable in arrays:
                return _element(arrays[variable], span)
            case Block():
                return block(inner)
            case _:
                return map_children(inner, changed)

    def block(inner: Block) -> Block:
        return Block(tuple(each for one in inner.statements for each in declared(one)), inner.span)

    def declared(statement: Statement) -> tuple[Statement, ...]:
        match statement:
            case Declare(variable=variable, initial=initial, span=span) if variable in arrays:
                array = arrays[variable]
                return (Declare(array, None, span), *stored(array, initial))
            case _:
                return (changed(statement),)  # type: ignore[return-value]  # a statement stays one

    def stored(array: Variable, initial: Expression | None) -> tuple[Statement, ...]:
        if initial is None:
            return ()
        value: Expression = changed(initial)  # type: ignore[assignment]  # an expression stays one
        return (Evaluate(Assign("", _element(array, array.span), value, array.span), array.span),)

    return block(body)


def _element(array: Variable, span: Span) -> Index:
    """Return the only element of an array."""
    return Index(Name(array, span), Number(0, _INT, span), span)
