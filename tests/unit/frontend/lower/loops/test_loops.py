"""Loop headers, induction and exits: snippets to the canonical text of their nodes, derived by hand."""

import pytest

from analyzer.frontend.lower import LowerOptions, lower_unit
from analyzer.frontend.surface import nodes as sx
from analyzer.ir.written.text import region_text
from analyzer.source import Span
from tests.lowering import body, codes, lines, lower

HEADERS = {
    "for (int i=0;i<n;i++)": "for i in 0 .. n",
    "for (int i=0;i<=n;++i)": "for i in 0 .. n + 1",
    "for (int i=n-1;i>=0;i--)": "for i in n - 1 .. -1 step -1",
    "for (int i=n;i>0;i-=3)": "for i in n .. 0 step -3",
    "for (int i=0;n>i;i=i+4)": "for i in 0 .. n step 4",
    "for (int i=0;i<n && i<m;++i)": "for i in 0 .. min(m, n)",
    "for (int i=0;i<(n<m?n:m);i++)": "for i in 0 .. min(m, n)",
    "for (int i=0;i<min(n,m);i++)": "for i in 0 .. min(m, n)",
    "for (int i=n>m?n:m;i>0;i--)": "for i in max(m, n) .. 0 step -1",
    "for (int i=0;2*i<n;i++)": "for i in 0 .. floor((n + 1)/2)",
    "for (int i=0;i<n/2;i++)": "for i in 0 .. n/2",
    "for (int i=0;i!=n;i++)": "for i in 0 .. n",
    "for (int i=3;i<n;i+=m)": "for i in 0 .. floor((m + n - 4)/m)",
    "for (int i=1;i<n;i*=2)": "for i in 1 .. n * 2 (trip_L1 times)",
    "for (int i=n/2;i>0;i>>=1)": "for i in n/2 .. 0 / 2 (trip_L1 times)",
    "for (int i=0;i<1<<4;i++)": "for i in 0 .. 16",
    "for (int i=-n;i!=0;i++)": "for i in -n .. 0",
    "for (unsigned char i=10;i!=5;i++)": "for i in 10 .. 261",  # 255 is followed by 0
    "for (unsigned i=1;i;i<<=1)": "for i in 1 .. 4294967296 * 2 (trip_L1 times)",
    "for (unsigned i=3;i;i<<=1)": "for i in trip_L1 times",
    "for (int i=1;i!=0;i<<=1)": "for i in trip_L1 times",
    "for (unsigned i=n;i;i*=2)": "for i in trip_L1 times",
}


@pytest.mark.parametrize("header", HEADERS)
def test_the_range_of_a_for_loop(header: str) -> None:
    assert body(f"{header} a[i] = 0;")[0] == HEADERS[header]


def test_an_iterator_that_is_not_declared_starts_from_its_symbol() -> None:
    (region,) = lower("double *p = a; while (n--) { *p++ = 0.0; }").regions
    assert body("double *p = a; while (n--) { *p++ = 0.0; }") == ["for n.2 in n .. 0 step -1", "  a[n - n.2] := 0.0"]
    assert [symbol.name for symbol in region.symbols] == ["n"]


def test_a_counter_over_two_loops_is_their_linear_index() -> None:
    text = "int k = 0; for (i=0;i<N;i++) for (j=0;j<M;j++) { a[k] = b[i]; k++; }"
    assert body(text)[2] == "    a[M*i + j] := b[i]"


def test_a_packed_triangle_is_summed() -> None:
    text = "int k=0; for (int i=0;i<n;i++) for (int j=0;j<=i;j++) a[k++] = 0;"
    assert body(text)[-1] == "    a[1/2*i^2 + 1/2*i + j] := 0.0"


