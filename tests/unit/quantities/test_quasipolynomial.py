from fractions import Fraction
from functools import lru_cache

import pytest
from msgspec.structs import replace

from analyzer.ir.index import Poly, const, floor_div, var
from analyzer.quantities import quasipolynomial, small_sizes
from analyzer.quantities.chambers import Chamber, Constraint, cut, joined
from analyzer.quantities.growth import Growth, growth, largest_quotient
from analyzer.quantities.large_values import large_values
from analyzer.quantities.periods import without_periods
from analyzer.quantities.quasipolynomial import NOTHING, Count, fixed, polynomial, total

N, M = var("N"), var("M")
CUBE = Count((Chamber((Constraint(N - 1),), N * N * N),))


def test_a_chamber_counts_only_where_its_guard_holds():
    assert CUBE.evaluate({"N": 10}) == 1000
    assert CUBE.evaluate({"N": -3}) == 0
    assert str(CUBE.conditions[0]) == "N >= 1"


def test_sums_merge_equal_guards():
    assert len((CUBE + CUBE).chambers) == 1
    assert (CUBE + CUBE).evaluate({"N": 2}) == 16
    assert (CUBE - CUBE).is_zero
    assert total([CUBE, fixed(5)]).evaluate({"N": 0}) == 5


def test_binding_drops_impossible_chambers():
    assert CUBE.bind({"N": -1}).is_zero
    assert CUBE.bind({"N": 3}).constant == 27
    assert CUBE.bind({"M": 3}) is CUBE


def test_a_missing_value_is_an_error_not_a_guess():
    with pytest.raises(KeyError):
        CUBE.evaluate({})


@pytest.mark.parametrize(
    ("top", "bottom", "expected"),
    [
        (polynomial(N * 2), polynomial(N * 24), Growth(Fraction(1, 12), 0)),
        (polynomial(N * N * N * 2 + N), polynomial(N * N * 32), Growth(Fraction(1, 16), 1, "N/16", ("N",))),
        (polynomial(floor_div(N, const(2))), polynomial(N), Growth(Fraction(1, 2), 0)),
        (NOTHING, polynomial(N), Growth(Fraction(0), 0)),
    ],
)
def test_growth_is_the_ratio_of_leading_terms(top, bottom, expected):
    assert growth(top, bottom) == expected


def test_growth_over_nothing_is_not_defined():
    assert growth(CUBE, NOTHING) is None


def guarded(value: Poly, *conditions: Poly) -> Count:
    return Count((Chamber(tuple(Constraint(each) for each in conditions), value),))


LOW, HIGH, BOTTOM, TOP = var("x_min"), var("x_max"), var("y_min"), var("y_max")
CELLS = (HIGH - LOW + 1) * (TOP - BOTTOM + 1)
INSIDE = (HIGH - LOW, TOP - BOTTOM)


def test_ranges_grow_by_their_extent():
    """A stencil of W x H points: 3*W*H FLOPs, 24*W*H bytes and a border: at most 1/8, the limit."""
    size = CELLS * 24 + 8 * (HIGH - LOW) + 8 * (TOP - BOTTOM) + 24
    flops, moved = guarded(CELLS * 3, *INSIDE), guarded(size, *INSIDE)
    assert growth(flops, moved) == Growth(Fraction(1, 8))
    assert largest_quotient(flops, moved) == Fraction(1, 8)


def test_what_is_faster_for_small_sizes_is_told():
    """(3*n + 100)/(16*n) is 103/16 for n = 1, and tends to 3/16."""
    flops, moved = guarded(3 * N + 100, N - 1), guarded(16 * N, N - 1)
    assert growth(flops, moved) == Growth(Fraction(3, 16))
    assert largest_quotient(flops, moved) == Fraction(103, 16)


