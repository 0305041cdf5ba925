"""Only regular files of a limited size are read, and nothing waits."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from analyzer.data_files.files import MOST_BYTES, read_bytes, read_text
from analyzer.errors import OptionError


def refusal(path: Path | str, **limits: int) -> OptionError:
    """Return the error of a file that must be refused at once."""
    start = time.monotonic()
    with pytest.raises(OptionError) as caught:
        read_text(path, error=OptionError, **limits)
    assert time.monotonic() - start < 1
    assert caught.value.hint
    return caught.value


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "it is a pipe" in refusal(tmp_path / "pipe").message


def test_devices_folders_and_sockets_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "it is a device" in refusal("/dev/zero").message
    assert "it is a folder" in refusal(tmp_path).message
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(tmp_path)  # names of sockets are short
        listening.bind("s")
        assert "cannot be read" in refusal("s").message


def test_a_file_that_is_not_there_has_the_nearest_name_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "ncu.csv").touch()
    (tmp_path / "lost.toml").symlink_to(tmp_path / "gone")
    assert refusal(tmp_path / "ncu.cs").hint == f"did you mean {tmp_path / 'ncu.csv'}?"
    assert refusal(tmp_path / "lost.toml").hint == "check the path"
    assert refusal(tmp_path / "none" / "ncu.csv").hint == "check the path"


def test_links_count_as_what_they_lead_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "good").symlink_to("file")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    assert read_text(tmp_path / "good", error=OptionError) == "text"
    assert "it is a device" in refusal(tmp_path / "zero").message
    assert "symbolic links" in refusal(tmp_path / "loop").message


def test_the_size_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * MOST_BYTES)
    assert len(read_bytes(path, error=OptionError)) == MOST_BYTES
    with path.open("ab") as stream:
        stream.write(b"x")
    assert refusal(path).message == "is larger than 1 MiB, which is the limit"
    os.truncate(path, 1 << 40)  # a terabyte without contents
    assert "is larger than" in refusal(path, most_bytes=1 << 30).message


def test_a_file_whose_size_is_not_told_is_limited() -> None:
    assert "is larger than 100 bytes" in refusal("/proc/self/smaps", most_bytes=100).message


@pytest.mark.parametrize(
    ("data", "line"), [(b"a\nb\xff\n", 2), ("a\n".encode("utf-16"), 1), (b"a\n\n\0", 3), (b"\xed\xa0\x80", 1)]
)
def test_what_is_no_text_is_refused_with_its_line(tmp_path: Path, data: bytes, line: int) -> None:
    (tmp_path / "f").write_bytes(data)
    assert refusal(tmp_path / "f").line == line


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfa")
    assert read_text(tmp_path / "f", error=OptionError) == "a"


def test_any_name_is_a_name(tmp_path: Path) -> None:
    assert "NUL" in refusal("a\0b").message
    assert "name too long" in refusal("x" * 300).message
    for name in ("a\nb", "\udcff", "a|b::c\"'", "\u202e"):
        (tmp_path / name).write_text("text")
        assert read_text(tmp_path / name, error=OptionError) == "text"


def test_an_error_stays_on_one_line() -> None:
    told = str(OptionError("is wrong", path="a\n::error::b\r\x85\u2028", line=3))
    assert told == "a\\n::error::b\\r\\x85\\u2028:3: is wrong"
