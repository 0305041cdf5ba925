"""Programs: loops in counters, addresses, conditions, and what cannot be laid out."""

import pytest

from analyzer.ir.passes.substitute import bind
from analyzer.traffic.program.layout import lay_out
from analyzer.traffic.program.program import Affine, NotNumeric, walk
from tests.lowering import lower


def program(text, **sizes):
    (region,) = lower(text, defines=sizes).regions
    return lay_out(bind(region, {symbol.name: symbol.value for symbol in region.symbols if symbol.value is not None}))


def addresses(found):
    return [reference.address for leaf in found.leaves for reference in leaf.references]


def executions(found):
    """Byte addresses in order of execution."""

    def run(children, counters):
        for child in children:
            if hasattr(child, "children"):
                low, high = child.range(counters)
                for value in range(int(low), int(high) + 1):
                    yield from run(child.children, [*counters, value])
            elif all(bool(test.holds(counters)) for test in child.tests):
                yield from (int(reference.address.at(counters)) for reference in child.references)

    return list(run(found.children, []))


def test_arrays_start_on_pages_in_the_order_of_declaration():
    found = program("double a[512], b[3], c[4]; for (int i = 0; i < 3; i++) c[i] = b[i] + a[i];")
    assert {name: placed.start for name, placed in found.arrays.items()} == {"a": 4096, "b": 12288, "c": 16384}


def test_counters_rise_by_one_from_zero():
    found = program("double a[100]; for (int i = 90; i > 10; i -= 7) a[i] = 1;")
    (turn,) = walk(found.children)
    assert turn.range(()) == (0, 11)
    assert addresses(found) == [Affine(4096 + 90 * 8, ((0, -56),))]
    assert executions(found) == [4096 + 8 * i for i in range(90, 10, -7)]


def test_tiles_with_partial_ends():
    tile = "for (int i = ii; i < (ii + 16 < 50 ? ii + 16 : 50); i++) a[i] = 1;"
    text = f"double a[50]; for (int ii = 0; ii < 50; ii += 16) {tile}"
    assert executions(program(text)) == [4096 + 8 * i for i in range(50)]


def test_rows_that_start_at_a_maximum():
    text = "double a[20]; for (int j = 0; j < 9; j++) for (int i = (j > 3 ? j : 3); i < 10; i++) a[i + j] = 1;"
    assert executions(program(text)) == [4096 + 8 * (i + j) for j in range(9) for i in range(max(j, 3), 10)]


def test_conditions_guard_statements():
    guarded = "if ((i + j) % 2 == 0 && j <= i) a[i + j] = 1;"
    text = f"double a[20]; for (int i = 0; i < 10; i++) for (int j = 0; j < 10; j++) {guarded}"
    expected = [4096 + 8 * (i + j) for i in range(10) for j in range(10) if (i + j) % 2 == 0 and j <= i]
    assert executions(program(text)) == expected


