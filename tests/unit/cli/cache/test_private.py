"""Folders and files that only this user can write."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path

import pytest

from analyzer.pipeline import analyze
from analyzer.source import Language, SourceFile
from cli.cache import private
from cli.cache.private import UntrustedError, private_folder
from cli.cache.seal import made_key
from cli.cache.store import Store, refusal
from cli.run.batch import trusted

PROFILES = analyze(
    SourceFile("f.c", "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }\n", Language.C)
)
DIGEST = "ab" * 32


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with one result, in one that is open to nobody else."""
    folder = tmp_path / "above" / "kept"
    Store(folder).put(DIGEST, PROFILES)
    assert has(folder)
    return folder


@pytest.fixture
def entry(kept: Path) -> Path:
    return kept / "v1" / DIGEST[:2] / DIGEST[2:]


def has(folder: Path) -> bool:
    return Store(folder).get(DIGEST) is not None


@pytest.fixture
def mask() -> Iterator[None]:
    """Set the mask of this process back."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("mask")
@pytest.mark.parametrize("mode", [0, 0o002, 0o022, 0o077])
def test_all_is_private_whatever_the_mask(tmp_path: Path, mode: int) -> None:
    os.umask(mode)
    Store(tmp_path / "above" / "kept").put(DIGEST, PROFILES)
    made = list(tmp_path.rglob("*"))
    assert {path.name for path in made if path.is_file()} == {"key", DIGEST[2:]}
    assert {oct(path.stat().st_mode & 0o777) for path in made} == {"0o700", "0o600"}


PARTS = [".", "v1", f"v1/{DIGEST[:2]}"]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o702])
def test_folders_that_others_may_write_are_refused(kept: Path, part: str, mode: int) -> None:
    (kept / part).chmod(mode)
    assert f"others may write to {kept / part}" in str(refusal(kept))
    assert not has(kept)
    Store(kept).put("ab" + "00" * 31, PROFILES)
    assert len(list(kept.glob("v1/*/*"))) == 1


@pytest.mark.parametrize("part", PARTS)
def test_links_to_folders_are_refused(kept: Path, part: str) -> None:
    folder = kept / part
    moved = folder.rename(kept.parent / "moved")
    folder.symlink_to(moved)
    assert f"{folder} is a link" in str(refusal(kept))
    assert not has(kept)


@pytest.mark.parametrize("part", PARTS)
def test_what_is_no_folder_is_refused(kept: Path, part: str) -> None:
    (kept / part).rename(kept.parent / "moved")
    (kept / part).write_text("")
    assert f"{kept / part} is no folder" in str(refusal(kept))
    assert not has(kept)


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a file or a folder seem to be another user's."""
    number, real = path.stat().st_ino, os.fstat

    def fstat(descriptor: int) -> os.stat_result:
        state = real(descriptor)
        other = (*state[:4], state.st_uid + 1, *state[5:])
        return os.stat_result(other) if state.st_ino == number else state

    monkeypatch.setattr("os.fstat", fstat)


def test_entries_of_another_user_are_missing(kept: Path, entry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_away(entry, monkeypatch)
    assert not has(kept)


@pytest.mark.parametrize("part", PARTS)
def test_folders_of_another_user_are_refused(kept: Path, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    give_away(kept / part, monkeypatch)
    assert f"{kept / part} belongs to another user" in str(refusal(kept))
    assert not has(kept)


def test_a_folder_that_becomes_a_link_is_not_followed(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, real = kept.stat(), os.stat
    moved = kept.rename(kept.parent / "moved")
    kept.symlink_to(moved)
    with monkeypatch.context() as patch:
        patch.setattr("os.stat", lambda path, **how: before if str(path) == str(kept) else real(path, **how))
        assert not has(kept)
    kept.unlink()
    moved.rename(kept)
    assert has(kept)


@pytest.mark.parametrize(("mode", "is_refused"), [(0o757, True), (0o1777, False), (0o775, False)])
def test_folders_above(kept: Path, mode: int, is_refused: bool) -> None:
    kept.parent.chmod(mode)
    assert (refusal(kept) is not None) == is_refused
    assert has(kept) != is_refused


def test_a_link_above_is_followed(kept: Path) -> None:
    link = kept.parent.with_name("link")
    link.symlink_to(kept.parent)
    assert has(link / "kept")


def test_a_refusal_is_reported_once(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept.chmod(0o777)
    assert trusted(kept) is None
    assert trusted(kept) is None
    assert capsys.readouterr().err.count("\n") == 1
    kept.chmod(0o700)
    assert trusted(kept) == kept


def test_a_missing_folder_is_not_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no" / "kept") is None


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # names of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def _link(path: Path) -> None:
    path.symlink_to(path.with_name("moved"))


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [_pipe, _socket, _link, _device, Path.mkdir])
def test_what_is_no_file_is_missing(kept: Path, entry: Path, make: Callable[[Path], None]) -> None:
    entry.rename(entry.with_name("moved"))
    make(entry)
    assert not has(kept)
    Store(kept).put(DIGEST, PROFILES)
    assert has(kept) == (make is not Path.mkdir)
    assert {path.name for path in entry.parent.iterdir()} == {entry.name, "moved"}


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
def test_entries_that_others_may_read_or_write_are_missing(kept: Path, entry: Path, mode: int) -> None:
    entry.chmod(mode)
    assert not has(kept)
    Store(kept).put(DIGEST, PROFILES)
    assert has(kept)
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600


def test_a_private_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    with private_folder(tmp_path) as folder, pytest.raises(UntrustedError, match="no private file"):
        folder.read("pipe", 100)


def test_nothing_is_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.urandom", bytes)
    there = tmp_path / f".{os.getpid()}.{bytes(8).hex()}"
    there.write_text("x")
    with private_folder(tmp_path) as folder, pytest.raises(FileExistsError):
        folder.write("name", b"data")
    assert there.read_text() == "x"


def test_large_entries_are_missing(kept: Path, entry: Path) -> None:
    with entry.open("r+b") as file:
        file.truncate(2**40)
    assert not has(kept)


def test_what_cannot_be_written_leaves_what_was_there(kept: Path, entry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    before = entry.read_bytes()
    for name in ("replace", "open", "mkdir"):
        with monkeypatch.context() as patch:
            patch.setattr(f"os.{name}", full)
            Store(kept).put(DIGEST, PROFILES)
    assert entry.read_bytes() == before
    assert list(entry.parent.iterdir()) == [entry]


def _key(folder: Path) -> bytes:
    with private_folder(folder, make=True) as opened:
        return made_key(opened)


def test_runs_at_once_make_one_key(tmp_path: Path) -> None:
    with get_context("fork").Pool(4) as pool:
        keys = pool.map(_key, [tmp_path / "kept"] * 40, chunksize=1)
    assert len(set(keys)) == 1
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["key"]


def test_without_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private, "_HAS_OWNERS", False)
    Store(tmp_path / "kept").put(DIGEST, PROFILES)
    assert has(tmp_path / "kept")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    assert "is a link" in str(refusal(tmp_path / "link"))
    (path,) = tmp_path.glob("kept/v1/*/*")
    path.unlink()
    path.mkdir()
    assert not has(tmp_path / "kept")
