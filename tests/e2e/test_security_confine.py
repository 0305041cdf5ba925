"""Entries of folders that nobody can look at: outside of ``--confine``, reported, and harmless to all others."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.frontend import confinement

pytestmark = pytest.mark.isolated

SOURCE = '#include "own.h"\nvoid f(double *a)\n{\n  for (int i = 0; i < OWN; i++) a[i] += 1;\n}\n'


def listen(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


UNSEEN: dict[str, tuple[Callable[[Path], None], str]] = {
    "loop": (lambda path: path.symlink_to(path.name), "symbolic links"),
    "too long": (lambda path: path.symlink_to("n" * 300), "too long"),
    "no folder": (lambda path: path.symlink_to("f.c/x"), "Not a directory"),
}
SEEN: dict[str, Callable[[Path], None]] = {
    "to nothing": lambda path: path.symlink_to("nowhere"),
    "outwards": lambda path: path.symlink_to("/etc/hostname"),
    "outwards to nothing": lambda path: path.symlink_to("/nowhere/at/all"),
    "to itself through a folder": lambda path: path.symlink_to("."),
    "pipe": lambda path: os.mkfifo(path),
    "socket": listen,
    "quotes": lambda path: path.with_name("q\"u'o\\te \n\t\x7f\x01").write_text("") and None,
    "beyond the first plane": lambda path: path.with_name("\U0001f600\u00e9\u2028\ufeff").write_text("") and None,
    "no UTF-8": lambda path: Path(os.fsdecode(b"m\xff.h")).write_text("") and None,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a source and a header, and this process in it."""
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    (tmp_path / "in" / "f.c").write_text(SOURCE)
    (tmp_path / "in" / "own.h").write_text("#define OWN 7\n")
    return tmp_path / "in"


def flops(run, *words: str) -> tuple[int, str]:
    """The FLOPs of the loop, and what was said."""
    done = run(*(words or ("f.c",)), "--confine", ".", "--format", "json")
    assert done.code == 0, done.stderr
    (file,) = json.loads(done.stdout)["files"]
    assert file["frontend"] == "clang"
    return file["regions"][0]["work"]["flops"]["value"], done.stderr


@pytest.mark.parametrize("entry", UNSEEN)
def test_what_cannot_be_looked_at_is_outside_and_reported(run, folder: Path, entry: str) -> None:
    make, why = UNSEEN[entry]
    make(folder / "odd.h")
    found, said = flops(run)
    assert found == 7
    assert "odd.h" in said
    assert why in said
    assert said.count("\n") == 1
    done = run("check", "f.c", "--confine", ".")
    assert (done.code, done.stdout) == (0, "nothing found in 1 file\n")


@pytest.mark.parametrize("entry", SEEN)
def test_what_leads_nowhere_disturbs_nobody(run, folder: Path, entry: str) -> None:
    SEEN[entry](folder / "odd.h")
    assert flops(run) == (7, "")
    (folder / "out.h").symlink_to("/etc/hostname")  # from here on every file is named
    confinement._survey.cache_clear()
    confinement._overlay.cache_clear()
    assert flops(run) == (7, "")


@pytest.mark.parametrize("name", [b"d\xff", "\u00e9\U0001f600".encode(), b'q"\\e \x7f', b"-x", b"@y"])
def test_folders_of_any_name_are_read(run, folder: Path, name: bytes) -> None:
    inner = folder / os.fsdecode(name)
    inner.mkdir()
    (inner / "f.c").write_text(SOURCE)
    (inner / "own.h").write_text("#define OWN 9\n")
    path = f"./{os.fsdecode(name)}/f.c"
    assert flops(run, path) == (9, "")
    if b"\xff" not in name:
        (folder / "odd.h").symlink_to("/etc/hostname")
        confinement._survey.cache_clear()
        confinement._overlay.cache_clear()
        assert flops(run, path) == (9, "")


def test_names_that_clang_cannot_be_given_are_reported(run, folder: Path) -> None:
    (folder / os.fsdecode(b"m\xff.h")).write_text("")
    (folder / "odd.h").symlink_to("/etc/hostname")
    found, said = flops(run)
    assert found == 7
    assert "m\\xff.h: its name is no UTF-8" in said
    (folder / "\u00e9\x7f.h").write_text("")
    confinement._survey.cache_clear()
    confinement._overlay.cache_clear()
    text = confinement.overlay((".",), str(folder), system=False)
    assert "dcff" not in text
    assert text.isascii()
    assert text.isprintable()


class _Entry:
    """An entry whose look fails."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self._entry = entry
        self.path, self.name = entry.path, entry.name

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        raise PermissionError(13, "Permission denied")

    is_symlink = is_dir


@pytest.mark.parametrize("kind", ["folder", "entry"])
def test_entries_and_folders_that_may_not_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """A folder that cannot be listed may still hold links that lead out, for those who know their names."""
    (folder / "closed").mkdir()
    if kind == "folder":
        (folder / "closed" / "link.h").symlink_to("/etc/hostname")
    (folder / "odd.h").write_text("")
    plain = os.scandir

    class Listing:
        def __init__(self, entries: list[object]) -> None:
            self._entries = entries

        def __enter__(self) -> list[object]:
            return self._entries

        def __exit__(self, *_: object) -> None:
            pass

    def scandir(path: str) -> Listing:
        if path.endswith("closed") and kind == "folder":
            raise PermissionError(13, "Permission denied")
        with plain(path) as entries:
            return Listing([_Entry(entry) if entry.name == "odd.h" and kind == "entry" else entry for entry in entries])

    monkeypatch.setattr(confinement.os, "scandir", scandir)
    survey = confinement._survey((str(folder),))
    assert not survey.is_closed
    assert {os.path.basename(entry.path) for entry in survey.unseen} == {"closed" if kind == "folder" else "odd.h"}
    assert {os.path.basename(path) for path in survey.files} == {
        "f.c",
        "own.h",
        *(["odd.h"] if kind == "folder" else []),
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("missing.c",), "nothing was checked: 1 file could not be used"),
        (("loop.c",), "nothing was checked: 1 file could not be used"),
        (("empty.h", "plain.h"), "nothing was checked: 2 files hold no loop"),
        (("empty",), "nothing was checked: no file was found"),
        (("nothing*.c",), "nothing was checked: no file was found"),
        (("--exclude", "*.c", "."), "nothing was checked: no file was found"),
        (("--exclude", "f.c", "--force-exclude", "f.c"), "nothing was checked: 1 file is excluded"),
        (("outside.c", "--confine", "."), "nothing was checked: 1 file could not be used"),
        (("f.c", "missing.c"), "nothing found in 1 file; 1 file could not be used"),
        (("binary.c", "f.c", "empty.h"), "nothing found in 1 file; 1 file could not be used"),
    ],
)
def test_a_check_never_finds_nothing_in_no_files(
    run, folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    for name in ("empty.h", "empty/x.h"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("")
    (folder / "plain.h").write_text("int x;\n")
    (folder / "binary.c").write_bytes(b"\x7fELF\0")
    (folder.parent / "outside.c").write_text(SOURCE)
    (folder / "outside.c").symlink_to("../outside.c")
    (folder / "loop.c").symlink_to("loop.c")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder.parent / "summary.md"))
    for form in ("text", "full"):
        assert run("check", *words, "--format", form).stdout == f"{said}\n"
    run("check", *words, "--format", "github")
    summary = (folder.parent / "summary.md").read_text()
    assert ("No findings" in summary) == said.startswith("nothing found")
