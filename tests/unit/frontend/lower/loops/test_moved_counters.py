"""Numbers that a loop counts: by remainders of its iteration, or sums that are the bound of a loop behind."""

import pytest

from tests.rows import file_report

TWICE = "for (int i = 0; i < n; i++) { %s } for (int k = 0; k < %s; k++) a[k] += 1;"


@pytest.mark.parametrize(
    ("counted", "end", "number"),
    [
        ("if (i % 2 == 0) c++;", "c", 6),  # of 0 to 10
        ("if (i % 3 == 1) c++;", "c", 4),
        ("if (i % 3 != 1) c++;", "c", 7),
        ("if (i & 1) c += 2;", "c", 10),
        ("if (i % 2 == 0) b[c++] = i;", "c", 6),
        ("c += i;", "c", 55),
        ("c += i * i;", "c", 385),
        ("c += i;", "c / 5", 11),
        ("if (i < 4) c++;", "c", 4),
        ("if (i > 7) c += 3;", "c", 9),  # 8, 9 and 10
        ("if (2 * i < 7) c++;", "c", 4),
        ("if (i == 3) c += 5;", "c", 5),
        ("if (i != 3) c++;", "c", 10),
        ("if (i < 40) c++;", "c", 11),
        ("if (i < 3 || ++c > 20) b[i] = 0;", "c", 8),
        ("c += i % 2 == 0;", "c", 6),
        ("c += i / 3;", "c", 15),  # 0 0 0 1 1 1 2 2 2 3 3
        ("for (int j = 0; j < i; j++) c += (i + j) % 2 == 0;", "c", 25),  # i/2 of each: 0 0 1 1 2 2 3 3 4 4 5
        (
            "for (int j = 0; j < n; j++) if ((i + 2 * j) % 3 == 1) c++;",
            "c",
            40,
        ),  # of 121 as often as 0 and 2, but 40, 41
        ("if (i % 4 == 1) c = i;", "c", 9),
        ("if (i % 3 != 1) c = i + 1;", "c", 10),
        ("if (i == c) c += 3;", "c", 12),
    ],
)
def test_their_final_value_bounds_a_loop(counted: str, end: str, number: int) -> None:
    text = f"void f(double *a, double *b, int n) {{ int c = 0; {TWICE % (counted, end)} }}"
    found = file_report(text, "x.c").regions[0].profile.work.flops
    assert (found.lower.evaluate({"n": 11}), found.lower.evaluate({"n": 0}), found.is_exact) == (number, 0, True)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("for (int i = 0; i < (m > 5 ? n - 5 : n); i++) a[i] += 1;", 6),
        ("for (int i = 0; i < (m > 50 ? n - 5 : n); i++) a[i] += 1;", 11),
        ("int step = m > 5 ? 2 : 1; for (int i = 0; i < n; i += step) a[i] += 1;", 6),
    ],
)
def test_a_bound_or_a_step_that_sizes_choose_is_known(text: str, number: int) -> None:
    found = file_report(f"void f(double *a, int n, int m) {{ {text} }}", "x.c").regions[0].profile.work.flops
    assert (found.lower.evaluate({"n": 11, "m": 6}), found.is_exact) == (number, True)


