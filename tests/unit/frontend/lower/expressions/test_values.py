"""Types, memory references, conditions and calls: snippets to the canonical text of their nodes, derived by hand."""

import pytest

from analyzer.ir.nodes import RegionKind
from roofline import estimate, source_text
from tests.lowering import body, codes, lines, lower


def statement(text: str, parameters: str = "int n, float *a, double *b, int *h, double d, float s, int k") -> list[str]:
    """The nodes of one statement inside a loop over i."""
    return [line[2:] for line in body(f"void f({parameters}) {{ for (int i=0;i<n;i++) {{ {text} }} }}")[1:]]


VALUES = {
    "a[i] = a[i]*d + k;": "a[i] := convert.fp32(add.fp64(mul.fp64(convert.fp64(a[i]), d), convert.fp64(index(k))))",
    "a[i] += 1;": "a[i] := add.fp32(a[i], 1.0)",
    "a[i] = a[i] * 2.0f;": "a[i] := mul.fp32(a[i], 2.0)",
    "b[i] = b[i] * (1.0/3 + 2);": "b[i] := mul.fp64(b[i], 2.3333333333333335)",
    "b[i] = i;": "b[i] := convert.fp64(index(i))",
    "b[i] = i/2;": "b[i] := convert.fp64(index(i/2)) (1 index)",
    "b[i] = -b[i];": "b[i] := neg.fp64(b[i])",
    "b[i]++;": "b[i] := add.fp64(b[i], 1.0)",
    "a[i] = sqrtf(a[i]);": "a[i] := sqrt[sqrt].fp32(a[i])",
    "b[i] = exp(b[i]);": "b[i] := call[exp].fp64(b[i])",
    "b[i] = fmax(b[i], 0);": "b[i] := max[fmax].fp64(b[i], 0.0)",
    "b[i] = fma(b[i], d, d);": "b[i] := fma[fma].fp64(b[i], d, d)",
    "h[i] = h[i] + h[k];": "h[i] := add.int32(h[i], h[k])",
    "h[i] <<= 1;": "h[i] := shift.int32(h[i], 1)",
    "b[i] = i > k;": "b[i] := convert.fp64(compare.int32(index(i), index(k)))",
    "b[i & ~3] = 0;": "b[4*floor(i/4)] := 0.0 (1 index)",
    "b[(i + 1) % n] = 0;": "b[i - n*min(1, max(0, i - n + 2)) + 1] := 0.0 (2 index)",
}


@pytest.mark.parametrize("text", VALUES)
def test_the_value_of_a_statement(text: str) -> None:
    assert statement(text) == [VALUES[text]]


def test_chained_assignments_store_each_and_load_none() -> None:
    assert statement("b[i] = b[k] = d*d;") == ["$1 := mul.fp64(d, d)", "b[k] := $1", "b[i] := $1"]


def test_a_loaded_subscript_is_a_statement_and_an_unknown() -> None:
    assert statement("b[h[i] + 1] += 2;") == ["$1 := h[i]", "b[?{h[i]} + 1] := add.fp64(b[?{h[i]} + 1], 2.0) (1 index)"]


def test_arms_with_loads_are_guarded_and_plain_arms_selected() -> None:
    assert statement("d = b[i] > d ? b[i] : d;") == lines("""
        $1 := compare.fp64(b[i], d)
        if ?{$1: b[i] > d}
          $2 := b[i]
        else
          $2 := d
        d := $2
    """)
    assert statement("b[i] = d > 1 ? d : 0.0;") == ["$1 := compare.fp64(d, 1.0)", "b[i] := select.fp64($1, d, 0.0)"]


def test_the_right_side_of_and_is_evaluated_under_the_left() -> None:
    assert statement("if (i > 0 && b[i] > 0) b[i] = 0;") == lines("""
        if i > 0
          $1 := compare.fp64(b[i], 0.0)
        if i > 0 and ?{$1: b[i] > 0.0}
          b[i] := 0.0
    """)


def test_conditions_kept_in_variables_stay_exact() -> None:
    assert statement("int in = i > 0 && i < k; if (in) b[i] = 0;") == ["if i > 0 and i < k", "  b[i] := 0.0"]


def test_masks_and_shifts_are_exact_conditions() -> None:
    assert statement("if ((i & 1) == 0 && i >> 2 > 3) b[i] = 0;")[0] == "if i mod 2 == 0 and floor(i/4) > 3"


def test_a_switch_on_an_index_is_a_chain_of_guards() -> None:
    assert statement("switch (i % 3) { case 0: b[i]=0; break; case 1: b[i]=1; break; default: b[i]=2; }") == lines("""
        if i - 3*(i/3) == 0
          b[i] := 0.0
        else
          if i - 3*(i/3) == 1
            b[i] := 1.0
          else
            b[i] := 2.0
    """)


