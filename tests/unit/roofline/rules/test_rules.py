"""One source that each rule finds, and the nearest one that it must let pass."""

from fractions import Fraction

import pytest

from roofline import estimate, source_text
from roofline.rules.checking import RULES, TOPICS, CheckSettings, check
from roofline.rules.codes import BOUND_CODE, check_codes
from roofline.rules.demands import Budget, Demand
from tests.checked import checked, found

HEAD = "void f(int n, float *restrict x, float *restrict y, double *restrict a, double *restrict b, double *restrict c"
TRIAD = HEAD + ")\n{\n  for (int i = 0; i < n; i++)%s\n    a[i] = b[i] + 3.0 * c[i];\n}\n"
STENCIL = """\
void f(int n, double (*restrict a)[n], double (*restrict b)[n]) {
  for (int j = 1; j < n - 1; j++)
    for (int i = 1; i < n - 1; i++)
      a[j][i] = b[j - 1][i] + b[j + 1][i];
}
"""
TILE = """\
__global__ void t(float *out, const float *in, int n) {
  __shared__ float tile[32][%d];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[%s] = tile[threadIdx.x][threadIdx.y];
}
int main() { float *a, *b; t<<<dim3(32, 32), dim3(32, 32)>>>(a, b, 1024); }
"""
ACROSS, ALONG = "x * n + y", "y * n + x"


def body(text, **sizes):
    return HEAD + "".join(f", double {name}" for name in sizes) + ")\n{\n" + text + "}\n"


def test_every_code_has_a_rule():
    elsewhere = {BOUND_CODE, "AI005", "AI103", "AI114"}  # directives, baselines, suppressions
    assert set(RULES) | elsewhere == set(check_codes())
    assert not elsewhere & set(RULES)
    assert len(RULES) == sum(len(topic.RULES) for topic in TOPICS)  # no code has two rules


def only(code, findings):
    return [line for one, line in findings if one == code]


@pytest.mark.parametrize(("asked", "lines"), [("min-ai=0.1", [3]), ("min-ai=1/12", []), ("hot", [])])
def test_intensity_below_its_budget(asked, lines):
    assert only("AI101", found(TRIAD % f" // ai-estimate: {asked}")) == lines


def test_a_budget_that_is_met_without_write_allocate_is_missed_with_it():
    text = TRIAD % " // ai-estimate: min-ai=1/12"
    assert only("AI101", found(text, "haswell")) == [3]


@pytest.mark.parametrize(
    ("bound", "codes"), [("memory", []), ("DRAM", []), ("compute", ["AI102"]), ("L2", ["AI102"]), ("cpu", ["AI104"])]
)
def test_the_bound_must_be_the_required_one(bound, codes):
    findings = found(TRIAD % f" // ai-estimate: bound={bound}", "haswell")
    assert [code for code, _ in findings if code in ("AI102", "AI104")] == codes


@pytest.mark.parametrize(
    ("asked", "text", "why"),
    [
        ("bound=memory", "a[i] = b[i];", "no machine is named"),
        ("hot", "a[i] = interpolate(b[i]);", "not all of it is counted"),
    ],
)
def test_what_cannot_be_checked_is_found(asked, text, why):
    source = body(f"  // ai-estimate: {asked}\n  for (int i = 0; i < n; i++) {text}\n")
    (finding,) = (one for one in checked(source).outcome.findings if one.code == "AI104")
    assert (finding.span.line, why in finding.message) == (4, True)


def test_every_call_of_an_unknown_function_hides_work():
    call = "  for (int i = 0; i < n; i++) a[i] = interpolate(b[i]);%s\n"
    source = body(call % "" + call % " // ai-estimate: hot" + call % "")
    assert [one for one in found(source) if one[0] == "AI104"] == [("AI104", 4)]


def test_an_intensity_that_grows_with_a_size_needs_the_size():
    text = """\
void f(int n, double (*a)[n], double (*b)[n], double (*c)[n]) {
  for (int i = 0; i < n; i++) // ai-estimate: min-ai=2
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++) a[i][j] += b[i][k] * c[k][j];
}
"""
    assert found(text) == [("AI104", 2)]
    assert found(text, defines={"n": "1000"}) == []
    assert found(text, defines={"n": "10"}) == [("AI101", 2)]


