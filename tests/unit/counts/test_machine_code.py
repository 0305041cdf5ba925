"""Policy ``nvidia-sass``: the expected numbers are counted by hand as ffma = 2, fadd = fmul = 1.

Those marked with a kernel's name are what Nsight Compute recorded for expressions of that shape, per thread.
"""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from analyzer.counts.policy import load_policy, policy_for, shipped_policies
from analyzer.errors import PolicyError
from analyzer.ir.index import const, var
from analyzer.ir.nodes import Compare, Comparison, DataDependent, Mapping
from analyzer.ir.types import BOOL, FP32, FP64, INT32, ScalarType
from analyzer.ir.values import Access, Apply, Constant, IndexValue, Load, Operation, Register
from analyzer.profiling.counting.options import ProfileOptions
from analyzer.profiling.counting.profiler import profile_region
from tests.nests import M, N, guard, loop, region, store

SASS = load_policy("nvidia-sass")
I, J = var("i"), var("j")
A, B, C, D, X = (Register(name, FP32) for name in "abcdx")


def op(name, *operands, type_=FP32, function=""):
    return Apply(Operation(name), type_, operands, function)


def add(left, right):
    return op("add", left, right)


def sub(left, right):
    return op("sub", left, right)


def mul(left, right):
    return op("mul", left, right)


def neg(value):
    return op("neg", value)


def call(name, *operands, type_=FP32):
    return op("call", *operands, type_=type_, function=name)


def number(value, type_=FP32):
    return Constant(value, type_)


def at(array, *subscripts, type_=FP32):
    return Access(array, subscripts, tuple(const(4) for _ in subscripts), type_)


def load(array, *subscripts):
    return Load(at(array, *subscripts))


S = Register("s", FP32)
KEPT = store(at("total", I), S)


def let(name, value):
    return store(Register(name, value.type), value)


GREATER = store(at("y", I), op("max", Register("t", FP32), Register("u", FP32)))


def threads(*body):
    return replace(loop("i", 0, N, *body), mapping=Mapping.THREAD_X)


def flops(*body, contract=True):
    found = profile_region(region(threads(*body)), ProfileOptions(policy=SASS, contract=contract)).work
    return {precision: str(total.estimate) for precision, total in found.flops_by_precision.items()}


def singles(*body, **options):
    """Single-precision FLOPs per thread; there are no others."""
    found = flops(*body, **options)
    assert set(found) <= {ScalarType.FP32}
    return found.get(ScalarType.FP32, "0").replace("*N", "").replace("N", "1")


W64 = Register("w", FP64)
X64 = op("convert", load("x", I), type_=FP64)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(add(load("b", I), mul(A, load("c", I))), "2", id="triad"),
        pytest.param(add(mul(A, B), mul(C, D)), "3", id="sum of two products: mriQ phi"),
        pytest.param(sub(mul(A, B), mul(C, D)), "3", id="one component of a cross product"),
        pytest.param(
            add(mul(A, load("x", I)), mul(B, add(add(add(load("x", I + 1), load("x", I - 1)), C), D))),
            "6",
            id="heat2d: 3 add, mul, ffma",
        ),
        pytest.param(sub(neg(load("p", I)), load("q", I)), "1", id="lulesh fill_sig: one add"),
        pytest.param(neg(load("d", I)), "1", id="ace: a negation that is stored"),
        pytest.param(neg(mul(A, B)), "1", id="the sign of a product is free"),
        pytest.param(add(neg(mul(A, B)), C), "2", id="fused through a negation"),
        pytest.param(mul(op("abs", A), B), "1", id="magnitudes are modifiers"),
        pytest.param(op("div", A, B), "10", id="division"),
        pytest.param(op("div", number(1.0), A), "5", id="reciprocal"),
        pytest.param(op("div", A, number(3.0)), "10", id="by a constant"),
        pytest.param(op("div", A, number(4.0)), "1", id="by a power of two"),
        pytest.param(add(op("div", A, number(4.0)), B), "2", id="by a power of two, fused"),
        pytest.param(mul(A, sub(number(1.0), number(0.25))), "1", id="constants are folded"),
        pytest.param(add(mul(number(1.0), A), B), "1", id="times one"),
        pytest.param(op("select", op("compare", A, B), A, B), "0", id="selection"),
        pytest.param(op("max", op("min", A, B), number(0.0)), "0", id="clamp"),
        pytest.param(op("convert", IndexValue(I, INT32)), "0", id="conversion"),
        pytest.param(call("exp", A), "10", id="expf"),
        pytest.param(call("__expf", A), "1", id="intrinsic"),
        pytest.param(call("log", load("x", I)), "24", id="logf"),
        pytest.param(call("log", A), "25", id="logf of a parameter, which is in no register"),
        pytest.param(op("sqrt", A, function="sqrt"), "0", id="sqrtf"),
        pytest.param(
            op("convert", op("mul", X64, number(0.5, FP64), type_=FP64)), "1", id="double that is rounded to float"
        ),
    ],
)
def test_one_expression(value, expected):
    assert singles(store(at("y", I), value)) == expected


