from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.errors import OptionError
from cli.lsp.editor_analysis import insight_of
from cli.lsp.messages import Insight
from cli.lsp.settings import Settings, parse_settings
from tests.oracle.sources import ROOT

COPY = "void copy(int n, double *a, double *b) {\n  for (int i = 0; i < n; i++)\n    a[i] = 3.0 * b[i];\n}\n"
BOTH = (
    "void f(int n, double a[n], double b[n]) {\n  for (int i = 0; i < n; i++) a[i] = 2.0 * b[i];\n"
    "  for (int i = 1; i < n; i++) b[i] = a[i] * a[i-1];\n}\n"
)


def look(text: str, *arguments: str, path: str = "k.c", language: str = "c") -> Insight:
    return insight_of(path, text, language, ["--isolated", *arguments])


def test_every_nest_has_a_lens_and_a_hover() -> None:
    found = look(BOTH, "--machine", "v100")
    assert [lens.line for lens in found.lenses] == [1, 2]
    hover = found.hover_at(2)
    assert hover is not None
    assert (hover.line, hover.end_line) == (2, 2)
    whole = found.hover_at(0)
    assert whole is not None
    assert (whole.line, whole.end_line) == (0, 3)
    assert "all loops" in whole.text


def test_without_a_machine_the_intensity_is_told() -> None:
    assert [lens.title for lens in look(COPY).lenses] == ["AI 1/16 FLOP/byte"]


def test_machines_that_move_other_bytes_have_their_own_intensity() -> None:
    (lens,) = look(COPY, "--machine", "v100,haswell").lenses
    assert lens.title.startswith("AI 1/16, memory-bound (DRAM) on v100: ")
    assert " | AI 1/24, memory-bound (DRAM) on haswell-e5-2695v3: " in lens.title


def test_an_insight_survives_the_pipe() -> None:
    found = look(BOTH, "--machine", "v100")
    assert Insight.of_primitive(json.loads(json.dumps(found.as_primitive()))) == found


def test_columns_count_utf16_units() -> None:
    loop = "  /* \N{MATHEMATICAL ITALIC SMALL X} */ for (int i = 0; i < n; i++) a[i] = g(a[i]);"
    text = f"void f(int n, double *a) {{\n{loop}\n}}\n"
    problem = next(found for found in look(text).problems if found.line == 1)
    assert problem.column == 2
    assert problem.end_column == len(loop) + 1


def test_a_document_of_another_language_says_so_instead_of_a_syntax_error() -> None:
    (problem,) = look("do i = 1, n\n", path="k.f90", language="fortran-modern").problems
    assert (problem.line, problem.message) == (0, "is Fortran, which is not read (give C, C++ or CUDA source)")
    assert look(COPY, path="k.f90", language="c").lenses  # the editor knows better than the name


@pytest.mark.parametrize("text", ["", "  \n\n"])
def test_nothing_is_said_of_nothing(text: str) -> None:
    assert look(text) == Insight()


@pytest.mark.parametrize(
    "text",
    ["void f(", "for (;;) {", "}}}}", '"', "\x00\x01", "template <", "#if 1", "é" * 50, "int x = \\", "# 3 junk"],
)
@pytest.mark.parametrize("language", ["c", "cpp", "cuda-cpp"])
def test_broken_text_gives_an_answer(text: str, language: str) -> None:
    lines = text.split("\n")
    for problem in look(text, language=language).problems:
        assert 0 <= problem.line < len(lines)


def test_options_that_make_no_sense_are_a_complaint() -> None:
    assert "no machine is called 'nope'" in look(COPY, "--machine", "nope").complaint
    assert "unrecognized arguments" in look(COPY, "--bogus").complaint
    assert "--cores" in look(COPY, "--machine", "haswell", "--cores", "0").complaint


def test_a_run_gives_trip_counts_to_the_file_that_it_recorded_and_leaves_others_alone() -> None:
    """37i % 100 > 50 for 49 of 100 rows; other files of the project were not recorded."""
    folder = ROOT / "tests" / "data" / "coverage"
    text = (folder / "rows.c").read_text()
    recorded = ("--profile", str(folder / "rows.gcov.json"))
    open_, known = (look(text, *more, path=str(folder / "rows.c")) for more in ((), recorded))
    assert "trip_L7" in str(open_.problems)
    assert "trip_L7" not in str(known.problems)
    assert not look(COPY, *recorded).complaint


def test_given_arrays_are_used_where_a_file_reads_them(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("0 2 5")
    loops = "for (int i = 0; i < n; i++)\n    for (int j = p[i]; j < p[i + 1]; j++) x[j] *= 2.0;"
    given = ("--array", f"p={tmp_path / 'p.txt'}")
    insight = look(f"void f(int n, const int *p, double *x) {{\n  {loops}\n}}\n", *given)
    assert "FLOPs = 5/2*n = 5" in insight.hovers[0].text
    assert not look(COPY, *given).complaint


def test_settings_become_arguments() -> None:
    given = {"machine": ["v100", "a100"], "defines": {"n": 4096}, "arguments": ["-p", "build"], "debounce": 1}
    settings = parse_settings({"aiEstimate": given})
    assert settings.arguments == ("-p", "build", "--machine", "v100", "--machine", "a100", "-D", "n=4096")
    assert (settings.debounce, settings.lenses) == (1.0, True)
    assert parse_settings(None) == parse_settings({}) == Settings()


@pytest.mark.parametrize(
    "options",
    [3, {"machines": []}, {"machine": 3}, {"defines": ["n"]}, {"lenses": "yes"}, {"debounce": -1}, {"limit": True}],
)
def test_wrong_settings_are_told(options: object) -> None:
    with pytest.raises(OptionError):
        parse_settings(options)


def test_a_relative_baseline_passes_over_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cli.main import main

    monkeypatch.chdir(tmp_path)
    loops = "for (int j = 0; j < 900; j++)\n  for (int i = 0; i < 900; i++) m[i][j] = 1.0 + m[i][j];"
    text = f"void f(double m[900][900]) {{\n  {loops}\n}}\n"
    Path("k.c").write_text(text)
    codes = {problem.code for problem in look(text).problems}
    assert "AI105" in codes
    assert main(["check", "k.c", "--isolated", "--write-baseline", "known.json", "--quiet"]) == 0
    known = {problem.code for problem in look(text, "--baseline", "known.json").problems}
    assert "AI105" not in known
