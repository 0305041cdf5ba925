"""What is known while one translation unit is lowered: variables, positions, and the functions still to visit.

Every declaration makes one ``Variable``; clang's declaration pointer (``cursor.identity``) is its identity here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Set

from msgspec.structs import replace

from ...diagnostics import Diagnostic, Field, Phrase
from ...source import Span
from ..surface.constructs import construct
from ..surface.nodes import (
    INT,
    ArrayT,
    Call,
    CType,
    Expression,
    Function,
    Index,
    Kept,
    Member,
    Name,
    Number,
    OpaqueExpression,
    PointerT,
    ScalarT,
    Statement,
    Storage,
    StructT,
    Unary,
    Variable,
)
from ..surface.traverse import walk
from ..surface.types import type_of
from .binding import Cursor, Type
from .callees import is_model
from .globals import GlobalIntegers
from .kinds import ARRAY_TYPES, CLASS_TEMPLATES, CLASSES, FUNCTIONS, CursorKind, StorageClass, TypeKind
from .postponed import Pending, RangeLoop
from .types import TypeReader, is_expression, is_reference
from .unit import Position, TranslationUnit

_PARAMETER, _STATIC = CursorKind.PARM_DECL, StorageClass.STATIC
_METHODS = frozenset({CursorKind.CXX_METHOD, CursorKind.FUNCTION_DECL})
_EXTERNAL = "c:@"  # of an USR: that of what only one file can name has its name
_SPACES: dict[int, Storage] = {
    CursorKind.CUDA_CONSTANT_ATTR: Storage.CONSTANT,
    CursorKind.CUDA_SHARED_ATTR: Storage.SHARED,
}

Handler = Callable[["Scope", Cursor], Expression]


class Scope:
    """The state of one lowering; handlers of expressions are functions of it and a cursor."""

    def __init__(
        self, unit: TranslationUnit, path: str, first_line: int, handlers: Mapping[int, Handler], undeclared: Set[str]
    ) -> None:
        """Start empty; ``path`` is clang's name of the main file, whose lines count from ``first_line``."""
        self.unit = unit
        self.library = unit.library
        self.types = TypeReader(unit, self.expression)
        self.path = path
        self.span = Span(path, first_line, first_line)
        self.diagnostics: list[Diagnostic] = []
        self.globals: list[Variable] = []
        self.waiting: deque[Pending] = deque()
        self.closures: dict[int, tuple[Variable | None, Mapping[int, Variable]]] = {}
        self.renamed: Mapping[int, Variable] = {}
        self.bindings: dict[int, Expression] = {}
        self.instantiated: set[str] = set()
        self.instances: dict[int, list[tuple[str, Cursor]]] = {}
        self.without_members: set[str] = set()
        self.over_nameless: set[RangeLoop] = set()
        self.unchosen: set[int] = set()  # where the main file names a template whose instance is not known
        self.hoisted: list[Statement] | None = None
        self.families: list[tuple[Cursor, Set[int]]] | None = None
        self.template_families: list[tuple[Cursor, Set[int]]] | None = None
        self.this: Variable | None = None
        self.generated: dict[str, Function] = {}
        self.declared: dict[Variable, Cursor] = {}
        self.destroyed: dict[int, bool] = {}
        self.without_destructor: set[str] = set()
        self.without_constructor: set[str] = set()
        self._line_shift = first_line - 1
        self._handlers = handlers
        self._undeclared = undeclared
        self.returns_reference = False
        self.has_labels = False
        self.opens_files = False
        self.follows_host = False
        self.on_host = False
        self._integers = GlobalIntegers(unit)
        self._variables: dict[int, Variable] = {}
        self._complete: dict[int, Cursor] = {}
        self._bodies: dict[int, str | None] = {}
        self._keys: set[str] = set()

    # --- expressions -----------------------------------------------------------------------------------------------

    def expression(self, cursor: Cursor) -> Expression:
        """Lower one expression; implicit conversions and parentheses disappear."""
        cursor = self.unit.stripped(cursor)
        handler = self._handlers.get(cursor.kind)
        if handler is None:
            return self.opaque(cursor, construct("expression-not-modelled"))
        return handler(self, cursor)

    def as_container(self, value: Expression) -> Expression:
        """Return the container of the library that an object is by its base class; other values as they are."""
        held = self.types.held_by(self.static_type(value))
        return value if held is None else Member(value, held.name, self.span)

    def opaque(self, cursor: Cursor, what: Phrase) -> Expression:
        """Return the value of a constant, else an opaque expression over the operands."""
        value = self.unit.evaluate(cursor)
        kind = self.types.of(cursor)
        if value is not None and isinstance(kind, ScalarT):
            return Number(value, kind, self.span)
        operands = tuple(map(self.expression, self.unit.operands(cursor)))
        return OpaqueExpression(what, operands, kind, self.span)

    def report(self, code: str, form: str, /, **fields: Field) -> None:
        """Add a finding at the current statement, with this sentence of the catalog."""
        self.diagnostics.append(Diagnostic.of(code, self.span, form, **fields))

    # --- positions -------------------------------------------------------------------------------------------------

    def span_of(self, cursor: Cursor) -> Span:
        """Return the first and last line of a cursor."""
        first, last = self.unit.extent(cursor)
        return self.span_between(first, last)

    def span_between(self, first: Position, last: Position) -> Span:
        """Return a span in report lines: those of the main file are shifted to where its text starts."""
        shift = self._line_shift if first.path == self.path else 0
        return Span(first.path, first.line + shift, max(first.line, last.line) + shift, first.column)

    # --- declarations ----------------------------------------------------------------------------------------------

    def variable(self, declaration: Cursor) -> Variable:
        """Return the one ``Variable`` of a declaration, made at its first use."""
        key = declaration.identity
        known = self.renamed.get(key) or self._variables.get(key)
        if known is not None:
            return known
        parent = self.library.semantic_parent(declaration)
        if declaration.kind != _PARAMETER and parent.kind not in FUNCTIONS:
            return self._global(declaration, key)
        if self.is_static(declaration):
            return self.remember(declaration, self._static(declaration, parent))
        storage = Storage.PARAMETER if declaration.kind == _PARAMETER else Storage.LOCAL
        return self.remember(declaration, self._declare(declaration, self._space(declaration, storage), None))

    def _static(self, declaration: Cursor, function: Cursor) -> Variable:
        """Return a ``static`` variable of a function, with its initial value where it is constant or keeps that."""
        kind, initial = self.library.type_of(declaration), self.library.initializer(declaration)
        starts, is_constant = is_expression(initial), self.is_constant(kind)
        kept = starts and not is_constant and not self._is_of_template(function)
        kept = kept and self._integers.keeps_its_value(declaration)
        value = self.initial_value(initial, kind) if starts and (is_constant or kept) else None
        declared = self._declare(declaration, self._space(declaration, Storage.GLOBAL), value)
        return replace(declared, kept=Kept.CERTAIN) if kept else declared

    def _is_of_template(self, function: Cursor) -> bool:
        """Return whether a function or a class around it is an instance, whose variables the template does not name."""
        while function.kind in FUNCTIONS or function.kind in CLASSES:
            if self.library.template_of(function).identity:
                return True
            function = self.library.semantic_parent(function)
        return False

    def named(self, declaration: Cursor) -> Expression:
        """Return what the name of a variable stands for: a variable in shared memory is an array of one."""
        variable = self.variable(declaration)
        name = Name(variable, self.span)
        is_single = variable.storage is Storage.SHARED and self.library.type_of(declaration).kind not in ARRAY_TYPES
        if is_single and isinstance(variable.type, ArrayT):
            return Index(name, Number(0, INT, self.span), self.span)
        return name

    def is_static(self, declaration: Cursor) -> bool:
        """Return True for a variable that is declared ``static``: its initialiser runs once."""
        return self.library.storage_class(declaration) == _STATIC

    def _space(self, declaration: Cursor, otherwise: Storage) -> Storage:
        """Return the storage that an attribute of CUDA gives a variable."""
        for child in self.unit.children(declaration):
            if child.kind in _SPACES:
                return _SPACES[child.kind]
        return otherwise

    def note_global(self, declaration: Cursor) -> None:
        """Prefer this declaration of a variable where others leave the extent open (``extern double a[];``)."""
        if self.library.type_of(declaration).kind != TypeKind.INCOMPLETE_ARRAY:
            canonical = self.library.canonical_cursor(declaration)
            self._complete[canonical.identity] = declaration

    def remember(self, declaration: Cursor, variable: Variable) -> Variable:
        """Bind a declaration to a variable."""
        self._variables[declaration.identity] = variable
        return variable

    def _global(self, declaration: Cursor, key: int) -> Variable:
        canonical = self.library.canonical_cursor(declaration)
        definition = self._complete.get(canonical.identity) or self.library.definition(declaration)
        if definition.kind != declaration.kind:
            definition = canonical
        found = self._variables.get(definition.identity)
        if found is None:
            kind = self.library.type_of(definition)
            initial = self.library.initializer(definition)
            starts = is_expression(initial)
            kept = starts and not self.is_constant(kind) and self._integers.keeps_its_value(definition)
            known = starts and (kept or self.is_constant(kind) or self.follows_host)
            value = self.initial_value(initial, kind) if known else None
            if value is None and not starts and self.follows_host and self._starts_at_zero(definition):
                value = Number(0, INT, self.span_of(definition))
            declared = self._declare(definition, self._space(definition, Storage.GLOBAL), value)
            linkage = self.unit.text(self.library.usr(definition))
            declared = replace(declared, linkage=linkage if linkage.startswith(_EXTERNAL) else "")
            if kept:
                alone = self._integers.is_of_this_file_alone(definition)
                declared = replace(declared, kept=Kept.CERTAIN if alone else Kept.ASSUMED)
            found = self.remember(definition, declared)
            self.globals.append(found)
        self._variables[key] = found
        return found

    def _starts_at_zero(self, definition: Cursor) -> bool:
        """Return whether a global of the host is defined here without an initialiser, as a number or a pointer."""
        is_definition = self.library.definition(definition).identity == definition.identity
        is_here = is_definition and self.library.storage_class(definition) != StorageClass.EXTERN
        on_host = self._space(definition, Storage.GLOBAL) is Storage.GLOBAL
        kind = self.types.read(self.library.type_of(definition))
        return (
            is_here
            and on_host
            and isinstance(kind, ScalarT | PointerT)
            and not (isinstance(kind, PointerT) and kind.owns)
        )

    def initial_value(self, initial: Cursor, kind: Type) -> Expression:
        """Lower an initialiser; that of a constant integer is its number where clang has the body of what it calls."""
        value = self.expression(initial)
        target = self.types.read(kind)
        is_integer = isinstance(target, ScalarT) and target.element.scalar.is_integer
        if is_integer and self.is_constant(kind) and any(isinstance(node, Call) for node in walk(value)):
            number = self.unit.evaluate(initial)
            if number is not None and isinstance(target, ScalarT):
                return Number(number, target, self.span)
        return value

    def is_constant(self, kind: Type) -> bool:
        """Return True for a const-qualified object, or an array of such."""
        while kind.kind in ARRAY_TYPES and not self.library.is_const(kind):  # ``constexpr`` is of the array itself
            kind = self.library.element(kind)
        return bool(self.library.is_const(kind))

    def _declare(self, declaration: Cursor, storage: Storage, initial: Expression | None) -> Variable:
        kind = self.library.type_of(declaration)
        reference = is_reference(self.library, kind)
        if reference:
            kind = self.library.pointee(self.library.canonical_type(kind))
        declared = self.types.read(kind) if reference else self.types.declared(declaration)
        span = self.span_of(declaration)
        if storage is Storage.SHARED and not reference and not isinstance(declared, ArrayT):
            declared = ArrayT(declared, Number(1, INT, span))  # memory, which no thread holds in registers
        return Variable(
            name=self.unit.spelling(declaration),
            type=declared,
            storage=storage,
            span=span,
            reference=reference,
            constant=self.is_constant(kind),
            initial=initial,
        )

    # --- functions -------------------------------------------------------------------------------------------------

    def function_key(self, function: Cursor) -> str | None:
        """Return the key of a function with a body in the user's files, which is then lowered; None for others."""
        definition = self.library.definition(function)
        identity = definition.identity
        if not identity:
            return None
        if identity not in self._bodies:
            self._bodies[identity] = self._enlist(definition, identity)
        return self._bodies[identity]

    def _enlist(self, definition: Cursor, identity: int) -> str | None:
        if self.is_in_header(definition) and not is_model(self.unit, definition):
            return None
        if self.library.is_defaulted_method(definition):
            return None
        body = self.body_of(definition)
        if body is None:
            return None
        key = self.unit.text(self.library.usr(definition))
        is_static = not key.startswith(_EXTERNAL)
        if "#" not in key:
            key = self.unit.spelling(definition)
        if key in self._keys:  # instances for two lambdas or two local classes of one name share their description
            key = f"{key}@{len(self._keys)}"
        self._keys.add(key)
        template = self.library.template_of(definition)
        if template.identity:
            self.instantiated.add(self.unit.text(self.library.usr(template)))
        self.waiting.append(Pending(key, definition, body, is_static))
        return key

    def methods_of(self, kind: Type) -> dict[str, Cursor]:
        """Return the methods and friends of a class by name; of several one with a body, else one without parameters.

        A class that a template makes shows those alone that the text names (``instances``); one without is noted.
        """
        parent = self.library.definition(self.library.declaration(self.library.canonical_type(kind)))
        found: dict[str, Cursor] = {}
        members: list[tuple[str, Cursor]] = [*self.instances.get(parent.identity, ())]
        for child in self.unit.children(parent):
            friends = self.unit.children(child) if child.kind == CursorKind.FRIEND_DECL else (child,)
            members += ((self.unit.spelling(method), method) for method in friends if method.kind in _METHODS)
        for name, method in members:
            is_first = name not in found or self.function_key(found[name]) is None
            if is_first or (not self.library.argument_count(method) and self.function_key(method) is not None):
                found[name] = method
        if not found and self.library.template_of(parent).kind in CLASS_TEMPLATES and not self.is_nameless(kind):
            self.without_members.add(self.unit.type_text(self.library.canonical_type(kind)))
        return found

    def is_nameless(self, kind: Type) -> bool:
        """Return whether a type has arguments that no source text can name, such as a lambda."""
        return "(lambda at " in self.unit.type_text(self.library.canonical_type(kind))

    def linked_key(self, function: Cursor, name: str) -> str:
        """Return the key of a function that another unit may hold; the plain name where none can."""
        if self.is_in_header(function):
            return name
        usr = self.unit.text(self.library.usr(function))
        return usr if "#" in usr else self.unit.spelling(function)

    def body_of(self, definition: Cursor) -> Cursor | None:
        """Return the compound statement of a function, that between ``try`` and ``catch``; None for a declaration."""
        children = self.unit.children(definition)
        if children and children[-1].kind == CursorKind.CXX_TRY_STMT:
            children = self.unit.children(children[-1])[:1]
        return children[-1] if children and children[-1].kind == CursorKind.COMPOUND_STMT else None

    def call(
        self,
        key: str,
        name: str,
        arguments: tuple[Expression, ...],
        callee: Cursor,
        bodies: tuple[tuple[str, str], ...] = (),
    ) -> Expression:
        """Return a call of a known function; one that returns a reference returns an address."""
        kind = self.library.result_type(self.library.type_of(callee))
        result = self.types.read(kind)
        if is_reference(self.library, kind):
            return Unary("*", Call(key, name, arguments, PointerT(result), self.span, bodies), self.span)
        return Call(key, name, arguments, result, self.span, bodies)

    def class_name(self, declaration: Cursor) -> str:
        """Return the name that objects of a class have in their types."""
        kind = self.types.read(self.library.type_of(declaration))
        return kind.name if isinstance(kind, StructT) else ""

    def address(self, target: Expression) -> Expression:
        """Return ``&target``, and ``p`` for ``&*p``."""
        if isinstance(target, Unary) and target.operator == "*":
            return target.operand
        return Unary("&", target, self.span)

    def members(self, kind: CType, values: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """Return what the members of an object hold that these values initialise: addresses for references."""
        if not isinstance(kind, StructT):
            return values
        fields = kind.fields[: len(values)]
        held = (self.address(v) if field.reference else v for field, v in zip(fields, values, strict=False))
        return (*held, *values[len(fields) :])

    def is_in_header(self, declaration: Cursor) -> bool:
        """Return True for a declaration of a system header (or of one of ours)."""
        return self.unit.is_in_system_header(declaration)

    def is_undeclared(self, function: Cursor) -> bool:
        """Return True for a function that C declares by its use."""
        return bool(self._undeclared) and self.unit.spelling(function) in self._undeclared

    def static_type(self, expression: Expression) -> CType:
        """Return the type of a lowered expression."""
        return type_of(expression)
