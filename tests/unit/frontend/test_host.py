"""Launches found in host code: what constant propagation knows, and what stays open."""

import pytest

from analyzer.frontend.clang_parse import parse_clang
from analyzer.frontend.host import find_launches
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile

KERNEL = "#include <cstdlib>\n#include <cmath>\n#include <vector>\n__global__ void k(int n, float *x) { x[0] = n; }\n"


def unit(text):
    parsed = parse_clang(SourceFile("x.cu", KERNEL + text, Language.CUDA), ParseOptions())
    assert [found for found in parsed.diagnostics if found.code in ("AI001", "AI003")] == []
    return parsed.unit


def launches(text, arguments=None, defines=None):
    return find_launches([unit(text)], arguments, defines)


def main(body, arguments=None, defines=None):
    """Grid, block and arguments of the launches of a ``main``."""
    found = launches("int main(int argc, char **argv) { float *x; " + body + " }", arguments, defines)
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
        ("int n = 5, b = n > 4 ? 32 : 64, g = std::max(n, 2); " + LAUNCH, ((5, 1, 1), (32, 1, 1), 5)),
        ("int n = 0, b = 8, g = 2; if (x) n = 3; else n = 3; " + LAUNCH, ((2, 1, 1), (8, 1, 1), 3)),
        ("std::vector<int> v(96); int n = v.size(), b = 32, g = n / b; " + LAUNCH, ((3, 1, 1), (32, 1, 1), 96)),
        ("int sizes[2] = {8, 9}; int n = sizes[1], b = sizes[0], g = 1; " + LAUNCH, ((1, 1, 1), (8, 1, 1), 9)),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_what_is_known(body, expected):
    assert main(body) == [expected]


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


def test_loops_launch_what_differs_once():
    assert len(main("for (int i = 0; i < 100; i++) k<<<4, 64>>>(i, x);")) == 1
    assert [item[0][0] for item in main("for (int s = 8; s > 0; s /= 2) k<<<s, 64>>>(s, x);")] == [8, 4, 2, 1]


def test_long_loops_end():
    assert main("int n = 3; for (int i = 0; i < 1000000000; i++) n += i; k<<<2, n>>>(0, x);") == [
        ((2, 1, 1), (None, 1, 1), 0)
    ]


def test_a_program_that_left_launches_nothing_more():
    assert main("if (argc < 2) exit(1); k<<<1, 1>>>(0, x);", []) == []


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
