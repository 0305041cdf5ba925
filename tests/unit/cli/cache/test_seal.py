"""Seals of entries, and the key of a folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.cache.private import UntrustedError, private_folder
from cli.cache.seal import key_in, made_key, sealed, unsealed

KEY = bytes(range(32))


def test_what_was_sealed_comes_back() -> None:
    assert unsealed(sealed(b"data", "ab12", KEY), "ab12", KEY) == b"data"


@pytest.mark.parametrize("bit", range(8 * 36))
def test_no_bit_can_change(bit: int) -> None:
    entry = bytearray(sealed(b"data", "ab12", KEY))
    entry[bit // 8] ^= 1 << bit % 8
    with pytest.raises(UntrustedError):
        unsealed(bytes(entry), "ab12", KEY)


@pytest.mark.parametrize("length", range(36))
def test_nothing_can_be_cut_off(length: int) -> None:
    entry = sealed(b"data", "ab12", KEY)
    for part in (entry[:length], entry[length + 1 :], entry + entry[: length + 1]):
        with pytest.raises(UntrustedError):
            unsealed(part, "ab12", KEY)


def test_the_name_and_the_key_matter() -> None:
    entry = sealed(b"data", "ab12", KEY)
    for name, key in (("ab13", KEY), ("ab1", KEY), ("ab12", KEY[::-1])):
        with pytest.raises(UntrustedError):
            unsealed(entry, name, key)
    with pytest.raises(UntrustedError):
        unsealed(sealed(b"2data", "ab1", KEY)[:32] + b"data", "ab12", KEY)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda key: key.chmod(0o644),
        lambda key: key.chmod(0o620),
        lambda key: key.write_bytes(b""),
        lambda key: key.write_bytes(bytes(31)),
        lambda key: key.write_bytes(bytes(33)),
        lambda key: (key.unlink(), os.mkfifo(key)),
        lambda key: (key.rename(key.with_name("k")), key.symlink_to("k")),
    ],
)
def test_a_key_that_cannot_be_trusted_is_made_anew(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    path = tmp_path / "kept" / "key"
    with private_folder(path.parent, make=True) as folder:
        first = made_key(folder)
        assert made_key(folder) == key_in(folder) == first
        spoil(path)
        with pytest.raises(OSError, match=r"key|link|Too many"):
            key_in(folder)
        second = made_key(folder)
        assert second != first
        assert key_in(folder) == second
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(path.read_bytes()) == 32


def test_the_key_of_a_run_that_was_faster_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def faster(count: int) -> bytes:
        monkeypatch.undo()
        with private_folder(tmp_path / "kept") as folder:
            folder.write("key", KEY)
        return bytes(count)

    with private_folder(tmp_path / "kept", make=True) as folder:
        monkeypatch.setattr("os.urandom", faster)
        assert made_key(folder) == KEY
