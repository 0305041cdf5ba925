"""Declarators and specifiers to types: a parser's type nodes to ``CType``, with structs laid out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pycparser import c_ast

from ...ir.types import ElementType, ScalarType
from ..surface.constants import constant_integer
from ..surface.layout import MemberT, lay_out
from ..surface.nodes import INT, ArrayT, CType, Expression, Number, PointerT, ScalarT, StructT, UnknownT
from .names import Names, TypeName
from .prepare import AUTO_TYPE
from .type_names import element_of_name, element_of_words, looks_like_index

FUNCTION = UnknownT("function")


class TypeReader:
    """Resolves type nodes in the scopes of ``names``; ``read`` reads the expressions of extents and enumerators."""

    def __init__(self, names: Names, element: ScalarType, read: Callable[[Any], Expression], span: Any) -> None:
        """Start in the scopes of ``names``; ``element`` is the type assumed for undeclared type names."""
        self._names = names
        self._element = ScalarT(ElementType(element))
        self._read = read
        self._span = span

    def resolve(self, node: Any) -> CType:
        """Return the type that a declarator, type name or specifier names."""
        match node:
            case c_ast.Typename(type=inner) | c_ast.TypeDecl(type=inner):
                return self.resolve(inner)
            case c_ast.PtrDecl(type=inner, quals=quals):
                return PointerT(self.resolve(inner), "restrict" in (quals or ()))
            case c_ast.ArrayDecl(type=inner, dim=dim):
                extent = None if dim is None or _is_star(dim) else self._read(dim)
                return ArrayT(self.resolve(inner), extent)
            case c_ast.FuncDecl():
                return FUNCTION
            case c_ast.IdentifierType(names=words):
                return self._of_words(words)
            case c_ast.Struct() | c_ast.Union():
                return self._aggregate(node)
            case c_ast.Enum():
                self._enumerate(node)
                return INT
            case _:
                return UnknownT(type(node).__name__)

    def _of_words(self, words: list[str]) -> CType:
        if len(words) == 1:
            meaning = self._names.lookup(words[0])
            if isinstance(meaning, TypeName):
                return self._names.completed(meaning.type)
            if words[0] == AUTO_TYPE:
                return UnknownT(AUTO_TYPE)
        element = element_of_words(words)
        if element is not None:
            return ScalarT(element)
        named = [word for word in words if element_of_name(word) is not None]
        if named:  # e.g. `unsigned size_t`
            return self._of_words(named[:1])
        return INT if looks_like_index(words[-1]) else self._element

    def _aggregate(self, node: Any) -> CType:
        name = node.name or ""
        if node.decls is None:
            known = self._names.lookup_tag(name)
            if known is None:
                known = StructT(name, (), 0)
                self._names.declare_tag(name, known)
            return known
        if name:
            self._names.declare_tag(name, StructT(name, (), 0))
        members = [member for item in node.decls for member in self._member(item)]
        struct = lay_out(name or f"struct_{_line(node)}", members, union=isinstance(node, c_ast.Union))
        if name:
            self._names.declare_tag(name, struct)
        return struct

    def _member(self, node: Any) -> Iterator[MemberT]:
        if not isinstance(node, c_ast.Decl):
            return
        ctype = self.resolve(node.type)
        bits = None if node.bitsize is None else constant_integer(self._read(node.bitsize))
        if ctype == FUNCTION:
            return
        yield MemberT(node.name or "", ctype, None if bits is None else max(bits, 0))

    def _enumerate(self, node: Any) -> None:
        if node.values is None:
            return
        value = -1
        for item in node.values.enumerators:
            if not isinstance(item, c_ast.Enumerator):
                continue
            given = None if item.value is None else constant_integer(self._read(item.value))
            value = value + 1 if given is None else given
            self._names.declare(item.name, Number(value, INT, self._span(item)))


def is_constant(node: Any) -> bool:
    """Return True where a declarator declares a ``const`` object (not a pointer to one)."""
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return "const" in (getattr(node, "quals", None) or ())


def is_auto(ctype: CType) -> bool:
    """Return True for a type that the initialiser gives."""
    return isinstance(ctype, UnknownT) and ctype.text == AUTO_TYPE


def _is_star(dim: Any) -> bool:
    return isinstance(dim, c_ast.ID) and dim.name == "*"


def _line(node: Any) -> int:
    return getattr(node.coord, "line", 0) or 0
