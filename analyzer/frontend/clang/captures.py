"""What a lambda captures by copy: the members of its class, read off its introducer and its body.

What is captured by reference is no member: it is the variable of the function around the lambda.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from ...python.regex import regex
from ..surface.layout import offset_behind
from ..surface.nodes import ArrayT, CType, FieldT, PointerT, StructT, UnknownT
from .binding import Cursor, Type
from .kinds import CLASSES, FUNCTIONS, REFERENCE_TYPES, CursorKind, StorageClass
from .unit import TranslationUnit

_VARIABLES = frozenset({CursorKind.VAR_DECL, CursorKind.PARM_DECL})
_CALL_OPERATORS = frozenset({CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE})
_NAMES = frozenset({CursorKind.DECL_REF_EXPR, CursorKind.VARIABLE_REF})
_THIS, _MEMBER, _BODY = CursorKind.CXX_THIS_EXPR, CursorKind.MEMBER_REF_EXPR, CursorKind.COMPOUND_STMT
_PARAMETER = CursorKind.PARM_DECL
_WORD = regex(r"\w+")
_OPENING, _CLOSING = "([{", ")]}"
LAMBDA = "(lambda"
"""The start of clang's name for the class of a lambda."""
_LONGEST = 1 << 12  # bytes of an introducer


class Introducer(Struct, frozen=True):
    """The text in the brackets of a lambda: what is captured by default, and names by how they are captured.

    >>> Introducer.of("[=, &n, c = f(a, b), &d = x[0], *this](int i) {}")
    Introducer(default='=', copied=('c', '*this'), referred=('n', 'd'))
    """

    default: str
    copied: tuple[str, ...] = ()
    referred: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Introducer | None:
        """Return what the text of a lambda starts with; None where that is no bracket (a macro)."""
        if not text.startswith("["):
            return None
        default, copied, referred = "", list[str](), list[str]()
        for item in map(str.strip, _items(text)):
            name = _WORD.search(item)
            if item in ("=", "&"):
                default = item
            elif item == "*this":
                copied.append(item)
            elif name is not None:
                (referred if item.startswith("&") else copied).append(name[0])
        return cls(default, tuple(copied), tuple(referred))

    def copies(self, name: str) -> bool:
        """Return whether a variable is captured by copy."""
        return name in self.copied or (self.default == "=" and name not in self.referred)

    def captures_this(self) -> bool:
        """Return whether the object of a method is at hand."""
        return bool(self.default) or "this" in self.copied or "*this" in self.copied


def _items(text: str) -> Iterator[str]:
    depth, start = 0, 1
    for position, sign in enumerate(text):
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if (depth == 1 and sign == ",") or depth == 0:
            yield text[start:position]
            start = position + 1
        if depth == 0:
            return


class Capture(Struct, frozen=True):
    """A member of a closure: a copy of a declared variable, or ``this`` (no declaration), as a pointer or ``whole``.

    One that is ``made`` is declared in the introducer, with a value.
    """

    declaration: Cursor | None
    field: FieldT
    made: bool = False
    whole: bool = False


class Closure(Struct, frozen=True):
    """The class of a lambda: a struct with a member for each capture."""

    type: StructT
    captures: tuple[Capture, ...]


