"""Types of undeclared names from their use: syntax trees of a snippet to one ``Use`` per name.

A name is an integer where it counts a loop, bounds one, stands in a subscript or an extent, or is compared with or
assigned to such a name; it is an array of as many dimensions as it has subscripts; it is a pointer where it is
dereferenced or walks along an array.  Whatever remains is data of the assumed element type.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field
from pycparser import c_ast

from ..known_functions import canonical_name, table
from .trees import assigned, kind_of, leftmost, names, parameter_kinds, values

_INTEGER_OPERATORS = frozenset({"%", "<<", ">>", "&", "|", "^"})
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})


class Use(Struct):
    """How a name is used; ``members`` in the order of their first use."""

    integer: bool = False
    pointer: bool = False
    subscripts: int = 0
    members: dict[str, Use] = field(default_factory=dict)


def infer_uses(trees: Iterable[Any]) -> dict[str, Use]:
    """Uses of the names that no tree declares before it uses them."""
    collected = _Collector()
    kept = list(trees)
    for tree in kept:  # shapes first: a counter that is dereferenced is a pointer, not an integer
        collected.visit(tree)
    collected.spread_pointers()
    collected.find_integers = True
    collected.scopes = [{}]
    for tree in kept:
        collected.visit(tree)
    collected.spread_integers()
    return collected.uses


class _Collector:
    """Walks trees with the names that they declare; keeps what each declared name is."""

    def __init__(self) -> None:
        self.scopes: list[dict[str, str]] = [{}]
        self.uses: dict[str, Use] = {}
        self.find_integers = False
        self._integer_types: set[str] = set()
        self._parameters: dict[str, list[str]] = {}
        self._same_pointer: list[tuple[str, str]] = []
        self._same_integer: list[tuple[str, str]] = []

    # --- results ---

    def spread_pointers(self) -> None:
        """Make a pointer of every name that is assigned to or compared with one."""
        changed = True
        while changed:
            changed = False
            for source, target in self._same_pointer:
                known = self._use(target)
                if self._use(source).pointer and not (known.pointer or known.subscripts):
                    known.pointer = changed = True

    def spread_integers(self) -> None:
        """Make an integer of every name that an integer is made of, or is compared with."""
        changed = True
        while changed:
            changed = False
            for source, target in self._same_integer:
                if self._use(source).integer and not self._use(target).integer:
                    self._use(target).integer = changed = True

    def _use(self, name: str) -> Use:
        return self.uses.setdefault(name, Use())

    def _declared(self, name: str) -> str:
        """What a declared name is: ``integer``, ``pointer`` or ``data``; empty for an undeclared one."""
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), "")

    def _known(self, name: str) -> bool:
        return bool(self._declared(name))

    def _mark_integer(self, name: str) -> None:
        if self.find_integers and not self._known(name):
            self._use(name).integer = True

    # --- statements and declarations ---

    def visit(self, node: Any, integer: bool = False) -> None:
        """Visit a tree; ``integer`` where its value must be an integer."""
        if node is None:
            return
        method = getattr(self, f"_visit_{type(node).__name__.lower()}", None)
        if method is not None:
            method(node, integer)
        else:
            self._children(node)

    def _children(self, node: Any, integer: bool = False) -> None:
        for _, child in node.children():
            self.visit(child, integer)

    def _visit_compound(self, node: Any, integer: bool) -> None:
        self.scopes.append({})
        self._children(node)
        self.scopes.pop()

    def _visit_funcdef(self, node: Any, integer: bool) -> None:
        self.scopes[0][node.decl.name] = "data"
        self._parameters[node.decl.name] = parameter_kinds(node.decl.type, self._integer_types)
        self.scopes.append({})
        arguments = node.decl.type.args
        for parameter in [*(arguments.params if arguments is not None else ()), *(node.param_decls or ())]:
            if isinstance(parameter, c_ast.Decl):
                self.visit(parameter)
        self.visit(node.body)
        self.scopes.pop()

    def _visit_decl(self, node: Any, integer: bool) -> None:
        kind = kind_of(node.type, self._integer_types, node.init)
        self._extents(node.type)
        if node.name is not None:
            self.scopes[-1][node.name] = kind
        self.visit(node.init, kind == "integer")
        if kind == "pointer":
            self._point(leftmost(node.init))
        if isinstance(node.type, c_ast.FuncDecl):
            self._parameters[node.name] = parameter_kinds(node.type, self._integer_types)
        else:
            self._enumerators(node.type)

    def _visit_typedef(self, node: Any, integer: bool) -> None:
        if kind_of(node.type, self._integer_types) == "integer":
            self._integer_types.add(node.name)
        self._extents(node.type)
        self._enumerators(node.type)

    def _visit_typename(self, node: Any, integer: bool) -> None:
        self._extents(node.type)

    def _extents(self, node: Any) -> None:
        while isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl | c_ast.TypeDecl):
            if isinstance(node, c_ast.ArrayDecl):
                self.visit(node.dim, True)
            node = node.type

    def _enumerators(self, node: Any) -> None:
        while isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl | c_ast.TypeDecl):
            node = node.type
        if isinstance(node, c_ast.Enum) and node.values is not None:
            for value in node.values.enumerators:
                self.scopes[-1][getattr(value, "name", "")] = "integer"

    def _visit_switch(self, node: Any, integer: bool) -> None:
        self.visit(node.cond, True)
        self.visit(node.stmt)

    def _visit_for(self, node: Any, integer: bool) -> None:
        self.scopes.append({})
        self.visit(node.init)
        counters = set(assigned(node.init)) | (set(assigned(node.next)) & set(names(node.cond)))
        declared = {item.name for item in node.init.decls} if isinstance(node.init, c_ast.DeclList) else set()
        counts = bool(counters | declared)
        for name in counters:
            if self._declared(name) == "data" or self._is_pointer(name):
                counts = False
            else:
                self._mark_integer(name)
        counts = counts and all(self._declared(name) == "integer" for name in declared)
        if counts and node.init is not None and not declared:
            self.visit(node.init, True)
        self.visit(node.cond, counts)
        self.visit(node.next, counts)
        self.visit(node.stmt)
        self.scopes.pop()

    def _is_pointer(self, name: str) -> bool:
        if self._declared(name):
            return self._declared(name) == "pointer"
        use = self.uses.get(name)
        return use is not None and (use.pointer or use.subscripts > 0)

    # --- expressions ---

    def _visit_id(self, node: Any, integer: bool) -> None:
        if not self._known(node.name):
            self._use(node.name)
            if integer:
                self._mark_integer(node.name)

    def _visit_arrayref(self, node: Any, integer: bool) -> None:
        self._shape(node, integer)

    def _visit_structref(self, node: Any, integer: bool) -> None:
        self._shape(node, integer)

    def _shape(self, node: Any, integer: bool) -> Use | None:
        """Note subscripts and members along ``a[i].b[j]``; gives the use of what it names, if undeclared."""
        subscripts = 0
        while isinstance(node, c_ast.ArrayRef):
            self.visit(node.subscript, True)
            node, subscripts = node.name, subscripts + 1
        use = self._base(node)
        if use is None:
            return None
        use.subscripts = max(use.subscripts, subscripts)
        if integer and self.find_integers:
            use.integer = True
        return use

    def _base(self, node: Any) -> Use | None:
        if isinstance(node, c_ast.ID):
            return self._use(node.name) if not self._known(node.name) else None
        if isinstance(node, c_ast.StructRef):
            use = self._shape(node.name, False)
            if use is None:
                return None
            use.pointer = use.pointer or (node.type == "->" and not use.subscripts)
            return use.members.setdefault(node.field.name, Use())
        self.visit(node)
        return None

    def _visit_unaryop(self, node: Any, integer: bool) -> None:
        if node.op == "*":
            pointer = leftmost(node.expr)
            if pointer is not None and not self._known(pointer):
                self._use(pointer).pointer = True
                if integer and self.find_integers:
                    self._use(pointer).integer = True
            self.visit(node.expr)
        elif node.op in ("++", "--", "p++", "p--"):
            name = node.expr.name if isinstance(node.expr, c_ast.ID) else None
            self.visit(node.expr, integer or (name is not None and not self._is_pointer(name)))
        else:
            self.visit(node.expr, integer and node.op in ("-", "+", "~"))

    def _visit_binaryop(self, node: Any, integer: bool) -> None:
        compares = node.op in _COMPARISONS
        operands_integer = node.op in _INTEGER_OPERATORS or (integer and node.op not in ("&&", "||"))
        if compares and not integer:
            operands_integer = self._relate(list(values(node.left)), list(values(node.right)))
            one, other = leftmost(node.left), leftmost(node.right)
            if one is not None and other is not None:
                self._link_pointers(one, other)
        base = leftmost(node.left) if node.op in ("+", "-") else None
        self.visit(node.left, operands_integer)
        self.visit(node.right, operands_integer or (base is not None and self._is_pointer(base)))

    def _point(self, name: str | None) -> None:
        """Note that a name is a pointer, for something of that kind is made of it."""
        if name is not None and not self._known(name):
            self._use(name).pointer = True

    def _link_pointers(self, target: str, source: str) -> None:
        """After ``p = q + i``, and in ``p < q``, both are pointers, or neither is."""
        if self._declared(source) == "pointer":
            self._point(target)
        elif self._declared(target) == "pointer":
            self._point(source)
        elif not self._known(source) and not self._known(target):
            self._same_pointer.extend([(target, source), (source, target)])

    def _relate(self, left: list[str], right: list[str]) -> bool:
        """Link the names on both sides of a comparison; True where one of them is a declared integer."""
        unknown = [name for name in (*left, *right) if not self._known(name)]
        pairs = [(one, other) for one in unknown for other in unknown if one != other]
        self._same_integer.extend(pairs)
        declared = [self._declared(name) for name in (*left, *right)]
        return "integer" in declared and "data" not in declared and "pointer" not in declared

    def _visit_ternaryop(self, node: Any, integer: bool) -> None:
        self.visit(node.cond)
        self.visit(node.iftrue, integer)
        self.visit(node.iffalse, integer)

    def _visit_assignment(self, node: Any, integer: bool) -> None:
        target = node.lvalue.name if isinstance(node.lvalue, c_ast.ID) else None
        declared_integer = target is not None and self._declared(target) == "integer"
        bits = node.op.rstrip("=") in _INTEGER_OPERATORS
        self.visit(node.lvalue, integer or bits)
        self.visit(node.rvalue, integer or bits or declared_integer)
        source = leftmost(node.rvalue)
        if target is not None and source is not None and node.op == "=":
            self._link_pointers(target, source)
        if target is not None and not self._known(target):
            sources = [name for name in values(node.rvalue) if not self._known(name)]
            self._same_integer.extend((target, name) for name in sources)

    def _visit_funccall(self, node: Any, integer: bool) -> None:
        if not isinstance(node.name, c_ast.ID):
            self.visit(node.name)
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        kinds = self._parameters.get(name, [])
        for position, argument in enumerate(() if node.args is None else node.args.exprs):
            kind = kinds[position] if position < len(kinds) else ""
            if kind == "pointer":
                self._point(leftmost(argument))
            self.visit(argument, (integer and canonical_name(name) in table().integers) or kind == "integer")

    def _visit_exprlist(self, node: Any, integer: bool) -> None:
        self._children(node, integer)

    def _visit_cast(self, node: Any, integer: bool) -> None:
        self.visit(node.to_type)
        self.visit(node.expr)
