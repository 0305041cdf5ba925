"""libclang's numbers by name: kinds of cursors, types and operators as its C interface (``Index.h``) numbers them.

Only the members that the reader asks about.  What ``ctypes`` returns is a plain ``int``; it compares equal to a member
and finds it as a key without conversion.  Reading a member from its class is slow in CPython 3.11: where every cursor
passes, modules bind it once.
"""

from __future__ import annotations

from enum import IntEnum


class CursorKind(IntEnum):
    """``CXCursorKind``."""

    UNEXPOSED_DECL = 1
    STRUCT_DECL = 2
    UNION_DECL = 3
    CLASS_DECL = 4
    FIELD_DECL = 6
    ENUM_CONSTANT_DECL = 7
    FUNCTION_DECL = 8
    VAR_DECL = 9
    PARM_DECL = 10
    CXX_METHOD = 21
    NAMESPACE = 22
    LINKAGE_SPEC = 23
    CONSTRUCTOR = 24
    DESTRUCTOR = 25
    CONVERSION_FUNCTION = 26
    TEMPLATE_TYPE_PARAMETER = 27
    TEMPLATE_NON_TYPE_PARAMETER = 28
    TEMPLATE_TEMPLATE_PARAMETER = 29
    FUNCTION_TEMPLATE = 30
    CLASS_TEMPLATE = 31
    CLASS_TEMPLATE_PARTIAL_SPECIALIZATION = 32
    USING_DECLARATION = 35
    TYPE_REF = 43
    CXX_BASE_SPECIFIER = 44
    MEMBER_REF = 47
    LABEL_REF = 48
    OVERLOADED_DECL_REF = 49
    VARIABLE_REF = 50

    UNEXPOSED_EXPR = 100
    DECL_REF_EXPR = 101
    MEMBER_REF_EXPR = 102
    CALL_EXPR = 103
    INTEGER_LITERAL = 106
    FLOATING_LITERAL = 107
    IMAGINARY_LITERAL = 108
    STRING_LITERAL = 109
    CHARACTER_LITERAL = 110
    PAREN_EXPR = 111
    UNARY_OPERATOR = 112
    ARRAY_SUBSCRIPT_EXPR = 113
    BINARY_OPERATOR = 114
    COMPOUND_ASSIGNMENT_OPERATOR = 115
    CONDITIONAL_OPERATOR = 116
    CSTYLE_CAST_EXPR = 117
    COMPOUND_LITERAL_EXPR = 118
    INIT_LIST_EXPR = 119
    STMT_EXPR = 121
    GENERIC_SELECTION_EXPR = 122
    GNU_NULL_EXPR = 123
    CXX_STATIC_CAST_EXPR = 124
    CXX_DYNAMIC_CAST_EXPR = 125
    CXX_REINTERPRET_CAST_EXPR = 126
    CXX_CONST_CAST_EXPR = 127
    CXX_FUNCTIONAL_CAST_EXPR = 128
    CXX_TYPEID_EXPR = 129
    CXX_BOOL_LITERAL_EXPR = 130
    CXX_NULL_PTR_LITERAL_EXPR = 131
    CXX_THIS_EXPR = 132
    CXX_THROW_EXPR = 133
    CXX_NEW_EXPR = 134
    CXX_DELETE_EXPR = 135
    CXX_UNARY_EXPR = 136
    LAMBDA_EXPR = 144
    CXX_PAREN_LIST_INIT_EXPR = 155

    UNEXPOSED_STMT = 200
    LABEL_STMT = 201
    COMPOUND_STMT = 202
    CASE_STMT = 203
    DEFAULT_STMT = 204
    IF_STMT = 205
    SWITCH_STMT = 206
    WHILE_STMT = 207
    DO_STMT = 208
    FOR_STMT = 209
    GOTO_STMT = 210
    INDIRECT_GOTO_STMT = 211
    CONTINUE_STMT = 212
    BREAK_STMT = 213
    RETURN_STMT = 214
    ASM_STMT = 215
    CXX_TRY_STMT = 224
    CXX_FOR_RANGE_STMT = 225
    MS_ASM_STMT = 229
    NULL_STMT = 230
    DECL_STMT = 231

    UNEXPOSED_ATTR = 400
    CXX_FINAL_ATTR = 404
    ANNOTATE_ATTR = 406
    CUDA_CONSTANT_ATTR = 412
    CUDA_DEVICE_ATTR = 413
    CUDA_GLOBAL_ATTR = 414
    CUDA_HOST_ATTR = 415
    CUDA_SHARED_ATTR = 416

    FRIEND_DECL = 603


