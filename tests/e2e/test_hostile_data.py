"""Data files that mean harm, through every command that reads them: an error with the file, exit code 2, at once."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from analyzer.ir.values import Operation

LOOP = "void f(int n, double *a)\n{\n  for (int i = 0; i < n; i++) a[i] += 1;\n}\n"
WEIGHTS = "[p.operations]\n" + "".join(f"{operation.value} = 1\n" for operation in Operation)
TOML = {
    "brackets": "a = " + "[" * 50_000,
    "tables": "a = " + "{a=" * 50_000,
    "digits": "cores = " + "1" * 10_000,
    "dotted key": "a" + ".a" * 50_000 + " = 1",
    "list": "machine = [" + "1," * 400_000 + "]",
    "large": "#" * (2 << 20),
    "sections": "[a]\n[a]\n",
    "bytes": "\udcff",
    "NUL": "a = 1\n\0",
}
JSON = {
    "brackets": "[" * 50_000,
    "objects": '{"a":' * 50_000,
    "digits": "[" + "1" * 10_000 + "]",
    "list": "[" + "1," * (2 << 20) + "1]",
    "NUL": '[{"file": "a\\u0000.c"}]',
    "raw NUL": '[{"file": "a\0.c"}]',
    "surrogate": '[{"file": "\\ud800.c"}]',
    "key twice": '[{"file": "a.c", "file": "b.c"}]',
    "constant": "[NaN]",
    "cut off": '[{"file": ',
    "bytes": '[{"file": "\udcff"}]',
}
NEVER_ENDS = ("pipe", "/dev/zero", "folder")
READERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "configuration": ("ai-estimate.toml", ("check", "f.c")),
    "named configuration": ("c.toml", ("check", "f.c", "--config", "c.toml")),
    "machine": ("m.toml", ("f.c", "--machine", "./m.toml")),
    "policy": ("p.toml", ("f.c", "--policy", "p.toml")),
    "database": ("compile_commands.json", ("-p", ".")),
    "baseline": ("b.json", ("check", "f.c", "--baseline", "b.json")),
    "measured": ("d.json", ("compare", "f.c", "--measured", "d.json")),
    "roofs": ("r.json", ("f.c", "--machine", "r.json@v100")),
    "array": ("k.npy", ("f.c", "--array", "k=k.npy")),
    "matrix": ("A.mtx", ("f.c", "--matrix", "A.mtx")),
}
CASES = [(reader, name) for reader, (file, _) in READERS.items() for name in (TOML if file.endswith("toml") else JSON)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("f.c").write_text(LOOP)
    return tmp_path


def refused(run: Any, *arguments: str) -> str:
    """Return the messages of a command that ends at once because of a file."""
    start = time.monotonic()
    done = run(*arguments)
    assert done.code == 2, done.stdout + done.stderr
    assert time.monotonic() - start < 100  # for ever where it is not linear
    assert "Traceback" not in done.stderr
    assert "defect" not in done.stderr
    return str(done.stderr)


@pytest.mark.parametrize(("reader", "name"), CASES)
def test_contents_that_mean_harm(run: Any, reader: str, name: str) -> None:
    file, arguments = READERS[reader]
    text = TOML[name] if file.endswith("toml") else JSON[name]
    Path(file).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert file in refused(run, *arguments)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", NEVER_ENDS)
def test_what_never_ends_is_no_file(run: Any, reader: str, kind: str) -> None:
    file, arguments = READERS[reader]
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        Path(file).mkdir()
    else:
        Path(file).symlink_to(kind)
    if (reader, kind) == ("database", "folder"):
        Path(file, "compile_commands.json").mkdir()
    told = refused(run, *arguments)
    assert file in told
    assert "only regular files are read" in told


@pytest.mark.parametrize(
    "text",
    [
        'machine = "/dev/zero"',
        'machine = "pipe.toml"',
        'compile-commands = "pipe.toml"',
        'baseline = "/dev/zero"',
        'policy = "pipe.toml"',
    ],
)
def test_a_configuration_that_names_what_never_ends(run: Any, text: str) -> None:
    os.mkfifo("pipe.toml")
    Path("ai-estimate.toml").write_text(text + "\n")
    refused(run, "check", "f.c")


@pytest.mark.parametrize(
    "text",
    [
        *('min-ai = "1e999999999"', "min-ai = 1e300", "min-ai = true", "branch-probability = 1.5", "cores = 0"),
        *(
            "cores = 9223372036854775807",
            "min-ai = 0",
            "min-ai = 10000000",
            "min-ai = -1",
            'branch-probability = "1e-999999999"',
            "defines = { n = 1.5 }",
        ),
        *('std = "' + "c" * 5000 + '"', 'hierarchy = "L1:' + "9" * 500 + 'B"', 'machine = "a\\u0000b"'),
        *("[[budget]]\nloop = 0\nhot = true", '[[budget]]\nmin-ai = "1/0"', 'exclude = ["' + "*" * 2000 + '"]'),
    ],
)
def test_every_number_of_a_configuration_has_a_range(run: Any, text: str) -> None:
    Path("ai-estimate.toml").write_text(text + "\n")
    assert "ai-estimate: error: " in refused(run, "check", "f.c", "--machine", "v100")


BASELINE = '{"schema_version": 1, "findings": [], "loops": [{"file": "a", "function": "f", "loop": "x", "shape": "s",'
WRONG = {
    '[{"file": "f.c",\n"arguments": ["cc", 7]}]': ("database", "2: [0].arguments[1] must be a text, not 7"),
    '[{"directory": "."}]': ("database", "1: [0] has no file"),
    '[{"file": "f.c", "command": "cc \'x"}]': ("database", "1: [0].command cannot be split"),
    '{"schema_version": 1, "findings": 3, "loops": []}': ("baseline", "1: findings must be a list, not 3"),
    f'{BASELINE}\n"intensity": {{"v100": "1e999999999"}}}}]}}': (
        "baseline",
        "2: loops[0].intensity.v100 must be a fraction",
    ),
    f"[p]\ntitle = 3\n{WEIGHTS}": ("policy", "2: p.title must be a text, not 3"),
    "[p]\n" + WEIGHTS.replace("add = 1", "add = 99999999999"): (
        "policy",
        "3: p.operations.add must be at most 1000000",
    ),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_told_by_line_and_path(run: Any, text: str) -> None:
    reader, told = WRONG[text]
    file, arguments = READERS[reader]
    Path(file).write_text(text)
    assert f"{file}:{told}" in refused(run, *arguments)


LINES = (
    "*a" * 20 + "b",
    "a?*" * 30 + "b",
    "**/a" * 50 + "/b",
    "**" * 300 + "b",
    "[" * 500,
    "\\",
    "!",
    "[z-a]",
    "[[:x:]]",
)


@pytest.mark.parametrize("line", LINES)
def test_lines_of_gitignore_take_linear_time(run: Any, line: str) -> None:
    Path("sub").mkdir()
    for number in range(20):
        Path("sub", f"{'a' * 240}{number}.c").write_text(LOOP)
    Path(".gitignore").write_text(f"{line}\n" * 20)
    start = time.process_time()
    run("check", ".", "--show-settings")
    assert time.process_time() - start < 100  # for ever where it is not linear


@pytest.mark.parametrize("kind", [*NEVER_ENDS, "long", "many"])
def test_a_gitignore_that_cannot_be_read_is_told_and_the_files_are_checked(run: Any, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(".gitignore")
    elif kind == "folder":
        Path(".gitignore").mkdir()
    elif kind in ("long", "many"):
        Path(".gitignore").write_text("x" * 2000 if kind == "long" else "x\n" * 6000)
    else:
        Path(".gitignore").symlink_to(kind)
    done = run("check", ".", "--select", "AI1")
    assert done.code == 2
    assert ".gitignore" in done.stderr


@pytest.mark.parametrize("name", ["pipe.h", "zero.c"])
def test_a_check_of_what_never_ends_ends(run: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.source._GRACE_S", 0.1)
    if name.startswith("pipe"):
        os.mkfifo(name)
    else:
        Path(name).symlink_to("/dev/null")
    start = time.monotonic()
    assert run("check", name).code == 2
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "html"])
@pytest.mark.parametrize("name", ["a\nb", "a|b::c\"'", "\udcff\udc80", "\u202e", "x" * 250, "-", " "])
def test_output_goes_to_a_file_of_any_name(run: Any, form: str, name: str) -> None:
    done = run("f.c", "--format", form, "-o", f"./{name}")
    assert done.code == 0, done.stderr
    assert Path(name).stat().st_size
    assert sorted(os.listdir(".")) == sorted(["f.c", name])


def test_findings_go_to_a_file_of_any_name(run: Any) -> None:
    for form in ("text", "full", "json", "jsonl", "sarif", "github", "gitlab", "junit"):
        name = f"{form}\n::error::\udcff"
        assert run("check", "f.c", "--format", form, "--output-file", name).code in (0, 1)
        assert Path(name).exists()


def test_a_name_in_an_error_is_no_line(run: Any) -> None:
    name = "a\n::error::b.toml"
    Path(name).write_text("x = [")
    told = refused(run, "f.c", "--machine", f"./{name}")
    assert len(told.splitlines()) == 1
    assert json.dumps(name)[1:-1] in told