@pytest.mark.parametrize(
    ("loop", "number"),
    [
        ("int p = 0; for (int i = 0; i < n; i++) { if (p == 1) a[i] += 1; p = p == 2 ? 0 : p + 1; }", 4),  # 1, 4, 7, 10
        ("int p = 0; for (int i = 0; i < n; i++) if (++p >= 4) { p = 0; a[i] += 1; }", 2),  # 3, 7
        ("int p = 2; for (int i = 0; i < n; i++) if (p == 0) { a[i] += 1; p = 2; } else p--;", 3),  # 2, 5, 8
        ("while (n >>= 1) a[n] += 1;", 3),  # 5, 2, 1
        ("int s = n; do { a[s] += 1; s /= 2; } while (s > 0);", 4),  # 11, 5, 2, 1
        ("int k = 1; do { k *= 2; a[k] += 1; } while (k < n);", 4),  # 2, 4, 8, 16
        ("int k = 1; do { k *= 2; } while (k < n); for (int i = 0; i < k; i++) a[i] += 1;", 16),
        ("for (int i = 0; i * (i + 1) / 2 < n; i++) a[i] += 1;", 5),  # 0, 1, 3, 6, 10
        ("for (int i = 0; i * i + i <= n; i++) a[i] += 1;", 3),  # 0, 2, 6
        ("for (int i = 1; 2 * i * i + 3 * i < n; i++) a[i] += 1;", 1),  # 5, 14
    ],
)
def test_phases_later_tests_and_quadratic_ends_have_closed_forms(loop: str, number: int) -> None:
    found = file_report(f"void f(double *a, int n) {{ {loop} }}", "x.c").regions[0].profile.work.flops
    assert (found.lower.evaluate({"n": 11}), found.is_exact) == (number, True)


def test_a_quotient_that_is_rounded_towards_zero_has_no_root() -> None:
    """Of i from 2 on (i*i - 5)/2 is 0, 2, 5: it is not below 0, though half of -1 is rounded down."""
    text = "void f(double *a, int n) { for (int i = 2; (i * i - 5) / 2 < n; i++) a[i] += 1; }"
    found = file_report(text, "x.c").regions[0].profile.work.flops
    assert "n" not in found.estimate.symbols


@pytest.mark.parametrize(
    ("loop", "number"),
    [
        ("for (int i = 0; i < n; i++) { a[i] += 1; if (i % 3 == 0) i++; }", 8),  # 0 2 3 5 6 8 9 and 11 of 12
        ("for (int i = 0; i < n; i++) { if (i % 2) continue; a[i] += 1; i += 2; }", 3),  # 0, 3 to 4, 7 to 8, 11
        ("int i = 0; while (true) { if (i >= n) break; if (i % 2) { i++; continue; } a[i] += 1; i += 3; }", 3),
        ("for (int i = 1; i < n; i += (i & 1) ? 1 : 3) a[i] += 1;", 6),  # 1 2 5 6 9 10
        ("int i = 1; while (i < n) i += (i & 1) ? 1 : 3; for (int k = 0; k < i; k++) a[k] += 1;", 13),
    ],
)
def test_a_step_that_the_remainder_of_the_counter_decides_is_known(loop: str, number: int) -> None:
    found = file_report(f"void f(double *a, int n) {{ {loop} }}", "x.c").regions[0].profile.work.flops
    assert (found.lower.evaluate({"n": 12}), found.is_exact) == (number, True)


@pytest.mark.parametrize(
    ("loop", "number"),
    [
        ("int i = n; while (i) { i -= i > 3 ? 3 : 1; a[i] += 1; }", 6),  # 12 9 6 3 2 1
        ("for (int i = 0; i < n; i++) { a[i] += 1; if (i < 3) i++; }", 10),  # 0 2 4 5 6 7 8 9 10 11
        ("for (int i = 0; i < n; i++) { a[i] += 1; if (i < m) i += 2; }", 8),  # 0 3 6 7 8 9 10 11
        ("int i = 0; while (i < n) i += i < 4 ? 1 : 5; for (int k = 0; k < i; k++) a[k] += 1;", 14),  # 4 9 14
        ("for (int i = n; i >= m; i--) { a[i] += 1; if (i > 8) i--; }", 6),  # 12 10 8 7 6 5
    ],
)
def test_a_step_that_changes_at_a_threshold_is_known(loop: str, number: int) -> None:
    found = file_report(f"void f(double *a, int n, int m) {{ {loop} }}", "x.c").regions[0].profile.work.flops
    assert (found.lower.evaluate({"n": 12, "m": 5}), found.is_exact) == (number, True)


def test_a_step_past_a_value_that_ends_a_loop_may_not_come_to_it() -> None:
    text = "void f(double *a, int n) { int i = n; while (i != 3) { i -= i > 4 ? 3 : 1; a[i] += 1; } }"  # 7 4 3, 8 5 2 1
    assert "trip_L1" in file_report(text, "x.c").regions[0].profile.work.flops.estimate.symbols