REFERENCES = {
    "void f(int n,double **a){ for(int i=0;i<n;i++) a[i][2]=0; }": ["$1 := a[i]", "a[][i][2]<?, 8> := 0.0"],
    "void f(int n,double *p){ double (*A)[n]=(double(*)[n])p; for(int i=0;i<n;i++) A[i][2]=0; }": [
        "p[i][2]<8*n, 8> := 0.0"
    ],
    "void f(int n,double A[n][n]){ for(int i=0;i<n;i++) { double *r = A[i]; r[2] = 0; } }": ["A[i][2] := 0.0"],
    "void f(int n,double A[n][n]){ for(int i=0;i<n;i++) { double *r = &A[0][0]; r[2*n+i] = 0; } }": [
        "A[0][i + 2*n] := 0.0 (2 index)"
    ],
    "struct P{double x; double v[3]; int n;}; void f(int n,struct P*p){ for(int i=0;i<n;i++) p[i].v[2]+=p[i].x; }": [
        "p[i][2].v+8<40, 8>:fp64 := add.fp64(p[i][2].v+8<40, 8>:fp64, p[i].x+0:fp64)"
    ],
    "struct S{int n; double *x;}; void f(struct S*s){ for(int i=0;i<s->n;i++) s->x[i]=0; }": [
        "test $1 := s[0].n+0:int32", "$2 := s[0].x+8:pointer", "s->x[i] := 0.0",
    ],
    "struct V{double x,y;}; void f(int n,struct V*a){ struct V s; for(int i=0;i<n;i++) s=a[i]; }": [
        "s.x := a[i].x+0:fp64", "s.y := a[i].y+8:fp64",
    ],
    "void f(int n){ double t[n][4]; for(int i=0;i<n;i++) t[i][1]=0; }": ["t[i][1] := 0.0"],
    "void f(int n){ double *t=(double*)malloc(8*n); for(int i=0;i<n;i++) t[i]=0; free(t); }": ["t[i] := 0.0"],
    "const int M=10; double A[100][10]; void f(int n){ for(int i=0;i<n;i++) A[i][M-1]=0; }": ["A[i][9] := 0.0"],
}  # fmt: skip


@pytest.mark.parametrize("text", REFERENCES)
def test_memory_references(text: str) -> None:
    assert [line.strip() for line in body(text)[1:]] == REFERENCES[text]


def test_inlined_functions_vanish() -> None:
    text = """static double sq(double x) { return x*x; }
    static int at(int i, int j, int n) { return i*n+j; }
    static void add(double *a, double v) { *a += v; }
    void f(int n, double *a) { for (int i=0;i<n;i++) { a[at(i,2,n)] = sq(a[i])+1; add(&a[i],2.0); } }"""
    assert body(text) == lines("""
        for i in 0 .. n
          x := a[i]
          a[i*n + 2] := add.fp64(mul.fp64(x, x), 1.0) (2 index)
          a[i] := add.fp64(a[i], 2.0)
    """)


def test_several_returns_of_indices_may_be_a_minimum() -> None:
    text = """int imin(int a, int b) { if (a<b) return a; return b; }
    void f(int n, int m, double *x) { for (int i=0;i<imin(n,m);i++) x[i]=0; }"""
    assert body(text, "f") == ["for i in 0 .. min(m, n)", "  x[i] := 0.0"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b[i] = g(b[i]) + g(d);", ["AI201"]),
        ('printf("%g", b[i]); free(b);', []),
        ("if (b[i] > 0) b[i] = 0;", ["AI202"]),
        ("goto end; end: ;", []),
    ],
)
def test_what_is_reported(text: str, expected: list[str]) -> None:
    assert codes(f"void f(int n, double *b, double d) {{ for (int i=0;i<n;i++) {{ {text} }} }}") == expected


def test_recursion_is_reported_as_a_loop_over_the_calls() -> None:
    text = "int fib(int n) { return n<2?n:fib(n-1)+fib(n-2); } void f(double *a) { for(int i=0;i<9;i++) a[i]=fib(i); }"
    assert codes(text) == ["AI202", "AI203", "AI207"]


def test_silent_calls_still_load_their_arguments() -> None:
    assert statement("srand(b[i]);") == ["_ := b[i]"]


def test_calls_that_take_time_are_kept_without_arithmetic() -> None:
    assert statement('printf("%g", b[i]);') == ["_ := b[i]", "_ := call[printf].void()"]
    assert statement("b[i] = rand();") == ["b[i] := opaque.unknown{call of rand}(call[rand].void())"]


def test_bits_that_an_assignment_mixes_are_data() -> None:
    loop = "for (int i = 0; i < 9; i++) { x ^= y; y = 3 * o[i]; o[i] = x; }"
    text = f"void f(unsigned *o, unsigned y) {{ unsigned x = 1; {loop} }}"
    assert [line.strip() for line in body(text)][1] == "x := bitwise.uint32(x, y)"