def test_a_demand_on_a_called_loop_is_not_one_on_the_loop_that_calls():
    text = """\
static void kick(int n, double *restrict v, const double *restrict u) {
  for (int i = 0; i < n; i++) v[i] += u[i]; // ai-estimate: min-ai=9
}
void run(int n, int steps, double *restrict v, const double *restrict u, double *restrict w) {
  for (int t = 0; t < steps; t++) {
    kick(n, v, u);
    for (int i = 0; i < n; i++) w[i] += v[i];
  }
}
"""
    assert [one for one in found(text, defines={"n": "10000000", "steps": "10"}) if one[0] == "AI101"] == [("AI101", 2)]


def test_without_bytes_no_intensity_is_too_low():
    loop = "  for (int i = 0; i < n; i++) s *= s; // ai-estimate: min-ai=9\n"
    assert found("double f(int n, double s) {\n" + loop + "  return s;\n}\n") == []


def test_a_demand_on_what_is_no_loop_is_found():
    assert ("AI104", 3) in found(
        body("  a[0] = 1; // ai-estimate: hot\n  for (int i = 0; i < n; i++) a[i] = 2*b[i];\n")
    )


def test_a_walk_by_columns():
    walk = (
        "void f(int n, double a[][%s]) {\n  for (int %s = 0; %s < n; %s++)\n"
        "    for (int %s = 0; %s < n; %s++)\n      a[i][j] *= 2;\n}\n"
    )
    assert only("AI105", found(walk % ("500", *"jjjiii"))) == [4]
    assert only("AI105", found(walk % ("500", *"iiijjj"))) == []
    short = walk.replace("< n", "< 200") % ("500", *"jjjiii")
    assert only("AI105", found(short)) == []  # 200 lines of 64 bytes stay in the L1
    assert only("AI105", found(short, "haswell")) == []
    assert only("AI105", found(short, "a64fx")) == [4]  # 200 lines of 256 bytes do not
    rows = walk % ("16", *"jjjiii")  # 128 bytes
    assert only("AI105", found(rows, "haswell")) == [4]
    assert only("AI105", found(rows, "a64fx")) == []  # two rows share a line
    assert only("AI105", found(short, "v100")) == []  # a GPU has no lines of a CPU


@pytest.mark.parametrize("machine", [(), ("v100",)])
def test_uncoalesced_access(machine):
    assert only("AI106", found(TILE % (32, ACROSS), *machine, name="x.cu")) == [6]
    assert only("AI106", found(TILE % (32, ALONG), *machine, name="x.cu")) == []


def test_uncoalesced_access_without_a_launch():
    text = """__global__ void scale(int n, float *y, const float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) for (int k = 0; k < n; k++)
    y[%s] = 2.0f * x[k*n + i];
}"""
    assert only("AI106", found(text % "i*n + k", "v100", name="x.cu")) == [4]
    assert only("AI106", found(text % "k*n + i", "v100", name="x.cu")) == []


def test_clamped_columns_are_uncoalesced():
    """Neighbouring threads of a filter that goes down the columns of an image are a row apart but at its border."""
    text = """__global__ void f(int w, int h, float *out, const float *in) {
      int y = blockIdx.x * blockDim.x + threadIdx.x;
      float s = 0;
      for (int k = -2; k <= 2; k++) s += in[min(max(y + k, 0), h - 1) * %s];
      out[y] = s; }
    void g(float *a, float *b) { f<<<16, 64>>>(1024, 1024, a, b); }"""
    assert only("AI106", found(text % "w", "v100", name="x.cu")) == [4]
    assert only("AI106", found(text % "1", "v100", name="x.cu")) == []


def test_bank_conflicts():
    assert only("AI107", found(TILE % (32, ALONG), "v100", name="x.cu")) == [6]
    assert only("AI107", found(TILE % (33, ALONG), "v100", name="x.cu")) == []


def test_avoidable_write_allocate():
    assert only("AI108", found(TRIAD % "", "haswell")) == [3]
    assert only("AI108", found(body("  for (int i = 0; i < n; i++) a[i] += b[i];\n"), "haswell")) == []


FIRST = "  for (int i = 0; i < n; i++) a[i] = b[i] + c[i];\n"


@pytest.mark.parametrize(
    ("second", "lines"),
    [
        ("for (int j = 0; j < n; j++) c[j] = a[j] * b[j];", [4]),
        ("for (int j = 1; j < n; j++) c[j] = a[j] * b[j];", []),  # other bounds
        ("for (int j = 0; j < n; j++) c[j] = a[n - j];", []),  # other turns read what the first loop writes
        ("b[0] = 1; for (int j = 0; j < n; j++) c[j] = a[j];", []),  # something between
        ("for (int j = 0; j < n; j++) x[j] = y[j];", []),  # nothing in common
    ],
)
def test_missed_fusion(second, lines):
    assert only("AI109", found(body(FIRST + "  " + second + "\n"))) == lines


