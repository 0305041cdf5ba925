"""Launches found in host code: what constant propagation knows, and what stays open."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.host.interpreter import find_launches
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile

KERNEL = "#include <cstdlib>\n#include <cmath>\n#include <vector>\n__global__ void k(int n, float *x) { x[0] = n; }\n"


SHAPE = "dim3 shape(int n) { dim3 g; while (2 * g.x <= n) g.x *= 2; return g; }\n"


def unit(text):
    parsed = parse_clang(SourceFile("x.cu", KERNEL + text, Language.CUDA), ParseOptions())
    assert [found for found in parsed.diagnostics if found.code in ("AI001", "AI003")] == []
    return parsed.unit


def launches(text, arguments=None, defines=None):
    return find_launches([unit(text)], arguments, defines)


def main(body, arguments=None, defines=None):
    """Grid, block and arguments of the launches of a ``main``."""
    found = launches(SHAPE + "int main(int argc, char **argv) { float *x; " + body + " }", arguments, defines)
    return [(item.launch.grid, item.launch.block, item.arguments.get("n")) for item in found]


LAUNCH = "k<<<g, b>>>(n, x);"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("k<<<4, 64>>>(7, x);", ((4, 1, 1), (64, 1, 1), 7)),
        ("k<<<dim3(4, 2), dim3(8, 8, 2)>>>(7, x);", ((4, 2, 1), (8, 8, 2), 7)),
        ("int n = 1000, b = 256, g = (n + b - 1) / b; " + LAUNCH, ((4, 1, 1), (256, 1, 1), 1000)),
        ("int n = 1000, b = 256, g = ceil(n / (float)b); " + LAUNCH, ((4, 1, 1), (256, 1, 1), 1000)),
        ("int n = 1 << 10; dim3 b(32, 8); dim3 g(n / b.x, n / b.y); " + LAUNCH, ((32, 128, 1), (32, 8, 1), 1024)),
        ("int n = 10, b = 1, g = 1; while (b < n) b *= 2; " + LAUNCH, ((1, 1, 1), (16, 1, 1), 10)),
        ("int n = 5; dim3 b(4), g; g.x = n; g.y = 3; " + LAUNCH, ((5, 3, 1), (4, 1, 1), 5)),
        ("int n = 5; dim3 b(4), g; for (g.x = 1; g.x < n; g.x *= 2); " + LAUNCH, ((8, 1, 1), (4, 1, 1), 5)),
        ("int n = 7; dim3 b(4), g = shape(n); " + LAUNCH, ((4, 1, 1), (4, 1, 1), 7)),
        ("int n = 5, b = n > 4 ? 32 : 64, g = std::max(n, 2); " + LAUNCH, ((5, 1, 1), (32, 1, 1), 5)),
        ("int n = 0, b = 8, g = 2; if (x) n = 3; else n = 3; " + LAUNCH, ((2, 1, 1), (8, 1, 1), 3)),
        ("std::vector<int> v(96); int n = v.size(), b = 32, g = n / b; " + LAUNCH, ((3, 1, 1), (32, 1, 1), 96)),
        ("int sizes[2] = {8, 9}; int n = sizes[1], b = sizes[0], g = 1; " + LAUNCH, ((1, 1, 1), (8, 1, 1), 9)),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_what_is_known(body, expected):
    assert main(body) == [expected]


def generated(count):
    """The numbers of a linear congruential generator of 32 bits."""
    state = 1
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
    return state


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("unsigned s = 1; for (int i = 0; i < 3; i++) s = s * 1664525u + 1013904223u; n = s >> 8;", generated(3) >> 8),
        ("unsigned s = 1, m = 1664525u; n = (s * m * m * m) >> 8;", (1664525**3 % 2**32) >> 8),
        ("unsigned m = 5; n = (3 - m) / 2;", (2**32 - 2) // 2),
        ("int m = -1; n = m < 1u ? 2 : 3;", 3),
        ("int m = -6; n = m / 4 + m % 4 + (m >> 1);", -1 - 2 - 3),
        ("unsigned char c = 300; n = c;", 300 - 256),
        ("n = ~0u >> 28;", 15),
        ("long m = 3000000000; n = (m * m) % 1000;", 0),
        ("size_t m = -1; n = m != -1;", 0),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_integers_are_those_of_c(body, expected):
    assert main(f"int n, b = 32, g = 1; {body} {LAUNCH}") == [((1, 1, 1), (32, 1, 1), expected)]


def test_handlers_of_exceptions_are_not_taken():
    body = "int n = 64, b = 32, g = 2; try { n *= 2; } catch (int) { n = 1; } catch (...) { return 1; } " + LAUNCH
    assert main(body) == [((2, 1, 1), (32, 1, 1), 128)]


@pytest.mark.parametrize("caught", ["int error", "dim3 &error", "const char *error", "..."])
def test_what_is_guarded_runs_whatever_its_handler_catches(caught):
    body = f"int n = 64, b = 32, g = 2; try {{ n *= 2; }} catch ({caught}) {{ n = 1; }} {LAUNCH}"
    assert main(body) == [((2, 1, 1), (32, 1, 1), 128)]


def test_what_is_not_known_stays_open():
    assert main("int n = argc, b = 64, g = n / b; " + LAUNCH) == [((None, 1, 1), (64, 1, 1), None)]
    assert main("int n = 1, b = 64, g = 1; if (argc > 1) g = 2; " + LAUNCH) == [((None, 1, 1), (64, 1, 1), 1)]
    assert main("int n = 1, b = 64, g = 1; for (int i = 0; i < argc; i++) g += i; " + LAUNCH) == [
        ((None, 1, 1), (64, 1, 1), 1)
    ]


def test_the_command_line_of_the_program():
    body = "if (argc != 3) return 1; int n = atoi(argv[1]), b = strtol(argv[2], 0, 10), g = n / b; " + LAUNCH
    assert main(body, ["1024", "128"]) == [((8, 1, 1), (128, 1, 1), 1024)]
    assert main(body, ["1024"]) == []
    assert main(body) == [((None, 1, 1), (None, 1, 1), None)]


def test_options_of_the_command_line():
    body = (
        "int n = 1, b = 32, g = 2; for (int i = 1; i < argc; i++) "
        "if (!strcmp(argv[i], \"-n\")) n = atoi(argv[++i]); else if (argv[i][1] == 'b') b = atoi(argv[++i]); "
    )
    found = main(body + LAUNCH, ["-b", "64", "-n", "9"])
    assert found == [((2, 1, 1), (64, 1, 1), 9)]


def test_a_value_given_by_name_wins():
    assert main("int n = atoi(argv[1]), b = 64, g = n / b; " + LAUNCH, None, {"n": 640}) == [
        ((10, 1, 1), (64, 1, 1), 640)
    ]


def test_helpers_references_and_structs():
    found = launches(
        "struct size { int w, h; }; static int up(int a, int b) { return (a + b - 1) / b; }\n"
        "void fill(size *s, int &w) { s->w = 100; s->h = 50; w = 7; }\n"
        "void run(size s, float *x) { dim3 b(16, 16), g(up(s.w, b.x), up(s.h, b.y)); k<<<g, b>>>(s.w, x); }\n"
        "int main() { size s; int w; fill(&s, w); s.h += w; run(s, 0); }"
    )
    assert [(item.launch.grid, item.arguments["n"]) for item in found] == [((7, 4, 1), 100)]


def test_loops_launch_what_differs():
    assert [item[2] for item in main("for (int i = 0; i < 100; i++) k<<<4, 64>>>(i, x);")] == list(range(100))
    assert [item[0][0] for item in main("for (int s = 8; s > 0; s /= 2) k<<<s, 64>>>(s, x);")] == [8, 4, 2, 1]


def times(body, arguments=None):
    """How often each different launch of a ``main`` is made, and the line of the loop that was not followed."""
    found = launches("int main(int argc, char **argv) { float *x, *y, *t; " + body + " }", arguments)
    return [(item.least, item.most, item.open_in and item.open_in.line) for item in found]


SWAP = "k<<<4, 64>>>(7, x); t = x; x = y; y = t;"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for (int i = 0; i < 1000000; i++) k<<<4, 64>>>(7, x);", (1_000_000, 1_000_000, None)),
        ("for (int i = 3; i <= 1000000; i += 7) k<<<4, 64>>>(7, x);", (142_857, 142_857, None)),
        ("for (int i = 1000000; i >= 5; i -= 2) k<<<4, 64>>>(7, x);", (499_998, 499_998, None)),
        ("for (int i = 0; 999999 != i; ++i) k<<<4, 64>>>(7, x);", (999_999, 999_999, None)),
        ("for (int i = 0; i < 1000001; i++) { " + SWAP + " }", (1_000_001, 1_000_001, None)),
        ("for (int i = 0; i < 900; i++) for (int j = 0; j <= i; j++) { " + SWAP + " }", (405_450, 405_450, None)),
        ("int i = 10; while (i-- > 0) { " + SWAP + " }", (10, 10, None)),
        ("int i = 0; do { " + SWAP + " } while (++i < 10);", (10, 10, None)),
        ("for (int i = 0; i < argc; i++) k<<<4, 64>>>(7, x);", (0, 1, 5)),
        ("do k<<<4, 64>>>(7, x); while (*x > 1e-3f);", (1, 1, 5)),
        ("for (int i = 0; i < 90; i++) { k<<<4, 64>>>(7, x); if (argc > i) break; }", (1, 90, None)),
        ("for (int i = 0; i < 90; i++) if (argc > 3) k<<<4, 64>>>(7, x);", (0, 90, None)),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_how_often_a_loop_launches(body, expected):
    assert times(body) == [expected]


def test_what_a_kernel_writes_does_not_end_a_loop():
    body = "float *e; cudaMallocManaged(&e, 4); *e = 1; int i = 0; while (*e > 1e-3f && i < 99) "
    assert times(body + "{ *e = 0; k<<<4, 64>>>(7, e); i++; }") == [(1, 1, 5)]


@pytest.mark.slow
def test_a_loop_that_is_too_long_says_so():
    found = launches("int main() { for (int i = 0; i < 1000000; i++) k<<<4, 64>>>(i / 1000, 0); }")
    assert 3000 < sum(item.most for item in found) < 1_000_000
    assert {item.open_in.line for item in found} == {5}


def test_long_loops_end():
    assert main("int n = 3; for (int i = 0; i < 1000000000; i++) n += i; k<<<2, n>>>(0, x);") == [
        ((2, 1, 1), (None, 1, 1), 0)
    ]


def test_a_program_that_left_launches_nothing_more():
    assert main("if (argc < 2) exit(1); k<<<1, 1>>>(0, x);", []) == []


def test_what_exit_is_given_runs_before_the_program_ends():
    found = launches(
        "int run(int n, float *x) { k<<<n, 32>>>(1, x); return 0; } int main() { float *x; exit(run(5, x)); }"
    )
    assert [item.launch.grid for item in found] == [(5, 1, 1)]


def test_functions_that_nobody_calls_are_tried_too():
    found = launches("void run(float *x) { k<<<2, 32>>>(1, x); }")
    assert [item.launch.grid for item in found] == [(2, 1, 1)]


def test_units_are_linked():
    program = unit("void go(int n); int main() { go(64); }")
    library = unit("void go(int n) { k<<<n / 32, 32>>>(n, 0); }")
    found = find_launches([library, program])
    assert [(item.launch.grid, item.arguments["n"]) for item in found] == [((2, 1, 1), 64)]


def test_launch_by_call():
    found = launches("int main() { dim3 g(3), b(5); cudaLaunchKernel((void *)k, g, b, nullptr, 0, 0); }")
    assert [(item.launch.grid, item.launch.block) for item in found] == [((3, 1, 1), (5, 1, 1))]


def test_shared_bytes_and_source():
    (found,) = launches("int main() { k<<<1, 64, 64 * sizeof(float)>>>(0, 0); }")
    assert (found.launch.shared_bytes, found.launch.source) == (256, "x.cu:5")


GETOPT = (
    "#include <getopt.h>\nint main(int argc, char **argv) { int n = 1, b = 32, c; "
    "static struct option all[] = {{\"size\", required_argument, 0, 'n'}, {\"block\", 1, 0, 'b'}, {0, 0, 0, 0}}; "
    "while ((c = getopt_long(argc, argv, \"n:b:v\", all, 0)) != -1) switch (c) { case 'n': n = atoi(optarg); break; "
    "case 'b': b = atoi(optarg); break; case 'v': break; default: return 1; } k<<<n / b, b>>>(n, 0); }"
)


@pytest.mark.parametrize(
    "line", [["-n", "64", "-b16"], ["--size", "64", "-v", "--block=16"], ["x", "-b", "16", "--size=64", "--", "-n9"]]
)
def test_getopt(line):
    (found,) = launches(GETOPT, line)
    assert (found.launch.grid, found.launch.block) == ((4, 1, 1), (16, 1, 1))


def test_getopt_with_an_option_that_is_not_there():
    assert launches(GETOPT, ["-z"]) == ()


def test_objects_on_the_heap():
    found = launches(
        "struct net { int in, out; }; class runner { int size; public: runner(int s) : size(s) {} "
        "void go(float *x) { k<<<size / 8, 8>>>(size, x); } };\n"
        "net *make(int n) { net *it = (net *)malloc(sizeof(net)); if (it == NULL) return NULL; it->in = n; "
        "return it; }\n"
        "int main() { net *it = make(48); k<<<it->in / 16, 16>>>(it->in, 0); runner *r = new runner(80); r->go(0); }"
    )
    assert [(item.launch.grid[0], item.arguments["n"]) for item in found] == [(3, 48), (10, 80)]


def test_globals_of_several_units_are_one_variable():
    program = unit("extern int size; void go(); int main(int argc, char **argv) { size = 96; go(); }")
    library = unit("int size = 5; void go() { k<<<size / 32, 32>>>(size, 0); }")
    (found,) = find_launches([library, program])
    assert (found.launch.grid, found.arguments["n"]) == ((3, 1, 1), 96)


def test_paths_that_start_alike_are_apart():
    found = launches("struct s { int n, nx; };\nint main() { s p; p.nx = 32; p.n = 64; k<<<p.n, p.nx>>>(p.n, 0); }")
    assert [(item.launch.grid[0], item.launch.block[0]) for item in found] == [(64, 32)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a[4] = {1, 2}; int *p = a; *(p + 2) = 7; ++p; n = p[1] + *p + a[3]; " + LAUNCH, 9),
        ("int a[2][3]; a[1][2] = 5; a[1][0] = 6; n = a[1][2]; " + LAUNCH, 5),
        ("std::vector<int> v; for (int i = 0; i < 5; i++) v.push_back(i * i); n = v[4] + v.size(); " + LAUNCH, 21),
        ("std::vector<int> v(9, 4), w; w.insert(w.end(), v.begin(), v.end()); n = w.size() * w[3]; " + LAUNCH, 36),
        ("std::vector<std::vector<int>> m; m.push_back(std::vector<int>(6)); n = m[0].size(); " + LAUNCH, 6),
        ("std::vector<int> v = {4, 7, 9}; n = v[1] + v.size(); " + LAUNCH, 10),
        ("std::vector<int> v = {4, 7, 9}; v.insert(v.begin(), 2); n = v[0]; " + LAUNCH, None),
        ("std::vector<int> v = {4, 7, 9}; v.insert(v.end(), 2); n = v[3] * v.size(); " + LAUNCH, 8),
        ("std::vector<int> v{4, 7, 9}; v.push_back(5); n = v[3] * v[0]; " + LAUNCH, 20),
        (
            "int a[2] = {4, 7}; std::vector<int> v(a, a + 2), w(v.begin() + 1, v.end()); n = w[0] + w.size(); "
            + LAUNCH,
            8,
        ),
        ("int *p = (int *)calloc(8, sizeof(int)); p[2] = 5; n = p[2] + p[7]; " + LAUNCH, 5),
        ("int a[3], c[3] = {3, 4, 5}; memcpy(a, c, sizeof a); n = a[1]; " + LAUNCH, 4),
        ('std::string s = "12x7"; int h = 0; n = sscanf(s.c_str(), "%dx%d", &b, &h) * h; ' + LAUNCH, 14),
        ("auto half = [](int v) { return v / 2; }; n = half(10); " + LAUNCH, 5),
        ("int (*f)(int) = twice; n = f(4); " + LAUNCH, 8),
        ("n = fact(5); " + LAUNCH, 120),
        ("int a[2] = {3, 4}, c[2]; std::copy(a, a + 2, std::begin(c)); n = a[0] + c[1]; " + LAUNCH, 7),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_memory_containers_and_functions(body, expected):
    helpers = (
        "#include <algorithm>\n#include <string>\n#include <cstring>\n#include <cstdio>\n"
        "__global__ void k(int n, float *x);\nint twice(int v) { return 2 * v; }\n"
        "int fact(int v) { return v < 2 ? 1 : v * fact(v - 1); }\n"
    )
    found = launches(f"{helpers}int main() {{ int n = 0, b = 1, g = 1; float *x = 0; {body} }}")
    assert [item.arguments.get("n") for item in found] == [expected]


def test_loops_that_do_not_matter_are_passed_over():
    body = (
        "int n = 0, b = 32, g = 2; float *h = (float *)malloc(4000000); int bad = 0; "
        "for (int i = 0; i < 1000000; i++) { h[i] = rand(); if (h[i] < 0) bad++; } "
        "for (int i = 0; i < 10; i++) n += i; " + LAUNCH
    )
    assert main(body) == [((2, 1, 1), (32, 1, 1), 45)]


def test_what_a_loop_that_is_not_followed_may_change_is_unknown():
    body = (
        "struct size { int n; } s; s.n = 4; int a[2] = {5, 6}; int *p = a; size *q = &s; int b = 32, g = 2; "
        "while (rand()) { q->n = 1; p[0] = 2; } int n = "
    )
    assert main(body + "s.n; " + LAUNCH) == [((2, 1, 1), (32, 1, 1), None)]
    assert main(body + "a[0]; " + LAUNCH) == [((2, 1, 1), (32, 1, 1), None)]


def test_a_loop_that_may_end_early_leaves_its_counts_open():
    body = "int n = 0, b = 32, g = 2; for (int i = 0; i < 9; i++) { if (rand()) break; n++; } " + LAUNCH
    assert main(body) == [((2, 1, 1), (32, 1, 1), None)]


def test_a_search_that_may_return_early_is_open():
    found = launches(
        "int find(int *a) { for (int i = 0; i < 100; i++) if (a[i]) return 1; return 0; }\n"
        "int main() { int *a; fread(&a, 1, 1, 0); if (find(a)) k<<<2, 32>>>(find(a), 0); }"
    )
    assert [(item.launch.grid, item.arguments.get("n")) for item in found] == [((2, 1, 1), None)]


def test_constructors_members_with_defaults_and_bases():
    found = launches(
        "struct shape { int rows = 3; int cols; shape(int c) : cols(c) {} };\n"
        "struct grid : shape { int block = 16; grid(int c) : shape(2 * c) { rows += 1; } };\n"
        "struct plain { int n = 9; };\n"
        "int main() { grid g(32); plain p; k<<<g.cols / g.block, g.block>>>(g.rows * p.n, 0); }"
    )
    assert [(item.launch.grid[0], item.launch.block[0], item.arguments["n"]) for item in found] == [(4, 16, 36)]


def test_methods_and_constructors_of_another_unit():
    shared = "struct box { int n; box(int s); int twice() const; };\n"
    program = unit(shared + "int main() { box b(24); k<<<b.twice(), 8>>>(b.n, 0); }")
    library = unit(shared + "box::box(int s) { n = s + 1; }\nint box::twice() const { return 2 * n; }")
    (found,) = find_launches([program, library])
    assert (found.launch.grid[0], found.arguments["n"]) == (50, 25)


def test_explicit_instantiations_are_functions():
    text = (
        "template <typename T> __global__ void t(T *x, int n) { x[threadIdx.x] = n; }\n"
        "template <typename T> void run(T *x, int n) { t<T><<<n / 32, 32>>>(x, n); }\n"
        "template void run<double>(double *x, int n);\n"
    )
    assert [(item.launch.grid, item.launch.block) for item in launches(text)] == [((None, 1, 1), (32, 1, 1))]


def test_a_kernel_launched_by_a_pointer():
    found = launches("void go(void (*f)(int, float *)) { f<<<3, 32>>>(5, 0); }\nint main() { go(k); }")
    assert [(item.launch.grid[0], item.arguments["n"]) for item in found] == [(3, 5)]


def test_arguments_of_cuda_launch_kernel():
    found = launches(
        "int main() { int n = 77; float *x = 0; void *args[] = {&n, &x}; "
        "cudaLaunchKernel((void *)k, dim3(3), dim3(5), args, 0, 0); }"
    )
    assert [(item.launch.grid[0], item.arguments["n"]) for item in found] == [(3, 77)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a[4] = {5, 6, 7, 8}; memset(a, 0, 8); n = a[1] + a[2];", 7),
        ("int a[4] = {5, 6, 7, 8}; memset(a + 1, 0, sizeof(int)); n = a[0] + a[1];", 5),
        ("int a[4] = {5, 6, 7, 8}; memset(a, 0, sizeof a); n = 1 + a[3];", 1),
        ("int a[4] = {5, 6, 7, 8}, c[4] = {1, 2, 3, 4}; memcpy(a, c, 2 * sizeof(int)); n = a[1] + a[3];", 10),
        ("int a[4] = {5, 6, 7, 8}, c[4] = {1, 2, 3, 4}; memcpy(a + 1, c + 2, 8); n = 10 * a[1] + a[2];", 34),
        ("int a[4] = {5, 6, 7, 8}, c[4] = {1, 2, 3, 4}; memcpy(a, c, 4 * atoi(argv[1])); n = a[3];", None),
        ("short a[4] = {5, 6, 7, 8}; int c[4] = {1, 2, 3, 4}; memcpy(a, c, 4); n = a[1];", None),
        ("pair p = {3, 4}; memset(&p, 0, sizeof(int)); n = p.b;", None),
        ("pair p = {3, 4}; memset(&p, 0, sizeof p); n = 1 + p.b;", 1),
        ("int *p = (int *)malloc(4000); p[900] = 7; memset(p, 0, 2000); n = p[900];", 7),
        ("int *p = (int *)malloc(4000); p[900] = 7; memset(p, 0, 4000); n = 2 + p[900];", 2),
        ("int c[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(limits, c, 8); n = 2; ", 2),
    ],
)
def test_bytes_decide_what_is_set_and_copied(body, expected):
    helpers = "#include <cstring>\nstruct pair { int a, b; };\n__constant__ int limits[4];\n"
    found = launches(f"{helpers}int main(int argc, char **argv) {{ int n = 0; {body} k<<<1, 1>>>(n, 0); }}")
    assert [item.arguments.get("n") for item in found] == [expected]


def test_what_the_host_copied_to_the_device():
    found = launches(
        "struct prop { int w; float f; };\n__constant__ int limit;\n"
        "__global__ void q(const prop *p, const int *sizes, float *x) { x[0] = p->w + sizes[1] + limit; }\n"
        "int main() { prop h, *d; h.w = 12; int sizes[2] = {3, 4}, *e, l = 6; cudaMalloc((void **)&d, sizeof(prop)); "
        "cudaMalloc((void **)&e, 8); cudaMemcpy(d, &h, sizeof(prop), cudaMemcpyHostToDevice); "
        "cudaMemcpy(e, sizes, 8, cudaMemcpyHostToDevice); cudaMemcpyToSymbol(limit, &l, 4); q<<<1, 1>>>(d, e, 0); }"
    )
    assert dict(found[0].arguments) == {"p->w": 12, "sizes[0]": 3, "sizes[1]": 4, "limit": 6}


def test_a_file_that_is_not_needed_is_missing():
    """A program that has a value of its own where there is no file runs with that, as its counts do."""
    opened = 'int n, b = 64, g = 1; FILE *f = fopen("n.txt", "r"); '
    assert main(opened + 'if (f) fscanf(f, "%d", &n); else n = 9; ' + LAUNCH) == [((1, 1, 1), (64, 1, 1), 9)]
    assert main(opened + 'if (!f) exit(1); fscanf(f, "%d", &n); ' + LAUNCH) == [((1, 1, 1), (64, 1, 1), None)]


def test_sources_of_what_is_missing():
    (found,) = launches(
        '#include <cstdio>\nint main() { int n; FILE *f = fopen("x", "r"); fscanf(f, "%d", &n); '
        "k<<<(n + 255) / 256, 256>>>(2 * n, 0); }"
    )
    sources = {name: [source.name for source in value.sources] for name, value in found.missing.items()}
    assert sources == {"gridDim.x": ["n"], "n": ["n"]}
    assert found.missing["n"].sources[0].span.line == 6


def test_the_class_of_an_object_decides_which_method_runs():
    found = launches(
        "struct base { virtual int size() const { return 1; } virtual int kind() const = 0; };\n"
        "struct wide : base { int n; wide(int n) : n(n) {} int size() const override { return n; } "
        "int kind() const override { return 7; } };\n"
        "void run(const base &b) { k<<<b.size(), 32>>>(b.kind(), 0); }\n"
        "void any(const base *b) { k<<<b->size(), 64>>>(b->kind(), 0); }\n"
        "int main() { wide w(8); run(w); base *p = new wide(9); run(*p); base *q; fread(&q, 1, 1, 0); any(q); }"
    )
    known = [(item.launch.grid[0], item.arguments.get("n")) for item in found]
    assert known == [(8, 7), (9, 7), (None, None)]


def test_the_members_of_a_structure_that_a_kernel_gets_are_followed_through_loops():
    found = launches("""