@pytest.mark.parametrize(
    ("change", "number"),
    [
        ("r[1].hi -= 2;", 2 + 8 + 4),
        ("r[2] = r[1]; r[1].hi = 1;", 2 + 1 + 10),
        ("for (int k = 0; k < 3; k++) r[k].hi += k;", 2 + 11 + 6),
        ("struct R t = r[0]; r[0] = r[2]; r[2] = t; r[0].hi++;", 5 + 10 + 2),
        ("if (m > 3) r[0].hi = 7;", 7 + 10 + 4),
    ],
)
def test_members_of_short_arrays_of_structures_are_followed(change: str, number: int) -> None:
    made = f"struct R r[3] = {{{{0, 2}}, {{0, n}}, {{0, m}}}}; {change}"
    loops = "for (int p = 0; p < 3; p++) for (int i = r[p].lo; i < r[p].hi; i++) a[i] += 1;"
    text = f"struct R {{ int lo, hi; }}; void f(double *a, int n, int m) {{ {made} {loops} }}"
    found = file_report(text, "x.c").regions[0].profile.work.flops
    assert (found.lower.evaluate({"n": 10, "m": 4}), found.is_exact) == (number, True)


@pytest.mark.parametrize(
    ("loop", "stores"),
    [
        ("while (i < n) { a[i * m + j] = 1; if (++j == m) { j = 0; i++; } }", "m*n"),
        ("while (i < n) { a[i * m + j] = 1; j++; if (j >= m) { j = 0; ++i; } }", "m*n"),
        ("while (i < n) { a[i * m + j] = 1; if (j == m - 1) { j = 0; i += 1; } else j += 1; }", "m*n"),
        ("j = 2; while (i < n) { a[i * m + j] = 1; if (++j == m) { j = 2; i++; } }", "m*n - 2*n"),
        ("while (i < n) { a[k] = 1; if (++k == p) { k = 0; if (++j == m) { j = 0; i++; } } }", "m*n*p"),
        ("while (i < n) { if (++j == m) { j = 0; i++; } } while (i-- > 0) a[i] = 1;", "n"),
        ("for (; i < n * m; i++) { if (++j == m) { j = 0; k++; } } while (k-- > 0) a[k] = 1;", "n"),
    ],
)
def test_a_counter_that_starts_anew_moves_another_one_as_the_inner_loop_of_a_nest(loop: str, stores: str) -> None:
    text = f"void f(double *a, int n, int m, int p) {{ int i = 0, j = 0, k = 0; {loop} }}"
    found = file_report(text, "x.c").regions[0].profile.stores.elements
    values = {"n": 5, "m": 7, "p": 3}
    assert (found.lower.evaluate(values), found.is_exact) == (eval(stores, values), True)


def test_a_counter_that_starts_beyond_its_bound_is_not_taken_to_reach_it() -> None:
    text = "void f(double *a, int n) { int j = 9; for (int i = 0; i < n; i++) if (++j == 4) { j = 9; a[i] = 1; } }"
    assert file_report(text, "x.c").regions[0].profile.stores.elements.lower.evaluate({"n": 20}) == 0


@pytest.mark.parametrize(
    ("loop", "stores"),
    [
        ("int p = 0; for (int i = 0; i < n; i++) { for (int j = p; j < i; j++) a[j] = 1; p = i; }", 10),
        ("int p = 0; for (int i = 0; i < n; i += 3) { for (int j = p; j < i; j++) a[j] = 1; p = i; }", 9),  # 3, 6, 9
        (
            "int p = 0, q = 1; for (int i = 0; i < n; i++) { for (int j = p; j < q; j++) a[j] = 1; p = q; q = i * i; }",
            1 + 9 * 9,  # from (i - 2)^2 to (i - 1)^2, from i = 2 on
        ),
        ("int p = 7; for (int i = 0; i < n; i++) p = i; for (int j = 0; j < p; j++) a[j] = 1;", 10),
    ],
)
def test_a_variable_has_the_value_that_the_iteration_before_gave_it(loop: str, stores: int) -> None:
    found = file_report(f"void f(double *a, int n) {{ {loop} }}", "x.c").regions[0].profile.stores.elements
    assert (found.lower.evaluate({"n": 11}), found.is_exact) == (stores, True)


