"""Expressions of a snippet: the parser's nodes to the surface tree, with names resolved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pycparser import c_ast

from ...ir.types import ElementType, ScalarType
from ...source import Span
from ..optional_files import OPENING
from ..surface.constants import constant_integer
from ..surface.constructs import construct
from ..surface.designators import in_order, part_of_element
from ..surface.layout import size_bytes
from ..surface.nodes import (
    INT,
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
    ScalarT,
    Text,
    Unary,
    UnknownT,
    Variable,
)
from ..surface.types import type_of
from .literals import NAMED_CONSTANTS, literal
from .names import Names, TypeName
from .type_names import element_of_name
from .types import TypeReader

_UNARY = {"p++": "x++", "p--": "x--", "++": "++x", "--": "--x"}
_SIZE = ScalarT(ElementType(ScalarType.UINT64))
_COMPLEX = ScalarT(ElementType(ScalarType.COMPLEX_FP64))
_FIRST_ARGUMENT = frozenset(
    {"__builtin_expect", "__builtin_assume_aligned", "assume_aligned", "__builtin_unpredictable"}
)


class ExpressionReader:
    """Reads expression nodes in the scopes of ``names``.

    ``keys`` are the functions of the text with a body: name to key.  ``span`` gives the span of a node.
    """

    def __init__(self, names: Names, element: ScalarType, keys: Mapping[str, str], span: Callable[[Any], Span]) -> None:
        """Start in the scopes of ``names``; ``element`` is the assumed element type."""
        self._names = names
        self._keys = keys
        self._span = span
        self.opens_files = False
        self.types = TypeReader(names, element, self.read, span)

    def read(self, node: Any) -> Expression:
        """Read one expression; one that is not modelled becomes an ``OpaqueExpression`` over its operands."""
        span = self._span(node)
        match node:
            case c_ast.Constant(type=kind, value=value):
                return self._constant(kind, value, span)
            case c_ast.ID(name=name):
                return self._identifier(name, span)
            case c_ast.UnaryOp(op=operator, expr=operand):
                return self._unary(operator, operand, span)
            case c_ast.BinaryOp(op=operator, left=left, right=right):
                return Binary(operator, self.read(left), self.read(right), span)
            case c_ast.Assignment(op=operator, lvalue=target, rvalue=value):
                return Assign(operator.removesuffix("="), self.read(target), self.read(value), span)
            case c_ast.TernaryOp(cond=condition, iftrue=then, iffalse=orelse):
                return Conditional(self.read(condition), self.read(then), self.read(orelse), span)
            case c_ast.FuncCall(name=function, args=arguments):
                return self._call(function, arguments, span)
            case c_ast.ArrayRef(name=base, subscript=index):
                return Index(self.read(base), self.read(index), span)
            case c_ast.StructRef(name=base, type=access, field=member):
                inner = self.read(base)
                return Member(inner if access == "." else Unary("*", inner, span), member.name, span)
            case c_ast.Cast(to_type=to_type, expr=operand):
                return Cast(self.types.resolve(to_type), self.read(operand), span)
            case c_ast.ExprList(exprs=items):
                return self._comma([self.read(item) for item in items], span)
            case c_ast.InitList() | c_ast.CompoundLiteral():
                return self.initial(node, UnknownT("initializer list"))
            case _:
                return self._opaque(node, span)

    def initial(self, node: Any, ctype: CType) -> Expression:
        """Read an initialiser of a variable of the type."""
        match node:
            case c_ast.CompoundLiteral(type=named, init=init):
                return self.initial(init, self.types.resolve(named))
            case c_ast.InitList(exprs=items):
                return self._initializers(items or (), ctype, self._span(node))
            case _:
                return self.read(node)

    def _initializers(self, items: Sequence[Any], ctype: CType, span: Span) -> InitializerList:
        inner: CType = ctype.element if isinstance(ctype, ArrayT) else UnknownT("member")
        values: list[tuple[Sequence[int], Expression]] = []
        for item in items:
            is_named = isinstance(item, c_ast.NamedInitializer)
            value = self.initial(item.expr if is_named else item, inner)
            names = item.name if is_named and isinstance(ctype, ArrayT) else ()
            first = getattr(names[0], "expr", names[0]) if names else None  # an ArrayDesignator since pycparser 3
            position = None if first is None else constant_integer(self.read(first))
            value = part_of_element(value, span) if len(names) > 1 else value
            values.append(((position,) if position is not None else (), value))
        is_array = isinstance(ctype, ArrayT) and any(positions for positions, _ in values)
        found = in_order(values, inner, span) if is_array else tuple(value for _, value in values)
        return InitializerList(ctype, found, span, clears=True)

    def _constant(self, kind: str, value: str, span: Span) -> Expression:
        if kind == "string" or value.endswith('"'):
            return Text(value[value.find('"') + 1 : -1], span)
        number = literal(kind, value)
        if number is None:
            return OpaqueExpression(construct("literal", text=value), (), INT, span)
        return Number(*number, span)

    def _identifier(self, name: str, span: Span) -> Expression:
        meaning = self._names.lookup(name)
        if isinstance(meaning, Variable):
            return Name(meaning, span)
        if isinstance(meaning, Number):
            return Number(meaning.value, meaning.type, span)
        if isinstance(meaning, TypeName):
            return OpaqueExpression(construct("type-value", name=name), (), meaning.type, span)
        if name in self._keys or name in self._names.functions:
            return OpaqueExpression(construct("function-value", name=name), (), UnknownT("function"), span)
        if name in NAMED_CONSTANTS:
            return Number(*NAMED_CONSTANTS[name], span)
        if name in ("I", "_Complex_I"):
            return Cast(_COMPLEX, Number(1, INT, span), span)
        return Name(self._names.undeclared(name, span), span)

    def _unary(self, operator: str, operand: Any, span: Span) -> Expression:
        if operator in ("sizeof", "_Alignof", "alignof", "_Countof"):
            ctype = self.types.resolve(operand) if isinstance(operand, c_ast.Typename) else type_of(self.read(operand))
            return (
                self._size(ctype, span)
                if operator == "sizeof"
                else OpaqueExpression(construct("keyword", word=operator), (), _SIZE, span)
            )
        return Unary(_UNARY.get(operator, operator), self.read(operand), span)

    def _size(self, ctype: CType, span: Span) -> Expression:
        """Return ``sizeof``: a literal, or extents times a literal for arrays of variable length."""
        size = size_bytes(ctype)
        if size is not None:
            return Number(size, _SIZE, span)
        if isinstance(ctype, ArrayT) and ctype.extent is not None:
            return Binary("*", Cast(_SIZE, ctype.extent, span), self._size(ctype.element, span), span)
        return OpaqueExpression(construct("sizeof-of-an-unknown-type"), (), _SIZE, span)

    def _call(self, function: Any, arguments: Any, span: Span) -> Expression:
        values = tuple(
            OpaqueExpression(construct("type-as-an-argument"), (), self.types.resolve(item), span)
            if isinstance(item, c_ast.Typename)
            else self.read(item)
            for item in (() if arguments is None else arguments.exprs)
        )
        while isinstance(function, c_ast.UnaryOp) and function.op == "*":
            function = function.expr
        if not isinstance(function, c_ast.ID) or self._names.lookup(function.name) is not None:
            return OpaqueExpression(construct("call-through-a-pointer"), values, UnknownT("function pointer"), span)
        name = function.name
        if name == OPENING:
            self.opens_files = True
        if name in _FIRST_ARGUMENT and values:
            return values[0]
        made = element_of_name(name.removeprefix("make_")) if name.startswith("make_") else None
        if made is not None:
            return InitializerList(ScalarT(made), values, span)
        result = self._names.functions.get(name, UnknownT(name))
        return Call(self._keys.get(name, name), name, values, result, span)

    def _comma(self, items: list[Expression], span: Span) -> Expression:
        if not items:
            return OpaqueExpression(construct("empty-expression"), (), INT, span)
        joined = items[0]
        for item in items[1:]:
            joined = Comma(joined, item, span)
        return joined

    def _opaque(self, node: Any, span: Span) -> Expression:
        operands = tuple(
            self.read(child)
            for _, child in node.children()
            if isinstance(child, c_ast.ID | c_ast.BinaryOp | c_ast.UnaryOp | c_ast.FuncCall | c_ast.ArrayRef)
        )
        return OpaqueExpression(construct("node", node=type(node).__name__), operands, UnknownT("opaque"), span)
