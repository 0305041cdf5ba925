"""Sources, repositories and data files that mean harm: the promises of ``.github/SECURITY.md``."""

from __future__ import annotations

import csv
import json
import os
import pickle
import re
import subprocess
import sys
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from analyzer.frontend import confinement

ROOT = Path(__file__).parents[2]
LOOP = "void f(int n, double *a)\n{\n  for (int i = 0; i < n; i++) a[i] += 1;\n}\n"
KERNEL = "__global__ void k(float *x) { x[threadIdx.x] = 1; }\nint main() { k<<<1, 32>>>(0); }\n"
CODE = "__import__('os').system('touch sprung')"
WATCH = """
import sys
def hook(event, arguments):
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "socket.connect"):
        print("STARTED", event, arguments, file=sys.stderr)
sys.addaudithook(hook)
from cli.main import run
sys.exit(run())
"""


def watched(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that tells of every program it starts."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", WATCH, *map(str, arguments)]
    return subprocess.run(words, env=environment, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark where it is run."""
    path = tmp_path / "trap.sh"
    path.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    path.chmod(0o755)
    return path


def test_no_program_is_started(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text('#pragma clang module build x\n#include "|touch sprung"\n' + LOOP)
    (tmp_path / "k.cu").write_text(KERNEL)
    done = watched("f.c", "k.cu", "--machine", "v100", "--no-cache", cwd=tmp_path)
    assert done.returncode == 0
    assert "STARTED" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.c", "k.cu"]


def test_only_harmless_arguments_of_a_build(tmp_path: Path, trap: Path) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    (tmp_path / "more.rsp").write_text("-Dn=7\n")
    plugin = str(tmp_path / "plugin.so")
    arguments = [
        *(
            str(trap),
            "cc",
            "-fplugin=" + plugin,
            "-Xclang",
            "-load",
            "-Xclang",
            plugin,
            "@more.rsp",
            "-wrapper",
            str(trap),
        ),
        *("-o", "out.o", "-MF", "deps.d", "-save-temps", "-ftime-trace=t.json", "-Dn=m", "-c", "f.c"),
    ]
    entry = {"directory": str(tmp_path), "file": "f.c", "arguments": arguments}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    before = sorted(path.name for path in tmp_path.iterdir())
    done = watched("-p", ".", "--format", "json", "--no-cache", cwd=tmp_path)
    assert done.returncode == 0
    assert list(json.loads(done.stdout)["files"][0]["regions"][0]["parameters"]) == ["m"]
    assert "STARTED" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize("compiled", ["pch", "gch"])
def test_no_compiled_header_is_loaded(tmp_path: Path, compiled: str) -> None:
    (tmp_path / "f.c").write_text(LOOP.replace("i < n", "i < SIZE"))
    (tmp_path / "forced.h").write_text("#define SIZE 77\n")
    (tmp_path / "k.cu").write_text(KERNEL)
    (tmp_path / f"forced.h.{compiled}").write_bytes(b"CPCH not a syntax tree")
    (tmp_path / f"ai_prelude.h.{compiled}").write_bytes(b"CPCH not a syntax tree")
    (tmp_path / "ai_prelude.h").write_text("#error not ours\n")
    entry = {"directory": str(tmp_path), "file": "f.c", "arguments": ["cc", "-include", "forced.h", "-c", "f.c"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    done = watched("f.c", "k.cu", "-p", ".", "--format", "json", "--no-cache", cwd=tmp_path)
    files = json.loads(done.stdout)["files"]
    assert [file["diagnostics"] for file in files] == [[], []]
    assert files[0]["regions"][0]["work"]["flops"]["value"] == 77


@pytest.mark.parametrize("name", ["-fplugin=evil.c", "-x.c", "@more.c", "-DLOST.c"])
def test_names_of_files_are_no_arguments(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(LOOP)
    (tmp_path / "evil.c").write_bytes(b"\x7fELF\0")
    for words in (("--", name), ("*.c",)):
        done = watched("--format", "csv", "--no-cache", *words, cwd=tmp_path)
        assert f"{name},f" in done.stdout.replace("'", "")
        assert "STARTED" not in done.stderr
    assert watched("check", ".", "--no-cache", "--exclude", "evil.c", cwd=tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "evil.c"])


SECRET = "int secret_word = also_secret;\n#define HIDDEN 5\n"
WAYS_OUT = {
    "absolute": '#include "{outside}/secret.h"',
    "upwards": '#include "../outside/secret.h"',
    "computed": '#define NAME "../outside/secret.h"\n#include NAME',
    "joined": "#define TEXT(x) #x\n#define NAME(x) TEXT({outside}/x)\n#include NAME(secret.h)",
    "asked": '#if __has_include("{outside}/secret.h")\n#define HIDDEN 5\n#endif',
    "imported": '#import "../outside/secret.h"',
    "next": '#include_next "../outside/secret.h"',
    "spliced": '#inc\\\nlude "../outside/secret.h"',
    "commented": '/* a */ # /* b */ include "../outside/secret.h"',
    "link": '#include "link.h"',
    "linked folder": '#include "folder/secret.h"',
    "link of a link": '#include "again.h"',
    "through a header": '#include "inner.h"',
    "of the build": "#include <secret.h>",
    "forced": "",
    "embedded": 'const char text[] = {{\n#embed "../outside/secret.h"\n}};',
    "dependency": '#pragma GCC dependency "../outside/secret.h"',
    "device": '#include "/dev/zero"',
    "process": '#include "/proc/self/environ"',
}


@pytest.fixture
def confined(tmp_path: Path) -> Path:
    """A folder with links and a build that lead out of it to a secret."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret.h").write_text(SECRET)
    (inside / "link.h").symlink_to(outside / "secret.h")
    (inside / "again.h").symlink_to("link.h")
    (inside / "folder").symlink_to(outside, target_is_directory=True)
    (inside / "inner.h").write_text('#include "/../' + str(outside).lstrip("/") + '/secret.h"\n')
    (inside / "own.h").write_text("#define OWN 3\n")
    entry = {"directory": str(inside), "file": "f.c", "arguments": ["cc", f"-I{outside}", "-I/", "-c", "f.c"]}
    (inside / "compile_commands.json").write_text(json.dumps([entry]))
    return inside


