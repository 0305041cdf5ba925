"""Characters that do not show, and names that are no text: escaped in every output, and nothing is lost for them."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
import unicodedata
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.commands.explain_code import explain
from cli.lsp.editor_analysis import insight_of
from cli.output import append_text
from cli.render.progress import progress
from cli.render.table.table import render_table
from cli.visible import json_text, visible

from ..watched import ROOT

pytestmark = pytest.mark.isolated

HIDDEN = "\x1b[31m\x9b\u061c\u200b\u202e\u2066\u2028\ufeff\xad\ufe0f\U000e0041\x85"
SHOWN = r"\x1b[31m\x9b\u061c\u200b\u202e\u2066\u2028\ufeff\xad\ufe0f\U000e0041\x85"
NO_TEXT = os.fsdecode(b"m\xff")
SOURCE = (
    f"// {HIDDEN} ai-estimate: hot{HIDDEN}, min-ai=9\n"
    "void f(int n, float *a)\n{\n  // ai-estimate: hot, min-ai=9\n"
    f"  for (int i = 0; i < n; i++) a[i] *= 2.5; // {HIDDEN}\n}}\n"
)
VISIBLE_FORMATS = {0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}


@pytest.fixture(params=[f"a{HIDDEN.replace(chr(0x2028), '').replace(chr(0x85), '')}b.c", f"{NO_TEXT}.c"])
def named(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A source full of hidden characters, with a name of them, or one that is no UTF-8."""
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    Path(request.param).write_text(SOURCE, "utf-8")
    return str(request.param)


def assert_shows(text: str) -> None:
    """Nothing hidden is left, and all of it can be written."""
    assert text
    assert visible(text) == text
    text.encode("utf-8")


def test_every_hidden_character_is_known() -> None:
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        hidden = unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") and code not in VISIBLE_FORMATS
        if hidden and letter not in "\n\t":
            assert visible(letter) != letter
            assert_shows(visible(letter))
            assert_shows(json_text(letter, indent=None))
            assert json.loads(json_text(letter)) in (letter, visible(letter))
    for letter in "\u034f\u115f\u3164\ufe0f\U000e0100\u2800\uffff":
        assert visible(letter) != letter
    assert visible("a \u00e9\u4e2d\u0627\u05d0\U0001f600\n\t") == "a \u00e9\u4e2d\u0627\u05d0\U0001f600\n\t"


@pytest.mark.parametrize("form", ["table", "text", "markdown", "csv", "html", "json"])
def test_reports_show_what_is_hidden(run, named: str, form: str, tmp_path: Path) -> None:
    words = [named, "--machine", "haswell", "--format", form]
    words += ["--by-line", "--explain"] if form in ("table", "text", "markdown") else []
    done = run(*words)
    assert done.code == 0
    assert_shows(done.stdout)
    assert run(*words, "--output", tmp_path / "report").code == 0
    written = (tmp_path / "report").read_text("utf-8")
    assert_shows(written)
    told = json.loads(written)["files"][0]["path"] if form == "json" else written
    assert visible(named) in (visible(told) if form == "json" else told)


@pytest.mark.parametrize("form", ["text", "full", "json", "jsonl", "sarif", "github", "gitlab", "junit"])
def test_checks_show_what_is_hidden(run, named: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    done = run("check", named, "--machine", "haswell", "--format", form)
    assert done.code == 1
    assert_shows(done.stdout)
    if form in ("json", "sarif", "gitlab"):
        assert "AI1" in json.dumps(json.loads(done.stdout))
    if form == "junit":
        assert ElementTree.fromstring(done.stdout)[0].get("name") == visible(named)
    if form == "github":
        assert_shows(Path("summary.md").read_text("utf-8"))
        assert {line.split(" ")[0] for line in done.stdout.splitlines()} <= {"::error", "::warning", "::notice"}


def test_the_roofline_of_a_page_shows_what_is_hidden(run, named: str) -> None:
    Path("g.c").write_text("void f(int n, float *a) { for (int i = 0; i < n; i++) a[i] *= 2.5f; }\n")
    page = run(named, "g.c", "--machine", "haswell", "--format", "html").stdout
    (traces,) = re.findall(r'id="traces">(.*?)</script>', page, re.S)
    assert_shows(json.dumps(json.loads(traces), ensure_ascii=False))
    script = (ROOT / "cli" / "render" / "html" / "report.js").read_text("utf-8")
    assert_shows(script)  # the page names it by its digest
    assert script in page


def test_sarif_names_the_very_file(run, named: str) -> None:
    log = json.loads(run("check", named, "--machine", "haswell", "--format", "sarif").stdout)
    uris = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in log["runs"][0]["results"]}
    (uri,) = uris
    raw = re.sub(rb"%(..)", lambda found: bytes([int(found[1], 16)]), uri.encode("ascii"))
    assert raw == os.fsencode(named)


