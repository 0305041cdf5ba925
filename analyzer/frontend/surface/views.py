"""Local vectors that pointers of another type see: ``float4 v; reinterpret_cast<float *>(&v)[i] = ...``.

``Block -> Block``.  Vectors are registers, and what is stored through such a pointer would be no part of them.  So they
become arrays of one element (``float4 v[1]``), whose elements both types see.
"""

from __future__ import annotations

from msgspec.structs import replace

from ...ir.types import INT32
from ...source import Span
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
    declared = {node.variable for node in walk(body) if isinstance(node, Declare) and _is_vector(node.variable)}
    seen = dict.fromkeys(variable for node in walk(body) if (variable := _seen(node)) in declared)
    arrays = {each: replace(each, type=ArrayT(each.type, Number(1, _INT, each.span))) for each in seen if each}
    return _rewritten(body, arrays) if arrays else body


def _is_vector(variable: Variable) -> bool:
    """Return whether a variable is a local vector: numbers with no more around them."""
    if variable.reference or variable.storage is not Storage.LOCAL:
        return False
    match variable.type:
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