X1, Y1 = load("x", I), load("z", I)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([call("log", X1)], "24", id="log x"),
        pytest.param([mul(X1, call("log", X1))], "26", id="x log x"),
        pytest.param([mul(number(2.0), X1), call("log", X1)], "25", id="2 x before log x"),
        pytest.param(
            [call("log", X1), mul(number(2.0), X1)], "25", id="2 x after log x and a store, x is loaded again"
        ),
        pytest.param([add(mul(X1, number(2.0)), call("log", X1))], "27", id="2 x as a part of the sum after log x"),
        pytest.param([add(call("log", mul(X1, number(3.0))), X1)], "26", id="log 3x, and x"),
        pytest.param([add(call("log", op("abs", X1)), X1)], "26", id="log |x|, and x"),
        pytest.param([mul(X1, call("rsqrt", X1))], "2", id="x rsqrt x"),
        pytest.param([mul(X1, call("__expf", X1))], "2", id="x exp x: the product is scaled"),
        pytest.param([call("__fdividef", X1, Y1)], "1", id="x/y"),
        pytest.param([add(call("__fdividef", X1, Y1), Y1)], "3", id="x/y + y"),
        pytest.param([add(X1, mul(Y1, call("__fdividef", X1, Y1)))], "5", id="x + y (x/y)"),
    ],
)
def test_an_argument_that_is_needed_later_is_scaled_into_another_register(values, expected):
    """The instructions are those of nvcc 13.0.88 for sm_80 and sm_86."""
    stores = [store(at(f"y{number}", I), value) for number, value in enumerate(values)]
    assert singles(*stores) == expected


@pytest.mark.parametrize(
    ("value", "double", "single"),
    [
        (op("div", W64, X64, type_=FP64), "15*N", "2*N"),
        (op("div", number(1.0, FP64), W64, type_=FP64), "10*N", None),
        (op("sqrt", W64, type_=FP64), "13*N", None),
        (call("exp", W64, type_=FP64), "29*N", None),
        (op("add", W64, op("convert", mul(A, B), type_=FP64), type_=FP64), "N", "N"),
    ],
)
def test_precisions_apart(value, double, single):
    found = flops(store(at("y", I, type_=FP64), value))
    assert (found.get(ScalarType.FP64), found.get(ScalarType.FP32)) == (double, single)


def leapfrog(velocity, place):
    """One component of a leapfrog step: the increment is used twice."""
    return (
        let("increment", mul(load("a", I), A)),
        let("half", add(load(velocity, I), Register("increment", FP32))),
        let("moved", add(load(place, I), mul(Register("half", FP32), B))),
        let("after", add(Register("half", FP32), Register("increment", FP32))),
        store(at(place, I), Register("moved", FP32)),
        store(at(velocity, I), Register("after", FP32)),
    )


