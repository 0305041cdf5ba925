"""Sizes that a program has by its command line: defaults, given words, and what must stay open."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.host.own_sizes import own_sizes
from analyzer.frontend.lower import lower_unit
from analyzer.frontend.lower.names.symbols import wanted_name
from analyzer.frontend.options import ParseOptions
from analyzer.quantities.quantity import Exactness
from analyzer.source import Language, SourceFile
from roofline import estimate

HEADERS = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
USE = " for (int i = 0; i < n; i++) a[i] += 1; return 0; }"
GETOPT = "int n = 1 << 20, c; while ((c = getopt(argc, argv, \"n:\")) != -1) { if (c == 'n') n = atoi(optarg); }"
ENV_INT = "static int env_int(const char *k, int d) { const char *s = getenv(k); return s ? atoi(s) : d; }\n"
FILE = 'FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;'
FLAGS = 'int n = 50; for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "-n")) n = strtol(argv[++i], NULL, 10);'


def sizes(body, words=(), before=""):
    """Return the values that symbols of ``n`` have after statements of ``main``, in the order of the source."""
    text = f"{HEADERS}{before}int main(int argc, char **argv) {{ static double a[100]; {body}{USE}"
    unit = parse_clang(SourceFile("x.c", text, Language.C), ParseOptions()).unit
    (region,) = (found for found in lower_unit(unit).regions if found.function == "main")
    symbols = (item for item in region.symbols if item.made is not None and item.name != "argc")
    made = [(wanted_name(item.name), item.made) for item in symbols]
    found = own_sizes(unit, made, words)
    return [value for (_, _), value in sorted(found.items(), key=lambda each: each[0][1].column)]


@pytest.mark.parametrize(
    ("body", "words", "expected"),
    [
        ("int n = argc > 1 ? atoi(argv[1]) : 1000;", (), 1000),
        ("int n = argc > 1 ? atoi(argv[1]) : 1000;", ("7",), 7),
        ("int n = 1000; if (argc > 1) n = atoi(argv[1]);", (), 1000),
        ("int n = 1000; if (argc > 1) n = atoi(argv[1]);", ("7",), 7),
        ("int n; if (argc > 1) n = atoi(argv[1]); else n = 5;", (), 5),
        ('char *s = getenv("N"); int n = s ? atoi(s) : 3000;', (), 3000),
        ('char *s = getenv("N"); int n = s && *s ? atoi(s) : 3000;', ("7",), 3000),
        ('int n = 3000; if (getenv("N") != NULL) n = atoi(getenv("N"));', (), 3000),
        ('int n = env_int("N", 3000);', (), 3000),
        (f"{FILE} int n = 4000; if (f) n = 8000;", (), 4000),
        (f"{FILE} int n = 8000; if (!f) n = 4000;", (), 4000),
        (f"{FILE} int n = 4000; if (f) n = 8000;", ("x",), 8000),
        ('int n = argc > 1 ? atoi(argv[1]) : env_int("N", 3000);', ("7",), 7),
        (GETOPT, (), 1 << 20),
        (GETOPT, ("-n", "7"), 7),
        (FLAGS, (), 50),
        (FLAGS, ("-n", "7"), 7),
    ],
)
def test_known(body, words, expected):
    assert sizes(body, words, ENV_INT) == [expected]


@pytest.mark.parametrize(
    "body",
    [
        'int n; scanf("%d", &n);',
        'int n = atoi(getenv("N"));',
        "if (argc != 2) return 1; int n = atoi(argv[1]);",
        "if (argc != 2) exit(1); int n = atoi(argv[1]);",
        "int n = argc > 1 ? atoi(argv[1]) : 1000; while (a[n] > 0) n = a[n];",
        "int n = argc > 1 ? atoi(argv[1]) : 1000; if (a[0] > 1) n = 3;",
    ],
)
def test_open(body):
    assert sizes(body) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "int n = argc > 1 ? atoi(argv[1]) : 1000; for (int i = 0; i < n; i++) a[i] = 1; n = argc > 2 ? 5 : 6;",
            [1000, 6],
        ),
        ("int n = 1000; if (argc > 1) n = atoi(argv[1]); n *= 2;", [1000]),
        ("int n = 1000; if (argc > 1) n = atoi(argv[1]); int m = n; n = 9; a[m] = 1;", [1000]),
        ("int n = 1000; if (argc > 1) n = atoi(argv[1]), n = n / 2;", [1000]),
        ("int m = argc > 2 ? atoi(argv[2]) : 3, n = argc > 1 ? atoi(argv[1]) : 1000; a[m] = 1;", [3, 1000]),
        ("int n; n = argc > 1 ? atoi(argv[1]) : 1000, n = n + 1;", []),
    ],
)
def test_a_symbol_stands_for_the_value_after_its_statement(body, expected):
    assert sizes(body + " for (int i = 0; i < n; i++) a[i] = 2;")[: len(expected)] == expected


GRID = "typedef struct { int n, m; } grid;\n"
FILL = "static void fill(grid *g, int argc, char **argv) { g->n = argc > 1 ? atoi(argv[1]) : 1000; g->m = 2 * g->n; }\n"
MAKE = "static grid make(int argc, char **argv) { grid g = {1000, 3}; if (argc > 1) g.n = atoi(argv[1]); return g; }\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("grid g; g.n = argc > 1 ? atoi(argv[1]) : 1000;", (1000, 70)),
        ("grid g, k; fill(&g, argc, argv);", (1000, 70)),
        ("grid g = make(argc, argv);", (1000, 70)),
        ("grid g = make(argc, argv), k = make(1, argv);", (None, None)),  # two calls may differ
        ("grid g; for (int i = 0; i < argc; i++) fill(&g, i, argv);", (1000, 1000)),
    ],
)
def test_members(body, expected, tmp_path):
    loop = " for (int i = 0; i < g.n; i++) a[i] += 1; return 0; }"
    path = tmp_path / "x.c"
    path.write_text(
        f"{HEADERS}{GRID}{FILL}{MAKE}int main(int argc, char **argv) {{ static double a[9000]; {body}{loop}"
    )
    for words, number in zip(([], ["70"]), expected, strict=True):
        report = estimate(str(path), program_arguments=words)
        (region,) = (found for found in report.regions if found.profile.function == "main")
        assert region.profile.values.get("g.n") == number


def test_a_name_that_another_function_decides_stays_open():
    body = "int n = argc > 1 ? atoi(argv[1]) : 1000; f(a);"
    of_data = "static void f(double *a) { int n = a[0]; for (int i = 0; i < n; i++) a[i] += 1; }\n"
    assert sizes(body, before=of_data) == [1000]
    of_call = "static void f(double *a) {} static void g(int n, double *a) { f(a); }\n"
    assert sizes(body + " g(a[0], a);", before=of_call) == [1000]
    assert sizes(body + " g(n, a);", before=of_call) == [1000]


def test_the_user_comes_first_and_formulas_keep_the_name(tmp_path):
    path = tmp_path / "x.c"
    head = (
        f"{HEADERS}int main(int argc, char **argv) {{ static double a[9000]; int n = argc > 1 ? atoi(argv[1]) : 1000;"
    )
    path.write_text(head + USE)

    def flops(**given):
        report = estimate(str(path), **given)
        (region,) = report.regions
        codes = {found.code for file in report.files for found in file.profile.diagnostics}
        return region.flops.at(n=64), str(region.flops), region.profile.values.get("n"), "AI324" in codes

    assert flops() == (64, "n", 1000, True)
    path.write_text(HEADERS + ENV_INT + 'int main(void) { static double a[9000]; int n = env_int("N", 1000);' + USE)
    assert flops() == (64, "n", 1000, True)
    assert flops(sizes={"n": 8}) == (64, "n", 8, False)
    path.write_text(head + USE)
    assert flops(sizes={"n": 8}) == (64, "n", 8, False)
    path.write_text(head.replace("static", "/* ai-estimate: assume n=16 */\nstatic") + USE)
    assert flops()[3] is False


OPTIONS = (
    'for (int i = 1; i < argc; i++) { if (!strcmp(argv[i], "-n")) n = atoi(argv[++i]);'
    ' else { printf("usage\\n"); return 1; } }'
)


@pytest.mark.parametrize(
    ("body", "given", "expected"),
    [
        ("int n = argc > 1 ? atoi(argv[1]) : 1000;", {}, 1000),
        (f"int n = 1000; {OPTIONS}", {}, 1000),
        (f"int n = 1000; {OPTIONS}", {"n": 70}, 70),
        ("int n = 1000; if (argc > 2) for (int i = 0; i < 9; i++) a[i] += 1;", {}, 1000),
        ("if (argc < 2) return 1; int n = atoi(argv[1]);", {}, None),
    ],
)
def test_a_run_without_arguments_has_one_word(body, given, expected, tmp_path):
    """Neither alternatives of other numbers of words nor the loop over them are left in the rows."""
    path = tmp_path / "x.c"
    path.write_text(f"{HEADERS}int main(int argc, char **argv) {{ static double a[9000]; {body}{USE}")
    (region,) = estimate(str(path), sizes=given).regions
    assert region.profile.values.get("argc") == (None if expected is None else 1)
    if expected is not None:
        assert (region.flops.exactness, region.flops.value) == (Exactness.EXACT, expected)