def test_sizes_that_grow_apart_give_a_range_or_a_formula():
    """(m^2 + m*n)/(16*m^2 + 8*m*n) is between 1/16 and 1/8; of m*n over m + n only the product says it."""
    between = growth(polynomial(M * M + M * N), polynomial(16 * M * M + 8 * M * N))
    assert between == Growth(Fraction(1, 12), symbols=("M", "N"), least=Fraction(1, 16), most=Fraction(1, 8))
    assert growth(polynomial(2 * M * N), polynomial(8 * M + 8 * N)).formula == "M*N/(4*M + 4*N)"
    steps = growth(polynomial(6 * N * M - 12 * M), polynomial(32 * N - 32))
    assert (steps.formula, steps.factor, steps.power, steps.symbols) == ("3*M/16", Fraction(3, 16), 1, ("M",))


def test_a_guard_on_a_remainder_is_no_large_size():
    """What runs where 8 divides n is shown, with the guard; the quotient is that of where it runs."""
    whole = Count((Chamber((Constraint(N - 8 * floor_div(N, 8), equality=True), Constraint(N - 8)), 2 * N * N),))
    assert str(whole) == "2*N^2 if N mod 8 = 0; else 0"
    assert whole.is_single
    assert not whole.is_general
    assert growth(whole, whole * 2) == Growth(Fraction(1, 2))


def test_the_rest_of_a_division_is_a_remainder():
    """Loops over the rest count n - 4*floor(n/4) in whatever form."""
    up, down = floor_div(N + 3, 4), floor_div(N, 4)
    rest = polynomial(N * up - N * down - 2 * up * up + 2 * down * down + 2 * up - 2 * down)
    assert str(rest) == "N mod 4"
    assert str(rest * 12) == "12*(N mod 4)"
    assert [rest.evaluate({"N": size}) for size in range(8)] == [0, 1, 2, 3, 0, 1, 2, 3]
    assert growth(rest, polynomial(N)) == Growth(Fraction(0))
    assert growth(rest, rest * 12) == Growth(Fraction(1, 12))


def test_generic_names_the_chamber_of_large_symbols():
    smaller = Count((Chamber((Constraint(N - M),), M), Chamber((Constraint(M - N - 1),), N)))
    assert str(smaller.generic) == "M"
    assert not smaller.is_single
    assert str(smaller) == "N if M - N >= 1; else M"


def test_periodic_remainders_cancel():
    rest = N - floor_div(N, 4) * 4
    assert without_periods(floor_div(N, 4) * 4 + rest) == N
    assert without_periods(floor_div(N + 3, 4) - floor_div(N, 4) + floor_div(N - 1, 4)) != N
    assert without_periods(floor_div(N, 2) + floor_div(N + 1, 2)) == N


def test_an_isolated_chamber_that_agrees_is_not_told_apart():
    small = Chamber((Constraint(N - 32, equality=True),), const(32 * 32))
    count = Count((Chamber((Constraint(N - 33),), N * N), small))
    assert count.is_single
    assert str(count) == "N^2"


def test_a_point_between_overlapping_chambers_is_no_exception() -> None:
    n = var("n")
    two = Chamber((Constraint(n - 2, equality=True),), 4 * n * n + 12 * n - 8)
    count = Count((Chamber((Constraint(n - 3),), 8 * n * n), two, Chamber((Constraint(n - 2),), 8 * n * n - 8 * n)))
    assert count.evaluate({"n": 2}) == 48
    assert count.is_single
    assert str(count) == "16*n^2 - 8*n"
    other = Count((count.chambers[0], Chamber(two.guard, n * n), count.chambers[2]))
    assert not other.is_single


def test_what_is_shown_of_chambers_that_meet_is_their_sum():
    """Two sums over the same loop, one with cases: the value in a case is that of both."""
    both = min_of(N, M) + polynomial(M)
    assert str(both) == "2*M if N - M >= 1; else M + N"
    wide = Count((Chamber((Constraint(N - 1),), N), Chamber((Constraint(64 - N),), M)))
    assert str(wide) == "M + N if 1 <= N <= 64; else N"
    assert wide.evaluate({"N": 9, "M": 5}) == 14