def test_shared_products_are_copied_into_each_sum():
    """Like bh's integration kernel: 3 FMA per component, where the source has 5 operations."""
    assert singles(*leapfrog("v", "p")) == "6"
    assert singles(*leapfrog("v", "p"), contract=False) == "5"


def test_a_product_that_is_needed_by_itself_is_computed():
    t = Register("t", FP32)
    assert singles(let("t", mul(A, B)), store(at("y", I), add(t, C)), store(at("z", I), t)) == "3"


def test_a_sum_takes_the_product_that_nobody_else_needs():
    t = Register("t", FP32)
    assert singles(let("t", mul(A, B)), store(at("y", I), add(t, mul(C, D))), store(at("z", I), t)) == "3"


def test_reaction_of_two_species():
    """Like reaction's kernel: 2 mul, sub, 2 FMA per turn of the grid-stride loop, and an add before it."""
    r = Register("r", FP32)
    body = (
        let("r", mul(mul(load("u", J), load("v", J)), load("v", J))),
        store(at("du", J), add(neg(r), mul(A, sub(number(1.0), load("u", J))))),
        store(at("dv", J), sub(r, mul(add(A, B), load("v", J)))),
    )
    assert flops(loop("j", 0, M, *body)) == {ScalarType.FP32: "7*M*N + N"}


def test_invariant_arithmetic_leaves_loops_but_not_threads():
    inner = loop("j", 0, 10, let("s", add(S, call("exp", mul(A, B)))))
    assert singles(inner, KEPT) == "21"
    found = profile_region(region(threads(inner, KEPT)), ProfileOptions(policy=SASS))
    assert found.per_iteration.flops == 1
    assert found.per_iteration.precision is ScalarType.FP32


def test_loads_leave_loops_that_cannot_change_them():
    difference = sub(load("x", I), A)
    assert singles(loop("j", 0, 10, let("s", add(S, difference))), KEPT) == "11"
    assert singles(loop("j", 0, 10, store(at("y", J), add(load("z", J), difference)))) == "20"


def test_a_product_from_outside_is_fused_in_the_loop():
    """Like clenergy: a step that is multiplied before the loop makes each addition of it an FMA."""
    step, place = Register("step", FP32), Register("place", FP32)
    turn = (let("place", sub(load("x", J), step)), store(at("y", J), add(place, step)))
    assert singles(let("step", mul(A, B)), loop("j", 0, 10, *turn)) == "40"


def test_a_product_from_outside_that_is_needed_anyway_stays_there():
    """Like marchingCubes: the square is computed for another use, and each turn adds it."""
    square = Register("square", FP32)
    turn = store(at("y", J), add(load("x", J), square))
    assert singles(let("square", mul(A, A)), store(at("z", I), square), loop("j", 0, 10, turn)) == "11"


def test_cheap_branches_are_computed_in_vain():
    """Like crossEntropy: one of 10 turns subtracts, and all do; a branch that stores stays a branch."""
    hit = Compare(Comparison.EQ, J, const(3))
    r = Register("r", FP32)
    subtracted = guard(hit, let("r", sub(A, load("z", J))), orelse=[let("r", neg(A))])
    loaded = let("t", load("z", J))
    assert singles(loop("j", 0, 10, loaded, subtracted, store(at("y", J), mul(r, r)))) == "20"
    stored = guard(hit, store(at("y", J), sub(A, load("z", J))))
    assert singles(loop("j", 0, 10, loaded, stored)) == "1"


def test_an_accumulated_product_is_fused():
    t = Register("t", FP32)
    body = loop("j", 0, M, let("t", mul(load("x", J), load("y", J))), let("s", add(S, t)))
    found = profile_region(region(threads(let("s", number(0.0)), body, KEPT)), ProfileOptions(policy=SASS)).work
    assert str(found.flops.estimate) == "2*M*N"
    assert found.fma_instructions.estimate == found.flop_instructions.estimate


