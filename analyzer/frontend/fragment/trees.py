"""Questions about the C parser's nodes that need no scopes: what a declarator declares, what an expression names."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from pycparser import c_ast

from .prepare import AUTO_TYPE
from .type_names import element_of_words, looks_like_index


def kind_of(node: Any, integers: Collection[str], initial: Any = None) -> str:
    """Return ``integer``, ``pointer`` or ``data``; ``integers`` name integer types, ``initial`` types an ``auto``."""
    if isinstance(node, c_ast.PtrDecl | c_ast.ArrayDecl):
        return "pointer"
    specifier = node.type if isinstance(node, c_ast.TypeDecl) else None
    if isinstance(specifier, c_ast.Enum):
        return "integer"
    if not isinstance(specifier, c_ast.IdentifierType):
        return "data"
    words = specifier.names
    if words == [AUTO_TYPE]:
        return "integer" if isinstance(initial, c_ast.Constant) and "int" in initial.type else "data"
    if words[-1] in integers:
        return "integer"
    element = element_of_words(words)
    if element is None:
        return "integer" if looks_like_index(words[-1]) else "data"
    return "integer" if element.scalar.is_integer else "data"


def parameter_kinds(function: Any, integers: Collection[str]) -> list[str]:
    """Return the kind of each parameter of a function's declarator."""
    parameters = () if function.args is None else function.args.params
    return [kind_of(getattr(parameter, "type", None), integers) for parameter in parameters]


def assigned(node: Any) -> Iterator[str]:
    """Yield plain names that an expression assigns or steps."""
    match node:
        case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
            yield name
            yield from assigned(node.rvalue)
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=c_ast.ID(name=name)):
            yield name
        case c_ast.ExprList(exprs=items):
            for item in items:
                yield from assigned(item)


def names(node: Any) -> Iterator[str]:
    """Yield every name in a tree."""
    if isinstance(node, c_ast.ID):
        yield node.name
    elif node is not None:
        for _, child in node.children():
            yield from names(child)


def values(node: Any) -> Iterator[str]:
    """Yield names whose values an arithmetic expression combines; of ``a[i]`` the array stands for its elements."""
    match node:
        case c_ast.ID(name=name):
            yield name
        case c_ast.ArrayRef(name=base):
            yield from values(base)
        case c_ast.BinaryOp(op="+" | "-" | "*" | "/" | "%", left=left, right=right):
            yield from values(left)
            yield from values(right)
        case c_ast.UnaryOp(op="-" | "+" | "++" | "--" | "p++" | "p--", expr=inner):
            yield from values(inner)
        case c_ast.TernaryOp(iftrue=then, iffalse=orelse):
            yield from values(then)
            yield from values(orelse)


def leftmost(node: Any) -> str | None:
    """Return the name that a pointer expression such as ``p + i`` or ``p++`` starts from."""
    while True:
        match node:
            case c_ast.ID(name=name):
                return str(name)
            case c_ast.BinaryOp(op="+" | "-", left=left):
                node = left
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=inner):
                node = inner
            case c_ast.Cast(to_type=c_ast.Typename(type=c_ast.PtrDecl()), expr=inner):
                node = inner
            case _:
                return None
