import os
import pickle
import random
import subprocess
import sys
from fractions import Fraction
from math import prod

import pytest

from analyzer.ir.index import (
    Atom,
    Poly,
    const,
    floor_div,
    floor_mod,
    maximum,
    minimum,
    trunc_div,
    trunc_mod,
    unknown,
    var,
)

I, J, N = var("i"), var("j"), var("N")


def test_equal_expressions_have_one_form():
    assert (I - 1) * N + J + N == N * I + J
    assert hash((I - 1) * N + J + N) == hash(N * I + J)
    assert str((I + 1) * (I - 1)) == "i^2 - 1"


def test_arithmetic_with_numbers_on_either_side():
    assert 2 + I * 3 - 2 == I * 3
    assert 5 - I == -I + 5
    assert (I - I).constant == 0
    assert (I + 1).constant is None


@pytest.mark.parametrize("value", range(-7, 8))
def test_truncating_and_flooring_division_round_as_c_and_as_mathematics(value):
    at = {"i": value}
    assert trunc_div(I, 3).evaluate(at) == int(value / 3)
    assert floor_div(I, 3).evaluate(at) == value // 3
    assert trunc_mod(I, 3).evaluate(at) == value - 3 * int(value / 3)
    assert floor_mod(I, 4).evaluate(at) == value % 4


def test_division_simplifies_what_divides_exactly():
    assert trunc_div(N * 6 + 4, 2) == N * 3 + 2
    assert trunc_div(N * N * 4, N * 2) == N * 2
    assert floor_div(N * 5 + 7, 4) == N + 1 + floor_div(N + 3, 4)
    assert floor_div(const(-7), const(2)).constant == -4
    assert trunc_div(const(-7), const(2)).constant == -3


def test_division_by_zero_is_unknown_not_an_exception():
    assert trunc_div(N, 0).unknowns()


def test_extrema_are_flat_and_fold_constants():
    assert minimum([I, minimum([N, const(3)]), const(5)]) == minimum([const(3), N, I])
    assert maximum([const(2), const(7)]).constant == 7
    assert minimum([I, N]).evaluate({"i": 3, "N": 9}) == 3


def test_substitution_reaches_into_every_form():
    expression = trunc_div(I + N, 2) + minimum([I, N]) * 3
    assert expression.substitute({"i": N}) == N + N * 3
    assert expression.substitute({"i": 4, "N": 10}).constant == 7 + 12


def test_unknown_values_tell_what_they_vary_with():
    gather = unknown("idx[i]", ["i"]) + J
    assert gather.names() == {"i", "j"}
    assert gather.substitute({"i": I + N}).names() == {"i", "N", "j"}
    with pytest.raises(ValueError, match="idx"):
        gather.evaluate({"j": 1})


def test_rational_coefficients_are_exact():
    triangle = (N * N + N) * Fraction(1, 2)
    assert triangle.evaluate({"N": 4}) == 10
    assert str(triangle) == "1/2*N^2 + 1/2*N"


def test_coefficient_and_degree():
    assert (I * N + J).coefficient("i") == N
    assert (I * J * N + 1).degree_in(frozenset({"i", "j"})) == 2
    assert Poly({}).degree_in(frozenset({"i"})) == 0


@pytest.mark.parametrize("seed", ["1", "2"])
def test_divisions_from_another_process_are_found_again(seed: str) -> None:
    text = (
        "import pickle, sys; from analyzer.ir.index import floor_div, trunc_div, var;"
        " sys.stdout.buffer.write(pickle.dumps([floor_div(var('n'), 2), trunc_div(var('n'), 2)]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    sent = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, check=True).stdout
    here = {floor_div(var("n"), 2): "floor", trunc_div(var("n"), 2): "trunc"}
    assert [here.get(found) for found in pickle.loads(sent)] == ["floor", "trunc"]


def test_an_atom_is_replaced_once_however_often_it_occurs() -> None:
    asked: list[str] = []
    n, m = var("n"), var("m")

    def doubled(atom: Atom) -> Poly:
        asked.append(str(atom))
        return m * 2 + 1 if atom == "m" else Poly({(atom,): 1})

    assert (n * n * m + m * m - m + 4).map_atoms(doubled) == n * n * (2 * m + 1) + (2 * m + 1) * (2 * m) + 4
    assert sorted(asked) == ["m", "n"]


@pytest.mark.parametrize(
    ("expression", "is_linear"),
    [
        (I * N + J, True),
        (N * N + 3, True),
        (I * I + J, False),
        (floor_div(I + 1, 2) + J, False),
        (I * floor_div(J, 2), True),
        (I + unknown("idx[i]", ["i"]), False),
        (I + unknown("idx[j]", ["j"]), True),
    ],
)
def test_an_expression_is_linear_in_a_name_that_stands_alone_in_its_terms(expression, is_linear):
    assert expression.is_linear_in("i") is is_linear


def test_names_of_a_class_of_their_own_are_names():
    class Counter(str):
        __slots__ = ()

    inner = var(Counter("#0")) * N + I
    assert inner.names() == {"#0", "N", "i"}
    assert (inner.unknowns(), (inner + unknown("x")).unknowns()) == (frozenset(), (unknown("x")).unknowns())


def test_numbers_are_put_in_as_polynomials_are() -> None:
    draw = random.Random(1)
    for _ in range(300):
        names = (draw.choices("ijk", k=draw.randint(0, 3)) for _ in range(draw.randint(1, 6)))
        terms = (draw.choice([1, -2, Fraction(1, 2)]) * prod(map(var, some), start=const(1)) for some in names)
        poly = sum(terms, start=const(0))
        sizes = {name: draw.choice([0, 1, -2, 7, Fraction(1, 3)]) for name in draw.sample("ijk", draw.randint(1, 3))}
        found = poly.substitute(sizes)
        as_polys = poly.substitute({name: const(size) for name, size in sizes.items()})
        assert (found, list(found.terms)) == (as_polys, list(as_polys.terms))


def test_factors_that_monomials_share_are_multiplied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    multiply = Poly.__mul__
    monkeypatch.setattr(Poly, "__mul__", lambda self, other: made.append(other) or multiply(self, other))
    n, m = var("n"), var("m")
    poly = sum((n * n * m * m * var(f"s{k}") for k in range(10)), start=const(0))
    made.clear()
    assert poly.substitute({"n": var("a") + 1, "m": var("b") - 1}).evaluate({"a": 1, "b": 3, **_ones(10)}) == 160
    assert len(made) == 3 + 10  # m*m, m*m*n, m*m*n*n, and the rest of each monomial


def _ones(number: int) -> dict[str, int]:
    return {f"s{k}": 1 for k in range(number)}


def test_unknown_values_of_an_expression_that_others_share() -> None:
    """Each of 60 quotients has the one before twice: 2**60 paths lead to the same value."""
    inner = unknown("a[i]")
    nested = inner
    for _ in range(60):
        nested = floor_div(nested + var("n"), nested)
    assert nested.unknowns() == inner.unknowns()
