"""Rules of C and C++ that decide how often loops run: few bits, operands that are skipped, exceptions, defaults."""

import pytest

from tests.rows import file_report

LOOP = "for (int i = 0; i < k; i++) a[i] += 1;"
FLAGS = "struct F { unsigned kind : 3; int level : 4; };"
BOX = "struct B { int w = 2, h = 3; };"
CLASSES = (
    "struct P { virtual ~P() {} virtual void f() {} }; struct Q : P { double *p; }; struct R : Q {}; struct S : P {};"
    " void one(P *p) { if (auto *q = dynamic_cast<Q *>(p)) q->p[0] += 1; }"
)


def _exact(text: str, before: str = "", name: str = "x.cpp", *, evaluated: bool = True) -> tuple[int, bool]:
    report = file_report(f"{before} void f(double *a, double *b, int n, int m) {{ {text} }}", name)
    (region,) = (each for each in report.regions if each.profile.function == "f")
    found = region.profile.work.flops
    return int(found.lower.evaluate({"n": 10, "m": 4})) if evaluated else 0, found.is_exact


@pytest.mark.parametrize(
    ("number", "flops"),
    [
        ("signed char k = 120; k += 10;", 0),  # -126
        ("unsigned char k = 250; k = k + 8;", 2),
        ("unsigned char k = 250 + n;", 4),
        ("signed char k = 125; k += m;", 0),  # -127
        ("unsigned char k = n; k = k - 5;", 5),
        ("unsigned short k = 65530; k += 9;", 3),
        ("int k = 0; for (unsigned char c = 0; c < n; c++) k++;", 10),
        ("int k = (signed char)(n + 120);", 0),
    ],
)
def test_integers_of_few_bits_wrap(number: str, flops: int) -> None:
    assert _exact(f"{number} {LOOP}") == (flops, True)


@pytest.mark.parametrize(
    ("set_to", "flops"),
    [
        ("g.kind = 5; g.kind += 4; int k = g.kind;", 1),
        ("g.kind = n; int k = g.kind;", 2),
        ("g.level = 9; int k = g.level + 8;", 1),  # -7
        ("g.level = -8; g.level--; int k = g.level;", 7),
    ],
)
@pytest.mark.parametrize("name", ["x.c", "x.cpp"])
def test_bit_fields_hold_few_bits(set_to: str, flops: int, name: str) -> None:
    assert _exact(f"struct F g; {set_to} {LOOP}", FLAGS, name) == (flops, True)


@pytest.mark.parametrize(
    ("text", "flops"),
    [
        ("int k = 0; for (int i = 0; i < n; i++) if (i % 2 && k++ < 20) b[i] = 0;", 5),
        ("int k = 0; for (int i = 0; i < n; i++) if (i % 2 || k++ < 20) b[i] = 0;", 5),
        ("int k = 0; if (n > 4 && ++k > 0) b[0] = 0; if (n > 40 && ++k > 0) b[0] = 0;", 1),
    ],
)
def test_what_an_operand_does_that_is_skipped_does_not_happen(text: str, flops: int) -> None:
    assert _exact(f"{text} {LOOP}") == (flops, True)


@pytest.mark.parametrize(
    ("text", "flops"),
    [
        ("try { if (n > 3) throw 1; a[0] += 1; } catch (...) { b[0] += 1; b[1] += 1; }", 2),
        ("try { if (n > 30) throw 1; a[0] += 1; } catch (...) { b[0] += 1; b[1] += 1; }", 1),
        ("try { check(m, 3); a[0] += 1; } catch (int) { b[0] += 1; b[1] += 1; } a[1] += 1;", 3),
        ("try { check(m, 5); a[0] += 1; } catch (int) { b[0] += 1; b[1] += 1; } a[1] += 1;", 2),
        ("try { check(m, 3); } catch (int k) { for (int i = 0; i < k; i++) a[i] += 1; }", 4),
        ("try { for (int i = 0; i < n; i++) { if (i == m) throw i; a[i] += 1; } } catch (int k) { LOOP }", 8),
        ("try { try { check(m, 3); } catch (double k) { a[0] += 1; } } catch (int k) { a[k] += 1; a[0] += 1; }", 2),
        ("for (int i = 0; i < n; i++) try { if (i % 3 == 1) throw i; } catch (int k) { LOOP }", 12),  # 1 + 4 + 7
    ],
)
def test_an_exception_leads_to_its_handler(text: str, flops: int) -> None:
    check = "void check(int v, int most) { if (v > most) throw v; }"
    text = text.replace("LOOP", LOOP)
    assert _exact(f"for (int i = 0; i < n; i++) b[i] = m; {text}", check) == (flops, True)


