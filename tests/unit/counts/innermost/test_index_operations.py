"""Operations on the way of a value through an index, and where elements of a loop begin."""

import pytest

from analyzer.counts.innermost.index_operations import operations_from
from analyzer.counts.innermost.obstacles import alias_checks, may_alias
from analyzer.ir.index import const, floor_div, var
from analyzer.ir.types import FP32, FP64
from analyzer.ir.values import Access, Operation
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile


@pytest.mark.parametrize(
    ("divisor", "operation"), [(2, Operation.SHIFT), (8, Operation.SHIFT), (3, Operation.DIV), (10, Operation.DIV)]
)
def test_a_quotient_by_a_power_of_two_is_a_shift(divisor, operation):
    assert operations_from("j", floor_div(var("j"), const(divisor))) == (operation,)
    assert operations_from("k", floor_div(var("j"), const(divisor))) in ((), None)


def one(name, type_=FP64, *, unaliased=False):
    return Access(name, (var("i"),), (const(8),), type_, unaliased=unaliased)


@pytest.mark.parametrize(
    ("first", "second", "may"),
    [
        (one("a"), one("b"), True),
        (one("a"), one("a"), False),
        (one("a", unaliased=True), one("b"), False),
        (one("a"), one("b", unaliased=True), False),
        (one("a"), one("b", FP32), False),
    ],
)
def test_arrays_of_one_type_may_alias_unless_one_is_promised_to_be_alone(first, second, may):
    assert may_alias(first, second) is may


def steps(text):
    (file,) = analyze(SourceFile("k.c", text, Language.C), AnalysisOptions())
    return {(step.is_store, step.start_bytes, step.stride_bytes) for step in file.regions[0].per_iteration.steps}


def test_elements_begin_where_their_first_subscript_is_in_a_line_of_64_bytes():
    text = "void f(int n, double *restrict a, double *restrict b) { for (int i = %s; i < n; i++) a[i + 9] = b[i]; }"
    assert steps(text % "0") == {(True, 8, 8), (False, 0, 8)}
    assert steps(text % "3") == {(True, 32, 8), (False, 24, 8)}
    assert steps(text % "n / 7") == {(True, None, 8), (False, None, 8)}


def test_a_conjugate_changes_one_sign_and_a_negation_two():
    text = "#include <complex.h>\nvoid f(int n, double complex *a) { for (int i = 0; i < n; i++) a[i] = %s; }"
    for change, signs in (("conj(a[i])", 1), ("-a[i]", 2)):
        (file,) = analyze(SourceFile("k.c", text % change, Language.C), AnalysisOptions())
        operations = file.regions[0].work.operations
        found = [count for key, count in operations.items() if key.operation is Operation.NEG]
        assert [str(count.estimate) for count in found] == [f"{signs}*n" if signs > 1 else "n"]


def test_rows_behind_different_pointers_of_a_table_may_alias():
    rows = [Access("a", (var("r") + at, var("i")), (None, const(8)), FP64) for at in (0, 1)]
    assert may_alias(rows[0], rows[1])
    assert not may_alias(rows[0], rows[0])


def test_references_of_one_row_are_compared_once():
    """gcc 12 -O3 vectorises 15 references of five rows, and not eleven rows; clang 13 -O2 eight and not nine."""

    def at(row, number):
        return Access("b", (var("n") * row + var("i") + number,), (const(8),), FP64)

    assert alias_checks([one("a")], [at(row, number) for row in range(5) for number in (-1, 0, 1)]) == 5
    assert alias_checks([one("a")], [at(row, 0) for row in range(11)]) == 11
    assert alias_checks([one("a", unaliased=True)], [at(0, 0)]) == 0