EXPRESSIONS = range(100, 200)
"""Kinds of expressions."""
STATEMENTS = range(200, 350)
"""Kinds of statements, those of OpenMP last."""
ATTRIBUTES = range(400, 500)
"""Kinds of attributes."""

FUNCTIONS = frozenset(
    {
        CursorKind.FUNCTION_DECL,
        CursorKind.CXX_METHOD,
        CursorKind.CONSTRUCTOR,
        CursorKind.DESTRUCTOR,
        CursorKind.CONVERSION_FUNCTION,
    }
)
NAMESPACES = frozenset({CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC})
CLASSES = frozenset({CursorKind.STRUCT_DECL, CursorKind.UNION_DECL, CursorKind.CLASS_DECL})
CLASS_TEMPLATES = frozenset({CursorKind.CLASS_TEMPLATE, CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION})
IMPLICIT = frozenset({CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR})
"""What stands around an expression and does nothing: implicit conversions and parentheses."""


class TypeKind(IntEnum):
    """``CXTypeKind``."""

    VOID = 2
    BOOL = 3
    CHAR_U = 4
    UCHAR = 5
    CHAR16 = 6
    CHAR32 = 7
    USHORT = 8
    UINT = 9
    ULONG = 10
    ULONG_LONG = 11
    CHAR_S = 13
    SCHAR = 14
    WCHAR = 15
    SHORT = 16
    INT = 17
    LONG = 18
    LONG_LONG = 19
    INT128 = 20
    FLOAT = 21
    DOUBLE = 22
    LONG_DOUBLE = 23
    NULLPTR = 24
    FLOAT128 = 30
    HALF = 31
    FLOAT16 = 32
    BFLOAT16 = 39

    COMPLEX = 100
    POINTER = 101
    LVALUE_REFERENCE = 103
    RVALUE_REFERENCE = 104
    RECORD = 105
    ENUM = 106
    TYPEDEF = 107
    FUNCTION_NO_PROTO = 110
    FUNCTION_PROTO = 111
    CONSTANT_ARRAY = 112
    VECTOR = 113
    INCOMPLETE_ARRAY = 114
    VARIABLE_ARRAY = 115
    MEMBER_POINTER = 117
    ELABORATED = 119
    EXT_VECTOR = 176


INTEGER_TYPES = range(TypeKind.CHAR_U, TypeKind.INT128 + 1)
"""Kinds of built-in integers, from ``char`` to ``__int128``."""
ARRAY_TYPES = frozenset({TypeKind.CONSTANT_ARRAY, TypeKind.INCOMPLETE_ARRAY, TypeKind.VARIABLE_ARRAY})
REFERENCE_TYPES = frozenset({TypeKind.LVALUE_REFERENCE, TypeKind.RVALUE_REFERENCE})


class BinaryOperator(IntEnum):
    """``CXBinaryOperatorKind``."""

    MEMBER_OF_OBJECT = 1
    MEMBER_OF_POINTER = 2
    MUL = 3
    DIV = 4
    REM = 5
    ADD = 6
    SUB = 7
    SHL = 8
    SHR = 9
    LT = 11
    GT = 12
    LE = 13
    GE = 14
    EQ = 15
    NE = 16
    AND = 17
    XOR = 18
    OR = 19
    LOGICAL_AND = 20
    LOGICAL_OR = 21
    ASSIGN = 22
    MUL_ASSIGN = 23
    DIV_ASSIGN = 24
    REM_ASSIGN = 25
    ADD_ASSIGN = 26
    SUB_ASSIGN = 27
    SHL_ASSIGN = 28
    SHR_ASSIGN = 29
    AND_ASSIGN = 30
    XOR_ASSIGN = 31
    OR_ASSIGN = 32
    COMMA = 33


class UnaryOperator(IntEnum):
    """``CXUnaryOperatorKind``."""

    POST_INC = 1
    POST_DEC = 2
    PRE_INC = 3
    PRE_DEC = 4
    ADDRESS_OF = 5
    DEREFERENCE = 6
    PLUS = 7
    MINUS = 8
    NOT = 9
    LOGICAL_NOT = 10
    REAL = 11
    IMAG = 12
    EXTENSION = 13


class StorageClass(IntEnum):
    """``CX_StorageClass``."""

    EXTERN = 2
    STATIC = 3


class Linkage(IntEnum):
    """``CXLinkageKind``."""

    EXTERNAL = 4


class TemplateArgumentKind(IntEnum):
    """``CXTemplateArgumentKind``."""

    TYPE = 1
    INTEGRAL = 4


class Severity(IntEnum):
    """``CXDiagnosticSeverity``."""

    WARNING = 2
    ERROR = 3
    FATAL = 4


class EvaluationKind(IntEnum):
    """``CXEvalResultKind``."""

    INTEGER = 1
    FLOAT = 2
