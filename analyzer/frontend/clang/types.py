"""clang's types -> the surface tree's types, with the layout of structs and the extents of variable-length arrays.

Containers become what their elements need: ``std::vector<T>`` a ``PointerT``, ``std::array<T, N>`` an ``ArrayT``,
``std::complex<T>`` a complex scalar.  libclang does not hold the size expression of a variable-length array in its
type: it is found among the children of the declaration (or cast) that spells the type, innermost first.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from ...ir.types import ElementType, ScalarType
from ...source import NO_SPAN
from ..surface.layout import offset_behind
from ..surface.nodes import INT, ArrayT, CType, Expression, FieldT, Number, PointerT, ScalarT, StructT, UnknownT
from .binding import Cursor, Library, Type
from .captures import LAMBDA, ClosureReader
from .kinds import ARRAY_TYPES, ATTRIBUTES, CLASSES, EXPRESSIONS, REFERENCE_TYPES, CursorKind, TypeKind
from .library_classes import FUNCTION, FUNCTION_OBJECTS, OWNERS, POINTER_LIKE, SMALL_FLOATS, WRAPPERS
from .unit import TranslationUnit

_SCALARS: dict[int, ScalarType] = {
    TypeKind.VOID: ScalarType.VOID,
    TypeKind.BOOL: ScalarType.BOOL,
    TypeKind.CHAR_U: ScalarType.INT8,
    TypeKind.UCHAR: ScalarType.UINT8,
    TypeKind.CHAR16: ScalarType.UINT16,
    TypeKind.CHAR32: ScalarType.UINT32,
    TypeKind.USHORT: ScalarType.UINT16,
    TypeKind.UINT: ScalarType.UINT32,
    TypeKind.ULONG: ScalarType.UINT64,
    TypeKind.ULONG_LONG: ScalarType.UINT64,
    TypeKind.CHAR_S: ScalarType.INT8,
    TypeKind.SCHAR: ScalarType.INT8,
    TypeKind.WCHAR: ScalarType.INT32,
    TypeKind.SHORT: ScalarType.INT16,
    TypeKind.INT: ScalarType.INT32,
    TypeKind.LONG: ScalarType.INT64,
    TypeKind.LONG_LONG: ScalarType.INT64,
    TypeKind.FLOAT: ScalarType.FP32,
    TypeKind.DOUBLE: ScalarType.FP64,
    TypeKind.LONG_DOUBLE: ScalarType.FP80,
    TypeKind.FLOAT128: ScalarType.FP80,
    TypeKind.HALF: ScalarType.FP16,
    TypeKind.FLOAT16: ScalarType.FP16,
    TypeKind.BFLOAT16: ScalarType.BF16,
}
_COMPLEX = {ScalarType.FP32: ScalarType.COMPLEX_FP32}
_POINTER, _NULLPTR, _COMPLEX_KIND = TypeKind.POINTER, TypeKind.NULLPTR, TypeKind.COMPLEX
_RECORD, _ENUM, _TYPEDEF, _ELABORATED = TypeKind.RECORD, TypeKind.ENUM, TypeKind.TYPEDEF, TypeKind.ELABORATED
_CONSTANT_ARRAY, _VARIABLE_ARRAY = TypeKind.CONSTANT_ARRAY, TypeKind.VARIABLE_ARRAY
_SIZED_ARRAYS = frozenset({_CONSTANT_ARRAY, _VARIABLE_ARRAY})
_ADDRESSES = ARRAY_TYPES | {_POINTER}
_VECTORS = frozenset({TypeKind.VECTOR, TypeKind.EXT_VECTOR})
_FUNCTIONS = frozenset({TypeKind.FUNCTION_NO_PROTO, TypeKind.FUNCTION_PROTO})
_NAMESPACE = CursorKind.NAMESPACE

_TEMPLATE_PARAMETERS = frozenset({CursorKind.TEMPLATE_TYPE_PARAMETER, CursorKind.TEMPLATE_NON_TYPE_PARAMETER})
_DEVICE_ALLOCATOR = "ai_device_allocator"  # in our headers
_STANDARD = "std::"  # starts the name of the field that stands for a container as a base class

"""The target of a function object of the library, which is a pointer here."""
POSITION = ScalarT(ElementType(ScalarType.INT64))
"""The type of a pointer to a member, which is the position of the member among the fields here."""
Lower = Callable[[Cursor], Expression]


def is_expression(cursor: Cursor) -> bool:
    """Return True for the cursors of expressions."""
    return cursor.kind in EXPRESSIONS


def is_reference(library: Library, kind: Type) -> bool:
    """Return True for ``T&`` and ``T&&``, by another name and deduced (``auto``) as well."""
    return library.canonical_type(kind).kind in REFERENCE_TYPES


def innermost_element(library: Library, kind: Type) -> Type:
    """Return the type of the objects in an array of arrays; any other type as it is, by no other name."""
    kind = library.canonical_type(kind)
    while kind.kind in ARRAY_TYPES:
        kind = library.canonical_type(library.element(kind))
    return kind


class TypeReader:
    """Reads types of one translation unit, each once."""

    def __init__(self, unit: TranslationUnit, lower: Lower) -> None:
        """Start without types; ``lower`` gives surface expressions of the sizes of variable-length arrays."""
        self._unit = unit
        self._library = unit.library
        self._lower = lower
        self._known: dict[tuple[int, int], CType] = {}
        self._open_records: set[str] = set()
        self.bases: dict[int, list[Type]] = {}
        self.without_bases: set[tuple[str, tuple[str, ...]]] = set()
        self.overriding: set[tuple[str, tuple[str, ...]]] = set()
        self.closures = ClosureReader(unit, self.read)

    def of(self, cursor: Cursor) -> CType:
        """Return the type of an expression; a reference counts as what it refers to."""
        return self.read(self._library.type_of(cursor))

    def declared(self, cursor: Cursor) -> CType:
        """Return the type of a declaration or cast whose children spell the sizes of its variable-length arrays."""
        kind = self._library.type_of(cursor)
        if not self._is_variable(kind):
            return self.read(kind)
        return self._read(kind, self._sizes(cursor))

    def read(self, kind: Type) -> CType:
        """Return a type by itself; variable lengths that a typedef spells are found, others are unknown."""
        key = (kind.kind, kind.identity)
        found = self._known.get(key)
        if found is None:
            found = self._read(kind, [])
            if not self._open_records:
                self._known[key] = found
        return found

    def pointed(self, cursor: Cursor) -> CType:
        """Return the type of an object named directly or through a pointer, without implicit conversions to a base."""
        kind = self._library.canonical_type(self._library.type_of(self._unit.stripped(cursor)))
        return self.read(self._library.pointee(kind)) if kind.kind == _POINTER else self.read(kind)

    def owns_elements(self, cursor: Cursor) -> bool:
        """Return True for a container whose assignment copies its elements."""
        kind = self._library.canonical_type(self._library.type_of(cursor))
        declaration = self._library.declaration(kind)
        return self._unit.spelling(declaration) in OWNERS and self.is_standard(declaration)

    def _is_variable(self, kind: Type) -> bool:
        """Return True where a variable-length array is spelled in the type itself, not behind a typedef."""
        while kind.kind in _ADDRESSES:
            if kind.kind == _VARIABLE_ARRAY:
                return True
            kind = self._library.pointee(kind) if kind.kind == _POINTER else self._library.element(kind)
        return False

    def _sizes(self, declaration: Cursor) -> list[Cursor]:
        return self._unit.operands(declaration)[: self._rank(declaration)]

    def _rank(self, declaration: Cursor) -> int:
        kind, rank = self._library.type_of(declaration), 0
        while kind.kind in _ADDRESSES:
            rank += kind.kind in _SIZED_ARRAYS
            kind = self._library.pointee(kind) if kind.kind == _POINTER else self._library.element(kind)
        return rank

    def _read(self, kind: Type, sizes: list[Cursor]) -> CType:
        code = kind.kind
        scalar = _SCALARS.get(code)
        if scalar is not None:
            return ScalarT(ElementType(scalar))
        if code == _POINTER:
            target = self._library.pointee(kind)
            restrict = bool(self._library.is_restrict(kind))
            return PointerT(self._read(target, sizes) if sizes else self.read(target), restrict)
        if code in ARRAY_TYPES:
            return self._array(kind, sizes)
        if code in REFERENCE_TYPES:
            return self.read(self._library.pointee(kind))
        if code == _ENUM:
            return INT
        if code == TypeKind.MEMBER_POINTER:  # to a member: its position; to a method: what a function object is
            is_method = self._library.canonical_type(self._library.pointee(kind)).kind in _FUNCTIONS
            return PointerT(FUNCTION) if is_method else POSITION
        if code == _NULLPTR:
            return PointerT(ScalarT(ElementType(ScalarType.VOID)))
        if code == _COMPLEX_KIND:
            return self._complex(self.read(self._library.vector_element(kind)))
        if code in _VECTORS:
            return self._vector(kind)
        if code == _RECORD:
            return self._record(kind)
        if code == _TYPEDEF:
            return self._typedef(kind)
        if code == _ELABORATED:
            return self.read(self._library.named_type(kind))
        canonical = self._library.canonical_type(kind)
        if canonical.kind != code and code not in _FUNCTIONS:
            return self.read(canonical)
        text = self._unit.type_text(kind)
        return ScalarT(ElementType(ScalarType.BF16)) if text.endswith("__bf16") else UnknownT(text)

    def _array(self, kind: Type, sizes: list[Cursor]) -> ArrayT:
        size = sizes.pop() if sizes and kind.kind != TypeKind.INCOMPLETE_ARRAY else None
        extent: Expression | None = None
        if kind.kind == _CONSTANT_ARRAY:
            extent = Number(self._library.array_size(kind), INT, NO_SPAN)
        elif kind.kind == _VARIABLE_ARRAY and size is not None:
            extent = self._lower(size)
        element = self._library.element(kind)
        return ArrayT(self._read(element, sizes) if sizes else self.read(element), extent)

    def _typedef(self, kind: Type) -> CType:
        declaration = self._library.declaration(kind)
        written = self._library.underlying(declaration)
        if self._is_variable(written):
            return self._read(written, self._unit.operands(declaration))
        return self.read(written)

    def _complex(self, component: CType) -> ScalarT:
        scalar = component.element.scalar if isinstance(component, ScalarT) else ScalarType.FP64
        return ScalarT(ElementType(_COMPLEX.get(scalar, ScalarType.COMPLEX_FP64)))

    def _vector(self, kind: Type) -> CType:
        element = self.read(self._library.vector_element(kind))
        if isinstance(element, ScalarT):
            return ScalarT(ElementType(element.element.scalar, self._library.vector_length(kind)))
        return UnknownT(self._unit.type_text(kind))

    def _record(self, kind: Type) -> CType:
        declaration = self._library.declaration(kind)
        name = self._unit.spelling(declaration)
        if self._library.template_argument_count(kind) > 0:
            modelled = self._container(kind, declaration, name)
            if modelled is not None:
                return modelled
        small = SMALL_FLOATS.get(name)
        if small is not None and self.is_declared_by_us(declaration):
            return ScalarT(small)
        text = self._unit.type_text(self._library.canonical_type(kind)).removeprefix("const ")
        size = max(0, self._library.size_bytes(kind))
        if text.startswith(LAMBDA):
            return self.closures.of(declaration).type
        if text in self._open_records:
            return StructT(text, (), size)
        self._note_methods(kind, declaration, text)
        self._open_records.add(text)
        try:
            fields = tuple(self._bases(kind, declaration)) + tuple(self._fields(kind, 0))
        finally:
            self._open_records.discard(text)
        return StructT(text, fields, size, max(0, self._library.align_bytes(kind)))

    def _container(self, kind: Type, declaration: Cursor, name: str) -> CType | None:
        if not self.is_standard(declaration):
            return None
        argument = self._library.template_argument(kind, 0)
        if name == "complex":
            return self._complex(self.read(argument))
        if name == "array":
            return ArrayT(self.read(argument), self._length(kind, argument))
        if name in FUNCTION_OBJECTS:
            return PointerT(FUNCTION)
        if name in POINTER_LIKE:
            element = self.read(argument)
            target = element.element if isinstance(element, ArrayT) and "ptr" in name else element
            return PointerT(target, owns=name in OWNERS, device=self._is_on_device(kind))
        return self.read(argument) if name in WRAPPERS else None

    def _is_on_device(self, container: Type) -> bool:
        """Return whether the allocator of a container is that of Thrust for vectors on a device."""
        if self._library.template_argument_count(container) < 2:
            return False
        allocator = self._library.template_argument(container, 1)
        return self._unit.spelling(self._library.declaration(allocator)) == _DEVICE_ALLOCATOR

    def _length(self, array: Type, element: Type) -> Expression | None:
        """Return the number of elements of a ``std::array``, as the type spells it where nothing needed its size."""
        size, each = self._library.size_bytes(array), self._library.size_bytes(element)
        if size >= 0 and each > 0:
            return Number(size // each, INT, NO_SPAN)
        spelled = self._unit.type_text(self._library.canonical_type(array)).rpartition(",")[2].strip(" >uUlL")
        return Number(int(spelled), INT, NO_SPAN) if spelled.isdecimal() else None

    def is_declared_by_us(self, declaration: Cursor) -> bool:
        """Return True for a declaration of a system header (or of one of ours)."""
        return self._unit.is_in_system_header(declaration)

    def is_standard(self, declaration: Cursor) -> bool:
        """Return True for a declaration in ``std``, a class of it or a namespace within."""
        parent = self._library.semantic_parent(declaration)
        while parent.kind == _NAMESPACE or parent.kind in CLASSES:
            if parent.kind == _NAMESPACE and self._unit.spelling(parent) in ("std", "__gnu_cxx"):
                return True
            parent = self._library.semantic_parent(parent)
        return False

    def _bases(self, kind: Type, declaration: Cursor) -> list[FieldT]:
        """Return the fields of base classes, one after the other (the offsets of virtual bases are not exact).

        A container of the library as a base class is a field.
        """
        found: list[FieldT] = []
        offset = 0
        shown = self._has_body(declaration)
        pattern = declaration if shown else self._library.template_of(declaration)
        written = [child for child in self._unit.children(pattern) if child.kind == CursorKind.CXX_BASE_SPECIFIER]
        named = [] if shown else self._named_bases(kind, declaration, written)
        for number, child in enumerate(written):
            base = self._library.canonical_type(named[number] if named else self._library.type_of(child))
            if shown or self._library.size_bytes(base) > 0:
                record: CType | None = self.read(base)
            else:
                record = self._of_instance(kind, child)
            if record is not None:
                align = max(1, self._library.align_bytes(base))
                offset = -(-offset // align) * align
                if isinstance(record, StructT):
                    found += [replace(f, offset_bytes=f.offset_bytes + offset) for f in record.fields]
                    offset += record.size_bytes if record.fields else 0
                elif isinstance(record, ArrayT | PointerT):
                    name = self._unit.spelling(self._library.declaration(self._library.type_of(child)))
                    found.append(FieldT(f"{_STANDARD}{name}", record, offset))
                    offset += max(0, self._library.size_bytes(base))
        return found

    def _has_body(self, declaration: Cursor) -> bool:
        """Return whether a class shows its members; an instance of a template shows attributes and constructors."""
        children = self._unit.children(declaration)
        return any(child.kind != CursorKind.CONSTRUCTOR and child.kind not in ATTRIBUTES for child in children)

    def _named_bases(self, kind: Type, declaration: Cursor, written: list[Cursor]) -> list[Type]:
        """Return the base classes of an instance of a template, as a declaration of the reader names them.

        Where none does, and some depend on arguments of the template, the class is noted.
        """
        found = self.bases.get(self._library.definition(declaration).identity)
        if found is not None:
            return found
        types = [self._library.type_of(child) for child in written]
        names = tuple(self._unit.spelling(self._library.declaration(base)) for base in types)
        is_open = any(self._library.size_bytes(self._library.canonical_type(base)) <= 0 for base in types)
        text = self._unit.type_text(self._library.canonical_type(kind))
        if is_open and all(names) and not any(map(self.is_standard, map(self._library.declaration, types))):
            self.without_bases.add((text, names))
        return []

    def _note_methods(self, kind: Type, declaration: Cursor, text: str) -> None:
        """Note an instance of a template of the user with base classes, and the methods that may override theirs.

        libclang does not show what an instance has.
        """
        if self._library.template_argument_count(kind) <= 0 or self.is_declared_by_us(declaration):
            return
        members = self._unit.children(self._library.template_of(declaration))
        if not self._has_body(declaration) and any(m.kind == CursorKind.CXX_BASE_SPECIFIER for m in members):
            methods = [self._unit.spelling(member) for member in members if member.kind == CursorKind.CXX_METHOD]
            makes = [declaration for member in members if member.kind == CursorKind.CONSTRUCTOR]
            names = (*methods, *(self._unit.spelling(each) for each in makes))
            self.overriding.add((text, tuple(dict.fromkeys(names))))

    def _of_instance(self, kind: Type, base: Cursor) -> CType | None:
        """Return the container that is the base class of an instance of a template; None for other base classes.

        libclang shows the base class of the template only: the length of an array follows from the size of the object.
        """
        written = self._library.type_of(base)
        declaration = self._library.declaration(written)
        name = self._unit.spelling(declaration)
        if not self.is_standard(declaration) or (name != "array" and name not in POINTER_LIKE):
            return None
        argument = self._library.template_argument(written, 0)
        template = self._library.template_of(self._library.declaration(kind))
        parameters = [child for child in self._unit.children(template) if child.kind in _TEMPLATE_PARAMETERS]
        names = [self._unit.spelling(child) for child in parameters]
        if self._unit.type_text(argument) in names:
            argument = self._library.template_argument(kind, names.index(self._unit.type_text(argument)))
        element, size = self.read(argument), self._library.size_bytes(argument)
        if name != "array" or size <= 0:
            return None if name == "array" else PointerT(element, owns=name in OWNERS)
        own = [self._library.field_offset_bits(field) // 8 for field in self._unit.fields(kind)]
        is_padded = bool(own) and self._library.align_bytes(kind) > size
        length = min(own, default=self._library.size_bytes(kind)) // size
        return ArrayT(element, None if is_padded else Number(length, INT, NO_SPAN))

    def held_by(self, kind: CType) -> FieldT | None:
        """Return the field that stands for a container of the library that a class is derived from."""
        fields = kind.fields if isinstance(kind, StructT) else ()
        return next((field for field in fields if field.name.startswith(_STANDARD)), None)

    def _fields(self, record: Type, base_bytes: int) -> list[FieldT]:
        found: list[FieldT] = []
        for cursor in self._unit.fields(record):
            kind = self._library.type_of(cursor)
            bits = self._library.field_offset_bits(cursor)
            name = self._unit.spelling(cursor)
            declaration = self._library.declaration(kind)
            if self._library.is_anonymous_record(declaration):
                found += self._fields(self._library.canonical_type(kind), base_bytes + max(0, bits) // 8)
                continue
            if name:
                held, reference = self.read(kind), is_reference(self._library, kind)
                offset = max(base_bytes, offset_behind(found, held)) if bits < 0 else base_bytes + bits // 8
                if isinstance(held, ScalarT) and self._library.is_bit_field(cursor):
                    held = replace(held, bits=max(0, self._library.width_bits(cursor)))
                found.append(FieldT(name, PointerT(held) if reference else held, offset, reference))
        return found
