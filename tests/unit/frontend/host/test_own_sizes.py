"""Sizes that a program has by its command line: defaults, given words, and what must stay open."""

import pytest

from analyzer.frontend.clang.reading.parse import parse_clang
from analyzer.frontend.host.own_sizes import own_sizes
from analyzer.frontend.options import ParseOptions
from analyzer.source import Language, SourceFile
from roofline import estimate

HEADERS = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
USE = " for (int i = 0; i < n; i++) a[i] += 1; return 0; }"
GETOPT = "int n = 1 << 20, c; while ((c = getopt(argc, argv, \"n:\")) != -1) { if (c == 'n') n = atoi(optarg); }"
FLAGS = 'int n = 50; for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "-n")) n = strtol(argv[++i], NULL, 10);'


def sizes(body, words=(), before=""):
    text = f"{HEADERS}{before}int main(int argc, char **argv) {{ static double a[100]; {body}{USE}"
    return own_sizes(parse_clang(SourceFile("x.c", text, Language.C), ParseOptions()).unit, {"n"}, words)


@pytest.mark.parametrize(
    ("body", "words", "expected"),
    [
        ("int n = argc > 1 ? atoi(argv[1]) : 1000;", (), 1000),
        ("int n = argc > 1 ? atoi(argv[1]) : 1000;", ("7",), 7),
        ("int n = 1000; if (argc > 1) n = atoi(argv[1]);", (), 1000),
        ("int n = 1000; if (argc > 1) n = atoi(argv[1]);", ("7",), 7),
        ("int n; if (argc > 1) n = atoi(argv[1]); else n = 5;", (), 5),
        (GETOPT, (), 1 << 20),
        (GETOPT, ("-n", "7"), 7),
        (FLAGS, (), 50),
        (FLAGS, ("-n", "7"), 7),
    ],
)
def test_known(body, words, expected):
    assert sizes(body, words) == {"n": expected}


@pytest.mark.parametrize(
    "body",
    [
        'int n; scanf("%d", &n);',
        "if (argc != 2) return 1; int n = atoi(argv[1]);",
        "if (argc != 2) exit(1); int n = atoi(argv[1]);",
        "int n = argc > 1 ? atoi(argv[1]) : 1000; for (int i = 0; i < n; i++) a[i] = 1; n = argc > 2 ? 5 : 6;",
        "int n = argc > 1 ? atoi(argv[1]) : 1000; while (a[n] > 0) n = a[n];",
        "int n = argc > 1 ? atoi(argv[1]) : 1000; if (a[0] > 1) n = 3;",
    ],
)
def test_open(body):
    assert sizes(body) == {}


def test_a_name_that_another_function_decides_stays_open():
    body = "int n = argc > 1 ? atoi(argv[1]) : 1000; f(a);"
    of_data = "static void f(double *a) { int n = a[0]; for (int i = 0; i < n; i++) a[i] += 1; }\n"
    assert sizes(body, before=of_data) == {}
    of_call = "static void f(double *a) {} static void g(int n, double *a) { f(a); }\n"
    assert sizes(body + " g(a[0], a);", before=of_call) == {}
    assert sizes(body + " g(n, a);", before=of_call) == {"n": 1000}


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
    assert flops(sizes={"n": 8}) == (64, "n", 8, False)
    path.write_text(head.replace("static", "/* ai-estimate: assume n=16 */\nstatic") + USE)
    assert flops()[3] is False