def test_the_same_value_is_computed_once():
    difference = sub(load("x", I + 1), load("x", I))
    square = mul(difference, difference)
    assert singles(let("t", square), let("u", square), GREATER) == "2"


def test_what_a_thread_computes_and_nothing_reads_is_not_computed():
    assert singles(let("t", mul(A, B)), let("u", add(A, B)), store(at("y", I), Register("u", FP32))) == "1"
    outside = region(let("t", mul(A, B)))
    assert profile_region(outside, ProfileOptions(policy=SASS)).work.flops.estimate.evaluate({}) == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (sub(load("x", I), number(0.0)), "0"),
        (add(load("x", I), number(-0.0)), "0"),  # nvcc 13 makes no instruction of it
        (sub(load("x", I), number(-0.0)), "1"),  # which makes 0.0 of -0.0
        (sub(number(0.0), load("x", I)), "1"),
        (sub(load("x", I), number(2.0)), "1"),
    ],
)
def test_a_difference_to_zero_is_the_value_itself(value, expected):
    assert singles(store(at("y", I), value)) == expected


def test_a_store_may_change_what_was_loaded():
    difference = sub(load("x", I + 1), load("x", I))
    assert singles(store(at("y", I), difference), store(at("z", I), difference)) == "2"
    doubles = store(at("w", I, type_=FP64), number(0.0, FP64))
    assert singles(let("t", difference), doubles, store(at("z", I), difference)) == "1"


def test_other_elements_and_members_of_an_array_stay_known():
    sum_ = add(load("x", const(0)), load("x", const(1)))
    elsewhere = store(at("x", const(2)), number(0.0))
    t, u = let("t", sum_), let("u", mul(sum_, A))
    assert singles(t, elsewhere, u, GREATER) == "2"
    same = store(at("x", const(1)), number(0.0))
    assert singles(t, same, u, GREATER) == "3"


def test_branches_do_not_share_with_what_follows():
    product = store(at("y", I), mul(A, B))
    assert singles(guard(DataDependent("d"), product, orelse=[product]), product) == "2"


def test_a_conditional_sign_is_a_selection():
    """Two tests of the same sign of the same value give one value, squared once."""
    flips = []
    for name in ("r", "q"):
        condition = store(Register(f"${name}", BOOL), op("compare", X, number(0.0)))
        flip = guard(DataDependent(f"${name}"), let(name, neg(A)), orelse=[let(name, A)])
        flips += [condition, flip, store(at(name, I), mul(Register(name, FP32), Register(name, FP32)))]
    assert singles(*flips) == "1"


def test_atomic_updates_are_free_but_not_their_operands():
    place = replace(at("total", const(0)), atomic=True)
    update = store(place, op("add", Load(place), mul(A, B), function="atomicAdd"))
    assert singles(update) == "1"


def test_lines_add_up_to_the_whole():
    inner = loop("j", 0, 10, let("s", add(S, mul(mul(A, B), load("x", J)))))
    found = profile_region(region(threads(inner, KEPT), N=4), ProfileOptions(policy=SASS))
    assert sum(line.flops.estimate.evaluate({"N": 4}) for line in found.lines) == 4 * 21
    assert found.per_iteration.fma_instructions == Fraction(1)


@pytest.mark.parametrize(("contract", "total"), [(True, 4), (False, 3)])
def test_lines_follow_the_choice_of_contraction(contract, total):
    """A product in two sums: two FMAs, or a product and two sums."""
    body = (
        let("t", mul(A, B)),
        store(at("x", I), add(Register("t", FP32), C)),
        store(at("y", I), add(Register("t", FP32), D)),
    )
    found = profile_region(region(threads(*body), N=1), ProfileOptions(policy=SASS, contract=contract))
    assert sum(line.flops.estimate.evaluate({"N": 1}) for line in found.lines) == total


def test_all_shipped_policies_load():
    names = shipped_policies()
    assert [load_policy(name).name for name in names] == list(names)
    assert names[:3] == ("source", "arithmetic", "nvidia-sass")
    assert {"nvcc-sm_75", "nvcc-sm_80", "nvcc-sm_86", "nvcc-sm_90", "nvcc-sm_100"} <= set(names)


