"""Names of a snippet: scopes of variables, types and enumerators, and the variables that nothing declares."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from ...ir.types import ElementType
from ...source import Span
from ..surface.nodes import INT, ArrayT, CType, FieldT, Number, PointerT, ScalarT, Storage, StructT, UnknownT, Variable
from .infer import Use


class TypeName(Struct, frozen=True):
    """A name that a ``typedef`` declares."""

    type: CType


Meaning = Variable | Number | TypeName
"""What an ordinary identifier stands for; functions are kept apart, for they are not values here."""


class Scope(Struct):
    """One block: ordinary identifiers and tags."""

    ordinary: dict[str, Meaning] = field(default_factory=dict)
    tags: dict[str, StructT] = field(default_factory=dict)


class Names:
    """A stack of scopes over the variables that are used without a declaration.

    ``uses`` says how each undeclared name is used (:mod:`.infer`); its variable is made at the first use and
    shared by the whole text.
    """

    def __init__(self, uses: Mapping[str, Use], element: ElementType) -> None:
        """Start with the file scope."""
        self._uses = uses
        self._element = element
        self._undeclared: dict[str, Variable] = {}
        self.scopes: list[Scope] = [Scope()]
        self.functions: dict[str, CType] = {}

    def push(self) -> None:
        """Enter a block."""
        self.scopes.append(Scope())

    def pop(self) -> None:
        """Leave a block."""
        self.scopes.pop()

    def declare(self, name: str, meaning: Meaning) -> None:
        """Bind an ordinary identifier in the innermost scope."""
        self.scopes[-1].ordinary[name] = meaning

    def declare_tag(self, name: str, struct: StructT) -> None:
        """Bind the tag of a struct, union or enumeration in the innermost scope."""
        self.scopes[-1].tags[name] = struct

    def lookup(self, name: str) -> Meaning | None:
        """Return the meaning of a name, or None where nothing declares it."""
        return next((scope.ordinary[name] for scope in reversed(self.scopes) if name in scope.ordinary), None)

    def lookup_tag(self, name: str) -> StructT | None:
        """Return the struct of a tag as far as it is declared."""
        return next((scope.tags[name] for scope in reversed(self.scopes) if name in scope.tags), None)

    def undeclared(self, name: str, span: Span) -> Variable:
        """Return the variable of a name that nothing declares, typed by its use."""
        if name not in self._undeclared:
            use = self._uses.get(name, Use())
            ctype = self._type_of_use(name, use)
            self._undeclared[name] = Variable(name, ctype, Storage.UNDECLARED, span)
        return self._undeclared[name]

    def completed(self, ctype: CType) -> CType:
        """Return the type with structs filled in that were defined after it was written."""
        match ctype:
            case StructT(name=name, fields=()):
                return self.lookup_tag(name) or ctype
            case PointerT(target=target, restrict=restrict):
                return PointerT(self.completed(target), restrict)
            case ArrayT(element=element, extent=extent):
                return ArrayT(self.completed(element), extent)
            case _:
                return ctype

    def _type_of_use(self, name: str, use: Use) -> CType:
        scalar: CType = INT if use.integer else ScalarT(self._element)
        if use.members:
            scalar = self._struct_of_use(name, use)
        if use.pointer and not use.subscripts:
            return PointerT(scalar)
        for _ in range(use.subscripts):
            scalar = ArrayT(scalar, None)
        return scalar

    def _struct_of_use(self, name: str, use: Use) -> StructT:
        """Return a struct of the members that are used, in the order of their first use, one after the other."""
        fields: list[FieldT] = []
        offset = 0
        for member, inner in use.members.items():
            ctype = self._type_of_use(f"{name}.{member}", inner)
            size = {True: INT.element.size_bytes, False: self._element.size_bytes}[inner.integer]
            if isinstance(ctype, ArrayT):
                ctype = PointerT(ctype.element)
            if isinstance(ctype, PointerT):
                size = 8
            elif isinstance(ctype, StructT):
                size = ctype.size_bytes
            elif isinstance(ctype, UnknownT):
                size = 0
            offset = -(-offset // size) * size if size else offset
            fields.append(FieldT(member, ctype, offset))
            offset += size
        largest = max((8 if isinstance(item.type, PointerT | StructT) else 4 for item in fields), default=1)
        return StructT(name, tuple(fields), -(-offset // largest) * largest)