def test_a_number_thrown_in_one_of_several_iterations_is_not_known() -> None:
    text = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { if (i * j == m) throw j; a[i] += 1; }"
    assert not _exact(f"try {{ {text} }} catch (int k) {{ {LOOP} }}", evaluated=False)[1]


def test_of_several_handlers_none_is_taken_for_certain() -> None:
    text = "try { if (n > 3) throw 1; a[0] += 1; } catch (int) { b[0] += 1; } catch (...) { b[0] += 1; b[1] += 1; }"
    assert not _exact(text + "for (int i = 0; i < n; i++) a[i] += 1;")[1]


@pytest.mark.parametrize(
    ("made", "flops"),
    [("B k{4};", 12), ("B k{};", 6), ("B k{.h = 5};", 10), ("B k{1, 1};", 1), ("B k; k = {1};", 3), ("B k;", 6)],
)
def test_members_that_a_list_leaves_out_have_their_defaults(made: str, flops: int) -> None:
    assert _exact(f"{made} for (int i = 0; i < k.w * k.h; i++) a[i] += 1;", BOX) == (flops, True)


@pytest.mark.parametrize(
    ("made", "flops", "is_exact"),
    [
        ("P p; P *k = &p;", 0, True),
        ("Q p; P *k = &p;", 10, True),
        ("R p; P *k = &p;", 10, True),
        ("S p; P *k = &p;", 0, True),
        ("extern P *k;", 0, False),
    ],
)
def test_a_checked_cast_is_null_where_the_object_is_of_another_class(made: str, flops: int, is_exact: bool) -> None:
    assert _exact(f"{made} for (int i = 0; i < n; i++) one(k);", CLASSES) == (flops, is_exact)


@pytest.mark.parametrize(
    ("before", "number", "flops"),
    [
        ("int sum(int k) { return k == 0 ? 0 : k + sum(k - 1); }", "sum(4)", 10),
        ("int fib(int k) { if (k < 2) return k; return fib(k - 1) + fib(k - 2); }", "fib(6)", 8),
        ("bool even(int k); bool odd(int k) { return k == 0 ? false : even(k - 1); }"
         " bool even(int k) { return k == 0 ? true : odd(k - 1); }", "even(4) ? 3 : 5", 3),
    ],
)  # fmt: skip
def test_a_recursion_on_known_numbers_is_a_number(before: str, number: str, flops: int) -> None:
    assert _exact(f"const int k = {number}; {LOOP}", before) == (flops, True)


@pytest.mark.parametrize(
    ("test", "flops"), [("f & 1", 0), ("f & 4", 10), ("(f & 6) == 4", 10), ("f + 1 > 6", 0), ("f != 7", 10)]
)
def test_bits_of_a_number_that_sizes_choose_are_known(test: str, flops: int) -> None:
    text = f"int f = 5; if (n > m) f &= ~1; else f |= 2; for (int i = 0; i < n; i++) if ({test}) a[i] += 1;"
    assert _exact(text) == (flops, True)


ENTERED = "int k = (n + 3) / 4, i = 0; switch"
DUFF = "do { a[i++] *= 2; case 3: a[i++] *= 2; case 2: a[i++] *= 2; case 1: a[i++] *= 2; STOP } while (--k > 0);"


@pytest.mark.parametrize("name", ["x.cpp", "x.c"])
@pytest.mark.parametrize(
    ("entry", "flops"),
    [("n % 4", 10), ("m", 12), ("3", 11), ("7", 0), ("(n + m) % 3", 10)],  # k = 3: 4 * 2 + what the first one has
)
def test_cases_lead_into_a_loop(entry: str, flops: int, name: str) -> None:
    text = f"{ENTERED} ({entry}) {{ case 4: case 0: {DUFF.replace('STOP', '')} }}"
    assert _exact(text, name=name) == (flops, True)


def test_a_jump_in_a_loop_that_cases_lead_into_leaves_lower_bounds() -> None:
    text = f"{ENTERED} (n % 4) {{ case 0: {DUFF.replace('STOP', 'if (k == m) break;')} }}"
    report = file_report(f"void f(double *a, int n, int m) {{ {text} }}", "x.cpp")
    assert report.regions[0].profile.work.flops.upper is None