def test_a_counter_has_its_final_value_after_the_loop() -> None:
    assert body("int k=0; for (int i=0;i<10;i++) { k += 3; } a[k] = 0;") == [
        "for i in 0 .. 10", "  k := index(3*i + 3) (1 index)", "a[30] := 0.0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("header", "final"),
    [
        ("for (k=0;k<10;k+=4)", 12),
        ("for (k=0;k<=8;k+=4)", 12),
        ("for (k=0;k<8;k+=4)", 8),
        ("for (k=10;k>0;k-=4)", -2),
        ("for (k=10;k>2;k-=4)", 2),
        ("for (k=5;k<5;k+=4)", 5),
    ],
)
def test_a_strided_counter_ends_at_the_first_value_past_its_bound(header: str, final: int) -> None:
    assert body(f"int k; {header} b[k] = 0; a[k + 100] = 0;")[-1] == f"a[{final + 100}] := 0.0"


def test_two_counters_that_meet() -> None:
    text = "void f(int n, double *a) { int i, j; for (i=0,j=n-1;i<j;i++,j--) a[i] = a[j]; }"
    assert body(text) == ["for i in 0 .. floor(n/2)", "  a[i] := a[n - i - 1]"]


def test_pointer_walks_are_subscripts() -> None:
    text = "void f(double *p, int n) { double *e = p + n; while (p < e) { *p += 1; p += 2; } }"
    assert body(text) == ["for p in 0 .. n step 2", "  p[p] := add.fp64(p[p], 1.0)"]


def test_do_while_runs_at_least_once() -> None:
    assert body("int i=0; do { a[i]=0; i++; } while (i<n);")[0] == "for i in 0 .. max(1, n)"


def test_an_endless_loop_ends_at_its_first_break() -> None:
    assert body("int i=0; for (;;) { if (i>=n) break; a[i]=0; i++; }")[0] == "for L1 in 0 .. n"
    assert body("int i=0; while (1) { a[i]=0; i++; if (i>=n) break; }")[0] == "for L1 in 0 .. max(1, n)"


def test_a_loop_that_always_breaks_runs_once() -> None:
    text = "void f(int n, double *a) { for (int i=2;i<n;i++) { a[i]=0; break; } }"
    assert body(text) == ["if 2 < n", "  for i in 0 .. 1", "    a[2] := 0.0"]


def test_tiles_end_at_the_edge() -> None:
    text = "for (int t=0;t<n;t+=32) { int hi = t+32; if (hi>n) hi = n; for (int i=t;i<hi;i++) x[i]=1.0; }"
    assert "  for i in t .. min(n, t + 32)" in body(text)


def test_bounds_from_data_are_counted_by_a_symbol() -> None:
    text = """void f(int n, int *row, int *col, double *v, double *x, double *y) {
        for (int i=0;i<n;i++) { double s=0; for (int j=row[i];j<row[i+1];j++) s+=v[j]*x[col[j]]; y[i]=s; } }"""
    assert body(text) == lines("""
        for i in 0 .. n
          s := 0.0
          j := row[i]
          for j in trip_L2 times
            test $1 := row[i + 1] (1 index)
            $2 := col[j + ?{row[i]}]
            s := add.fp64(s, mul.fp64(v[j + ?{row[i]}], x[?{col[j]}]))
          y[i] := s
    """)
    assert codes(text) == ["AI203"]


def test_a_break_is_an_exit_under_its_guard() -> None:
    text = "void f(int n, double *a, double k) { for (int i=0;i<n;i++) { if (a[i]==k) break; a[i]=0; } }"
    assert body(text) == lines("""
        for i in 0 .. n
          $1 := compare.fp64(a[i], k)
          if ?{$1: a[i] == k}
            break i
          a[i] := 0.0
    """)
    assert codes(text) == ["AI202", "AI204"]


def test_continue_guards_the_rest_of_the_body() -> None:
    assert body("for (int i=0;i<n;i++) { if (i%2) continue; a[i]=1; b[i]=2; }") == lines("""
        for i in 0 .. n
          if i - 2*(i/2) == 0
            a[i] := 1.0
            b[i] := 2.0
    """)