@pytest.mark.parametrize(
    ("name", "targets", "meant"),
    [
        ("nvidia-sass", ["sm_90"], "nvcc-sm_90"),
        ("nvidia-sass", ["sm_90a", "sm_90"], "nvcc-sm_90"),
        ("nvidia-sass", ["sm_103"], "nvcc-sm_100"),  # the last one before it of its generation
        ("nvidia-sass", ["sm_86"], "nvidia-sass"),  # the code of clang
        ("nvidia-sass", ["sm_90", "sm_80"], "nvidia-sass"),
        ("nvidia-sass", ["sm_70"], "nvidia-sass"),
        ("nvidia-sass", ["gfx90a"], "nvidia-sass"),
        ("nvidia-sass", [], "nvidia-sass"),
        ("source", ["sm_90"], "source"),
        ("nvcc-sm_75", ["sm_90"], "nvcc-sm_75"),
    ],
)
def test_policy_of_machine_code_is_that_of_the_target(name, targets, meant):
    assert policy_for(name, targets) == meant


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('counts = "assembly"', "mine.counts must be one of"),
        ("costs = { exp = 3 }", "mine.costs.exp must be a table, not 3"),
        ("costs = { exp = { fp31 = { fp32 = 3 } } }", "unknown precision 'fp31'"),
        ("costs = { exp = { fp32 = { fp32 = -3 } } }", "mine.costs.exp.fp32.fp32 must be a whole number of at least 0"),
    ],
)
def test_bad_costs_are_refused(tmp_path, line, message):
    weights = "\n".join(f"{operation.value} = 1" for operation in Operation)
    path = tmp_path / "mine.toml"
    path.write_text(f"[mine]\n{line}\n[mine.operations]\n{weights}\n")
    with pytest.raises(PolicyError, match=message):
        load_policy(str(path))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("", 25),  # 24 of `nvidia-sass`, and 1 as the argument is needed afterwards
        ("sin = { fp32 = { fp32 = 9 } }", 25),
        ("log = { fp64 = { fp64 = 9 } }", 25),
        ("log = { fp32 = { fp32 = 9 } }", 9),
    ],
)
def test_a_policy_like_another_has_its_cost_of_an_argument_that_is_needed_afterwards(tmp_path, lines, expected):
    """It belongs to the cost of the function in that precision: one of the user's own has nothing on top."""
    path = tmp_path / "mine.toml"
    path.write_text(f'[mine]\nlike = "nvidia-sass"\ncounts = "machine code"\n[mine.costs]\n{lines}\n')
    body = (store(at("y", I), call("log", A)), store(at("z", I), A))
    found = profile_region(region(threads(*body)), ProfileOptions(policy=load_policy(str(path)))).work
    assert found.flops.estimate.evaluate({"N": 1}) == expected


T = Register("t", FP32)
PRODUCT = let("t", mul(A, B))