@pytest.mark.parametrize(
    ("stored", "flops"),
    [
        ("u.whole = m; int k = u.bits > 6 ? 1 : 2;", 2),
        ("u.whole = m - 9; int k = u.bits > 6 ? 1 : 2;", 1),  # of 2^32 - 5
        ("u.bits = 0x0103; int k = u.bytes[0] + 4 * u.bytes[1];", 7),
        ("u.whole = 7; u.bits = n; int k = u.whole;", 10),
        ("u.whole = 7; u.bytes[0] = m; int k = u.whole;", 4),
        ("u.whole = 260; u.bytes[1] = 0; int k = u.whole;", 4),
        ("u.whole = -1; u.bytes[3] = 0; int k = u.whole >> 20;", 15),
        ("u.bits = 4294967295u; int k = u.whole + 4;", 3),
        ("u.whole = 7; union N v = u; v.bits = 2; int k = u.bits - v.whole;", 5),
        ("union N v = {9}; int k = v.bytes[0];", 9),
        ("union N v[2]; v[0].whole = 9; v[0].bits = n; int k = v[0].whole;", 10),
    ],
)
@pytest.mark.parametrize("name", ["x.c", "x.cpp"])
def test_members_of_a_union_have_the_bytes_of_each_other(stored: str, flops: int, name: str) -> None:
    union = "union N { int whole; unsigned bits; unsigned char bytes[4]; float real; };"
    assert _exact(f"union N u; {stored} {LOOP}", union, name) == (flops, True)


@pytest.mark.parametrize(
    "stored",
    ["u.real = a[0];", "u.bytes[m] = 1;", "for (int i = 0; i < n; i++) u.bytes[i % 2] = 1;", "u.bytes[3] = n;"],
)
def test_what_other_members_leave_in_an_integer_is_not_known(stored: str) -> None:
    text = f"union N {{ int whole; unsigned char bytes[4]; float real; }} u; u.whole = 7; {stored}"
    report = file_report(f"void f(double *a, int n, int m) {{ {text} for (int i = 0; i < u.whole; i++) a[i] += 1; }}")
    assert report.regions[0].profile.work.flops.estimate.symbols & {"u.whole", "trip_L1"}


@pytest.mark.parametrize(
    ("table", "flops"),
    [
        ("M all[] = {&O::f, &O::f}; O o; for (auto g : all) a[0] = (o.*g)(a[0]);", 2),
        ("M all[] = {&O::h, &O::f}; O o; for (auto g : all) a[0] = (o.*g)(a[0]);", 4),
        ("double (*all[2])(double) = {twice, &twice}; for (auto g : all) a[0] = g(a[0]);", 2),
        ("double (*all[1])(double, double) = {twice}; for (auto g : all) a[0] = g(a[0], 2);", 3),
    ],
)
def test_a_table_points_at_the_function_of_its_type(table: str, flops: int) -> None:
    before = (
        "struct O { double f(int) const { return 1; } double f(double v) const { return v + 1; }"
        " double h(double v) const { return v * v * v + 1; } };"
        " using M = double (O::*)(double) const;"
        " double twice(double v) { return v * 2; } double twice(double v, double w) { return v * w * w * w; }"
    )
    assert _exact(f"{table} for (int i = 0; i < 1; i++) b[i] = 0;", before) == (flops, True)


@pytest.mark.parametrize(
    ("filled", "flops"),
    [
        ("memset(&u, 0, sizeof u); int k = u.lo;", 0),
        ("for (int i = 0; i < n; i++) memset(&u, 0, sizeof(struct R)); int k = u.lo;", 0),
        ("if (n < m) memset(&u, 0, sizeof u); int k = u.lo;", 7),
        ("memset(&u, 0, sizeof u); u.lo += m; int k = u.lo;", 4),
    ],
)
@pytest.mark.parametrize("name", ["x.c", "x.cpp"])
def test_members_of_an_object_that_is_filled_with_zeros_are_zero(filled: str, flops: int, name: str) -> None:
    before = "#include <string.h>\nstruct R { int lo, hi; };"
    assert _exact(f"struct R u; u.lo = 7; {filled} {LOOP}", before, name) == (flops, True)


@pytest.mark.parametrize("filled", ["memset(&u, 1, sizeof u);", "memset(&u, 0, 2);", "memset(&u, 0, n);"])
def test_members_of_an_object_that_is_filled_otherwise_are_not_known(filled: str) -> None:
    text = (
        f"#include <string.h>\nstruct R {{ int lo, hi; }}; void f(double *a, int n) {{ struct R u; u.lo = 7; {filled}"
    )
    report = file_report(f"{text} for (int i = 0; i < u.lo; i++) a[i] += 1; }}", "x.c")
    assert not report.regions[0].profile.work.flops.estimate.symbols <= {"n"}