@pytest.mark.parametrize(
    ("loop", "stores"),
    [
        ("int i = 0, k = 0; while (i < n && k++ < 4) { a[i] = 1; i += 2; }", 4),
        ("int i = 0, k = 0; while (i < n && k++ < 40) { a[i] = 1; i += 2; }", 6),
        ("int i = 0, k = 9; while (i < n && --k) { a[i] = 1; i++; }", 8),
        ("int i = 0, k = 0; while (k++ < 5 && i < n) { a[i] = 1; i++; }", 5),
    ],
)
def test_what_an_operand_of_a_test_changes_is_changed_where_it_runs(loop: str, stores: int) -> None:
    found = file_report(f"void f(double *a, int n) {{ {loop} }}", "x.c").regions[0].profile.stores.elements
    assert (found.lower.evaluate({"n": 11}), found.is_exact) == (stores, True)


@pytest.mark.parametrize(
    ("loop", "stores"),
    [
        ("int k = 0; auto step = [&k, n] { return k++ < n; }; while (step()) a[k - 1] = 1;", 11),
        ("int k = n; auto more = [&] { --k; bool r = k >= 0; return r; }; while (more()) a[k] = 1;", 11),
        ("It it{-1, n}; while (it.next()) a[it.at] = 1;", 11),
        ("It it{0, n}; while (it.is_in()) { a[it.at] = 1; it.at += 2; }", 6),
    ],
)
def test_a_function_that_steps_and_tests_ends_a_loop(loop: str, stores: int) -> None:
    steps = "bool next() { at++; return at < end; } bool is_in() const { bool r = at < end; return r; }"
    text = f"struct It {{ int at, end; {steps} }}; void f(double *a, int n) {{ {loop} }}"
    (region,) = [each.profile for each in file_report(text, "x.cpp").regions if each.profile.function == "f"]
    assert (region.stores.elements.lower.evaluate({"n": 11}), region.stores.elements.is_exact) == (stores, True)


@pytest.mark.parametrize(
    ("loop", "numbers"),
    [
        ("for (int i = 0, s = 1; i < n; i += s, s++) a[i] = 1;", (0, 1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5)),  # 0 1 3 6 10
        (
            "int s = 1; for (int i = 0; i < n; i += s) { a[i] = 1; s += 2; }",
            (0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3),
        ),
        (
            "int s = 0; for (int i = 1; s <= n; i++) { a[s] = 1; s += i; }",
            (1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5),
        ),
    ],
)
def test_a_counter_whose_step_grows_ends_a_loop_at_a_root(loop: str, numbers: tuple[int, ...]) -> None:
    found = file_report(f"void f(double *a, int n) {{ {loop} }}", "x.c").regions[0].profile.stores.elements
    assert found.is_exact
    assert tuple(found.lower.evaluate({"n": n}) for n in range(len(numbers))) == numbers


@pytest.mark.parametrize("m", [3, 9])
def test_an_object_that_a_test_calls_and_does_not_change_has_its_values(m: int) -> None:
    """It was taken to change in the loop, as its address is handed over, so that the choice was a symbol."""
    text = """struct Maybe { bool has; int item; int or_else(int other) const { return has ? item : other; } };
    void f(double *a, int n, int m) { Maybe k{false, 0}; if (m > 4) { k.has = true; k.item = n; }
      for (int i = 0; i < k.or_else(3); i++) a[i] = 1; }"""
    (region,) = [each.profile for each in file_report(text, "x.cpp").regions if each.profile.function == "f"]
    assert region.stores.elements.lower.evaluate({"n": 11, "m": m}) == (11 if m > 4 else 3)
    assert region.stores.elements.is_exact