struct P { int n; float a; };
__global__ void scale(P p, float *x) { for (int i = 0; i < p.n; i++) x[i] *= p.a; }
int main() { float *x; P p; p.n = 1; for (int i = 0; i < 3; i++) p.n *= 2; scale<<<1, 1>>>(p, x); }
""")
    assert found[0].arguments["p.n"] == 8


def test_what_main_launches_is_not_launched_by_the_function_alone_too():
    text = (
        "__global__ void other(int n) {}"
        "void go(int b, int n, float *x) { if (b == 1) k<<<n, 32>>>(n, x); else other<<<n, 64>>>(n); }"
        "int main() { float *x; go(1, 5, x); }"
    )
    found = [(item.launch.grid[0], item.launch.block[0]) for item in launches(text)]
    assert found == [(5, 32), (None, 64)]


OBJECTS = """#include <memory>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>
using Run = std::function<void()>;
using Named = std::map<std::string, Run>;
using Pairs = std::vector<std::pair<int, Run>>;
struct Base { virtual void run(float *x) = 0; };
struct A : Base { int b; A(int b_) : b(b_) {} void run(float *x) override { k<<<2, b>>>(1, x); } };
void plain(int b) { k<<<2, b>>>(1, 0); }
void each(const std::function<void(int)> &f) { for (int i = 0; i < 2; i++) f(7 + i); }
"""


@pytest.mark.parametrize(
    "body",
    [
        "Base *p = new A(7); p->run(x); p = new A(8); p->run(x);",
        "std::vector<std::unique_ptr<Base>> v; v.push_back(std::make_unique<A>(7)); v.emplace_back(new A(8));"
        "for (auto &p : v) p->run(x);",
        "std::function<void(int)> f = [&](int b) { k<<<2, b>>>(1, x); }; f(7); f(8);",
        "each([&](int b) { k<<<2, b>>>(1, x); });",
        "each(plain);",
        "void (*f)(int) = plain; f(7); f(8);",
        'Named t = {{"b", [&] { plain(8); }}, {"a", [&] { plain(7); }}}; for (auto &[n, f] : t) f();',
        'Named t; t["a"] = [&] { plain(7); }; t["b"] = [&] { plain(8); }; for (auto &e : t) e.second();',
        'Named t = {{"a", [&] { plain(7); }}}; t.at("a")(); if (t.find("a") != t.end()) plain(8);',
        'std::vector<std::pair<const char *, Run>> v; v.push_back({"a", [&] { plain(7); }});'
        'v.emplace_back("b", [&] { plain(8); }); for (const auto &[n, f] : v) f();',
        "Pairs v = {{1, [&] { plain(7); }}, {2, [&] { plain(8); }}}; for (auto &e : v) e.second();",
        "std::map<int, int> s = {{2, 8}, {1, 7}}; for (auto [n, b] : s) plain(b);",
        "std::map<int, int> s = {{2, 8}, {1, 7}, {3, 9}}; for (auto [n, b] : s) { if (n == 3) break; plain(b); }",
    ],
)
def test_calls_through_objects_and_values(body):
    found = launches(f"{OBJECTS}int main() {{ float *x; {body} }}")
    assert [item.launch.block[0] for item in found] == [7, 8]


def test_launch_by_a_configuration():
    body = "cudaLaunchConfig_t c = {}; c.gridDim = dim3(3, 2); c.blockDim = 5;"
    (found,) = launches(f"int main() {{ float *x; {body} cudaLaunchKernelEx(&c, k, 7, x); }}")
    assert (found.launch.grid, found.launch.block, found.arguments) == ((3, 2, 1), (5, 1, 1), {"n": 7})
