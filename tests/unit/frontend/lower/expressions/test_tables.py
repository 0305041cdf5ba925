"""Tables of constant integers: their elements are numbers where the index is one, as in loops over them."""

import pytest

from analyzer.frontend.lower import lower_unit
from analyzer.frontend.options import ParseOptions
from analyzer.frontend.reader import read
from analyzer.ir.nodes import Loop, Statement
from analyzer.ir.traverse import accesses, all_nodes
from analyzer.source import Language, SourceFile
from roofline import estimate, source_text

LOOP = "double f(const double *a, int n) {{ double s = 0; for (int i = 0; i < n; i++) {{ {} }} return s; }}\n"
SHORT = "for (int k = 0; k < {0}; k++) s += a[9 * i + t[k]];"


def loaded(text: str, language: Language = Language.C, frontend: str = "auto") -> list[str]:
    """Return the subscripts of ``a`` in order."""
    unit = read(SourceFile("t.c", text, language), ParseOptions(), frontend).unit
    (region,) = lower_unit(unit).regions
    found = (access for node in all_nodes(region.body) if isinstance(node, Statement) for access, _ in accesses(node))
    return [str(access.subscripts[0]) for access in found if access.array == "a"]


@pytest.mark.parametrize("frontend", ["clang", "fragment"])
@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("static const int t[3] = {4, 0, 8};", ["9*i + 4", "9*i", "9*i + 8"]),
        ("const signed char t[4] = {1, 2};", ["9*i + 1", "9*i + 2", "9*i", "9*i"]),
        ("static const int t[4] = {[2] = 5, 6, [0] = 1};", ["9*i + 1", "9*i", "9*i + 5", "9*i + 6"]),
        ("enum { A = 3 }; static const int t[2] = {A, A + 1};", ["9*i + 3", "9*i + 4"]),
    ],
)
def test_each_iteration_takes_its_element(frontend, table, expected):
    assert loaded(f"{table}\n{LOOP.format(SHORT.format(len(expected)))}", frontend=frontend) == expected


def test_rows_of_tables_stand_one_after_the_other():
    text = "static const int t[2][3] = {{0, 1}, {2, 3, 4}};\n"
    body = "for (int r = 0; r < 2; r++) for (int k = 0; k < 3; k++) s += a[9 * i + t[r][k]];"
    assert loaded(text + LOOP.format(body)) == ["9*i", "9*i + 1", "9*i", "9*i + 2", "9*i + 3", "9*i + 4"]


@pytest.mark.parametrize("table", ["static constexpr int t[2] = {7, 8};", "constexpr std::array<int, 2> t = {7, 8};"])
def test_tables_of_cxx(table):
    text = f"#include <array>\n{table}\n{LOOP.format(SHORT.format(2))}"
    assert loaded(text, Language.CXX) == ["9*i + 7", "9*i + 8"]
    member = f"#include <array>\nstruct T {{ static constexpr int t[2] = {{7, 8}}; }};\n{LOOP.format(SHORT.format(2))}"
    assert loaded(member.replace("+ t[k]", "+ T::t[k]"), Language.CXX) == ["9*i + 7", "9*i + 8"]


@pytest.mark.parametrize(
    ("table", "body"),
    [
        ("int t[3] = {4, 0, 8}; void g(int k) { t[k] = 1; }", SHORT.format(3)),  # no constant
        ("static const int t[3] = {4, 0, 8};", "for (int k = 0; k < 3; k++) { if (a[k] > 0) break; s += a[t[k]]; }"),
        ("static const int t[3] = {4, 0, 8};", "for (int k = 0; k < n; k++) s += a[9 * i + t[k]];"),  # of any length
        ("static const int t[2][2] = {[1][0] = 4};", "for (int k = 0; k < 2; k++) s += a[9 * i + t[1][k]];"),
    ],
)
def test_what_is_not_known_stays_a_loop(table, body):
    unit = read(SourceFile("t.c", f"{table}\n{LOOP.format(body)}", Language.C), ParseOptions(), "clang").unit
    region = next(region for region in lower_unit(unit).regions if region.function == "f")
    assert sum(isinstance(node, Loop) for node in all_nodes(region.body)) == 2