def test_chambers_of_one_set_do_not_meet():
    apart = frozenset({object()})
    first, second = Chamber((Constraint(N - M),), N, apart), Chamber((Constraint(M * M - 5),), M, apart)
    assert cut(first, [second]) == ([first], True)
    assert cut(first, [Chamber(second.guard, M)])[0] == [Chamber((*first.guard, *second.guard), N + M)]


def test_a_rest_that_cannot_be_written_is_told():
    whole = Count((Chamber((Constraint(N - 1),), N), Chamber((Constraint(64 - N), Constraint(M - 9)), M)))
    assert "...;" not in str(whole)
    rest = Count((Chamber((Constraint(N - 9),), N), Chamber((Constraint(64 - N),), M)))
    assert str(rest) == "M + N if 9 <= N <= 64; ...; else N"


def test_many_chambers_that_meet_are_cut_in_few_steps() -> None:
    """Each may hold or not: 2^60 parts, of which some are shown, and that there are more."""
    many = tuple(Chamber((Constraint(var(f"s{k}") * -1 + 40 + k),), var(f"s{k}")) for k in range(60))
    assert "...; else" in str(Count(many))


def min_of(one: Poly, other: Poly) -> Count:
    apart = frozenset({object()})
    cases = ((other - one, one), (one - other - 1, other))
    return Count(tuple(Chamber((Constraint(guard),), value, apart) for guard, value in cases))


def test_what_holds_for_small_sizes_is_the_sum_of_all_chambers_there() -> None:
    n = var("n")
    whole = Chamber((Constraint(n - 1),), 12 * n)
    few = Chamber((Constraint(n - 3), Constraint(const(4) - n)), n * n)
    count = Count((whole, Chamber((Constraint(n - 5),), 8 * n), few))
    assert str(count) == "n^2 + 12*n if 3 <= n <= 4; else 20*n"
    assert count.evaluate({"n": 4}) == 4 * 4 + 12 * 4


def test_equal_formulas_are_worded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Poly] = []
    monkeypatch.setattr(quasipolynomial, "without_periods", lambda poly: asked.append(poly) or poly)
    monkeypatch.setattr(quasipolynomial, "_text_of", lru_cache(quasipolynomial._text_of.__wrapped__))
    cases = (Chamber((Constraint(N - 101),), N * 7), Chamber((Constraint(100 - N), Constraint(N - 50)), const(9)))
    texts = {str(Count(tuple(replace(case) for case in cases))) for _ in range(3)}
    assert texts == {"9 if 50 <= N <= 100; else 7*N"}
    assert len(asked) == 2  # the general formula, and the one case; that they differ shows in a value


def test_a_value_shows_that_a_part_is_not_in_the_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    large = Chamber((Constraint(N - 101),), floor_div(N, 4) * 4)
    other = Chamber((Constraint(100 - N), Constraint(N - 50)), floor_div(N, 8) * 8)
    same = Chamber((Constraint(100 - N), Constraint(N - 50)), N - (N - floor_div(N, 4) * 4))
    asked: list[Poly] = []
    rewritten = quasipolynomial.without_periods
    monkeypatch.setattr(quasipolynomial, "without_periods", lambda poly: asked.append(poly) or rewritten(poly))
    assert Count((large, same)).is_single
    assert not Count((large, other)).is_single
    assert asked == [large.value, Poly({}), large.value]


def between(least: int | None, most: int | None, value: Poly, name: str = "n") -> Chamber:
    guard = [] if least is None else [Constraint(var(name) - least)]
    return Chamber((*guard, *([] if most is None else [Constraint(most - var(name))])), value)