def test_a_sum_that_the_next_loop_needs_keeps_them_apart():
    needs = (
        "  double s = 0;\n  for (int i = 0; i < n; i++) s += a[i];\n  for (int i = 0; i < n; i++) b[i] = s * a[i];\n"
    )
    assert only("AI109", found(body(needs))) == []


def test_arrays_that_the_last_cache_holds_need_no_fusion():
    text = body(FIRST + "  for (int j = 0; j < n; j++) c[j] = a[j] * b[j];\n")
    assert only("AI109", found(text, "haswell", defines={"n": "1000"}, cache=False)) == []
    assert only("AI109", found(text, "haswell", defines={"n": "100000000"}, cache=False)) == [4]


def test_conflicts_are_those_of_the_nest_and_one_finding_for_all_its_arrays():
    text = (
        "double a[256][512], b[256][512], c[512];\nvoid f(void) {\n"
        "  for (int t = 0; t < 9; t++) for (int i = 0; i < 512; i++) c[i] += 1;\n"
        "  for (int j = 0; j < 512; j++)\n    for (int i = 0; i < 256; i++)\n      a[i][j] += b[i][j];\n}\n"
    )
    assert only("AI110", found(text, "haswell")) == [4]
    (told,) = [item.message for item in checked(text, "haswell").outcome.findings if item.code == "AI110"]
    assert "lines of a, b are 4096 bytes apart" in told


def test_references_are_named_as_their_line_spells_them():
    text = (
        "static void *get(int n) { void *p = malloc(n); return p; }\n"
        "static void sums(int n, double a[][2560], double *s) {\n"
        "  for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) s[j] += a[i][j] / n;\n}\n"
        "void f(void) { double *rows = get(8 * 2560 * 2560), *s = get(8 * 2560);\n"
        "  sums(2560, (double (*)[2560])rows, s); }"
    )
    told = {item.code: item.message for item in checked(text, "haswell").outcome.findings}
    assert told["AI105"].startswith("a[i][j] has a stride of 20480 bytes")
    assert told["AI112"].startswith("division by n,")
    assert "lines of rows are 20480 bytes apart" in told["AI110"]


def test_an_interchange_that_moves_the_stride_is_not_advised():
    text = (
        "void f(int n, double a[n][n], double b[n][n]) {\n"
        "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[j][i] = %s;\n}\n"
    )
    (moved,) = [item.hint for item in checked(text % "a[i][j]").outcome.findings if item.code == "AI105"]
    assert moved == "block j and i: interchanged, a[i][j] would have such a stride"
    (gone,) = [item.hint for item in checked(text % "0").outcome.findings if item.code == "AI105"]
    assert gone.startswith("interchange j and i")


def test_only_innermost_loops_are_walked_or_divide():
    text = (
        "void f(int n, double a[n][n], double *s, double c) {\n"
        "  for (int j = 0; j < n; j++)\n    for (int i = 0; i < n; i++) {\n"
        "      s[i] += a[i][j] / c;\n%s    }\n}\n"
    )
    assert {"AI105", "AI112"} <= {code for code, _ in found(text % "")}
    held = found(text % "      for (int k = 0; k < n; k++) s[k] *= 2;\n")
    assert {"AI105", "AI112"}.isdisjoint(code for code, _ in held)


def test_what_is_inlined_is_found_once():
    text = (
        "static void g(int n, double *x, double sum) {\n  for (int i = 0; i < n; i++) x[i] /= sum;\n}\n"
        "struct S { int n; double *x, total; };\nvoid f(struct S *s) { g(s->n, s->x, s->total); }\n"
    )
    (told,) = [item.message for item in checked(text).outcome.findings if item.code == "AI112"]
    assert told.startswith("division by sum,")


def test_memory_functions_choose_their_stores():
    loop = "  for (int i = 0; i < n; i++) a[i] = 0;\n"
    assert only("AI108", found(body(loop), "haswell", cache=False)) == [3]
    assert (
        only("AI108", found("#include <string.h>\n" + body("  memset(a, 0, 8 * n);\n"), "haswell", cache=False)) == []
    )


def test_members_of_a_vector_are_one_access():
    text = "__global__ void f(short *y, short *x) { int i = threadIdx.x; %s; }\n"
    assert only("AI106", found(text % "((int4 *)y)[i] = ((int4 *)x)[i]", name="x.cu")) == []
    assert only("AI106", found(text % "y[8 * i] = x[8 * i]", name="x.cu")) == [1, 1]


