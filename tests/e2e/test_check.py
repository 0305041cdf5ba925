"""``ai-estimate check`` as people and CI run it: configuration, formats, baselines, changed lines, pre-commit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
SARIF = ROOT / "tests" / "data" / "sarif" / "sarif-schema-2.1.0.json"
SCALE = "void scale(int n, float *x, const float *y)\n{\n  for (int i = 0; i < n; i++)\n    x[i] = 0.1 * y[i];\n}\n"
HIDDEN = SCALE.replace("scale", "hidden").replace("y[i];", "y[i]; // ai-estimate: ignore[AI111]")
CLEAN = SCALE.replace("0.1", "0.1f")
TRIAD = "void triad(int n, double *a, double *b)\n{\n  for (int i = 0; i < n; i++)\n    a[i] = a[i] + 3 * b[i];\n}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def lines(outcome):
    return outcome.stdout.splitlines()


# Exit codes and selection


def test_one_line_for_each_finding_and_exit_code_1(run):
    write("a.c", SCALE)
    outcome = run("check", "a.c")
    assert outcome.code == 1
    assert lines(outcome) == [
        "a.c:4:5: AI111 warning: 0.1 is a double: the float data of this statement are computed in fp64",
        "1 warning in 1 file (--format full says what to do)",
    ]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 1),
        (("--exit-zero",), 0),
        (("--fail-on", "error"), 0),
        (("--ignore", "AI111"), 0),
        (("--select", "AI105,AI106"), 0),
        (("--select", "AI11"), 1),
        (("--select", "AI7"), 2),
        (("--fail-on", "severe"), 2),
        (("missing.c",), 2),
        (("--config", "missing.toml"), 2),
        (("--baseline", "missing.json"), 2),
        (("--config", "c.toml", "--isolated"), 2),
        (("-D", "n=1:10"), 2),
        (("-", "--diff-base", "HEAD"), 2),
    ],
)
def test_exit_codes(run, options, code):
    write("a.c", SCALE)
    outcome = run("check", "a.c", *options)
    assert outcome.code == code
    assert ("error: " in outcome.stderr) == (code == 2)
    assert "Traceback" not in outcome.stderr


def test_notes_do_not_fail_unless_asked_to(run):
    write("a.c", "void f(int n, double s, double *a) { for (int i = 0; i < n; i++) a[i] /= s; }\n")
    assert run("check", "a.c").code == 0
    assert run("check", "a.c", "--fail-on", "note").code == 1


def test_a_file_that_cannot_be_parsed_is_2_and_the_others_are_checked(run):
    write("a.c", SCALE)
    write("b.c", "void f( { for (int i = 0; i < n; i++ { }\n")
    outcome = run("check", "a.c", "b.c")
    assert outcome.code == 2
    assert "a.c:4:5: AI111 warning" in outcome.stdout
    assert "b.c:1: error:" in outcome.stderr


def test_what_is_wrong_with_a_file_is_said_once(run):
    write("a.c", "int main() { int i; for (i = 0; i < 10; i++) { x[i] = 1 }\n")
    assert run("check", "a.c").stderr.count("never closed (add what closes it)") == 1


def test_headers_without_loops_and_empty_files_are_silent(run):
    write("a.h", "class A { int x; };\n#include <none.h>\n")
    write("b.h", "")
    outcome = run("check", "a.h", "b.h")
    assert (outcome.code, outcome.stdout, outcome.stderr) == (0, "nothing was checked: 2 files hold no loop\n", "")


def test_folders_and_exclusions(run):
    write("src/a.c", SCALE)
    write("third_party/b.c", SCALE)
    write("ai-estimate.toml", 'exclude = ["third_party/"]\n')
    assert [line.split(":")[0] for line in lines(run("check"))[:-1]] == ["src/a.c"]
    assert run("check", "third_party/b.c").code == 1
    assert run("check", "third_party/b.c", "--force-exclude").code == 0


def test_rules_are_listed_and_explained(run):
    listed = lines(run("check", "--list-rules"))
    codes = [line.split()[0] for line in listed]
    assert codes == sorted(set(codes))
    for code in codes:
        text = run("explain", code).stdout
        assert "Example:" in text
        assert code == "AI005" or ("Why it matters:" in text and "Instead:" in text)


def test_the_source_line_and_what_to_do(run):
    write("a.c", SCALE)
    text = run("check", "a.c", "--format", "full").stdout
    assert "     4 |     x[i] = 0.1 * y[i];\n       = help: write 0.1f\n" in text


def test_colors_where_a_terminal_shows_them(run, monkeypatch):
    """What the source holds is escaped; formats for programs have none."""
    write("a.c", SCALE.replace("y[i];", "y[i]; // \x1b[31m"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = run("check", "a.c", "--format", "full").stdout
    assert "\x1b[33mwarning:\x1b[0m 0.1 is a double" in shown
    assert "// \\x1b[31m" in shown
    assert "\x1b" not in run("check", "a.c", "--format", "jsonl").stdout + run("check", "a.c", "--no-color").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("check", "a.c").stdout


def test_rules_as_a_page_of_documentation(run):
    page = run("explain", "AI105", "AI201", "--format", "markdown").stdout
    assert page.startswith("## AI105: access by columns\n\n")
    assert "**References**\n\n- Drepper" in page
    assert "## AI201: " in page


def test_what_needs_no_analysis_loads_none():
    write("a.h", "int f(void);\n")
    code = (
        "import sys; from cli.main import main; assert main(sys.argv[1:]) == 0;"
        "print([m for m in ('islpy', 'numpy', 'clang', 'analyzer.profile') if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for arguments in (("a.h",), ("--list-rules",), ("--help",)):
        command = [sys.executable, "-c", code, "check", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
        assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_standard_input_and_code_blocks(run):
    assert lines(run("check", "-", stdin=SCALE))[0].startswith("<stdin>:4:5: AI111 warning")
    write("a.md", f"# text\n\n```c\n{SCALE}```\n\n```c\n{HIDDEN}```\n")
    outcome = run("check", "a.md")
    assert [line.split(" ")[0] for line in lines(outcome)[:-1]] == ["a.md:7:5:"]


# Configuration


def test_the_nearest_configuration_holds_for_each_file(run):
    write("pyproject.toml", '[tool.ai-estimate]\nignore = ["AI111"]\n')
    write("sub/ai-estimate.toml", 'select = ["AI1"]\n')
    write("sub/deep/pyproject.toml", "[project]\nname = 'x'\n")
    for name in ("a.c", "sub/b.c", "sub/deep/c.c"):
        write(name, SCALE)
    found = lines(run("check"))[:-1]
    assert [line.split(":")[0] for line in found] == ["sub/b.c", "sub/deep/c.c"]
    assert len(lines(run("check", "--isolated"))) == 4
    assert run("check", "--config", "pyproject.toml").code == 0


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ("\nmachines = 'v100'\n", "2: unknown key 'machines'", "did you mean machine?"),
        ("[[budget]]\nfunction = 'f'\n\nmin_ai = 1\n", "4: unknown key 'min_ai'", "did you mean min-ai?"),
        ("[[budget]]\nmin-ai = 'low'\n", "2: budget[0].min-ai must be a number above 0", "write 0.4"),
        ("[[budget]]\nfunction = 'f'\n", "1: a budget asks for nothing", "add min-ai"),
        ("fail-on = 'warnings'\n", "1: fail-on cannot be 'warnings'", "did you mean warning?"),
        ("select = 3\n", "1: select must be a text or a list", ""),
        ("\n\na == 1\n", "3: not a valid TOML file", ""),
        ("budget = 1\n", "1: budget must be an array of tables", "write [[budget]]"),
        ("[defines]\nn = 1.5\n", "2: defines.n must be a whole number", ""),
    ],
)
def test_a_wrong_configuration_is_told_with_file_and_line(run, text, place, hint):
    write("a.c", CLEAN)
    write("ai-estimate.toml", text)
    outcome = run("check", "a.c")
    assert outcome.code == 2
    assert f"ai-estimate.toml:{place}" in outcome.stderr
    assert hint in outcome.stderr


def test_lines_of_a_pyproject_are_those_of_the_file(run):
    write("a.c", CLEAN)
    write("pyproject.toml", "[project]\nname = 'x'\n\n[tool.ai-estimate]\nigno = ['AI111']\n")
    outcome = run("check", "a.c")
    assert (outcome.code, "pyproject.toml:5: unknown key 'igno'" in outcome.stderr) == (2, True)


def test_budgets_by_file_function_and_loop(run):
    two = TRIAD.replace("}\n", "  for (int k = 0; k < n; k++)\n    b[k] = a[k] + 1;\n}\n")
    write("src/a.c", two)
    write("src/b.c", two)

    def found(*budgets: str) -> list[str]:
        write("ai-estimate.toml", "".join(f"[[budget]]\nmin-ai = 1\n{budget}\n" for budget in budgets))
        return [line.split(": ")[0] for line in lines(run("check", "--select", "AI101"))[:-1]]

    assert found('file = "src/*.c"') == ["src/a.c:3:3", "src/a.c:5:3", "src/b.c:3:3", "src/b.c:5:3"]
    assert found('file = "b.c"\nloop = "k"') == ["src/b.c:5:3"]
    assert found('function = "tri*"\nloop = 1') == ["src/a.c:3:3", "src/b.c:3:3"]
    assert found('function = "other"') == []
    assert found('file = "src/a.c"', "loop = 2\nhot = true") == [
        "src/a.c:3:3",
        "src/a.c:5:3",
        "src/b.c:5:3",
    ]


def test_a_budget_whose_loop_has_gone_is_found(run):
    write("src/a.c", TRIAD)
    write("src/b.c", TRIAD)
    write("ai-estimate.toml", '\n[[budget]]\nfile = "src/a.c"\nfunction = "triads"\nmin-ai = 1\n')
    outcome = run("check", "src")
    assert outcome.code == 1
    assert lines(outcome)[0].startswith("ai-estimate.toml:2: AI104 warning: this budget applies to no loop")
    assert run("check", "src/b.c").code == 0


def test_a_budget_for_a_file_that_is_not_there_is_noted(run):
    """A hook that names single files is silent: the file of the budget may be another one."""
    write("src/a.c", TRIAD)
    write("ai-estimate.toml", '[[budget]]\nfile = "src/b.c"\nmin-ai = 1\n')
    note = "ai-estimate.toml:1: this budget applies to no loop of the files that were checked"
    assert note in run("check").stderr
    assert note not in run("check", "src/a.c").stderr


def test_files_may_stand_before_and_after_options(run):
    write("a.c", TRIAD)
    write("b.c", TRIAD)
    assert run("check", "a.c", "--machine", "haswell", "b.c").code == run("check", "a.c", "b.c").code != 2
    assert "2 files on haswell" in run("a.c", "--machine", "haswell", "b.c").stdout


def test_a_budget_for_the_variable_of_a_loop_that_is_a_function_says_so(run):
    write("a.c", TRIAD)
    write("ai-estimate.toml", '\n[[budget]]\nloop = "triad"\nmin-ai = 1\n')
    outcome = run("check", "a.c", "--format", "full")
    assert outcome.code == 1
    assert "ai-estimate.toml:2: AI104 warning: this budget applies to no loop: 'triad' is a function" in outcome.stdout
    assert "write function = 'triad'" in outcome.stdout


def test_settings_are_shown_and_the_command_line_goes_before(run):
    write("ai-estimate.toml", 'machine = "haswell"\ndefines = { n = 5 }\nfail-on = "note"\n')
    write("a.c", CLEAN)
    shown = run("check", "--show-settings", "--machine", "v100", "-D", "n=7").stdout
    assert 'machine = ["v100"]' in shown
    assert 'defines = { n = "7" }' in shown
    assert 'fail-on = "note"' in shown
    assert "configuration: ai-estimate.toml" in shown


def test_directives_reach_the_plain_command(run):
    write("a.c", "// ai-estimate: assume n=100\n" + TRIAD)
    (region,) = json.loads(run("a.c", "--format", "json").stdout)["files"][0]["regions"]
    assert region["parameters"] == {"n": 100}
    assert region["work"]["flops"]["value"] == 200
    assert [item["code"] for item in region["assumptions"] if "n = 100" in item["text"]] == ["AI309"]


# Baselines and changed lines


def test_a_baseline_passes_over_what_is_known_and_finds_what_fell(run):
    source = write("src/a.c", SCALE + TRIAD)
    assert run("check", "src", "--write-baseline", "known.json").code == 0
    source.write_text("\n\n/* moved */\n" + SCALE + TRIAD.replace("triad", "renamed"))
    outcome = run("check", "src", "--baseline", "known.json")
    assert (outcome.code, lines(outcome)) == (0, ["nothing found in 1 file (1 known)"])
    source.write_text(SCALE + TRIAD.replace("a[i] + 3 *", "3 *"))
    outcome = run("check", "src", "--baseline", "known.json")
    assert outcome.code == 1
    assert (
        lines(outcome)[0]
        == "src/a.c:8:3: AI103 error: intensity fell from 0.08333 to 0.0625 FLOP/byte since the baseline"
    )
    assert run("check", "src", "--baseline", "known.json", "--fail-on", "error").code == 1


def test_a_baseline_of_another_machine_compares_no_intensities_and_says_so(run):
    source = write("a.c", TRIAD)
    run("check", "a.c", "--machine", "v100", "--write-baseline", "known.json")
    source.write_text(TRIAD.replace("a[i] + 3 *", "3 *"))
    outcome = run("check", "a.c", "--machine", "haswell", "--baseline", "known.json")
    assert outcome.code == 0
    assert "known.json is of v100: intensities are not compared" in outcome.stderr
    assert run("check", "a.c", "--machine", "v100", "--baseline", "known.json").code == 1


def test_a_baseline_is_found_from_any_folder(run, folder, monkeypatch):
    write("src/a.c", SCALE)
    write("ai-estimate.toml", 'baseline = "known.json"\n')
    assert run("check", "--write-baseline", "known.json").code == 0
    assert run("check").code == 0
    monkeypatch.chdir(folder / "src")
    assert run("check", "a.c").code == 0
    assert run("check", "a.c", "--isolated").code == 1


def git(*arguments: str) -> None:
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


def test_only_loops_that_changed(run):
    git("init", "-q", "-b", "main")
    two = SCALE + SCALE.replace("scale", "other")
    source = write("a.c", two)
    git("add", "a.c")
    git("commit", "-qm", "first")
    assert lines(run("check", "a.c", "--diff-base", "HEAD")) == ["nothing found in 1 file"]
    source.write_text("\n" + two.replace("int i = 0;", "int i = 1;", 1))
    assert lines(run("check", "a.c", "--diff-base", "HEAD"))[0].startswith("a.c:5:5: AI111 warning")
    assert lines(run("check", "a.c", "--diff-base", "main"))[1] == "1 warning in 1 file (--format full says what to do)"
    write("new.c", SCALE)
    assert lines(run("check", "new.c", "--diff-base", "HEAD"))[0].startswith("new.c:4:5: AI111 warning")
    outcome = run("check", "a.c", "--diff-base", "nowhere")
    assert (outcome.code, "no such commit" in outcome.stderr) == (2, True)


def test_changed_lines_need_a_repository(run, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(Path.cwd().parent))
    write("a.c", SCALE)
    outcome = run("check", "a.c", "--diff-base", "HEAD")
    assert (outcome.code, "git repository" in outcome.stderr) == (2, True)


# Formats


def document(run, form: str, *options: str) -> Any:
    return json.loads(run("check", "a, b.c", "--format", form, *options).stdout)


@pytest.fixture
def source():
    return write("a, b.c", SCALE + HIDDEN + TRIAD)


def test_sarif_is_valid_and_a_plain_bound_is_informational(run, source):
    log = document(run, "sarif", "--machine", "haswell", "-D", "n=100000")
    schema = json.loads(SARIF.read_text("utf-8"))
    jsonschema.validators.validator_for(schema)(schema).validate(log)
    (sarif,) = log["runs"]
    rules = sarif["tool"]["driver"]["rules"]
    kinds: dict[str, list[dict[str, Any]]] = {}
    for result in sarif["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        kinds.setdefault(result["kind"], []).append(result)
    assert {result["ruleId"] for result in kinds["informational"]} == {"AI100"}
    assert len(kinds["informational"]) == 3
    assert kinds["informational"][0]["properties"]["machine"] == "haswell-e5-2695v3"
    doubles = [result for result in kinds["fail"] if result["ruleId"] == "AI111"]
    assert [result.get("suppressions") for result in doubles] == [None, [{"kind": "inSource"}]]
    place = doubles[0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%2C%20b.c", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 4, "endLine": 4, "startColumn": 5}


def test_sarif_tells_the_state_against_a_baseline(run, source):
    run("check", "a, b.c", "--write-baseline", "known.json")
    source.write_text(source.read_text() + SCALE.replace("scale", "more"))
    (sarif,) = document(run, "sarif", "--baseline", "known.json")["runs"]
    states = [
        one.get("baselineState") for one in sarif["results"] if one["ruleId"] == "AI111" and "suppressions" not in one
    ]
    assert states == ["unchanged", "new"]


def test_github_annotations_and_step_summary(run, source, monkeypatch):
    write("summary.md", "before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    outcome = run("check", "a, b.c", "--format", "github")
    assert lines(outcome) == [
        "::warning file=a%2C b.c,line=4,endLine=4,col=5,title=AI111 double constant in float code::"
        "0.1 is a double: the float data of this statement are computed in fp64 (write 0.1f)"
    ]
    summary = Path("summary.md").read_text()
    assert summary.startswith("before\n### ai-estimate\n")
    assert "| a, b.c:4 | AI111 | warning |" in summary
    assert "Bounds of 3 loops" in summary


def test_gitlab_code_quality(run, source):
    source.write_text(SCALE + SCALE.replace("scale", "scale2"))
    first = document(run, "gitlab")
    assert [(one["check_name"], one["severity"], one["location"]["lines"]["begin"]) for one in first] == [
        ("AI111", "major", 4),
        ("AI111", "major", 9),
    ]
    assert len({one["fingerprint"] for one in first}) == 2
    source.write_text("\n\n" + source.read_text())
    assert [one["fingerprint"] for one in document(run, "gitlab")] == [one["fingerprint"] for one in first]


def test_junit(run, source):
    write("c.c", CLEAN)
    root = ElementTree.fromstring(run("check", "a, b.c", "c.c", "--format", "junit").stdout)
    suites = {suite.get("name"): [case.find("failure") is not None for case in suite] for suite in root}
    assert suites == {"a, b.c": [True], "c.c": [False]}
    assert (root.get("tests"), root.get("failures")) == ("2", "1")


def test_json_and_lines_of_it(run, source):
    whole = document(run, "json", "--machine", "haswell", "-D", "n=100000")
    jsonschema.validate(whole, json.loads((ROOT / "roofline" / "rules" / "check.schema.json").read_text("utf-8")))
    assert [(one["code"], one["line"]) for one in whole["findings"]] == [("AI111", 4)]
    assert [(one["code"], one["state"]) for one in whole["passed_over"]] == [("AI111", "suppressed")]
    assert [one["loop"] for one in whole["bounds"]] == ["scale:3-4", "hidden:8-9", "triad:13-14"]
    told = lines(run("check", "a, b.c", "--format", "jsonl", "--machine", "haswell", "-D", "n=100000"))
    assert list(map(json.loads, told)) == whole["findings"]


def test_an_output_file_is_written_whole_or_not_at_all(run, source):
    assert run("check", "a, b.c", "--format", "json", "--output-file", "out.json").code == 1
    assert json.loads(Path("out.json").read_text())["findings"]
    assert run("check", "a, b.c", "-o", "short.json").code == 1  # as of a report: the suffix chooses the form
    assert Path("short.json").read_text() == Path("out.json").read_text()
    outcome = run("check", "a, b.c", "--output-file", "none/out.txt")
    assert (outcome.code, Path("none").exists()) == (2, False)


# The hook


@pytest.mark.slow
def test_the_hook_fails_and_then_passes(folder):
    """The manifest as it is, but for ``language: system``, which needs no installation."""
    pytest.importorskip("pre_commit")
    manifest = (ROOT / ".pre-commit-hooks.yaml").read_text()
    here = f"{sys.executable} -m cli"
    write(
        "hooks/.pre-commit-hooks.yaml",
        manifest.replace("language: python", "language: system").replace("entry: ai-estimate", f"entry: {here}"),
    )
    git("-C", "hooks", "init", "-q")
    git("-C", "hooks", "add", ".")
    git("-C", "hooks", "commit", "-qm", "hooks")
    head = subprocess.run(["git", "-C", "hooks", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    hook = f"repos:\n- repo: {folder / 'hooks'}\n  rev: {head.stdout.strip()}\n  hooks:\n  - id: ai-estimate\n"
    write("sample/.pre-commit-config.yaml", hook)
    write("sample/a.c", SCALE)
    write("sample/a.h", "#pragma once\nint f(void);\n")
    write("sample/notes.txt", "2.0 * x\n")
    git("-C", "sample", "init", "-q")

    def commit() -> subprocess.CompletedProcess[str]:
        git("-C", "sample", "add", ".")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PRE_COMMIT_HOME": str(folder / "home")}
        command = [sys.executable, "-m", "pre_commit", "run", "--color", "never"]
        return subprocess.run(command, cwd="sample", capture_output=True, text=True, env=environment, timeout=300)

    failed = commit()
    assert failed.returncode == 1
    assert "a.c:4:5: AI111 warning" in failed.stdout
    write("sample/a.c", CLEAN)
    passed = commit()
    assert (passed.returncode, "Passed" in passed.stdout) == (0, True)


def test_parts_that_are_left_out_are_said_and_are_no_success(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    good = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }\n"
    (tmp_path / "half.c").write_text(good + "void g(int n, double *a) { for (int i = 0; i < n; i++) a[i = 1; }\n")
    found = run("check", "half.c")
    assert "1 file was checked in part" in found.stdout
    assert "half.c:2" in found.stderr
    assert found.code == 2
    (tmp_path / "half.c").write_text(good)
    assert run("check", "half.c").code == 0


def test_findings_in_an_included_file_are_not_reported_in_lines_of_the_one_that_includes_it(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lib.c").write_text(
        "\n" * 9 + "void scale(int n, double *a, double s) { for (int i = 0; i < n; i++) a[i] /= s; }\n"
    )
    (tmp_path / "main.c").write_text(
        '#include "lib.c"\nvoid run(int n, double *a) { for (int t = 0; t < 9; t++) scale(n, a, 3.0 * n); }\n'
    )
    assert "main.c:10" not in run("check", "main.c").stdout
