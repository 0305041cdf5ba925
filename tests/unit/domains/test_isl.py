"""What the door to isl answers within a budget, and for known sizes."""

import pytest

from analyzer.domains.isl import counting
from analyzer.domains.isl.budget import Budget
from analyzer.domains.isl.sets import first_image, points, relation, union
from analyzer.domains.limits import OverBudget
from analyzer.ir.index import var

N, M = var("N"), var("M")
MEANING = {"s0": N, "s1": M}
HARD = (
    "[s0, s1] -> { [i, j] : 7i >= 3j - s0 and 5j <= 11s1 - 2i and 13i + 4j <= s0 and 3j >= s1 - 5i"
    " and (i + j) mod 17 = 0 and (3i - j) mod 13 < 5 }"
)


def values(found, sizes):
    return [found.count(MEANING).evaluate({"N": n, "M": m}) for n, m in sizes]


def test_unions_count_points_once():
    found = union(
        (points("[s0] -> { [i] : 0 <= i < s0 }"), points("[s0] -> { [i] : i mod 2 = 0 and 2 <= i < s0 + 4 }"))
    )
    assert values(found, [(0, 0), (1, 0), (5, 0)]) == [1, 3, 7]


def test_a_limit_around_a_count_does_not_end_it():
    found = points("[s0, s1] -> { [i, j] : 0 <= i <= j < s0 + 3 s1 and i < 1171 }")
    with Budget(1):
        counted = counting._card(counting.numbered(found._isl))
    assert "1171" in str(counted)


def test_parts_of_a_union_sum_to_the_whole():
    pieces = [
        points(f"[s0, s1] -> {{ [i, j] : {k}s1 <= i < s0 and 0 <= j < i and (i + {k}j) mod 3 = 0 }}") for k in range(4)
    ]
    truth = {(i, j) for k in range(4) for i in range(k * 3, 9) for j in range(i) if (i + k * j) % 3 == 0}
    assert values(union(tuple(pieces)), [(9, 3)]) == [len(truth)]


def test_symbols_that_do_not_matter_are_left_out():
    assert points("[s0, s1] -> { [i] : 0 <= i < s0 }").count(MEANING).symbols == {"N"}


SEVERAL = "{{ [i] : {3} != 7 and (0 <= i < {0} or {1} <= i < {1} + {2} or (i = {1} and {2} > 3)) }}"


def test_equal_sets_have_the_count_of_their_own_symbols():
    sizes, other = {"N": 3, "M": 5, "K": 4, "L": 9}, {"N": 2, "M": 1, "K": 8, "L": 7}
    for names, symbols in (("s0 s1 s2 s3", "N M K L"), ("s2 s5 s7 s8", "L K N M"), ("s0 s1 s2 s3", "K N L M")):
        parameters = names.split()
        found = points(f"[{', '.join(parameters)}] -> " + SEVERAL.format(*parameters))
        meaning = dict(zip(parameters, map(var, symbols.split()), strict=True))
        for given in (sizes, other):
            a, b, c, d = (given[symbol] for symbol in symbols.split())
            truth = {*range(a), *range(b, b + c), *([b] if c > 3 else [])} if d != 7 else ()
            assert found.count(meaning).evaluate(given) == len(truth)


def test_a_count_is_in_the_products_that_parameters_stand_for():
    found = points("[s1, s3, s4, s6] -> " + SEVERAL.format("s1", "s3", "s4", "s6"))
    count = found.count({"s1": N * M, "s3": N, "s4": M, "s6": N})
    assert [count.evaluate({"N": n, "M": 3}) for n in (4, 7)] == [12, 0]


def test_what_a_child_counts_is_in_the_symbols_asked_for():
    text = "[s1, s3, s4] -> { [i, j] : 0 <= i < s1 and 0 <= j < s3 and j < s4 and (i + j) mod 3 = 0 }"
    for symbols, given in (((N * M, N, M), {"N": 4, "M": 3}), ((M, N * N, N), {"N": 3, "M": 8})):
        count = points(text).count(dict(zip(("s1", "s3", "s4"), symbols, strict=True)))
        a, b, c = (symbol.evaluate(given) for symbol in symbols)
        assert count.evaluate(given) == sum((i + j) % 3 == 0 for i in range(a) for j in range(min(b, c)))


def test_sets_that_share_a_point_for_some_sizes_meet():
    rows = points("[s0] -> { [i] : 0 <= i < s0 and i mod 2 = 0 }")
    assert rows.meets(points("[s0] -> { [i] : s0 - 1 <= i < s0 }"))
    assert not rows.meets(points("[s0] -> { [i] : 0 <= i < s0 and i mod 2 = 1 }"))


def test_fixed_sizes_leave_no_symbol():
    found = points("[s0, s1] -> { [i] : s1 <= i < s0 }").fixed({"s0": 9, "s1": 4})
    assert found.count({}).constant == 5


def test_too_much_work_is_over_budget():
    with pytest.raises(OverBudget), Budget(1):
        points(HARD).hull()


def test_a_budget_inside_another_leaves_that_one_in_force():
    def nested():
        with Budget(1_000_000):
            points("{ [i] : 0 <= i < 10 }")
        points(HARD).hull()

    with pytest.raises(OverBudget), Budget(1):
        nested()


