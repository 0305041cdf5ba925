"""Types of undeclared names from their use: syntax trees of a snippet to one ``Use`` per name.

A name is an integer where it counts a loop, bounds one, stands in a subscript or an extent, or is compared with or
assigned to such a name; it is an array of as many dimensions as it has subscripts; it is a pointer where it is
dereferenced or walks along an array.  Whatever remains is data of the assumed element type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
    """Return the uses of the names that no tree declares before it uses them."""
    state = _Uses()
    kept = list(trees)
    for tree in kept:  # shapes first: a counter that is dereferenced is a pointer, not an integer
        _visit(state, tree)
    state.spread_pointers()
    state.find_integers = True
    state.scopes = [{}]
    for tree in kept:
        _visit(state, tree)
    state.spread_integers()
    return state.uses


class _Uses:
    """The uses of undeclared names so far, and what the declared names in scope are."""

    def __init__(self) -> None:
        self.scopes: list[dict[str, str]] = [{}]
        self.uses: dict[str, Use] = {}
        self.find_integers = False
        self.integer_types: set[str] = set()
        self.parameters: dict[str, list[str]] = {}
        self.same_pointer: list[tuple[str, str]] = []
        self.same_integer: list[tuple[str, str]] = []

    def spread_pointers(self) -> None:
        """Make a pointer of every name that is assigned to or compared with one."""
        changed = True
        while changed:
            changed = False
            for source, target in self.same_pointer:
                known = self.use(target)
                if self.use(source).pointer and not (known.pointer or known.subscripts):
                    known.pointer = changed = True

    def spread_integers(self) -> None:
        """Make an integer of every name that an integer is made of, or is compared with."""
        changed = True
        while changed:
            changed = False
            for source, target in self.same_integer:
                if self.use(source).integer and not self.use(target).integer:
                    self.use(target).integer = changed = True

    def use(self, name: str) -> Use:
        return self.uses.setdefault(name, Use())

    def declared(self, name: str) -> str:
        """Return the kind of a declared name: ``integer``, ``pointer`` or ``data``; empty for an undeclared one."""
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), "")

    def known(self, name: str) -> bool:
        return bool(self.declared(name))

    def mark_integer(self, name: str) -> None:
        if self.find_integers and not self.known(name):
            self.use(name).integer = True

    def is_pointer(self, name: str) -> bool:
        if self.declared(name):
            return self.declared(name) == "pointer"
        use = self.uses.get(name)
        return use is not None and (use.pointer or use.subscripts > 0)

    def point(self, name: str | None) -> None:
        """Note that a name is a pointer, for something of that kind is made of it."""
        if name is not None and not self.known(name):
            self.use(name).pointer = True

    def link_pointers(self, target: str, source: str) -> None:
        """Note that after ``p = q + i``, and in ``p < q``, both are pointers or neither is."""
        if self.declared(source) == "pointer":
            self.point(target)
        elif self.declared(target) == "pointer":
            self.point(source)
        elif not self.known(source) and not self.known(target):
            self.same_pointer.extend([(target, source), (source, target)])

    def relate(self, left: list[str], right: list[str]) -> bool:
        """Link the names on both sides of a comparison; True where one of them is a declared integer."""
        unknown = [name for name in (*left, *right) if not self.known(name)]
        pairs = [(one, other) for one in unknown for other in unknown if one != other]
        self.same_integer.extend(pairs)
        declared = [self.declared(name) for name in (*left, *right)]
        return "integer" in declared and "data" not in declared and "pointer" not in declared


# --- statements and declarations ---


def _visit(state: _Uses, node: Any, integer: bool = False) -> None:
    """Visit a tree; ``integer`` where its value must be an integer."""
    if node is None:
        return
    visitor = _VISITORS.get(type(node))
    if visitor is not None:
        visitor(state, node, integer)
    else:
        _children(state, node)


def _children(state: _Uses, node: Any, integer: bool = False) -> None:
    for _, child in node.children():
        _visit(state, child, integer)


def _visit_compound(state: _Uses, node: Any, integer: bool) -> None:
    state.scopes.append({})
    _children(state, node)
    state.scopes.pop()


def _visit_function(state: _Uses, node: Any, integer: bool) -> None:
    state.scopes[0][node.decl.name] = "data"
    state.parameters[node.decl.name] = parameter_kinds(node.decl.type, state.integer_types)
    state.scopes.append({})
    arguments = node.decl.type.args
    for parameter in [*(arguments.params if arguments is not None else ()), *(node.param_decls or ())]:
        if isinstance(parameter, c_ast.Decl):
            _visit(state, parameter)
    _visit(state, node.body)
    state.scopes.pop()


def _visit_decl(state: _Uses, node: Any, integer: bool) -> None:
    kind = kind_of(node.type, state.integer_types, node.init)
    _extents(state, node.type)
    if node.name is not None:
        state.scopes[-1][node.name] = kind
    _visit(state, node.init, kind == "integer")
    if kind == "pointer":
        state.point(leftmost(node.init))
    if isinstance(node.type, c_ast.FuncDecl):
        state.parameters[node.name] = parameter_kinds(node.type, state.integer_types)
    else:
        _enumerators(state, node.type)


def _visit_typedef(state: _Uses, node: Any, integer: bool) -> None:
    if kind_of(node.type, state.integer_types) == "integer":
        state.integer_types.add(node.name)
    _extents(state, node.type)
    _enumerators(state, node.type)


def _visit_typename(state: _Uses, node: Any, integer: bool) -> None:
    _extents(state, node.type)


def _extents(state: _Uses, node: Any) -> None:
    while isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl | c_ast.TypeDecl):
        if isinstance(node, c_ast.ArrayDecl):
            _visit(state, node.dim, True)
        node = node.type


def _enumerators(state: _Uses, node: Any) -> None:
    while isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl | c_ast.TypeDecl):
        node = node.type
    if isinstance(node, c_ast.Enum) and node.values is not None:
        for value in node.values.enumerators:
            state.scopes[-1][getattr(value, "name", "")] = "integer"


def _visit_switch(state: _Uses, node: Any, integer: bool) -> None:
    _visit(state, node.cond, True)
    _visit(state, node.stmt)


def _visit_for(state: _Uses, node: Any, integer: bool) -> None:
    state.scopes.append({})
    _visit(state, node.init)
    counters = set(assigned(node.init)) | (set(assigned(node.next)) & set(names(node.cond)))
    declared = {item.name for item in node.init.decls} if isinstance(node.init, c_ast.DeclList) else set()
    counts = bool(counters | declared)
    for name in counters:
        if state.declared(name) == "data" or state.is_pointer(name):
            counts = False
        else:
            state.mark_integer(name)
    counts = counts and all(state.declared(name) == "integer" for name in declared)
    if counts and node.init is not None and not declared:
        _visit(state, node.init, True)
    _visit(state, node.cond, counts)
    _visit(state, node.next, counts)
    _visit(state, node.stmt)
    state.scopes.pop()


# --- expressions ---


def _visit_name(state: _Uses, node: Any, integer: bool) -> None:
    if not state.known(node.name):
        state.use(node.name)
        if integer:
            state.mark_integer(node.name)


def _visit_array_ref(state: _Uses, node: Any, integer: bool) -> None:
    _shape(state, node, integer)


def _visit_struct_ref(state: _Uses, node: Any, integer: bool) -> None:
    _shape(state, node, integer)


def _shape(state: _Uses, node: Any, integer: bool) -> Use | None:
    """Note subscripts and members along ``a[i].b[j]``; gives the use of what it names, if undeclared."""
    subscripts = 0
    while isinstance(node, c_ast.ArrayRef):
        _visit(state, node.subscript, True)
        node, subscripts = node.name, subscripts + 1
    use = _base(state, node)
    if use is None:
        return None
    use.subscripts = max(use.subscripts, subscripts)
    if integer and state.find_integers:
        use.integer = True
    return use


def _base(state: _Uses, node: Any) -> Use | None:
    if isinstance(node, c_ast.ID):
        return state.use(node.name) if not state.known(node.name) else None
    if isinstance(node, c_ast.StructRef):
        use = _shape(state, node.name, False)
        if use is None:
            return None
        use.pointer = use.pointer or (node.type == "->" and not use.subscripts)
        return use.members.setdefault(node.field.name, Use())
    _visit(state, node)
    return None


def _visit_unary_op(state: _Uses, node: Any, integer: bool) -> None:
    if node.op == "*":
        pointer = leftmost(node.expr)
        if pointer is not None and not state.known(pointer):
            state.use(pointer).pointer = True
            if integer and state.find_integers:
                state.use(pointer).integer = True
        _visit(state, node.expr)
    elif node.op in ("++", "--", "p++", "p--"):
        name = node.expr.name if isinstance(node.expr, c_ast.ID) else None
        _visit(state, node.expr, integer or (name is not None and not state.is_pointer(name)))
    else:
        _visit(state, node.expr, integer and node.op in ("-", "+", "~"))


def _visit_binary_op(state: _Uses, node: Any, integer: bool) -> None:
    compares = node.op in _COMPARISONS
    operands_integer = node.op in _INTEGER_OPERATORS or (integer and node.op not in ("&&", "||"))
    if compares and not integer:
        operands_integer = state.relate(list(values(node.left)), list(values(node.right)))
        one, other = leftmost(node.left), leftmost(node.right)
        if one is not None and other is not None:
            state.link_pointers(one, other)
    base = leftmost(node.left) if node.op in ("+", "-") else None
    _visit(state, node.left, operands_integer)
    _visit(state, node.right, operands_integer or (base is not None and state.is_pointer(base)))


def _visit_ternary_op(state: _Uses, node: Any, integer: bool) -> None:
    _visit(state, node.cond)
    _visit(state, node.iftrue, integer)
    _visit(state, node.iffalse, integer)


def _visit_assignment(state: _Uses, node: Any, integer: bool) -> None:
    target = node.lvalue.name if isinstance(node.lvalue, c_ast.ID) else None
    declared_integer = target is not None and state.declared(target) == "integer"
    bits = node.op.rstrip("=") in _INTEGER_OPERATORS
    _visit(state, node.lvalue, integer or bits)
    _visit(state, node.rvalue, integer or bits or declared_integer)
    source = leftmost(node.rvalue)
    if target is not None and source is not None and node.op == "=":
        state.link_pointers(target, source)
    if target is not None and not state.known(target):
        sources = [name for name in values(node.rvalue) if not state.known(name)]
        state.same_integer.extend((target, name) for name in sources)


def _visit_call(state: _Uses, node: Any, integer: bool) -> None:
    if not isinstance(node.name, c_ast.ID):
        _visit(state, node.name)
    name = node.name.name if isinstance(node.name, c_ast.ID) else ""
    kinds = state.parameters.get(name, [])
    for position, argument in enumerate(() if node.args is None else node.args.exprs):
        kind = kinds[position] if position < len(kinds) else ""
        if kind == "pointer":
            state.point(leftmost(argument))
        _visit(state, argument, (integer and canonical_name(name) in table().integers) or kind == "integer")


def _visit_expr_list(state: _Uses, node: Any, integer: bool) -> None:
    _children(state, node, integer)


def _visit_cast(state: _Uses, node: Any, integer: bool) -> None:
    _visit(state, node.to_type)
    _visit(state, node.expr)


_Visitor = Callable[[_Uses, Any, bool], None]
_VISITORS: dict[type, _Visitor] = {
    c_ast.Compound: _visit_compound,
    c_ast.FuncDef: _visit_function,
    c_ast.Decl: _visit_decl,
    c_ast.Typedef: _visit_typedef,
    c_ast.Typename: _visit_typename,
    c_ast.Switch: _visit_switch,
    c_ast.For: _visit_for,
    c_ast.ID: _visit_name,
    c_ast.ArrayRef: _visit_array_ref,
    c_ast.StructRef: _visit_struct_ref,
    c_ast.UnaryOp: _visit_unary_op,
    c_ast.BinaryOp: _visit_binary_op,
    c_ast.TernaryOp: _visit_ternary_op,
    c_ast.Assignment: _visit_assignment,
    c_ast.FuncCall: _visit_call,
    c_ast.ExprList: _visit_expr_list,
    c_ast.Cast: _visit_cast,
}