def confined_source(way: str, inside: Path) -> str:
    loop = "void f(double *a)\n{\n#ifndef HIDDEN\n#define HIDDEN 7\n#endif\n"
    loop += "  for (int i = 0; i < OWN * HIDDEN; i++) a[i] += sqrt(a[i]);\n}\n"
    text = WAYS_OUT[way].format(outside=inside.parent / "outside")
    return f'#include <math.h>\n#include "own.h"\n{text}\n{loop}'


@pytest.mark.parametrize("way", WAYS_OUT)
def test_headers_are_confined(run, confined: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    (confined / "f.c").write_text(confined_source(way, confined))
    if way == "forced":
        entry = {"directory": str(confined), "file": "f.c", "arguments": ["cc", "-include", "../outside/secret.h"]}
        (confined / "compile_commands.json").write_text(json.dumps([entry]))
    monkeypatch.chdir(confined)
    done = run("f.c", "-p", ".", "--confine", ".", "--format", "json")
    (region,) = json.loads(done.stdout)["files"][0]["regions"]
    assert region["work"]["flops"]["value"] == 2 * 3 * 7
    assert "secret_word" not in done.stdout + done.stderr
    assert "also_secret" not in done.stdout + done.stderr
    other = run("f.c", "-p", ".", "--confine", ".", "--frontend", "fragment")
    assert "also_secret" not in other.stdout + other.stderr
    told = [item["code"] for item in json.loads(done.stdout)["files"][0]["diagnostics"]]
    if way not in ("asked", "embedded"):
        assert "AI006" in told
        assert "--confine" in done.stdout


@pytest.mark.parametrize("way", [*WAYS_OUT, "by the system"])
def test_headers_of_the_system_do_not_lead_out(run, confined: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    system = confined.parent / "system"
    (system / "inner").mkdir(parents=True)
    (system / "system.h").write_text("#define OF_THE_SYSTEM 11\n")
    monkeypatch.setattr(confinement, "_OF_THE_SYSTEM", (str(system),))
    monkeypatch.setitem(WAYS_OUT, "by the system", f'#include "{system}/inner/../../outside/secret.h"')
    text = confined_source(way, confined).replace("OWN *", "OWN * OF_THE_SYSTEM *")
    (confined / "f.c").write_text(f'#include "{system}/system.h"\n#include "own.h"\n{text}')
    forced = ["-include", "../outside/secret.h"] if way == "forced" else []
    entry = {
        "directory": str(confined),
        "file": "f.c",
        "arguments": ["cc", f"-I{confined.parent / 'outside'}", *forced],
    }
    (confined / "compile_commands.json").write_text(json.dumps([entry]))
    monkeypatch.chdir(confined)
    done = run("f.c", "-p", ".", "--confine", ".", "--system-headers", "--format", "json")
    (file,) = json.loads(done.stdout)["files"]
    assert file["regions"][0]["work"]["flops"]["value"] == 2 * 3 * 7 * 11
    assert "secret_word" not in done.stdout + done.stderr
    told = [item["code"] for item in file["diagnostics"]]
    assert "AI006" in told or way in ("asked", "embedded")
    alone = json.loads(run("f.c", "-p", ".", "--confine", ".", "--format", "json").stdout)["files"][0]
    assert [item["code"] for item in alone["diagnostics"]].count("AI006") == told.count("AI006") + 1


def test_a_refusal_is_told_by_the_reader_that_helps_out(run, confined: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = "void f(int n, double *a)\n{\n  for (int i = 0; i < n; i++) a[i] += LOST;\n}\n"
    (confined / "f.c").write_text(f'#include "../outside/secret.h"\n{loop}')
    monkeypatch.chdir(confined)
    (file,) = json.loads(run("f.c", "--confine", ".", "--format", "json").stdout)["files"]
    assert file["frontend"] == "fragment"
    assert "AI006" in [item["code"] for item in file["diagnostics"]]


def test_without_confinement_the_secret_counts(run, confined: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(confined)
    for way in ("absolute", "computed", "asked", "link", "linked folder", "through a header", "of the build"):
        (confined / "f.c").write_text(confined_source(way, confined))
        done = run("f.c", "-p", ".", "--format", "json")
        assert json.loads(done.stdout)["files"][0]["regions"][0]["work"]["flops"]["value"] == 2 * 3 * 5


def test_sources_are_confined(run, confined: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = confined.parent / "outside"
    (outside / "other.c").write_text(LOOP.replace("f(", "secret_word("))
    (confined / "linked.c").symlink_to(outside / "other.c")
    (confined / "f.c").write_text(LOOP)
    entries = [{"directory": str(outside), "file": "other.c"}, {"directory": str(confined), "file": "f.c"}]
    (confined / "compile_commands.json").write_text(json.dumps(entries))
    monkeypatch.chdir(confined)
    for words in ((".",), ("*.c",), ("-p", ".")):
        done = run(*words, "--confine", ".", "--format", "json")
        assert done.code == 2
        assert [os.path.normpath(file["path"]) for file in json.loads(done.stdout)["files"]] == ["f.c"]
        assert "is outside the folders of --confine" in done.stderr
        assert "secret_word" not in done.stdout + done.stderr


def test_a_repository_cannot_widen_the_confinement(run, confined: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (confined / "f.c").write_text(confined_source("absolute", confined))
    (confined / "ai-estimate.toml").write_text('confine = "/"\ninclude-dirs = ["/"]\n')
    monkeypatch.chdir(confined)
    assert 'confine = ["."]' in run("check", "f.c", "--confine", ".", "--show-settings").stdout
    (confined / "ai-estimate.toml").write_text('confine = "."\n')
    assert 'confine = ["."]' in run("check", "f.c", "--show-settings").stdout


def test_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.h")
    os.mkfifo(tmp_path / "pipe.c")
    (tmp_path / "zero.h").symlink_to("/dev/zero")
    (tmp_path / "inner.h").write_text('#include "/dev/tty"\n#include "/dev/stdin"\n')
    (tmp_path / "f.c").write_text('#include "pipe.h"\n#include "zero.h"\n#include "inner.h"\n' + LOOP)
    done = watched(".", "--format", "json", "--no-cache", cwd=tmp_path)
    assert "pipe.c: is a pipe or a device" in done.stderr
    (file,) = json.loads(done.stdout)["files"]
    assert [item["code"] for item in file["diagnostics"]] == ["AI006"] * 4
    assert len(file["regions"]) == 1


def test_git_runs_nothing_of_the_repository(tmp_path: Path, trap: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@example.org"]
    (tmp_path / "f.c").write_text(LOOP)
    (tmp_path / ".gitattributes").write_text("*.c diff=trap\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    for name in (
        "core.fsmonitor",
        "diff.external",
        "diff.trap.command",
        "diff.trap.textconv",
        "core.pager",
        "core.editor",
    ):
        subprocess.run([*git, "config", name, str(trap)], check=True)
    (tmp_path / "f.c").write_text(LOOP.replace("1;", "2;"))
    done = watched("check", "f.c", "--diff-base", "HEAD", "--no-cache", cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("name", "text", "arguments"),
    [
        ("mine.toml", f'name = "{CODE}"\n', ("f.c", "--machine", "./mine.toml")),
        ("p.toml", f'name = "p"\n[flops]\nadd = "{CODE}"\n', ("f.c", "--policy", "p.toml")),
        ("ai-estimate.toml", 'machine = "$(touch sprung)"\n', ("check", "f.c")),
        ("m.csv", "kernel,flops\nf,=cmd|'touch sprung'!A1\n", ("compare", "f.c", "--measured", "m.csv")),
    ],
)
def test_data_files_are_only_read(tmp_path: Path, name: str, text: str, arguments: tuple[str, ...]) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    (tmp_path / name).write_text(text)
    done = watched(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "STARTED" not in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "sprung").exists()


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file whose name and text are made of what other languages take for their own."""
    name = "<script>alert(1)</script>|`x`::error ::\x1b[31m.c"
    folder = tmp_path / "in"
    folder.mkdir()
    monkeypatch.chdir(folder)
    name = name.replace("/", "_")
    Path(name).write_text("// <img src=x onerror=alert(1)> </script>\n// ai-estimate: hot, min-ai=9\n" + LOOP)
    return name


def test_names_are_escaped(run, named: str, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    assert run(named, "--machine", "v100", "--format", "html", "-o", page).code == 0
    html = page.read_text("utf-8")
    assert "<script>alert(1)" not in html
    assert "<img src=x" not in html
    for arguments in ("--format table", "--format text", "--format markdown", "--explain", "--by-line"):
        assert "\x1b[31m" not in run(named, "--machine", "v100", *arguments.split()).stdout
    markdown = run(named, "--machine", "v100", "--format", "markdown").stdout
    assert "<script>" not in re.sub(r"`[^`]*`", "", markdown)
    sarif = run("check", named, "--machine", "v100", "--format", "sarif").stdout
    assert json.loads(sarif)["runs"][0]["results"]
    github = run("check", named, "--machine", "v100", "--format", "github").stdout
    assert [line for line in github.splitlines() if line.startswith("::")]
    assert all(line.count("::") == 2 for line in github.splitlines() if line.startswith("::"))
    assert "\x1b[31m" not in run("check", named, "--machine", "v100").stdout
    assert "\x1b[31m" not in run("check", named, "--machine", "v100", "--format", "full").stdout
    junit = run("check", named, "--machine", "v100", "--format", "junit").stdout
    assert [item.tag for item in ElementTree.fromstring(junit).iter() if item.tag in ("script", "img")] == []
    gitlab = json.loads(run("check", named, "--machine", "v100", "--format", "gitlab").stdout)
    assert {finding["location"]["path"] for finding in gitlab} == {named}
    assert "\x1b" not in run(named, "--format", "csv").stdout


def test_a_name_is_no_formula(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "=HYPERLINK(1).c").write_text(LOOP)
    cells = [cell for row in csv.reader(run("*.c", "--format", "csv").stdout.splitlines()) for cell in row]
    assert "'=HYPERLINK(1).c" in cells
    assert [cell for cell in cells if cell.startswith("=")] == []


def test_a_name_is_no_line(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x\n::error ::forged.c").write_text(LOOP)
    (tmp_path / "f.c").write_text(LOOP)
    for command in ((".",), ("check", "."), ("check", ".", "--format", "github")):
        done = run(*command)
        assert not [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("::error ::forged")]
    assert "has a line end in its name" in run(".").stderr


class Sprung:
    """Marks that it was unpickled."""

    def __reduce__(self):
        return os.mkdir, ("sprung",)


@pytest.mark.parametrize("data", [pickle.dumps(Sprung()), zlib.compress(pickle.dumps(Sprung())), b"\x80\x04."])
def test_kept_results_are_only_data(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AI_ESTIMATE_CACHE_DIR", str(tmp_path / "kept"))
    fresh = run("f.c")
    (entry,) = (path for path in (tmp_path / "kept").rglob("*") if path.is_file())
    entry.write_bytes(data)
    assert run("f.c") == fresh
    assert not (tmp_path / "sprung").exists()


def test_kept_results_are_of_this_user(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AI_ESTIMATE_CACHE_DIR", str(tmp_path / "kept"))
    run("f.c")
    assert (tmp_path / "kept").stat().st_mode & 0o077 == 0
    monkeypatch.setattr("os.geteuid", lambda: os.getuid() + 1)
    monkeypatch.setattr("cli.results.store.decode", None)
    assert run("f.c").code == 0


def test_nothing_else_is_written(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    done = watched("f.c", "--machine", "v100", "--output", "r.txt", "--plot", "p.svg", "--no-cache", cwd=tmp_path)
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.c", "p.svg", "r.txt"]


def test_every_promise_names_its_test() -> None:
    promised = re.findall(r"`(test_\w+)`", (ROOT / ".github" / "SECURITY.md").read_text())
    assert promised
    files = ("e2e/test_security.py", "e2e/test_hostile_data.py", "unit/test_reading.py")
    text = "".join((ROOT / "tests" / file).read_text() for file in files)
    assert [name for name in promised if f"def {name}(" not in text] == []