def test_a_nested_continue_guards_what_follows_in_every_block() -> None:
    text = "for (int i=0;i<n;i++) { if (i>4) { if (i>8) continue; a[i]=1; } b[i]=2; }"
    assert body(text) == lines("""
        for i in 0 .. n
          if i > 4
            if i <= 8
              a[i] := 1.0
          if i <= 4 or i <= 8
            b[i] := 2.0
    """)


def test_an_early_return_guards_the_rest() -> None:
    text = "void f(int n, double *a) { if (n<=0) return; for (int i=0;i<n;i++) a[i]=0; }"
    assert body(text) == ["if n > 0", "  for i in 0 .. n", "    a[i] := 0.0"]


def test_a_flag_in_the_condition_is_an_exit() -> None:
    text = "void f(int n, double *a) { int hit=0; for (int i=0;i<n && !hit;i++) if (a[i]>0) hit=1; }"
    assert body(text)[:3] == ["for i in 0 .. n", "  if not ?{L1.0: ?{hit} == 0}", "    break i"]


def test_a_counter_under_a_condition_is_unknown_inside_and_a_symbol_after() -> None:
    text = """void f(int n, double *a, int *idx) { int c=0;
        for (int i=0;i<n;i++) if (a[i]>0) idx[c++]=i; for (int j=0;j<c;j++) a[idx[j]]=0; }"""
    found = body(text)
    assert "    idx[?{c}] := index(i)" in found
    assert "for j in 0 .. c" in found


def test_a_counter_behind_a_pointer_is_a_counter() -> None:
    text = "void f(int n, double *a) { int x=0; int *q=&x; for (int i=0;i<n;i++) { *q += 2; a[x]=0; } }"
    assert body(text)[-1] == "  a[2*i + 2] := 0.0"


def test_double_buffers_are_rows_that_change_places() -> None:
    text = """void f(int T, int n, double *a, double *b) { for (int t=0;t<T;t++) {
        for (int i=1;i<n-1;i++) b[i]=a[i-1]; double *s=a; a=b; b=s; } }"""
    assert body(text)[2] == "    a|b[1 - (t mod 2)][i] := a|b[t mod 2][i - 1] (1 index)"


def test_pragmas_map_loops() -> None:
    text = """#pragma omp parallel for collapse(2)
    for (int i=0;i<n;i++)
     for (int j=0;j<n;j++)
    #pragma omp simd
      for (int k=0;k<4;k++) a[k] = 0;"""
    assert body(text)[:3] == [
        "for i in 0 .. n on threads",
        "  for j in 0 .. n on threads",
        "    for k in 0 .. 4 on simd",
    ]


def test_a_symbolic_step_with_a_known_value_is_a_number() -> None:
    assert body("for (int i=0;i<n;i+=s) a[i]=0;", defines={"s": 4})[0] == "for i in 0 .. n step 4"


def test_rounded_quotients_of_integers_are_exact() -> None:
    text = (
        "void f(int n, double *a) { for (int i=0;i<ceil(n/32.0);i++) for (int j=0;j<floor((double)n/3);j++) a[i]=0; }"
    )
    assert body(text)[:2] == ["for i in 0 .. floor((n + 31)/32)", "  for j in 0 .. floor(n/3)"]


def test_deep_nesting_does_not_hurt() -> None:
    nest = "".join(f"for (int i{level}=0;i{level}<n;i{level}++) " for level in range(30))
    assert len(body(f"{nest} a[i0] = 0;")) == 31