@pytest.mark.parametrize(
    ("change", "number"),
    [
        ("int c[3] = {0, 0, 0}; for (int i = 0; i < n; i++) c[i % 3]++;", 4 + 10 * 3 + 100 * 3),
        ("int c[3] = {0, 5, 0}; for (int i = 0; i < n; i++) c[(i + 1) % 3] += 2;", 6 + 10 * 13 + 100 * 6),
        ("int c[3] = {9, 9, 9}; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) c[(i + j) % 3]--;",
         -5 + 10 * -4 + 100 * -4),
    ],
)  # fmt: skip
def test_elements_that_a_loop_counts_are_followed(change: str, number: int) -> None:
    loop = "for (int i = 0; i < 2000 + c[0] + 10 * c[1] + 100 * c[2]; i++) a[i] += 1;"
    found = file_report(f"void f(double *a, int n, int m) {{ {change} {loop} }}", "x.c").regions[0].profile.work.flops
    assert (found.lower.evaluate({"n": 10, "m": 4}) - 2000, found.is_exact) == (number, True)


def test_counted_elements_of_few_bits_are_not_known() -> None:
    text = (
        "unsigned char c[2] = {0, 0}; for (int i = 0; i < n; i++) c[i % 2]++; for (int i = 0; i < c[1]; i++) a[i] += 1;"
    )
    found = file_report(f"void f(double *a, int n) {{ {text} }}", "x.c").regions[0].profile.work.flops
    assert not found.estimate.symbols <= {"n"}


@pytest.mark.parametrize(("size", "stages", "number"), [(1024, 8, 4096), (1024, 12, 5120), (1000, 12, 4600)])
def test_a_step_that_becomes_zero_where_no_iteration_comes_to_it(size, stages, number):
    text = (
        "void f(double *x, int n, int s) { int d = n / 2; for (int t = 0; t < s; t++) { for (int j = 0; j < d; j++) "
        "for (int k = 0; k < n; k += 2 * d) x[k + j] += 1; d /= 2; } }"
    )  # counted by running it: 500 + 500 + 500 + 558 + 527 + 510 + 504 + 501 + 500 of 1000
    (region,) = file_report(text).regions
    assert region.flops.at(n=size, s=stages) == number


CHUNKS = [
    "int r = n; while (r > 0) { int m = r < 64 ? r : 64; BODY off += m; r -= m; k++; }",
    "unsigned r = n; while (r) { unsigned m = r > 64 ? 64 : r; r -= m; BODY off += m; k++; }",
    "int d = 0; while (d < n) { int m = n - d < 64 ? n - d : 64; BODY off += m; d += m; k++; }",
    "for (int d = 0; d < n; ) { int m = 64; if (m > n - d) m = n - d; BODY off += m; d += m; k++; }",
]


@pytest.mark.parametrize("chunks", CHUNKS)
def test_a_last_step_that_is_cut_to_what_is_left(chunks: str) -> None:
    """Every element once, in ceil(n/64) pieces, and the sum of the pieces behind them."""
    counted = chunks.replace("BODY", "for (int i = 0; i < m; i++) a[off + i] += 1;")
    after = "for (int i = 0; i < off; i++) b[i] *= 2; for (int i = 0; i < k; i++) b[i] *= 2;"
    text = f"void f(double *a, double *b, int n) {{ int off = 0, k = 0; {counted} {after} }}"
    flops = file_report(text, "x.c").regions[0].profile.work.flops
    assert flops.is_exact
    for n in (0, 1, 63, 64, 65, 1000):
        assert flops.estimate.evaluate({"n": n}) == n + n + -(-n // 64)


def test_a_step_that_another_test_ends_is_not_cut() -> None:
    """``r > 8`` leaves something over: a last step may not be a whole one."""
    text = "void f(double *a, int n) { int r = n; while (r > 8) { int m = r < 64 ? r : 64; a[r] += 1; r -= m; } }"
    flops = file_report(text, "x.c").regions[0].profile.work.flops
    assert "trip_L1" in str(flops.estimate)