def test_which_of_two_uses_comes_first():
    here, there = points("{ [i] : 0 <= i < 8 }"), points("{ [i] : 0 <= i < 4 }")
    reads = first_image(relation("{ [i] -> [i] }"), here, relation("{ [i] -> [i, 0] }"))
    writes = first_image(relation("{ [i] -> [2i] }"), there, relation("{ [i] -> [i, 1] }"))
    assert writes.where_before(reads).count({}).constant == 3
    assert reads.where_before(writes).count({}).constant == 1


def test_images_of_many_numbers_are_compared_where_these_differ():
    zeros = ", ".join(["0"] * 20)
    early, late = (relation(f"{{ [e] -> [{zeros}, e, {one}, e, {zeros}] : 0 <= e < 9 }}") for one in (0, 1))
    shifted = relation(f"{{ [e] -> [{zeros}, e + 1, 0, {zeros}, e] : 0 <= e < 9 }}")
    with Budget(20_000):
        assert early.where_before(late).count({}).constant == 9
        assert late.where_before(early).count({}).constant == 0
        assert early.where_before(early).count({}).constant == 0
        assert late.where_before(shifted).count({}).constant == 9


def test_pieces_with_long_periods_are_counted_apart(monkeypatch):
    """Of 7, 11 and 13 the whole repeats every 1001 points, which takes seconds; of two periods it is fast."""
    asked = []
    original = counting._count_in_child
    monkeypatch.setattr(
        counting, "_count_in_child", lambda parts, *rest: asked.append(len(parts)) or original(parts, *rest)
    )
    grid = "[s0] -> {{ [i, j] : 0 <= i < s0 and 0 <= j < s0 and ({}) }}"
    for periods in ((7, 11, 13), (3, 5)):
        found = points(grid.format(" or ".join(f"(i + j) mod {period} = 0" for period in periods)))
        for size in (4, 12, 30):
            pairs = ((i, j) for i in range(size) for j in range(size))
            expected = sum(any((i + j) % period == 0 for period in periods) for i, j in pairs)
            assert found.count(MEANING).evaluate({"N": size}) == expected
    assert asked[0] > 1, "the whole was not tried"
    assert 1 in asked[1:] or len(asked) == 1


def test_a_count_that_runs_out_of_operations_is_none_and_never_wrong():
    """Barvinok goes on after isl has given up, and may crash or return fewer cases."""
    found = points("[s0] -> { [i, j] : 0 <= i < s0 and i <= j < 2s0 and (i + 2j) mod 5 < 2 and 3j <= 4i + s0 }")
    whole = [sum(1 for _ in _of(size)) for size in (1, 4, 9, 20)]
    outcomes = []
    for most in (1, 10, 100, 1_000, 10_000, 1_000_000):
        count = counting._count_in_child([found._isl], [N], most)
        outcomes.append(count is not None)
        assert count is None or [count.evaluate({"N": size}) for size in (1, 4, 9, 20)] == whole
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {False, True}


def _of(size):
    """Yield the points of the set above at one size, by its definition."""
    for i in range(size):
        yield from (j for j in range(i, 2 * size) if (i + 2 * j) % 5 < 2 and 3 * j <= 4 * i + size)


CONDITIONS = "s0 = 1 and s1 mod 2 = 0 and (s2 < 0 or s2 > 0) and (s3 < 0 or s3 > 2) and (s4 < s5 or s4 > s5 + 1)"


@pytest.mark.parametrize(
    ("bounds", "of", "is_slow"),
    [
        ("0 <= i < s1 and 0 <= j < s5", lambda s: max(s[1], 0) * max(s[5], 0), False),
        ("0 <= i < s1 and 0 <= j <= i", lambda s: max(s[1], 0) * (max(s[1], 0) + 1) // 2, False),
        ("0 <= i < s1 and 2j <= s5 + i and 3j >= i and exists e: i + j + s4 = 3e", None, True),
    ],
)
def test_conditions_on_symbols_alone_need_no_child(bounds, of, is_slow, monkeypatch):
    """Each of them may double the pieces, and barvinok is fast all the same: bounds and divisions decide."""
    asked = []
    original = counting._count_in_child
    monkeypatch.setattr(counting, "_count_in_child", lambda *rest: asked.append(rest) or original(*rest))
    found = points(f"[s0, s1, s2, s3, s4, s5] -> {{ [i, j] : {bounds} and {CONDITIONS} }}")
    count = found.count({f"s{number}": var(f"v{number}") for number in range(6)})
    assert bool(asked) is is_slow
    for sizes in (
        (1, 8, -1, 3, 2, 5),
        (1, 8, 0, 3, 2, 5),
        (1, 7, -1, 3, 2, 5),
        (1, 6, 2, -1, 9, 4),
        (2, 6, 2, -1, 9, 4),
    ):
        s0, s1, s2, s3, s4, s5 = sizes
        holds = s0 == 1 and s1 % 2 == 0 and s2 != 0 and not 0 <= s3 <= 2 and not s5 <= s4 <= s5 + 1
        wanted = (of(sizes) if of else _linked(s1, s4, s5)) if holds else 0
        assert count.evaluate({f"v{number}": size for number, size in enumerate(sizes)}) == wanted


def _linked(s1, s4, s5):
    """Return the points of the last set above at one size, by its definition."""
    pairs = ((i, j) for i in range(s1) for j in range(-1, s1 + abs(s5) + 1))
    return sum(2 * j <= s5 + i and 3 * j >= i and (i + j + s4) % 3 == 0 for i, j in pairs)