def test_variables_with_one_name_keep_their_own_registers() -> None:
    text = (
        "int s = 5; for (x = 0; x < 9; x++) { int s = 0; for (y = 0; y < 9; y++) { s += b[y]; a[y] = s; } } a[0] = s;"
    )
    assert [line.strip().replace("y.2", "y") for line in body(f"void f(int *a, int *b, int x, int y) {{ {text} }}")][
        3:5
    ] == [
        "s.2 := add.int32(s.2, b[y])",
        "a[y] := s.2",
    ]


def test_regions_are_functions_with_loops_and_what_is_named() -> None:
    text = "void f(double *a) { for (int i=0;i<9;i++) a[i]=0; } double g(double x) { return x*x; }"
    assert [(region.name, region.kind) for region in lower(text).regions] == [("f", RegionKind.FUNCTION)]
    assert body(text, "g") == ["_ := mul.fp64(x, x)"]
    (fragment,) = lower("\nfor (i=0;i<9;i++) a[i]=0;").regions
    assert (fragment.name, fragment.kind) == ("L2", RegionKind.LOOP)


def test_defines_give_symbols_their_values() -> None:
    (region,) = lower("for (i=0;i<n;i++) a[i]=0;", defines={"n": 7}).regions
    assert [(symbol.name, symbol.value) for symbol in region.symbols] == [("n", 7)]


def test_assumptions_name_what_was_taken_for_granted() -> None:
    (region,) = lower("void f(int n, double *x, double *y) { for (int i=0;i!=n;i++) x[i]=y[i]; }").regions
    assert [item.code for item in region.assumptions] == ["AI302", "AI304"]


def test_each_call_of_an_allocating_function_gives_other_storage():
    text = """
    double *make(int n) { double *p = malloc(8 * n); return p; }
    void f(int n) { double *a = make(n), *b = make(n); for (int i = 0; i < n; i++) a[i] += b[i]; }
    """
    assert "a[i] := add.fp64(a[i], b[i])" in "\n".join(body(text, function="f"))


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("if (w == NULL) a[i] = 1; else a[i] = w[i];", ["w"]),
        ("if (w && n) a[i] = w[i];", ["w"]),
        ("if (!t[n]) t[n] = a; a[0] = t[n][0];", ["t[]"]),
        ("if (p->w != 0) a[0] = p->w[1];", ["p->w"]),
        ("double *x = malloc(n * 8); if (!x) return; a[0] = x[0];", []),
        ("double *x = 0; if (x) a[0] = x[0];", []),
        ("double x[9]; if (x != NULL) a[0] = x[0];", []),
        ("int k; int *x = &k; if (x) a[0] = 1;", []),
    ],
)
def test_pointers_are_taken_not_to_be_null(text: str, reported: list[str]) -> None:
    """A test for null depends on no data, but it is reported, unless the pointer is known to point at an object."""
    head = "#include <stdlib.h>\nstruct s { double *w; };\n"
    parameters = "int n, double *a, double *w, double **t, struct s *p"
    unit = lower(f"{head}void f({parameters}) {{ for (int i = 0; i < n; i++) {{ {text} }} }}")
    notes = [item.text for item in unit.regions[0].assumptions if item.code == "AI312"]
    assert notes == [f"{name} is not a null pointer" for name in reported]


@pytest.mark.parametrize("cast", ["(int)", "(bool)(int)"])
def test_a_truth_value_that_is_cast_is_still_a_condition(cast: str) -> None:
    assert statement(f"bool ok = {cast}(i < k); if (ok) b[i] = 0;") == statement("bool ok = i < k; if (ok) b[i] = 0;")


def test_a_negative_number_wraps_in_a_short_unsigned_integer() -> None:
    loop = "for (int w = 1; w < n; w++) {{ {kind} k = -w; for (int j = 0; j < k; j++) s += a[j]; }}"
    for kind, modulus in (("unsigned char", 256), ("unsigned short", 65536)):
        report = estimate(source_text(f"double s; {loop.format(kind=kind)}"), sizes={"n": 300})
        (region,) = report.regions
        assert region.flops.value == sum(-w % modulus for w in range(1, 300))


def test_what_only_one_arm_of_a_choice_changes_is_not_counted_by_the_loop() -> None:
    text = """void merge(long n, double *restrict a, double *restrict b, double *restrict c) {
      long k = 0, l = 0; for (long i = 0; i < n; i++) a[i] = b[k] < c[l] ? b[k++] : c[l++]; }"""
    (region,) = estimate(source_text(text), sizes={"n": 1000}).regions
    assert not region.profile.footprint.read.bytes.is_exact
