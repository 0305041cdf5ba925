"""The numbers of libclang, against the binding of the installed wheel and against what a parse returns."""

from collections.abc import Iterable, Iterator
from enum import IntEnum

import pytest
from clang import cindex

from analyzer.frontend.clang import kinds
from analyzer.frontend.clang.binding import Cursor
from analyzer.frontend.clang.unit import TranslationUnit

_LATER = {"CXX_PAREN_LIST_INIT_EXPR", "FLOAT16", "BFLOAT16"}  # the binding of libclang 18 does not name them


def _plain(names: Iterable[str]) -> list[str]:
    return [name.replace("_", "").upper() for name in names]


@pytest.mark.parametrize(
    ("kind", "bound"),
    [
        (kinds.CursorKind, cindex.CursorKind),
        (kinds.TypeKind, cindex.TypeKind),
        (kinds.StorageClass, cindex.StorageClass),
        (kinds.TemplateArgumentKind, cindex.TemplateArgumentKind),
    ],
)
def test_members_are_those_of_the_binding(kind: type[IntEnum], bound: type) -> None:
    members = [member for member in kind if member.name not in _LATER]
    assert _plain(member.name for member in members) == _plain(bound.from_id(member.value).name for member in members)


def test_severities_are_those_of_the_binding() -> None:
    for severity in kinds.Severity:
        assert getattr(cindex.Diagnostic, severity.name.title()) == severity


def test_groups_are_those_of_the_binding() -> None:
    for kind in cindex.CursorKind.get_all_kinds():
        assert kind.is_expression() == (kind.value in kinds.EXPRESSIONS)
        assert kind.is_statement() == (kind.value in kinds.STATEMENTS)
        assert kind.is_attribute() == (kind.value in kinds.ATTRIBUTES)


def _walk(unit: TranslationUnit, cursor: Cursor) -> Iterator[Cursor]:
    yield cursor
    for child in unit.children(cursor):
        yield from _walk(unit, child)


def _operators(text: str, kind: kinds.CursorKind, name: str = "a.c") -> list[int]:
    unit = TranslationUnit(name, text.encode(), ())
    read = unit.library.unary_operator if kind is kinds.CursorKind.UNARY_OPERATOR else unit.library.binary_operator
    return [read(cursor) for cursor in _walk(unit, unit.cursor) if cursor.kind == kind]


def test_binary_operators_are_numbered_as_clang_does() -> None:
    signs = ["*", "/", "%", "+", "-", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||", "="]
    text = f"void f(int a, int b) {{ {' '.join(f'a {sign} b;' for sign in signs)} a, b; }}"
    found = _operators(text, kinds.CursorKind.BINARY_OPERATOR)
    of_c = [kind for kind in kinds.BinaryOperator if not kind.name.startswith("MEMBER_OF")]
    assert found == [kind for kind in of_c if not kind.name.endswith("_ASSIGN")]


def test_pointers_to_members_are_numbered_as_clang_does() -> None:
    text = "struct P { int k; }; int f(P p, P *q, int P::*m) { return p.*m, q->*m; }"
    found = _operators(text, kinds.CursorKind.BINARY_OPERATOR, "a.cpp")
    assert found == [
        kinds.BinaryOperator.COMMA,
        kinds.BinaryOperator.MEMBER_OF_OBJECT,
        kinds.BinaryOperator.MEMBER_OF_POINTER,
    ]


def test_compound_assignments_are_numbered_as_clang_does() -> None:
    signs = ["*", "/", "%", "+", "-", "<<", ">>", "&", "^", "|"]
    text = f"void f(int a, int b) {{ {' '.join(f'a {sign}= b;' for sign in signs)} }}"
    found = _operators(text, kinds.CursorKind.COMPOUND_ASSIGNMENT_OPERATOR)
    assert found == [kind for kind in kinds.BinaryOperator if kind.name.endswith("_ASSIGN")]


def test_unary_operators_are_numbered_as_clang_does() -> None:
    uses = "a++; a--; ++a; --a; &a; *p; +a; -a; ~a; !a; __real__ a; __imag__ a; __extension__ a;"
    found = _operators(f"void f(int a, int *p) {{ {uses} }}", kinds.CursorKind.UNARY_OPERATOR)
    assert found == list(kinds.UnaryOperator)


def test_small_floats_are_numbered_as_clang_does() -> None:
    """``__bf16`` is numbered by later versions only: this one shows it as a type that it does not expose."""
    unit = TranslationUnit("a.c", b"_Float16 x;", ("--target=x86_64-unknown-linux-gnu",))
    assert [unit.library.type_of(cursor).kind for cursor in unit.children(unit.cursor)] == [kinds.TypeKind.FLOAT16]


def test_aggregates_in_parentheses_are_numbered_as_clang_does() -> None:
    text = "struct A { int x, y; }; A f() { return A(1, 2); }"
    unit = TranslationUnit("a.cpp", text.encode(), ("-std=c++20",))
    assert kinds.CursorKind.CXX_PAREN_LIST_INIT_EXPR in [cursor.kind for cursor in _walk(unit, unit.cursor)]


def test_values_of_constants_are_numbered_as_clang_does() -> None:
    unit = TranslationUnit("a.c", b"int a = 1 + 2; double b = 1.5 + 2;", ())
    library = unit.library
    kinds_found = []
    for variable in unit.children(unit.cursor):
        result = library.evaluate(library.initializer(variable))
        kinds_found.append(library.result_kind(result))
        library.dispose_result(result)
    assert kinds_found == list(kinds.EvaluationKind)
