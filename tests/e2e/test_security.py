"""Sources, repositories and data files that mean harm: the promises of ``.github/SECURITY.md``."""

from __future__ import annotations

import csv
import json
import os
import pickle
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec import Struct

from analyzer.frontend import confinement
from cli.cache.seal import sealed
from cli.cache.store import Store

from ..watched import ROOT, watched

pytestmark = pytest.mark.isolated

LOOP = "void f(int n, double *a)\n{\n  for (int i = 0; i < n; i++) a[i] += 1;\n}\n"
KERNEL = "__global__ void k(float *x) { x[threadIdx.x] = 1; }\nint main() { k<<<1, 32>>>(0); }\n"
CODE = "__import__('os').system('touch sprung')"


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
    loop = "void f(int n, double *a)\n{\n  for (int i = 0; i < n; i++) a[i] += lost[i];\n}\n"
    (confined / "f.c").write_text(f'#include "../outside/secret.h"\n{loop}')
    monkeypatch.chdir(confined)
    (file,) = json.loads(run("f.c", "--confine", ".", "--format", "json").stdout)["files"]
    assert file["frontend"] == "fragment"
    assert {"AI006", "AI007"} <= {item["code"] for item in file["diagnostics"]}


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


class Kept(Struct, frozen=True):
    """The kept result of ``f.c``, and the report with it."""

    folder: Path
    entry: Path
    fresh: Any

    def seal(self, content: bytes) -> None:
        """Put something in its place, with the right key."""
        name = self.entry.parent.name + self.entry.name
        self.entry.write_bytes(sealed(content, name, (self.folder / "key").read_bytes()))


@pytest.fixture
def kept(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    (tmp_path / "f.c").write_text(LOOP)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "above" / "kept"
    monkeypatch.setenv("AI_ESTIMATE_CACHE_DIR", str(folder))
    fresh = run("f.c")
    (entry,) = folder.glob("v1/*/*")
    with monkeypatch.context() as patch:
        patch.setattr("analyzer.pipeline.analyze", None)
        assert run("f.c") == fresh
    return Kept(folder, entry, fresh)


@pytest.mark.parametrize("data", [pickle.dumps(Sprung()), zlib.compress(pickle.dumps(Sprung())), b"\x80\x04."])
def test_kept_results_are_only_data(run, kept: Kept, data: bytes) -> None:
    kept.entry.write_bytes(data)
    assert run("f.c") == kept.fresh
    kept.seal(data)
    assert run("f.c") == kept.fresh
    assert not Path("sprung").exists()


def test_kept_results_are_authentic(run, kept: Kept) -> None:
    Path("g.c").write_text(LOOP.replace("+= 1", "*= a[i] + 2"))
    run("g.c")
    (other,) = set(kept.folder.glob("v1/*/*")) - {kept.entry}
    own, key = kept.entry.read_bytes(), kept.folder / "key"
    content = own[32:]
    forged = sealed(other.read_bytes()[32:], kept.entry.parent.name + kept.entry.name, bytes(32))
    damaged = (own[:k] + bytes([own[k] ^ 1]) + own[k + 1 :] for k in (0, 31, 32, len(own) - 1))
    for data in (other.read_bytes(), forged, own[:32] + other.read_bytes()[32:], content, *damaged):
        kept.entry.write_bytes(data)
        assert run("f.c") == kept.fresh
        assert Store(kept.folder).get(kept.entry.parent.name + kept.entry.name) is not None
    key.write_bytes(bytes(32))
    kept.seal(other.read_bytes()[32:])
    key.chmod(0o644)  # whoever reads it can seal
    assert run("f.c") == kept.fresh
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.read_bytes() != bytes(32)


def test_kept_results_are_checked(run, kept: Kept) -> None:
    document = json.loads(zlib.decompress(kept.entry.read_bytes()[32:]))
    nodes = document["nodes"]
    wrong: list[Any] = [
        {**document, "classes": document["classes"][:-1]},
        {**document, "more": 1},
        [document],
        "[" * 10**5,
    ]
    for number, node in enumerate(nodes):
        if not isinstance(node, list) or node[0] > 1:  # all but tuples and sets
            changed = [*node, 0] if isinstance(node, list) else True if type(node) is int else {"x": 1}
            wrong.append({**document, "nodes": [*nodes[:number], changed, *nodes[number + 1 :]]})
    store, digest = Store(kept.folder), kept.entry.parent.name + kept.entry.name
    for some in wrong:
        kept.seal(zlib.compress((some if isinstance(some, str) else json.dumps(some)).encode()))
        assert store.get(digest) is None
    kept.seal(zlib.compress(b"[" * 10**5))
    assert run("f.c") == kept.fresh
    kept.seal(zlib.compress(bytes(2**27)))
    assert run("f.c") == kept.fresh


def test_kept_results_are_private(run, tmp_path: Path, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AI_ESTIMATE_CACHE_DIR", str(tmp_path / "new" / "kept"))
    mask = os.umask(0)
    run("f.c")
    os.umask(mask)
    made = [tmp_path / "new", *(tmp_path / "new").rglob("*")]
    assert {path.stat().st_mode & 0o777 for path in made if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in made if path.is_file()} == {0o600}


def test_kept_results_are_of_this_user(run, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: os.getuid() + 1)
    monkeypatch.setattr("cli.cache.store.decode", None)
    found = run("f.c")
    assert (found.code, found.stdout) == (0, kept.fresh.stdout)
    assert "belongs to another user" in found.stderr


@pytest.mark.parametrize("part", ["..", ".", "v1", "v1/*"])
def test_folders_that_others_may_write_are_refused(run, kept: Kept, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder,) = kept.folder.glob(part) if "*" in part else [kept.folder / part]
    folder.chmod(0o777)
    monkeypatch.setattr("cli.cache.store.decode", None)
    monkeypatch.setattr("cli.cache.store.encode", None)
    Path("g.c").write_text(LOOP)
    found = run("f.c", "g.c")
    assert found.code == 0
    (line,) = found.stderr.splitlines()
    assert f"neither used nor stored, since others may write to {folder.resolve()}" in line


def test_a_link_is_no_folder_of_kept_results(run, kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = kept.folder.rename(kept.folder.with_name("moved"))
    kept.folder.symlink_to(moved)
    monkeypatch.setattr("cli.cache.store.decode", None)
    found = run("f.c")
    assert (found.code, found.stdout) == (0, kept.fresh.stdout)
    assert "is a link" in found.stderr


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: os.symlink("g", path), os.mkdir])
def test_only_files_are_kept_results(run, kept: Kept, make: Callable[[Path], object]) -> None:
    kept.entry.rename(kept.entry.with_name("g"))
    make(kept.entry)
    assert run("f.c") == kept.fresh
    assert kept.entry.is_dir() or (kept.entry.is_file() and not kept.entry.is_symlink())


def test_nothing_else_is_written(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(LOOP)
    done = watched("f.c", "--machine", "v100", "--output", "r.txt", "--plot", "p.svg", "--no-cache", cwd=tmp_path)
    assert done.returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.c", "p.svg", "r.txt"]


def test_every_promise_names_its_test() -> None:
    promised = re.findall(r"`(test_\w+)`", (ROOT / ".github" / "SECURITY.md").read_text())
    assert promised
    texts = "".join(path.read_text("utf-8") for path in sorted((ROOT / "tests").rglob("test_*.py")))
    assert [name for name in promised if f"def {name}(" not in texts] == []