@pytest.mark.parametrize("n", [1, 2, 7, 12])
@pytest.mark.parametrize(
    ("loops", "order"),
    [
        ("for (int i = 0; i < n; i++) a[i / 2] = 1;", lambda n: [i // 2 for i in range(n)]),
        ("for (int i = 0; i < n; i += 2) a[i / 4] = 1;", lambda n: [i // 4 for i in range(0, n, 2)]),
        (
            "for (int i = n; i > 0; i--) a[(i + 1) % 3 + i / 2] = 1;",
            lambda n: [(i + 1) % 3 + i // 2 for i in range(n, 0, -1)],
        ),
        (
            "for (int i = 0; i < n; i++) for (int j = 1 + (i + 1) % 2; j < n; j += 2) a[i + j / 4] = 1;",
            lambda n: [i + j // 4 for i in range(n) for j in range(1 + (i + 1) % 2, n, 2)],
        ),
        (
            "for (int i = 0; i < n; i++) for (int j = i; j < n; j += 3) a[(j - i) / 2 + j % 2] = 1;",
            lambda n: [(j - i) // 2 + j % 2 for i in range(n) for j in range(i, n, 3)],
        ),
        (
            "for (int i = 0; i < n; i++) for (int j = 0; j < (i / 2 < 3 ? i / 2 : 3); j++) a[j] = 1;",
            lambda n: [j for i in range(n) for j in range(min(i // 2, 3))],
        ),
    ],
)
def test_remainders_and_halves_of_counters_are_affine(loops, order, n):
    assert executions(program(f"double a[50]; {loops}", n=n)) == [4096 + 8 * element for element in order(n)]


def test_both_branches_of_a_condition_on_data_run():
    found = program("double a[9], b[9]; for (int i = 0; i < 9; i++) if (a[i] > 0) b[i] = 1; else b[i] = a[i];")
    assert [(note.code, note.form) for note in found.notes] == [("AI306", "both-ways")]


def test_packed_rows_follow_each_other():
    text = "double v[60]; int p[21]; for (int i = 0; i < 20; i++) for (int k = p[i]; k < p[i + 1]; k++) v[k] = 1;"
    (region,) = lower(text).regions
    trip = next(symbol.name for symbol in region.symbols)
    found = program(text, **{trip: 3})
    stored = [address for leaf in found.leaves for r in leaf.references if r.array == "v" for address in [r.address]]
    assert stored == [Affine(found.arrays["v"].start, ((0, 24), (1, 8)))]


def test_elements_that_data_chooses_are_irregular():
    found = program("double x[60], y[20]; int c[20]; for (int i = 0; i < 20; i++) y[i] = x[c[i]];")
    assert [(item.array, item.write) for leaf in found.leaves for item in leaf.irregular] == [("x", False)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("double *a; for (int i = 0; a[i] > 0; i++) a[i] = 1;", "the number of iterations"),
    ],
)
def test_what_cannot_be_laid_out_says_why(text, words):
    with pytest.raises(NotNumeric, match=words):
        program(text, n=100)


@pytest.mark.parametrize(
    ("index", "value"),
    [
        ("(i + 1) % 9", lambda i: (i + 1) % 9),
        ("(i - 1 + 9) % 9", lambda i: (i - 1) % 9),
        ("(i + 5) % 3", lambda i: (i + 5) % 3),
        ("i < 4 ? i : 4", lambda i: min(i, 4)),
        ("(i > 2 ? i : 2) % 5", lambda i: max(i, 2) % 5),
        ("(3 * i + 7) % 10", lambda i: (3 * i + 7) % 10),
        ("i / 4 + i % 4", lambda i: i // 4 + i % 4),
    ],
)
def test_an_index_that_is_affine_in_pieces_has_its_elements(index, value):
    text = f"double a[20]; for (int i = 0; i < 9; i++) a[{index}] = 1;"
    found = program(text)
    assert not any(leaf.irregular for leaf in found.leaves)
    assert executions(found) == [4096 + 8 * value(i) for i in range(9)]


def test_pieces_of_several_references_come_before_the_store():
    text = "double a[8], b[8]; for (int i = 0; i < 8; i++) b[i] = a[(i + 1) % 8] + a[(i + 7) % 8];"
    found = executions(program(text))
    assert [sorted(found[3 * i : 3 * i + 2]) for i in range(8)] == [
        sorted(4096 + 8 * ((i + shift) % 8) for shift in (1, 7)) for i in range(8)
    ]
    assert found[2::3] == [8192 + 8 * i for i in range(8)]


def test_rows_behind_pointers_are_blocks_of_an_allocator():
    text = "double **a; for (int i = 0; i < 3; i++) for (int j = 0; j < 100; j++) a[i][j] = 1;"
    found = [address for address in executions(program(text)) if address >= 8192]
    assert found == [8192 + 816 * i + 8 * j for i in range(3) for j in range(100)]


@pytest.mark.parametrize(
    ("start", "advance", "values"),
    [
        ("0", "k = 1 - k;", [0, 1, 0, 1, 0, 1, 0]),
        ("1", "k = !k;", [1, 0, 1, 0, 1, 0, 1]),
        ("3", "k ^= 1;", [3, 2, 3, 2, 3, 2, 3]),
        ("2", "k = 7 - k;", [2, 5, 2, 5, 2, 5, 2]),
        ("1", "k = (k + 1) % 3;", [1, 2, 0, 1, 2, 0, 1]),
        ("0", "k = (k + 2) % 3;", [0, 2, 1, 0, 2, 1, 0]),
        ("0", "k = k == 0;", [0, 1, 0, 1, 0, 1, 0]),
    ],
)
def test_a_variable_that_comes_back_is_followed(start, advance, values):
    text = f"double a[8]; int k = {start}; for (int t = 0; t < 7; t++) {{ a[k] = 1; {advance} }}"
    found = program(text)
    assert not any(leaf.irregular for leaf in found.leaves)
    assert executions(found) == [4096 + 8 * value for value in values]


@pytest.mark.parametrize(
    ("start", "advance", "values"),
    [
        ("int p = 0, q = 5;", "int r = p; p = q; q = r;", [0, 5, 0, 5, 0, 5, 0]),
        ("int p = 0, q = 1, r = 2;", "int s = p; p = q; q = r; r = s;", [0, 1, 2, 0, 1, 2, 0]),
    ],
)
def test_variables_that_change_positions_are_followed(start, advance, values):
    text = f"double a[8]; {start} for (int t = 0; t < 7; t++) {{ a[p] = 1; {advance} }}"
    assert executions(program(text)) == [4096 + 8 * value for value in values]


@pytest.mark.parametrize("mask", [1, 2, 5, 12, -1, -3])
def test_bits_that_are_flipped_permute(mask):
    text = f"double a[32]; for (int i = 0; i < 16; i++) a[(i ^ {mask}) + 16] = 1;"
    assert executions(program(text)) == [4096 + 8 * ((i ^ mask) + 16) for i in range(16)]


@pytest.mark.parametrize(
    ("inner", "order"),
    [
        ("for (int k = i + 1; k < 9; k++)", lambda i: range(i + 1, 9)),
        ("for (int k = i; k >= 0; k--)", lambda i: range(i, -1, -1)),
    ],
)
def test_the_counter_of_a_triangle_runs_from_the_one_around_it(inner, order):
    found = program(f"double a[9][9]; for (int i = 0; i < 9; i++) {inner} a[k][i] = 1;")
    assert executions(found) == [4096 + 72 * k + 8 * i for i in range(9) for k in order(i)]
    assert {abs(factor) for _, factor in addresses(found)[0].terms} == {8, 72}


def test_tiles_with_gaps_count_from_their_start():
    found = program("double a[99]; for (int ii = 0; ii < 99; ii += 16) for (int i = ii; i < ii + 3; i++) a[i] = 1;")
    assert addresses(found) == [Affine(4096, ((0, 128), (1, 8)))]


def test_a_condition_on_numbers_that_holds_is_none():
    text = "double a[n]; for (int i = 0; i < n; i++) if (n > 3) a[i] = 1;"
    assert [leaf.tests for leaf in program(text, n=4).leaves] == [()]
    assert executions(program(text, n=3)) == []
