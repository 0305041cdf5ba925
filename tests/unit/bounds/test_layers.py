"""What goes into parts of layers and out of them: sets in boxes, all parts of small lattices, and the formula."""

import random
from itertools import product
from math import inf, isclose

import pytest

from analyzer.bounds.layers import least_crossing

from ...oracle.reordered import in_flight, moves, operations
from .test_lower_bound import LOOPS, bound_of, region_of
from .test_surface import ALL_TIMES, BY_SCALAR, COPY_BACK, HEAT, IN_PLACE, JACOBI, surface_of

JACOBI_2D = """double A[n][n], B[n][n]; for (t = 0; t < m; t++) {
    for (i = 1; i < n - 1; i++) for (j = 1; j < n - 1; j++)
        B[i][j] = A[i - 1][j] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j];
    for (i = 1; i < n - 1; i++) for (j = 1; j < n - 1; j++)
        A[i][j] = B[i - 1][j] + B[i][j - 1] + B[i][j] + B[i][j + 1] + B[i + 1][j]; }"""
WIDTHS = {1: 1.0, 2: 0.5**0.5}  # in a box


def neighbours(some, sides):
    """The points and those next to them in a box, and how many are outside."""
    found, outside = set(some), 0
    for point in some:
        for axis, way in product(range(len(sides)), (-1, 1)):
            near = (*point[:axis], point[axis] + way, *point[axis + 1 :])
            inside = 0 <= near[axis] < sides[axis]
            found |= {near} if inside else set()
            outside += not inside
    return found, outside


def crossing(part, levels, sides):
    """How many values a part reads of others and hands on to others, beside the first layer; and its layers."""
    by_level = [{x for t, x in part if t == level} for level in range(levels)]
    read = sum(len(neighbours(by_level[t], sides)[0] - by_level[t - 1]) for t in range(1, levels))
    handed = sum(any(neighbours({x}, sides)[0] - by_level[t + 1]) for t in range(levels - 1) for x in by_level[t])
    return read + handed, [len(each) for each in by_level]


def most_in(sides):
    return sides[0] - 1 if len(sides) == 1 else (min(sides) - 1) ** 2 / 2


def is_bounded(part, levels, sides):
    crossed, sizes = crossing(part, levels, sides)
    inner, k = sum(sizes[1:]), len(sides)
    return not inner or crossed >= least_crossing(inner, k, WIDTHS[k], most_in(sides)) - sizes[0] - sizes[-1]


@pytest.mark.parametrize(("levels", "side"), [(3, 4), (4, 3)])
def test_no_part_of_a_small_lattice_has_less(levels, side):
    points = [(t, (x,)) for t in range(levels) for x in range(side)]
    for bits in range(1 << len(points)):
        assert is_bounded([point for number, point in enumerate(points) if bits >> number & 1], levels, (side,))


