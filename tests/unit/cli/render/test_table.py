"""The terminal's table: what its rows and notes say, and that no number is lost at any width."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from cli.render.table.nest_rows import DETAILS, rows_of
from cli.render.table.notes import notes_of
from cli.render.table.table import _STYLES, render_table
from cli.render.typesetting.grid import styled
from roofline.catalog import find_machine
from roofline.model.projection import Bound, ProjectionOptions
from roofline.report.report import Report
from tests.projected import make_report

TRIAD = "void triad(int n, double *a, double *b, double *c) { for (int i = 0; i < n; i++) a[i] = b[i] + 2 * c[i]; }\n"
COPY = "void copy(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = b[i]; }\n"
FILL = "void fill(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n"
GATHER = "void gather(int n, int *x, double *a, double *b) { for (int i = 0; i < n; i++) a[i] += 3 * b[x[i]]; }\n"
MATMUL = """\
void multiply(double a[100][100], double b[100][100], double c[100][100])
{
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 100; j++)
      for (int k = 0; k < 100; k++)
        a[i][j] += b[i][k] * c[k][j];
}
"""
SEVERAL = """\
void a_function_with_a_rather_long_name_indeed(int n, double *a, double *b)
{
  for (int i = 0; i < n; i++)
    a[i] = 2 * b[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i] += a[i] * a[j];
}
"""


def report(text: str, *machines: str, **defines: int) -> Report:
    options = AnalysisOptions(defines={name: str(value) for name, value in defines.items()})
    profiles = analyze(SourceFile("k.c", text, Language.C), options)
    return make_report(profiles, [find_machine(n) for n in machines], ProjectionOptions(), version="0", options={})


def cells(text: str, label: str) -> list[str]:
    """The cells of the row that starts with a label."""
    (line,) = [line for line in text.splitlines() if line.startswith(f" {label} ")]
    return re.split(r"\s{2,}", line.strip())


def test_one_nest_is_one_row_with_its_exact_fraction_and_time() -> None:
    """2 FLOP over 24 bytes at 828.758 GB/s: 24e6 B take 28.96 us."""
    text = render_table(report(TRIAD, "v100", n=10**6), width=100)
    assert cells(text, "triad:1") == [
        *("triad:1", "2,000,000", "24,000,000", "1/12 = 0.08333"),
        *("memory (DRAM)", "69.06 GFLOP/s", "28.96 us"),
    ]


def test_bytes_by_direction_where_there_is_room() -> None:
    row = rows_of(report(TRIAD, "haswell", n=1000).files[0], DETAILS[0])[0]
    assert (row.read, row.write_allocate, row.written, row.bytes) == ("16,000", "8,000", "8,000", "32,000")
    assert row.intensity == "1/16 = 0.0625"
    assert "write-alloc" in render_table(report(TRIAD, "haswell", n=1000), width=200)


def test_unknown_sizes_are_formulas_without_a_time() -> None:
    text = render_table(report(TRIAD, "v100"), width=100)
    assert cells(text, "triad:1")[1:6] == ["2*n", "16*n", "8*n", "24*n", "1/12 = 0.08333"]
    assert "time" not in text.splitlines()[2]


def test_a_loop_without_flops_has_a_byte_rate() -> None:
    text = render_table(report(COPY, "v100", n=1000), width=200)
    assert "828.8 GB/s = 51.8 G" in text
    assert "no FLOPs" in text


def test_every_kind_of_bound_has_a_color() -> None:
    recurrence = "void f(int n, double *a, double *b) { for (int i = 1; i < n; i++) a[i] = 0.5 * a[i-1] + b[i]; }\n"
    found = report(recurrence, "haswell", n=1000)
    assert [projection.bound for projection in found.regions[0].projections] == [Bound.LATENCY]
    assert "\x1b[35mlatency" in render_table(found, width=120, color=True)
    css = resources.files("cli.render.html").joinpath("report.css").read_text("utf-8")
    for bound in set(Bound) - {Bound.NOTHING, Bound.UNKNOWN}:
        assert f".badge.{bound.value}" in css
        assert f".stripes .{bound.value}" in css
        assert styled("x", _STYLES[bound], color=True).endswith("x\x1b[0m")


def test_what_only_fills_memory_comes_last_and_faint() -> None:
    found = report(FILL + COPY + TRIAD, "v100")
    assert [(row.label, row.faint) for row in rows_of(found.files[0], DETAILS[0])] == [
        ("copy:2", False),
        ("triad:3", False),
        ("fill:1", True),
    ]
    alone = rows_of(report(FILL, "v100").files[0], DETAILS[0])
    assert [row.faint for row in alone] == [False]


def test_nests_stand_below_their_function() -> None:
    labels = [row.label for row in rows_of(report(SEVERAL, "v100").files[0], DETAILS[0])]
    assert labels == ["a_function_with_a_rather_long_name_indeed:1-8", "  lines 3-4", "  lines 5-7"]


def test_a_row_for_each_machine() -> None:
    rows = rows_of(report(SEVERAL, "v100", "haswell").files[0], DETAILS[0])
    assert [row.label for row in rows if row.bound] == ["  v100", "  haswell-e5-2695v3"] + [
        "    v100",
        "    haswell-e5-2695v3",
    ] * 2
    shown = rows_of(report(MATMUL, "v100", "a100").files[0], DETAILS[0])
    assert [bool(row.bytes) for row in shown] == [True, False, False], "the same bytes are told once"


@pytest.mark.parametrize("machines", [("v100",), ("v100", "haswell")], ids=["one", "two"])
@pytest.mark.parametrize("width", [60, 72, 80, 100, 132, 200])
def test_no_number_is_cut(width: int, machines: tuple[str, ...]) -> None:
    text = render_table(report(TRIAD + GATHER + MATMUL + SEVERAL, *machines, n=123457), width=width)
    table = text.split("\n\n")[1]
    assert max(map(len, text.splitlines())) <= width
    for line in table.splitlines():
        name, _, rest = line.strip().partition(" ")
        assert "…" not in rest or "…" in name, line
        assert not re.search(r"\d…|…\s*$", rest), line
    if width >= 80:
        assert all(unit in table for unit in ("GFLOP/s", "TFLOP/s", "us"))
        assert re.search(r"\b(1/12|0\.0833)\b", table)


def test_long_names_keep_their_lines() -> None:
    text = render_table(report(SEVERAL, "v100", n=1000), width=80)
    assert re.search(r"a_function_\w*…:1-8", text)


def test_the_reason_names_the_level_whose_intensity_it_gives() -> None:
    text = re.sub(r"\s+", " ", render_table(report(MATMUL, "v100"), width=100))
    assert "L1 intensity 0.1238 FLOP/byte is below the ridge" in text
    assert "25/4 = 6.25" in text


def test_an_intensity_that_depends_on_data_is_told_with_its_ends() -> None:
    found = report(GATHER, "v100", n=10**6)
    text = re.sub(r"\s+", " ", render_table(found, width=80))
    assert "~ 1/14 = 0.07143" in text
    assert "gather:1 is an estimate: bytes ~ 28,000,000 (between 20,000,000 and 28,000,000)" in text


def test_what_would_help_and_what_was_assumed() -> None:
    labels = [note.label for note in notes_of(report(TRIAD, "haswell", n=10**7), report(TRIAD, "haswell").files[0])]
    assert labels.count("to speed up triad:1") == 1
    assert {"bytes", "haswell-e5-2695v3", "assumed"} <= set(labels)


def test_many_reasons_stay_on_a_screen() -> None:
    loops = "".join(
        f"void f{n}(int n, float *a) {{ for (int i = 0; i < {n} * n; i++) a[i] += 1; }}\n" for n in range(2, 42)
    )
    text = render_table(report(loops + TRIAD + COPY + MATMUL + SEVERAL, "v100"), width=80)
    below = text.split("\n\n")[-1]
    assert len(below.splitlines()) < 24
    assert "more reasons" in below