def test_power_of_two_strides():
    walk = (
        "double a[2048][%d];\ndouble f(double s) {\n  for (int j = 0; j < 64; j++)\n"
        "    for (int i = 0; i < 2048; i++)\n      s += a[i][j];\n  return s;\n}\n"
    )
    assert only("AI110", found(walk % 2048)) == [5]
    assert only("AI110", found(walk % 2056)) == []
    assert only("AI110", found(walk % 2048, "haswell")) == [3]
    assert only("AI110", found(walk % 2056, "haswell")) == []


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ("x[i] = y[i] * 0.1;", [3]),
        ("x[i] = y[i] * 0.1f;", []),
        ("x[i] = y[i] * 2.0;", []),  # gcc and clang compute that in fp32, at all levels
        ("x[i] = y[i] * 2.0 * y[i];", [3]),  # but not where the result goes on in fp64
        ("if (y[i] > 0.) x[i] = 1;", []),
        ("if (y[i] > 0.1) x[i] = 1;", [3]),
        ("a[i] = y[i] * 0.1;", []),  # the result is wanted in fp64
        ("x[i] = y[i] * 0.1 + a[i];", []),  # some data are fp64
        ("x[i] = y[i] * 1e-3;", [3]),
        ("if (fabs(y[i]) > 0.0001) x[i] = 1;", []),  # fabs has a double in C, whatever the constant is
        ("if (fabsf(y[i]) > 0.0001) x[i] = 1;", [3]),
        ("x[i] = (float)((double)y[i] * 2.0f); // not 2.0", []),
    ],
)
def test_a_double_constant_in_float_code(statement, lines):
    assert only("AI111", found(body(f"  for (int i = 0; i < n; i++) {statement}\n"))) == lines


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ("a[i] = b[i] / s;", [3]),
        ("a[i] = b[i] / c[0];", [3]),
        ("a[i] = b[i] / a[0];", []),  # written in the loop
        ("a[i] = b[i] / c[i];", []),
        ("a[i] = b[i] / 4.0;", []),  # exact as a product
        ("a[i] = b[i] / 3.0;", [3]),
        ("s = s / 3.0 + b[i]; a[i] = b[i] / s;", [3]),  # only the first divisor stays
    ],
)
def test_division_by_what_stays_the_same(statement, lines):
    source = body(f"  for (int i = 0; i < n; i++) {{ {statement} }}\n", s=1)
    assert only("AI112", found(source)) == lines


def test_a_working_set_just_above_a_cache():
    # between two uses of b lie three rows of b and of a, 48*n bytes: 32 KiB of L1 hold them up to n = 684
    def lines(n):
        return only("AI113", found(STENCIL, "haswell", defines={"n": str(n)}))

    assert lines(750) == [2]
    assert lines(650) == []
    assert lines(1000) == []  # far above


def test_a_nest_that_is_inlined_where_its_sizes_are_known_is_judged_once_and_there():
    text = (
        "static void g(int n, double *a) {\n"
        "  for (int i = 0; i < n; i++) // ai-estimate: min-ai=5\n"
        "    for (int j = 0; j < n; j++) a[i] += 2.0;\n}\n"
        "void main_(double *a) { g(100, a); }\n"
    )
    (bound,) = checked(text).outcome.bounds
    assert (bound.function, bound.facts["intensity"]) == ("g", 100 * 100 / (100 * 16))
    assert found(text) == []


@pytest.mark.parametrize(("distance", "sizes", "codes"), [(2, 200, ["AI115"]), (1000, 200, []), (2, None, ["AI104"])])
def test_a_loop_is_too_far_from_what_any_order_has_to_move(distance, sizes, codes):
    text = """void f(int n, double (*a)[n], double (*b)[n], double (*c)[n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j]; }"""
    given = {} if sizes is None else {"n": sizes}
    report = estimate(source_text(text, "x.c"), hierarchy="L1:16KiB", sizes=given, least_traffic=True)
    settings = CheckSettings(budgets=(Budget(Demand(max_distance=Fraction(distance))),))
    findings = check(report, settings).outcome.findings
    assert [one.code for one in findings if one.code in ("AI104", "AI115")] == codes


def test_a_divisor_is_a_power_of_two_once_rounded_to_its_type():
    """RAND_MAX is 2^31 - 1: 2^31 as a float, and no power of two as a double."""
    source = (
        "#include <stdlib.h>\nvoid f(int n, {0} *a) {{ for (int i = 0; i < n; i++) a[i] = ({0})rand() / RAND_MAX; }}\n"
    )
    assert found(source.format("float")) == []
    assert ("AI112", 2) in found(source.format("double"))