def drawn_part(chance, levels, sides):
    """Points near some center, within a distance that grows or shrinks from layer to layer."""
    center, slope = [chance.choice((0, side - 1, side // 2)) for side in sides], chance.choice((-1, -0.5, 0, 0.5, 1))
    radius, turn = chance.uniform(0, 2 * max(sides)), chance.choice((0, levels // 2, levels))
    shape = chance.choice((max, sum))
    return [
        (t, x)
        for t in range(chance.randrange(2), levels - chance.randrange(2))
        for x in product(*map(range, sides))
        if shape([abs(a - b) for a, b in zip(x, center, strict=True)]) <= radius - slope * abs(t - turn)
    ]


@pytest.mark.parametrize("sides", [(9, 9), (7, 13), (20,)])
def test_no_drawn_part_has_less(sides):
    chance = random.Random(len(sides))
    parts = [drawn_part(chance, 8, sides) for _ in range(300)]
    assert all(is_bounded(part, 8, sides) for part in parts)


@pytest.mark.parametrize("sides", [(5, 5), (4, 9), (12, 12)])
def test_sets_in_a_box_have_the_neighbours_of_a_corner(sides):
    """Where they are few; outside and inside together they have those of a set in the plane."""
    chance, every = random.Random(3), list(product(*map(range, sides)))
    for _ in range(500):
        start, size = chance.choice(every), chance.randrange(1, len(every))
        near = sorted(every, key=lambda x: (sum(abs(a - b) for a, b in zip(x, start, strict=True)), chance.random()))
        some = set(chance.choice((near[:size], chance.sample(every, size), near[-size:])))
        found, outside = neighbours(some, sides)
        assert size > most_in(sides) or len(found) > (size**0.5 + 0.5**0.5) ** 2 - 1e-9
        assert len(found) + outside >= size + 2 + 2 * (2 * size - 1) ** 0.5 - 1e-9


def test_discs_have_the_fewest_neighbours_in_the_plane():
    """2*r^2 + 2*r + 1 points have 4*r + 4 more; a width above sqrt(2) would ask for more of large ones."""
    for radius in range(5):
        disc = [x for x in product(range(20), repeat=2) if abs(x[0] - 9) + abs(x[1] - 9) <= radius]
        found, outside = neighbours(disc, (20, 20))
        assert (len(disc), len(found) + outside) == (2 * radius * (radius + 1) + 1, len(disc) + 4 * radius + 4)
        assert isclose(len(found), len(disc) + 2 + 2 * (2 * len(disc) - 1) ** 0.5)


def test_layers_in_the_plane_bound_what_crosses_them():
    """Of each a and M: 2*y - (F(a) - F(a - y)) >= a*q/(1 + q), with the fewest neighbours of a points."""
    for largest in (*range(1, 60), 100, 1000, 2500):
        root, q = largest**0.5, 4 * (2 / largest) ** 0.5

        def total(x, root=root, largest=largest):
            low = largest / 4
            return x if x < low else low + 2 * (x - low) - 4 / 3 * (x**1.5 - low**1.5) / root

        for a in range(1, largest + 1):
            y = a if a < 5 else 2 * (2 * a - 1) ** 0.5 - 2
            assert 2 * y - (total(a) - total(a - y)) >= a * q / (1 + q)


@pytest.mark.parametrize(
    ("text", "k", "by_hand"),
    [
        (JACOBI, 1, 2 * 2 * 0.75),  # w = 2, F(M) = (2 - 2.5/2)*M
        (JACOBI_2D, 2, 4 * 2**0.5 * (7 / 12) ** 0.5),  # w^2 = 2, F(M) = (2 - 4.25/3)*M
        (HEAT, 3, 6 * (2 / 3) ** (1 / 3) * (15 / 32) ** (1 / 3)),  # w^3 = 4/6, F(M) = (2 - 6.125/4)*M
    ],
)
def test_large_layers_have_the_formula(text, k, by_hand):
    n, steps, elements = 10**9, 10**9, 10**7
    found = surface_of(text)
    assert isclose(found.layers.coefficient, by_hand)
    moved = 2 * n**k * steps * by_hand / elements ** (1 / k)
    assert isclose(found.moved_bytes({"n": n, "m": steps}, 8 * elements) / 8, moved, rel_tol=0.08)


def test_a_part_as_wide_as_the_box_is_bounded_by_its_corner():
    """1 MiB and sides of 1298 points: 2*sqrt(2)*sqrt(7/12)/sqrt(S) for each operation, less both ends."""
    found, sizes, held = surface_of(JACOBI_2D), {"n": 1300, "m": 500}, 1 << 17
    moved = 999 * 1298**2 * (8 * 7 / 12 / held) ** 0.5 - 2 * 1298**2
    assert isclose(found.moved_bytes(sizes, 8 * held) / 8, moved, rel_tol=0.05)


def test_counts_of_layers_by_hand():
    layers, sizes = surface_of(JACOBI_2D).layers, {"n": 12, "m": 3}
    assert [each.evaluate(sizes) for each in (layers.levels, *layers.sides, layers.center)] == [6, 10, 10, 500]
    assert [each.evaluate(sizes) for both in layers.along for each in both] == [450] * 4
    assert layers.last.evaluate(sizes) == 100  # of B; those of A are made in the last layer


@pytest.mark.parametrize("text", [IN_PLACE, LOOPS["seidel-2d"]])
def test_steps_within_a_layer_make_no_layers(text):
    assert surface_of(text).layers is None


@pytest.mark.parametrize("text", [ALL_TIMES, COPY_BACK, BY_SCALAR])
def test_one_statement_has_a_layer_in_each_step(text):
    layers = surface_of(text).layers
    assert layers.levels.evaluate({"n": 9, "m": 5}) == (5 if text is COPY_BACK else 4)


def test_a_triangle_is_no_box():
    text = """double A[m][n]; for (t = 1; t < m; t++) for (i = 1; i < n - t; i++)
        A[t][i] = A[t - 1][i - 1] + A[t - 1][i] + A[t - 1][i + 1];"""
    found, sizes = surface_of(text), {"n": 10**6, "m": 10**5}
    operations_ = int(found.operations.evaluate(sizes))
    assert found.layers is None or found.layers.moved(operations_, sizes, 10) == 0


def test_least_crossing_is_the_least():
    for part, largest in product((10, 1000, 10**6), (1, 10, 100, 1000, 10**5)):
        width = 2**0.5
        some = 7 / 6 * largest + part * 4 * width / (largest**0.5 + 4 * width)
        assert least_crossing(part, 2, width, inf) <= some


def test_no_diamonds_move_less():
    region, sizes = region_of(JACOBI_2D), {"n": 34, "m": 10}
    found, some = bound_of(region), operations(region, sizes)
    room, closest = in_flight(some), inf
    for capacity, side in ((16, 4), (40, 6), (40, 8), (100, 10)):
        order = []
        for each in some:
            t, i, j = each.iteration
            level = 2 * t + each.statement
            order.append((((level + j) // side, (level - j) // side, level + i, level, j), each))
        loaded, stored = moves([each for _, each in sorted(order, key=lambda item: item[0])], capacity)
        bound = found.bytes(sizes, 8 * (capacity + room))
        assert 8 * (loaded + stored) >= bound > 0
        closest = min(closest, 8 * (loaded + stored) / bound)
    assert closest < 8