@pytest.mark.slow
@pytest.mark.parametrize("leaning", ["left", "right"])
def test_thousands_of_operators_do_not_hurt(leaning: str) -> None:
    span = Span("x.c", 1, 1)
    array = sx.Variable("a", sx.PointerT(sx.DOUBLE), sx.Storage.PARAMETER, span)
    element: sx.Expression = sx.Index(sx.Name(array, span), sx.Number(0, sx.INT, span), span)
    total = element
    for _ in range(5000):
        total = sx.Binary("+", *((total, element) if leaning == "left" else (element, total)), span)
    block = sx.Block((sx.Evaluate(sx.Assign("", element, total, span), span),), span)
    function = sx.Function(
        key="f", name="f", parameters=(array,), result=sx.VOID, body=block, kind=sx.FunctionKind.HOST, span=span
    )
    (region,) = lower_unit(sx.Unit("x.c", {"f": function}, ()), LowerOptions(functions=frozenset({"f"}))).regions
    assert region_text(region).count("add.fp64") == 5000


@pytest.mark.parametrize(
    "loop",
    [
        "for (k = 0; k < n && k < b[k]; k++) b[k] = 0;",
        "do { if (b[k] > 0) break; k++; } while (k < n);",
        "do { if (b[0] > 0) break; k = 3; } while (b[1] > 0);",
        "while (k < n) { if (b[k] > 0) break; k++; }",
    ],
)
def test_a_loop_that_may_be_left_elsewhere_does_not_tell_what_it_leaves(loop):
    last = body(f"int k = 0; {loop} for (int j = 0; j < k; j++) b[j] = 1;")[-2]
    assert last.startswith(("for j in 0 .. k", "for j in trip_"))


def test_a_loop_that_a_size_guards_leaves_what_was_there_where_it_does_not_run():
    found = body("int k = 2; if (m > 3) for (k = 5; k < n; k++) b[k] = 0; for (int j = 0; j < k; j++) b[j] = 1;")
    guarded = body("int k; for (k = 0; k < n && m > 3; k++) b[k] = 0; for (int j = 0; j < k; j++) b[j] = 1;")
    assert found[-2] != "for j in 0 .. max(5, n)"
    assert guarded[-2] != "for j in 0 .. n"


@pytest.mark.parametrize(
    ("lines_before", "header", "shared"),
    [
        ("", "for (int i = id; i < N; i += nt)", "for i in 0 .. N on threads"),
        ("", "for (int i = id + 3; i <= N; i += nt)", "for i in 3 .. N + 1 on threads"),
        ("int lo = id*N/nt, hi = (id + 1)*N/nt;", "for (int i = lo; i < hi; i++)", "for i in 0 .. N on threads"),
    ],
)
def test_the_shares_of_all_threads_are_one_parallel_loop(lines_before: str, header: str, shared: str) -> None:
    declared = "int id = omp_get_thread_num(), nt = omp_get_num_threads();"
    assert shared in body(f"{declared} {lines_before} {header} a[i] = 0;")


def test_a_share_that_is_not_one_range_with_the_others_is_no_parallel_loop() -> None:
    declared = "int id = omp_get_thread_num(), nt = omp_get_num_threads();"
    found = body(f"{declared} for (int i = id; i < N; i += 2) a[i] = 0;")
    assert not any("on threads" in line for line in found)


SCATTERED = """
struct s { int n; double *x, *fx; };
void forces(struct s *s, int *start) {
  for (int i = 0; i < s->n; i++) for (int k = start[i]; k < start[i + 1]; k++) s->fx[k] -= s->x[i];
  for (int i = 0; i < s->n; i++) s->x[i] += s->fx[i];
}
void run(int *start, double *x, double *fx) { struct s s; s.n = 1000; s.x = x; s.fx = fx; forces(&s, start); }
"""


def test_members_that_a_loop_does_not_change_are_known_after_it_however_often_it_runs() -> None:
    found = [line for line in body(SCATTERED, "run") if line.lstrip().startswith("for ")]
    assert found == ["for i in 0 .. 1000", "  for k in trip_L4 times", "for i.2 in 0 .. 1000"]


def test_a_member_that_a_loop_of_data_changes_is_not_known_after_it() -> None:
    found = body(SCATTERED.replace("s->fx[k] -=", "s->n--, s->fx[k] -="), "run")
    assert "for i in 0 .. 1000" not in found[1:]
