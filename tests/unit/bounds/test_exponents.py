"""Subspaces, exponents, and how many operations so many elements are enough for."""

import random
from fractions import Fraction
from itertools import product
from math import isclose, prod, sqrt

import pytest

from analyzer.bounds.exponents import least_exponents
from analyzer.bounds.partition import Growth
from analyzer.bounds.subspaces import intersection, kernel, lattice, span, sum_of

HALF = Fraction(1, 2)


def kernels(*matrices):
    return [kernel(matrix, len(matrix[0])) for matrix in matrices]


@pytest.mark.parametrize("seed", range(20))
def test_dimensions_of_sum_and_intersection(seed):
    draw = random.Random(seed)
    one, other = (span([[draw.randint(-1, 1) for _ in range(4)] for _ in range(draw.randint(1, 3))], 4) for _ in "ab")
    both, meet = sum_of(one, other, 4), intersection(one, other, 4)
    assert len(both) + len(meet) == len(one) + len(other)
    assert sum_of(meet, one, 4) == one
    assert all(sum(a * b for a, b in zip(row, vector, strict=True)) == 0 for vector in kernel(one, 4) for row in one)


def test_four_lines_in_a_space_may_generate_too_many_subspaces():
    axes = [span([vector], 3) for vector in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    assert len(lattice(axes, 3)) == 8
    assert lattice([*axes, span([(1, 2, 3)], 3)], 3) is None


@pytest.mark.parametrize(
    ("matrices", "expected"),
    [
        # a matrix product: Loomis and Whitney (1949)
        ([[(1, 0, 0), (0, 0, 1)], [(0, 0, 1), (0, 1, 0)], [(1, 0, 0), (0, 1, 0)]], (HALF, HALF, HALF)),
        # n bodies: each pair of them
        ([[(1, 0)], [(0, 1)]], (1, 1)),
        # Christ et al. (2013), section 6.3: a contraction of tensors, {i, k}, {k, j} and {i, j} of 1, 2 and 1 indices
        (
            [
                [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0)],
                [(0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)],
                [(1, 0, 0, 0), (0, 0, 0, 1)],
            ],
            (HALF, HALF, HALF),
        ),
        # one operand tells all iterations apart
        ([[(1, 0), (0, 1)], [(1, 0)]], (1, 0)),
    ],
)
def test_exponents_of_known_nests(matrices, expected):
    assert expected in least_exponents(kernels(*matrices), len(matrices[0][0]))


def test_projections_that_leave_a_direction_open_have_no_exponents():
    assert least_exponents(kernels([(1, 0, 0)], [(0, 1, 0)]), 3) == ()


@pytest.mark.parametrize("seed", range(30))
def test_no_set_of_iterations_is_larger_than_its_projections_allow(seed):
    draw = random.Random(seed)
    matrices = [[[draw.randint(-1, 1) for _ in range(3)] for _ in range(2)] for _ in range(3)]
    points = draw.sample(list(product(range(4), repeat=3)), draw.randint(1, 64))
    for exponents in least_exponents(kernels(*matrices), 3):
        images = [
            len({tuple(sum(map(int.__mul__, row, point)) for row in matrix) for point in points}) for matrix in matrices
        ]
        assert len(points) <= prod(size ** float(s) for size, s in zip(images, exponents, strict=True)) * (1 + 1e-9)


def test_bounds_of_known_nests():
    """By hand: 2 |V| / sqrt(S), |V| / sqrt(S) where two operands share an array, |V| / (4 S) in a plane."""
    assert isclose(Growth((HALF, HALF, HALF)).coefficient, 2)
    assert isclose(Growth((Fraction(1), HALF)).coefficient, 1)
    assert isclose(Growth((Fraction(1), HALF), -HALF).coefficient, sqrt(2))
    assert isclose(Growth((3 * HALF,)).coefficient, 2 / (3 * sqrt(3)))
    assert isclose(Growth((Fraction(2),)).coefficient, 1 / 4)
    assert Growth((HALF, HALF, HALF)).part(100) == 200


def test_loads_of_many_parts_are_those_of_the_formula():
    growth, work = Growth((HALF, HALF, HALF)), 10**15
    assert isclose(growth.loads(work, 10_000), work * growth.coefficient / 100, rel_tol=1e-6)


def test_loads_of_few_parts_by_hand():
    """K elements are enough for (K/3)^(3/2) operations; a cache of 300 elements."""
    growth = Growth((HALF, HALF, HALF))
    assert isclose(growth.loads(1000, 300), 300, rel_tol=1e-6)  # what fits into an empty cache
    assert growth.loads(8000, 300) == 300 + 2 * 455  # two parts of 4000 operations: 3*4000^(2/3) = 755.9
    assert growth.loads(0, 300) == 0


@pytest.mark.parametrize("work", [100, 2000, 12_345, 10**6])
def test_no_cut_into_parts_does_more_with_fewer_loads(work):
    """With the loads of the bound, less 1, some cut has too few operations; with a hundredth more none has."""
    growth, held = Growth((HALF, HALF, HALF)), 48
    found = growth.loads(work, held)

    def most(loads, part):
        whole, rest = divmod(max(0, loads - held), part)
        return whole * ((held + part) / 3) ** 1.5 + ((rest + min(held, loads)) / 3) ** 1.5

    assert all(most(found * 1.01 + 2, part) >= work for part in range(1, 8 * held))
    assert any(most(found - 1, part) < work for part in range(1, 8 * held))