CLAMPED = op("min", op("max", A, number(0.0)), number(1.0))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param([PRODUCT, store(at("y", I), add(T, C)), store(at("z", I), sub(D, T))], "4", id="two FMAs"),
        pytest.param([PRODUCT, store(at("y", I), add(T, C)), store(at("z", I), T)], "2", id="stored: mul, add"),
        pytest.param([PRODUCT, store(at("y", I), add(T, C)), store(at("z", I), mul(T, D))], "3", id="mul, add, mul"),
        pytest.param(
            [PRODUCT, store(at("y", I), sub(mul(C, D), T)), store(at("z", I), add(T, X))],
            "4",
            id="the negative of a product is left over: mul, FMA, add",
        ),
        pytest.param([store(at("y", I), sub(mul(A, B), mul(A, B)))], "2", id="a product less itself: mul, sub"),
        pytest.param([store(at("y", I), neg(mul(A, B)))], "2", id="FFMA(-a, b, -0)"),
        pytest.param([store(at("y", I), mul(mul(neg(A), B), C))], "3", id="the sign comes last"),
        pytest.param([store(at("y", I), mul(neg(A), neg(B)))], "1", id="two signs are none"),
        pytest.param([store(at("y", I), add(neg(mul(A, B)), C))], "2", id="a sum takes the sign"),
        pytest.param([store(at("y", I), mul(mul(A, B), number(0.25)))], "1", id="FMUL.D4"),
        pytest.param([store(at("y", I), mul(mul(A, B), number(2.0)))], "3", id="p = a*b; FFMA(a, b, p)"),
        pytest.param([store(at("y", I), mul(mul(mul(A, B), number(2.0)), C))], "4", id="twice a product in a product"),
        pytest.param([store(at("y", I), add(mul(mul(A, B), number(2.0)), C))], "3", id="p = a*b; FFMA(p, 2, c)"),
        pytest.param([store(at("y", I), sub(C, mul(mul(A, B), number(2.0))))], "4", id="no difference takes it in"),
        pytest.param([store(at("y", I), mul(mul(number(2.0), A), B))], "2", id="twice a number is no sum of products"),
        pytest.param([store(at("y", I), CLAMPED)], "1", id="FADD.SAT"),
        pytest.param(
            [store(at("y", I), op("max", op("min", mul(A, B), number(1.0)), number(0.0)))], "1", id="FMUL.SAT"
        ),
        pytest.param([store(at("y", I), op("sqrt", A, function="sqrt"))], "6", id="a root"),
        pytest.param([store(at("y", I), call("pow", A, number(2.0)))], "58", id="a literal exponent"),
    ],
)
def test_what_nvcc_makes(body, expected):
    """Each was read off the machine code of that expression for sm_86."""
    found = profile_region(region(threads(*body)), ProfileOptions(policy=load_policy("nvcc-sm_86"))).work
    assert str(found.flops.estimate) in (f"{expected}*N", "N" if expected == "1" else "")


def test_a_negative_and_a_difference_are_two_ends():
    """``t = c ? a - x : -a``: nvcc subtracts and selects; no operand is common to both."""
    chosen = guard(DataDependent("c"), let("t", sub(A, X)), orelse=(let("t", neg(A)),))
    policy = load_policy("nvcc-sm_86")
    found = profile_region(region(threads(chosen, store(at("y", I), T))), ProfileOptions(policy=policy)).work.flops
    assert str(found.estimate) in ("N", "1/2*N")


def test_what_an_argument_decides_is_an_interval():
    """The sine of a float is 16 to 20 FLOPs, of most arguments 18."""
    policy = load_policy("nvcc-sm_86")
    found = profile_region(region(threads(store(at("y", I), call("sin", A)))), ProfileOptions(policy=policy)).work.flops
    assert [str(count) for count in (found.lower, found.estimate, found.upper)] == ["16*N", "18*N", "20*N"]


def test_an_unrolled_loop_takes_in_the_product_of_the_iteration_before():
    """``p = 2.5*(p - y[i]); y[i] = p``: clang unrolls by 8, and 7 of 8 differences are 2.5*q - y[i] then.

    ``cbsfil``'s ``toCoef2DX`` was recorded with 0.88 FLOPs an element more than are written.
    """
    product = let("p", mul(number(2.5), sub(Register("p", FP32), load("y", J))))
    stored = loop("j", 0, M, product, store(at("y", J), Register("p", FP32)))
    unstored = loop("j", 0, M, product)
    last = store(at("z", I), Register("p", FP32))
    found, other = (
        profile_region(region(threads(*body)), ProfileOptions(policy=SASS)).work.flops
        for body in ([stored], [unstored, last])
    )
    assert [str(count) for count in (found.lower, found.estimate, found.upper)] == ["2*M*N", "23/8*M*N", "3*M*N"]
    assert str(other.estimate) == str(other.upper) == "2*M*N"
