"""The door to libclang: its C interface with types, and nothing of the Python binding beyond the library's path.

The binding of the wheel checks and wraps every cursor, at about 100,000 cursors a second; the functions here are the C
functions themselves (``ctypes``), some four times faster, and typed.  The structures are libclang's stable C ABI.
A cursor is valid as long as its ``TranslationUnit`` is alive.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeVar, cast

from ...errors import SourceError


class Cursor(ctypes.Structure):
    """A node of clang's tree: declaration, statement, expression or reference."""

    _fields_ = (("kind", ctypes.c_int), ("xdata", ctypes.c_int), ("data", ctypes.c_void_p * 3))
    kind: int
    data: Sequence[int | None]

    @property
    def identity(self) -> int:
        """Return a number that only this node of a translation unit has; 0 of none."""
        return self.data[0] or 0


class Type(ctypes.Structure):
    """A type as written (with typedefs)."""

    _fields_ = (("kind", ctypes.c_int), ("data", ctypes.c_void_p * 2))
    kind: int
    data: Sequence[int | None]

    @property
    def identity(self) -> int:
        """Return a number that only this type of a translation unit has; 0 of none."""
        return self.data[0] or 0


class String(ctypes.Structure):
    """A string of libclang, to be disposed of."""

    _fields_ = (("data", ctypes.c_void_p), ("private_flags", ctypes.c_uint))


class Location(ctypes.Structure):
    """A position in the source."""

    _fields_ = (("ptr_data", ctypes.c_void_p * 2), ("int_data", ctypes.c_uint))


class Range(ctypes.Structure):
    """From one location to another."""

    _fields_ = (("ptr_data", ctypes.c_void_p * 2), ("begin", ctypes.c_uint), ("end", ctypes.c_uint))


class UnsavedFile(ctypes.Structure):
    """Text that stands for a file."""

    _fields_ = (("name", ctypes.c_char_p), ("contents", ctypes.c_char_p), ("length", ctypes.c_ulong))


Result = TypeVar("Result", bound=ctypes.Structure)

_VISITOR = ctypes.CFUNCTYPE(ctypes.c_int, Cursor, Cursor, ctypes.py_object)
_FIELD_VISITOR = ctypes.CFUNCTYPE(ctypes.c_int, Cursor, ctypes.py_object)
_INCLUSION_VISITOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Location), ctypes.c_uint, ctypes.c_void_p)
_POINTER, _INT, _UINT, _INT64 = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_longlong


def _append(cursor: Cursor, _parent: Cursor, found: list[Cursor]) -> int:
    found.append(cursor)
    return 1


def _append_field(cursor: Cursor, found: list[Cursor]) -> int:
    found.append(cursor)
    return 1


COLLECT = _VISITOR(_append)
COLLECT_FIELDS = _FIELD_VISITOR(_append_field)


def inclusion_visitor(note: Callable[[int, int], None]) -> object:
    """Return a visitor of included files that notes each, with the number of files that include it in turn."""
    return _INCLUSION_VISITOR(lambda file, _stack, depth, _data: note(file, depth))


