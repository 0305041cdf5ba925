"""Reports for people: goldens of every form, widths, and what must be in them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from cli.render.table.table import render_table
from cli.render.text.derivation import render_derivation
from cli.render.text.markdown import render_markdown
from cli.render.text.report import render_text
from cli.render.words.listing import annotated_source
from roofline.catalog import find_machine
from roofline.model.projection import ProjectionOptions
from roofline.report.report import Report
from tests.projected import make_report

SOURCE = """\
void axpy(int n, double a, double *x, double *y)
{
  for (int i = 0; i < n; i++)
    y[i] = a*x[i] + y[i];
}

void several(int n, int *idx, float *u, float *v)
{
  for (int i = 0; i < n; i++)
    v[i] = u[idx[i]];

  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      u[i*n + j] = 0.25f * (v[i*n + j - 1] + v[i*n + j + 1] + v[(i - 1)*n + j] + v[(i + 1)*n + j]);
}
"""
FORMS: dict[str, Callable[[Report], str]] = {
    "text": render_text,
    "by_line": lambda report: render_text(report, by_line=True),
    "table": lambda report: render_table(report, width=120),
    "narrow": lambda report: render_table(report, width=80),
    "markdown": render_markdown,
    "derivation": render_derivation,
}

Golden = Callable[[str, str], None]


def report(text: str = SOURCE, *machines: str, first_line: int = 1, **defines: int) -> Report:
    source = SourceFile("kernel.c", text, Language.C, first_line)
    profiles = analyze(source, AnalysisOptions(defines={name: str(value) for name, value in defines.items()}))
    found = [find_machine(name) for name in machines]
    return make_report(profiles, found, ProjectionOptions(), version="0.0", options={})


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("machines", [(), ("v100",), ("v100", "haswell")], ids=["none", "one", "two"])
def test_goldens(form: str, machines: tuple[str, ...], golden: Golden) -> None:
    golden(f"render/{form}-{len(machines)}.txt", FORMS[form](report(SOURCE, *machines)))


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
@pytest.mark.parametrize("machines", [(), ("v100",), ("v100", "haswell", "a64fx")], ids=["none", "one", "three"])
def test_tables_fit_their_terminal(width: int, machines: tuple[str, ...]) -> None:
    text = render_table(report(SOURCE, *machines), width=width, by_line=True)
    assert max(map(len, text.splitlines())) <= width
    if width >= 80:
        flat = re.sub(r"\s+", " ", text)
        assert "1/12" in flat
        assert "2*n" in flat
        assert ("GFLOP/s" in flat) is bool(machines), "no cell is cut"


def test_colours_only_where_asked_for() -> None:
    assert "\x1b[" not in render_table(report(SOURCE, "v100"), width=80)
    assert "\x1b[33m" in render_table(report(SOURCE, "v100"), width=80, color=True)


def test_text_is_within_its_columns() -> None:
    assert max(map(len, render_text(report(SOURCE, "v100", "haswell")).splitlines())) <= 100


def test_every_nest_has_its_place_bound_and_reason() -> None:
    text = render_text(report(SOURCE, "v100"))
    for place in ("axpy, lines 3-4", "several, lines 9-10", "several, lines 12-14", "several, lines 7-15, all loops"):
        assert place in text
    assert text.count("memory-bound (DRAM)") == text.count("because ") == 4


def test_the_derivation_is_that_of_the_paper() -> None:
    """DAXPY on Blue Gene/Q: 2 FLOP over 24 bytes, 28.8 GB/s: 2.4 GFLOP/s."""
    text = render_derivation(report("for (i = 0; i < N; i++) y[i] = a*x[i] + y[i];", "bgq"))
    text = re.sub(r"\s+", " ", text)
    for step in (
        "1 mul + 1 add = 2 FLOPs",
        "2 loads = 16 B, 1 store = 8 B, together 24 B",
        "I = 2 FLOPs / (16 + 8) B = 2/24 = 1/12 = 0.08333 FLOP/byte",
        "bytes = 24*N = 16*N read + 8*N written",
        "P = min(",
        "1/12 FLOP/byte * 28.8 GB/s) = min(",
        "= 2.4 GFLOP/s, memory-bound",
    ):
        assert step in text


def test_known_sizes_are_put_in() -> None:
    text = render_derivation(report(SOURCE, n=1000))
    assert "FLOPs = 2*n = 2,000" in text
    assert "with n = 1000" in text


def test_iterators_are_called_as_in_the_source() -> None:
    twice = "for (int i = 0; i < n; i++) a[i] = 1;\nfor (int i = 0; i < n; i++) b[i] = a[i] + 1;\n"
    text = f"void f(int n, double *a, double *b)\n{{\n{twice}}}\n"
    assert not re.search(r"\bi\.\d", render_text(report(text)) + render_derivation(report(text)))


def test_a_listing_keeps_the_lines_of_the_document() -> None:
    (file,) = report("for (i = 0; i < N; i++)\n  s += a[i];\n", first_line=10).files
    lines = annotated_source(file).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["10", "11"]
    assert lines[2].endswith("|   s += a[i];")


def test_a_function_that_is_called_is_counted_in_itself() -> None:
    caller = "void g(double *x, double *y) { axpy(1000, 2, x, y); }\n"
    (file,) = report(SOURCE + caller).files
    (line,) = [line for line in annotated_source(file).splitlines() if "y[i] = a*x[i]" in line]
    assert "2*n" in line


def test_files_without_loops_say_so() -> None:
    empty = report("int f(int a) { return a; }")
    for form in ("text", "table", "markdown"):
        assert "no loop found" in FORMS[form](empty).lower()
    assert FORMS["derivation"](empty) == ""


def test_markdown_is_a_table_on_every_line_of_it() -> None:
    lines = [line for line in render_markdown(report(SOURCE, "v100", "haswell")).splitlines() if line.startswith("|")]
    assert len({line.count("|") - line.count("\\|") for line in lines}) == 1
    assert len(lines) == 2 + 4 * 2


def test_without_a_machine_the_write_allocate_is_told() -> None:
    assert "write-allocate: 32*n bytes, 1/16 = 0.0625 FLOP/byte" in render_text(
        report("void f(int n, double *a, double *b, double *c) { for (int i = 0; i < n; i++) a[i] = b[i] + 2 * c[i]; }")
    )


def test_markdown_shows_source_as_code() -> None:
    text = render_markdown(report(SOURCE), by_line=True)
    assert text.count("````") == 2
    assert "|     y[i] = a*x[i] + y[i];" in text