@pytest.mark.parametrize(
    "words", [("--dump", "ir"), ("check", "--show-settings"), ("--plot", "p.svg", "--machine", "v100")]
)
def test_other_doors(run, named: str, words: tuple[str, ...]) -> None:
    done = run(*words, named)
    assert done.code == 0
    assert_shows(done.stdout)
    for path in Path().glob("p.*"):
        assert_shows(path.read_text("utf-8"))


@pytest.mark.parametrize("form", ["svg", "png", "pdf", "html"])
def test_plots_can_be_drawn(run, named: str, form: str) -> None:
    Path("$x^{.c").write_text(SOURCE, "utf-8")
    assert run(named, "$x^{.c", "--machine", "haswell", "--plot", f"p.{form}" if form != "html" else "p.svg").code == 0
    assert run(named, "-D", "n=10..1000", "--machine", "haswell", "--plot", "q.png").code == 0


def test_messages_show_what_is_hidden(run, named: str) -> None:
    Path(named).write_bytes(b"\0")
    for words in (
        (named,),
        ("check", named),
        (f"missing{named}",),
        ("--frontend", HIDDEN),
        ("--machine", HIDDEN, named),
    ):
        done = run(*words)
        assert done.code == 2
        assert_shows(done.stderr)


def test_an_editor_is_shown_what_is_hidden(named: str) -> None:
    found = insight_of(named, SOURCE, "c", ["--machine", "haswell"]).as_primitive()
    assert_shows(json.dumps(found, ensure_ascii=False))
    assert SHOWN.split("[")[0] in json.dumps(found)
    wrong = insight_of(named, SOURCE, "c", ["--machine", HIDDEN]).as_primitive()
    assert visible(str(wrong["complaint"])) == wrong["complaint"] != ""


def test_a_baseline_knows_a_file_of_any_name(run, named: str) -> None:
    assert run("check", named, "--machine", "haswell", "--write-baseline", "b.json").code == 0
    assert_shows(Path("b.json").read_text("utf-8"))
    assert run("check", named, "--machine", "haswell", "--baseline", "b.json").code == 0


def test_measured_names_show_and_start_no_formula(run, named: str) -> None:
    Path("m.csv").write_text("name,flops\nf,3\n=1+1\u202e\u200b\U000e0041,2\n", "utf-8")  # no controls are read
    for form in ("table", "markdown", "csv", "json"):
        done = run("compare", named, "--measured", "m.csv", "-D", "n=10", "--format", form)
        assert_shows(done.stdout)
        assert done.stderr == visible(done.stderr)
        cells = [cell for row in csv.reader(done.stdout.splitlines()) for cell in row] if form == "csv" else []
        assert not [cell for cell in cells if cell.startswith("=")]


def test_no_name_colours_a_terminal(tmp_path: Path) -> None:
    from analyzer.options import AnalysisOptions
    from analyzer.pipeline import analyze
    from analyzer.source import Language, SourceFile
    from roofline.model.projection import ProjectionOptions
    from roofline.report.report import make_report

    source = SourceFile(f"a{HIDDEN}.c", SOURCE, Language.C)
    profiles = analyze(source, AnalysisOptions())
    report = make_report(profiles, (), ProjectionOptions(), version="", options={})
    drawn = render_table(report, color=True, by_line=True)
    assert "\x1b[31m" not in drawn
    assert "\x1b[" in drawn
    assert visible(drawn, colors=True) == drawn


def test_the_bar_shows_names(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, task, **new: told.append(new["description"]))
    with progress(1, color=False) as advance:
        advance(f"a{HIDDEN}{NO_TEXT}.c")
    assert told == [f"a{SHOWN}m\\xff.c"]


def test_what_is_appended_shows(tmp_path: Path) -> None:
    append_text(HIDDEN + NO_TEXT, str(tmp_path / "x"))
    append_text("b", str(tmp_path / "x"))
    assert (tmp_path / "x").read_text("utf-8") == SHOWN + r"m\xff" + "b"


def test_a_backslash_opens_no_tag_in_markdown(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("\\<b>x.c").write_text("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }\n")
    assert run("*.c", "--format", "markdown").stdout.startswith("## \\\\\\<b\\>x.c")


def test_our_own_words_show() -> None:
    from analyzer.diagnostics import catalog

    assert_shows("".join(map(explain, catalog().values())))