class ClosureReader:
    """Reads the classes of lambdas of one translation unit, each once."""

    def __init__(self, unit: TranslationUnit, read: Callable[[Type], CType]) -> None:
        """Start without classes; ``read`` gives the surface type of clang's types."""
        self._unit = unit
        self._library = unit.library
        self._read = read
        self._known: dict[int, Closure] = {}

    def of(self, declaration: Cursor) -> Closure:
        """Return the class of a lambda."""
        key = declaration.identity
        if key not in self._known:
            name = f"lambda@{len(self._known)}"
            self._known[key] = Closure(StructT(name, (), 0), ())  # the answer within a recursion
            self._known[key] = self._closure(name, declaration)
        return self._known[key]

    def _closure(self, name: str, declaration: Cursor) -> Closure:
        parts = self._parts(declaration)
        if not parts:
            return Closure(StructT(name, (), 0), ())
        body = parts[-1]
        introducer = self._introducer(declaration)
        start, end = self._unit.extent(declaration)[0], self._unit.extent(body)[1]
        captures: list[Capture] = []
        own = {each.identity for each in (*parts, *self._below(body)) if each.kind in _VARIABLES}
        for variable in self._variables(body):
            if variable.identity in own:
                continue
            at = self._unit.extent(variable)[0]  # in a macro all is where that is used
            is_within = at.path == start.path and start.offset < at.offset < end.offset
            if is_within or introducer.copies(self._unit.spelling(variable)):
                self._add(captures, variable, made=is_within)
        if introducer.captures_this() and self._names_this(body):
            self._add_this(captures, declaration, whole="*this" in introducer.copied)
        size = max(0, self._library.size_bytes(self._library.type_of(declaration)))
        return Closure(StructT(name, tuple(capture.field for capture in captures), size), tuple(captures))

    def _add(self, captures: list[Capture], variable: Cursor, *, made: bool) -> None:
        declared = self._library.type_of(variable)
        kind = self._read(declared)
        if isinstance(kind, ArrayT | UnknownT):  # by its name, as if it were captured by reference
            return
        reference = made and self._library.canonical_type(declared).kind in REFERENCE_TYPES
        name = self._unit.spelling(variable)
        if any(capture.field.name == name for capture in captures):  # of a pack
            name = f"{name}{len(captures)}"
        held = PointerT(kind) if reference else kind
        field = FieldT(name, held, offset_behind([capture.field for capture in captures], held), reference)
        captures.append(Capture(variable, field, made=made))

    def _add_this(self, captures: list[Capture], declaration: Cursor, *, whole: bool) -> None:
        owner = self._library.semantic_parent(declaration)
        while owner.kind in FUNCTIONS or self._is_closure(owner):
            owner = self._library.semantic_parent(owner)
        if owner.kind in CLASSES:
            kind = self._read(self._library.type_of(owner))
            held = kind if whole else PointerT(kind)
            field = FieldT("this", held, offset_behind([capture.field for capture in captures], held))
            captures.append(Capture(None, field, whole=whole))

    def _is_closure(self, owner: Cursor) -> bool:
        return owner.kind in CLASSES and self._unit.type_text(self._library.type_of(owner)).startswith(LAMBDA)

    def _variables(self, body: Cursor) -> list[Cursor]:
        """Return the local variables that a body names, each once."""
        found: dict[int, Cursor] = {}
        for node in self._below(body):
            if node.kind in _NAMES:
                named = self._library.referenced(node)
                if named.kind in _VARIABLES and self._is_local(named):
                    found.setdefault(named.identity, named)
        return list(found.values())

    def _is_local(self, variable: Cursor) -> bool:
        if variable.kind == _PARAMETER:
            return True
        is_static = self._library.storage_class(variable) == StorageClass.STATIC
        return not is_static and self._library.semantic_parent(variable).kind in FUNCTIONS

    def _names_this(self, body: Cursor) -> bool:
        return any(
            node.kind == _THIS or (node.kind == _MEMBER and not self._unit.operands(node)) for node in self._below(body)
        )

    def _below(self, cursor: Cursor) -> Iterator[Cursor]:
        waiting = [cursor]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(self._unit.children(node))

    def _parts(self, declaration: Cursor) -> list[Cursor]:
        """Return the parameters of a lambda and, last, its body; an empty list where it has none."""
        for child in self._unit.children(declaration):
            if child.kind in _CALL_OPERATORS and self._unit.spelling(child) == "operator()":
                parts = self._unit.children(child)
                return parts if parts and parts[-1].kind == _BODY else []
        return []

    def _introducer(self, declaration: Cursor) -> Introducer:
        start = self._unit.extent(declaration)[0]
        held = self._unit.contents(start.path) if start.path else b""
        text = held[start.offset : start.offset + _LONGEST].decode("utf-8", "replace")
        written = Introducer.of(text)
        if written is not None:
            return written
        kinds = (self._library.type_of(field).kind for field in self._unit.fields(self._library.type_of(declaration)))
        return Introducer("&" if any(kind in REFERENCE_TYPES for kind in kinds) else "=")
