from fractions import Fraction

import pytest

from analyzer.counts.operations import instructions_of, operations_of
from analyzer.counts.policy import load_policy
from analyzer.counts.results import OperationKey
from analyzer.errors import PolicyError
from analyzer.ir.index import var
from analyzer.ir.nodes import DataDependent
from analyzer.ir.types import FP32, FP64, ElementType, ScalarType
from analyzer.ir.values import Apply, Operation, Register
from analyzer.profiling.counting.profiler import profile_region
from analyzer.quantities.quantity import Exactness
from tests.nests import SCALAR, N, add, element, guard, load, loop, mul, region, store

I, J, K = var("i"), var("j"), var("k")
COMPLEX = ElementType(ScalarType.COMPLEX_FP64)


def profile(*tree, **sizes):
    return profile_region(region(*tree, **sizes))


def test_matrix_product():
    product = store(element("C", I, J), add(load("C", I, J), mul(load("A", I, K), load("B", K, J))))
    found = profile(loop("i", 0, N, loop("j", 0, N, loop("k", 0, N, product))))
    assert str(found.work.flops.estimate) == "2*N^3"
    assert str(found.loads.elements.estimate) == "3*N^3"
    assert str(found.register_traffic.read_bytes.estimate) == "16*N^3 + 8*N^2"
    assert str(found.register_traffic.write_bytes.estimate) == "8*N^2"
    assert found.per_iteration.intensity == Fraction(1, 8)


def test_contraction_fuses_one_product_per_sum():
    a, b = mul(SCALAR, SCALAR), mul(SCALAR, SCALAR)
    assert instructions_of(add(a, b), contract=True) == instructions_of(add(a, b), contract=False).__class__(1, 2)
    assert instructions_of(add(add(a, b), a), contract=True).fused == 2
    assert instructions_of(add(a, b), contract=False).fused == 0


def test_mixed_precision_is_not_contracted():
    narrow = Apply(Operation.MUL, FP32, (Register("x", FP32), Register("y", FP32)))
    wide = Apply(Operation.ADD, FP64, (Apply(Operation.CONVERT, FP64, (narrow,)), SCALAR))
    assert instructions_of(wide, contract=True).fused == 0
    assert operations_of(wide)[OperationKey(Operation.MUL, ScalarType.FP32)] == 1


def test_complex_product_is_six_real_operations():
    z = Register("z", COMPLEX)
    found = operations_of(Apply(Operation.MUL, COMPLEX, (z, z)))
    assert sum(found.values()) == 6
    assert {key.precision for key in found} == {ScalarType.FP64}
    scaled = operations_of(Apply(Operation.MUL, COMPLEX, (SCALAR, z)))
    assert scaled == {OperationKey(Operation.MUL, ScalarType.FP64): 2}
    assert operations_of(Apply(Operation.NEG, COMPLEX, (z,), "conj")).total() == 1


def test_a_guarded_update_is_an_interval():
    flops = profile(loop("i", 0, N, guard(DataDependent("d"), store(element("y", I), add(SCALAR, SCALAR))))).work.flops
    assert flops.exactness is Exactness.INTERVAL
    assert [bound.evaluate({"N": 10}) for bound in (flops.lower, flops.estimate, flops.upper)] == [0, 5, 10]


def test_what_both_branches_do_is_certain():
    one, other = store(element("y", I), add(SCALAR, SCALAR)), store(element("y", I), add(SCALAR, SCALAR))
    found = profile(loop("i", 0, N, guard(DataDependent("d"), one, orelse=[other])))
    assert found.work.flops.is_exact
    assert str(found.work.flops.estimate) == "N"
    assert str(found.stores.elements.estimate) == "N"


def test_register_level_keeps_aliasing_references_in_the_loop():
    in_place = store(element("p", I, J), add(load("p", I, J), load("p", I, 0)))
    found = profile(loop("i", 0, N, loop("j", 0, N, in_place)))
    assert found.per_iteration.loads == 2


def test_repeated_reads_are_one_load():
    square = store(element("y", I), add(mul(load("x", I), load("x", I)), load("x", I)))
    found = profile(loop("i", 0, N, square))
    assert (found.per_iteration.loads, found.per_iteration.stores) == (1, 1)
    assert str(found.loads.elements.estimate) == "3*N"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[mine.operations]\nadd = 1\n", "no weight for operation 'abs'"),
        ("[mine.operations]\nplus = 1\n", "unknown operation 'plus'"),
        ("[mine.operations]\nadd = -1\n", "whole number"),
        ("[mine]\n", "mine has no operations"),
        ("nonsense", "not a valid TOML file"),
    ],
)
def test_bad_policy_files_are_refused(tmp_path, text, message):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(PolicyError, match=message):
        load_policy(str(path))


def test_unknown_policy_names_the_shipped_ones():
    with pytest.raises(PolicyError, match="source"):
        load_policy("sorce")