def test_neighbours_of_one_value_are_one_piece() -> None:
    value = 120 * var("n")
    assert [c.guard_text for c in joined([between(10, 20, value), between(30, 40, value), between(21, 29, value)])] == [
        "10 <= n <= 40"
    ]
    assert [c.guard_text for c in joined([between(10, 20, value), between(21, None, value)])] == ["n >= 10"]
    apart = [between(10, 20, value), between(22, 29, value)], [between(10, 20, value), between(21, 29, const(1))]
    assert all(joined(pieces) == pieces for pieces in apart)
    assert joined([between(1, 2, value), between(3, 4, value, "m")]) == [
        between(1, 2, value),
        between(3, 4, value, "m"),
    ]


def test_parts_that_may_have_points_in_common_add_up() -> None:
    overlapping = [between(None, 9, const(3)), between(5, None, const(3))]
    assert joined(overlapping) == overlapping


def test_a_symbol_that_only_chooses_between_equal_numbers_goes_away() -> None:
    """3*m for n >= 1 and for n <= 0; 3*m and 2*m are two numbers, and what holds twice is twice as much."""
    m = 3 * var("m")
    assert Count((between(1, None, m), between(None, 0, m))).bind({"m": 7}).constant == 21
    assert Count((between(1, None, m), between(None, 0, 2 * var("m")))).bind({"m": 7}).symbols == {"n"}
    twice = Count((between(1, None, m), between(None, 3, m))).bind({"m": 7})
    assert [twice.evaluate({"n": n}) for n in (0, 2, 4)] == [21, 42, 21]


def test_where_the_generic_value_divides_by_zero_another_one_is_shown() -> None:
    p = var("p")
    large = Chamber((Constraint(p - 1),), floor_div(N, p))
    none = Chamber((Constraint(p, equality=True), Constraint(N - 1)), N)
    assert str(Count((large, none))) == "N if p = 0 and N >= 1; else floor(N/p)"


def test_large_values_are_in_the_order_that_a_guard_asks_for() -> None:
    r, n, t = var("r"), var("n"), var("t")
    tiled = guarded(r * n, n - 2 * r - 1, n - t, t - 1)
    assert tiled.evaluate(large_values([tiled.chambers])) > 0


def test_chambers_are_cut_once_for_elements_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    cuts: list[Chamber] = []

    def counted(chamber, *others):
        cuts.append(chamber)
        return cut(chamber, *others)

    monkeypatch.setattr(small_sizes, "cut", counted)
    small = Chamber((Constraint(1009 - N), Constraint(N - 1004)), 2 * M)
    elements = Count((Chamber((Constraint(N - 1010),), N * M), small))
    assert (str(elements), len(cuts)) == ("2*M if 1004 <= N <= 1009; else M*N", 1)
    assert (str(elements * 8), len(cuts)) == ("16*M if 1004 <= N <= 1009; else 8*M*N", 1)


def test_counts_are_equal_by_their_values_and_not_by_their_texts() -> None:
    whole = Count((Chamber((Constraint(N - 1),), N * M),))
    parts = Count((Chamber((Constraint(N - 1), Constraint(9 - N)), N * M), Chamber((Constraint(N - 10),), N * M)))
    later = Count((Chamber((Constraint(N - 4),), N * M),))
    assert whole.equals(parts)
    assert parts.equals(whole)
    assert str(later) == str(whole)
    assert not later.equals(whole)
    assert not whole.equals(whole * 2)


def test_a_condition_that_chambers_share_is_evaluated_once(monkeypatch):
    asked = []
    holds = Constraint.holds
    monkeypatch.setattr(Constraint, "holds", lambda self, values: asked.append(self) or holds(self, values))
    several = Count(tuple(Chamber((Constraint(N - 1), Constraint(M - k)), const(1)) for k in range(20)))
    assert several.evaluate({"N": 3, "M": 9}) == 10
    assert len(asked) == 1 + 20
    asked.clear()
    assert several.bind({"N": 5}).evaluate({"M": 4}) == 5
    assert sum(constraint == Constraint(const(4)) for constraint in asked) == 1