class Library:
    """The C functions, typed; each attribute is libclang's ``clang_...`` of the name next to it."""

    def __init__(self, path: str) -> None:
        """Load the shared library; ``OSError`` or ``AttributeError`` (a version that is too old) pass through."""
        self._library = ctypes.CDLL(path)
        self._bind_units()
        self._bind_positions()
        self._bind_cursors()
        self._bind_types()
        self._bind_values()

    def _structure(self, name: str, result: type[Result], *arguments: object) -> Callable[..., Result]:
        return self._function(name, result, arguments)

    def _number(self, name: str, result: object, *arguments: object) -> Callable[..., int]:
        return self._function(name, result, arguments)

    def _function(self, name: str, result: object, arguments: tuple[object, ...]) -> Callable[..., Any]:
        function = getattr(self._library, f"clang_{name}")
        function.restype = result
        function.argtypes = arguments
        return cast("Callable[..., Any]", function)

    def _bind_units(self) -> None:
        number, unit = self._number, _POINTER
        self.create_index = number("createIndex", _POINTER, _INT, _INT)
        self.dispose_index = number("disposeIndex", None, _POINTER)
        self.parse = number(
            "parseTranslationUnit2",
            _INT, _POINTER, ctypes.c_char_p, _POINTER, _INT, _POINTER, _UINT, _UINT, _POINTER,
        )  # fmt: skip
        self.save = number("saveTranslationUnit", _INT, unit, ctypes.c_char_p, _UINT)
        self.dispose_unit = number("disposeTranslationUnit", None, unit)
        self.unit_cursor = self._structure("getTranslationUnitCursor", Cursor, unit)
        self.message_count = number("getNumDiagnostics", _UINT, unit)
        self.message = number("getDiagnostic", _POINTER, unit, _UINT)
        self.notes = number("getChildDiagnostics", _POINTER, _POINTER)
        self.note_count = number("getNumDiagnosticsInSet", _UINT, _POINTER)
        self.note = number("getDiagnosticInSet", _POINTER, _POINTER, _UINT)
        self.dispose_message = number("disposeDiagnostic", None, _POINTER)
        self.message_severity = number("getDiagnosticSeverity", _INT, _POINTER)
        self.message_text = self._structure("getDiagnosticSpelling", String, _POINTER)
        self.message_option = self._structure("getDiagnosticOption", String, _POINTER, _POINTER)
        self.message_location = self._structure("getDiagnosticLocation", Location, _POINTER)

    def _bind_positions(self) -> None:
        self.c_string: Callable[[String], bytes | None] = self._function("getCString", ctypes.c_char_p, (String,))
        self.dispose_string = self._number("disposeString", None, String)
        self.file_name = self._structure("getFileName", String, _POINTER)
        self.file_contents = self._number("getFileContents", _POINTER, _POINTER, _POINTER, _POINTER)
        self.visit_inclusions = self._number("getInclusions", None, _POINTER, _INCLUSION_VISITOR, _POINTER)
        self.expansion = self._number("getExpansionLocation", None, Location, *[_POINTER] * 4)
        self.is_in_main_file = self._number("Location_isFromMainFile", _INT, Location)
        self.is_in_system_header = self._number("Location_isInSystemHeader", _INT, Location)
        self.range_start = self._structure("getRangeStart", Location, Range)
        self.range_end = self._structure("getRangeEnd", Location, Range)
        self.extent = self._structure("getCursorExtent", Range, Cursor)
        self.location = self._structure("getCursorLocation", Location, Cursor)

    def _bind_cursors(self) -> None:
        structure, number = self._structure, self._number
        self.visit_children = number("visitChildren", _UINT, Cursor, _VISITOR, ctypes.py_object)
        self.type_of = structure("getCursorType", Type, Cursor)
        self.spelling = structure("getCursorSpelling", String, Cursor)
        self.usr = structure("getCursorUSR", String, Cursor)
        self.symbol = structure("Cursor_getMangling", String, Cursor)
        self.referenced = structure("getCursorReferenced", Cursor, Cursor)
        self.definition = structure("getCursorDefinition", Cursor, Cursor)
        self.canonical_cursor = structure("getCanonicalCursor", Cursor, Cursor)
        self.semantic_parent = structure("getCursorSemanticParent", Cursor, Cursor)
        self.template_of = structure("getSpecializedCursorTemplate", Cursor, Cursor)
        self.overload_count = number("getNumOverloadedDecls", _UINT, Cursor)
        self.overload = structure("getOverloadedDecl", Cursor, Cursor, _UINT)
        self.display_name = structure("getCursorDisplayName", String, Cursor)
        self.binary_operator = number("getCursorBinaryOperatorKind", _INT, Cursor)
        self.unary_operator = number("getCursorUnaryOperatorKind", _INT, Cursor)
        self.argument_count = number("Cursor_getNumArguments", _INT, Cursor)
        self.argument = structure("Cursor_getArgument", Cursor, Cursor, _UINT)
        self.initializer = structure("Cursor_getVarDeclInitializer", Cursor, Cursor)
        self.storage_class = number("Cursor_getStorageClass", _INT, Cursor)
        self.linkage = number("getCursorLinkage", _INT, Cursor)
        self.is_definition = number("isCursorDefinition", _UINT, Cursor)
        self.is_inline = number("Cursor_isFunctionInlined", _UINT, Cursor)
        self.field_offset_bits = number("Cursor_getOffsetOfField", _INT64, Cursor)
        self.is_bit_field = number("Cursor_isBitField", _UINT, Cursor)
        self.width_bits = number("getFieldDeclBitWidth", _INT, Cursor)
        self.is_anonymous_record = number("Cursor_isAnonymousRecordDecl", _UINT, Cursor)
        self.is_static_method = number("CXXMethod_isStatic", _UINT, Cursor)
        self.is_defaulted_method = number("CXXMethod_isDefaulted", _UINT, Cursor)
        self.is_pure_method = number("CXXMethod_isPureVirtual", _UINT, Cursor)
        self.is_virtual_method = number("CXXMethod_isVirtual", _UINT, Cursor)

    def _bind_types(self) -> None:
        structure, number = self._structure, self._number
        self.visit_fields = number("Type_visitFields", _UINT, Type, _FIELD_VISITOR, ctypes.py_object)
        self.is_const = number("isConstQualifiedType", _UINT, Type)
        self.is_volatile = number("isVolatileQualifiedType", _UINT, Type)
        self.is_restrict = number("isRestrictQualifiedType", _UINT, Type)
        self.canonical_type = structure("getCanonicalType", Type, Type)
        self.named_type = structure("Type_getNamedType", Type, Type)
        self.pointee = structure("getPointeeType", Type, Type)
        self.class_of_member = structure("Type_getClassType", Type, Type)
        self.element = structure("getArrayElementType", Type, Type)
        self.vector_element = structure("getElementType", Type, Type)
        self.vector_length = number("getNumElements", _INT64, Type)
        self.array_size = number("getArraySize", _INT64, Type)
        self.result_type = structure("getResultType", Type, Type)
        self.declaration = structure("getTypeDeclaration", Cursor, Type)
        self.underlying = structure("getTypedefDeclUnderlyingType", Type, Cursor)
        self.type_spelling = structure("getTypeSpelling", String, Type)
        self.size_bytes = number("Type_getSizeOf", _INT64, Type)
        self.align_bytes = number("Type_getAlignOf", _INT64, Type)
        self.template_argument_count = number("Type_getNumTemplateArguments", _INT, Type)
        self.template_argument = structure("Type_getTemplateArgumentAsType", Type, Type, _UINT)
        self.function_argument_count = number("Cursor_getNumTemplateArguments", _INT, Cursor)
        self.function_argument_kind = number("Cursor_getTemplateArgumentKind", _INT, Cursor, _UINT)
        self.function_argument_type = structure("Cursor_getTemplateArgumentType", Type, Cursor, _UINT)
        self.function_argument_value = number("Cursor_getTemplateArgumentValue", _INT64, Cursor, _UINT)
        self.function_argument_bits = number(
            "Cursor_getTemplateArgumentUnsignedValue", ctypes.c_ulonglong, Cursor, _UINT
        )

    def _bind_values(self) -> None:
        number = self._number
        self.enumerator_value = number("getEnumConstantDeclValue", _INT64, Cursor)
        self.evaluate = number("Cursor_Evaluate", _POINTER, Cursor)
        self.result_kind = number("EvalResult_getKind", _INT, _POINTER)
        self.result_integer = number("EvalResult_getAsLongLong", _INT64, _POINTER)
        self.result_is_unsigned = number("EvalResult_isUnsignedInt", _UINT, _POINTER)
        self.result_unsigned = number("EvalResult_getAsUnsigned", ctypes.c_ulonglong, _POINTER)
        self.result_float: Callable[[int], float] = self._function(
            "EvalResult_getAsDouble", ctypes.c_double, (_POINTER,)
        )
        self.dispose_result = number("EvalResult_dispose", None, _POINTER)


@cache
def library() -> Library:
    """Return the library of the installed ``libclang`` wheel (or of what ``clang.cindex`` is set to)."""
    try:
        from clang import cindex  # here, so that its absence is worded for the user

        return Library(cindex.conf.get_filename())
    except (ImportError, OSError, AttributeError) as error:
        raise SourceError(
            f"libclang cannot be used: {error}", hint="install it with: pip install 'libclang>=17'"
        ) from error