LATTICE = """
enum {{ NX = 400, NY = 300 }};
static const int cx[9] = {{0, 1, 0, -1, 0, 1, -1, -1, 1}}, cy[9] = {{0, 0, 1, 0, -1, 1, 1, -1, -1}};
void stream(const double *f, double *g) {{
  {}
    g[(q * NY + y) * NX + x] = 0.5 * f[(q * NY + (y - cy[q] + NY) % NY) * NX + (x - cx[q] + NX) % NX];
}}
"""
Q, Y, X = (f"for (int {name} = 0; {name} < {end}; {name}++)" for name, end in (("q", "9"), ("y", "NY"), ("x", "NX")))


@pytest.mark.parametrize("loops", [(Y, X, Q), (Y, Q, X), (Q, Y, X)])
def test_a_lattice_is_read_and_written_once(loops):
    """Each of nine distributions is read and written whole: 3 * 9 * 300 * 400 * 8 bytes, with the write-allocate."""
    source = source_text(LATTICE.format(" ".join(loops)))
    (region,) = estimate(source, "haswell-e5-2695v3", cores=1).regions
    assert region.flops.value == 9 * 300 * 400
    assert region.bytes.value == pytest.approx(3 * 9 * 300 * 400 * 8, rel=0.01)
    assert len(region.nests) == 1


NESTED = "double f(const double *a) {{ {} double s = 0; {} return s; }}\n"


@pytest.mark.parametrize(
    ("before", "table", "loops", "flops"),
    [
        ("", "static const int t[] = {2, 3, 5, 7};",
         "for (int k = 0; k < (int)(sizeof t / sizeof t[0]); k++) for (int i = 0; i < t[k]; i++) s += a[i];", 17),
        ("static int t[3] = {3, 4, 5};\n", "",
         "for (int k = 0; k < 3; k++) for (int i = 0; i < t[k]; i++) s += a[i];", 12),
        ("", "static const int t[4] = {0, 2, 3, 7};",
         "for (int k = 0; k < 3; k++) for (int i = t[k]; i < t[k + 1]; i++) s += a[i];", 7),
        ("static const struct { int first, last; } t[2] = {{1, 2}, {3, 9}};\n", "",
         "for (int k = 0; k < 2; k++) for (int i = t[k].first; i < t[k].last; i++) s += a[i];", 7),
        ("static const struct { double w; int m; } t[2] = {{0.5, 2}, {3, 4}};\n", "",
         "for (int i = 0; i < t[1].m; i++) s += a[i];", 4),
        ("", "int t[3] = {1, 2, 3}; t[1] = 5;", "for (int i = 0; i < t[1]; i++) s += a[i];", 5),
        ("", "", 'for (int i = 0; i < "ABC"[1]; i++) s += a[i];', 66),
        ("static const char t[] = \"ACGT\";\n", "", "for (int i = 0; t[i]; i++) s += a[i];", 4),
        ("static const char t[] = \"ACGT\";\n", "", "for (int i = 0; i < (int)sizeof t; i++) s += a[i];", 5),
    ],
)  # fmt: skip
def test_elements_bound_loops(before, table, loops, flops):
    (region,) = estimate(source_text(before + NESTED.format(table, loops), "t.c")).regions
    assert region.profile.work.flops.lower.evaluate({}) == region.profile.work.flops.estimate.evaluate({}) == flops


def test_a_number_that_was_read_before_it_was_replaced_is_no_other():
    text = "for (int i = 0; i < t[1]; i++) s += a[i]; t[1] = 5; for (int i = 0; i < t[1]; i++) s += a[i];"
    (region,) = estimate(source_text(NESTED.format("int t[2] = {1, 2};", text), "t.c")).regions
    assert region.profile.work.flops.lower.evaluate({}) == 2 + 5
