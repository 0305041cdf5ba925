"""Names of headers in a text, found without reading conditions."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frontend.text.includes import Folders, folders_of, nearby, reached_from
from analyzer.source import Language, SourceFile


def source(text: str, path: str = "f.c") -> SourceFile:
    return SourceFile(path, text, Language.C)


@pytest.mark.parametrize(
    "line", ["/*" * 200_000, "/**/" * 100_000, "*/#" * 100_000, "# " + " " * 300_000, "*/" + "/**/" * 100_000]
)
def test_hostile_lines_end(line: str) -> None:
    """Every line would take more than a lifetime if comments were tried in all ways."""
    assert list(reached_from(source(line), Folders(()))) == []


def test_headers_of_headers(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('#include "b.h"\n#include <c.h>\n')
    (tmp_path / "b.h").write_text('#include "a.h"\n')
    found = list(reached_from(source('#include "a.h"\n', str(tmp_path / "f.c")), Folders((str(tmp_path / "no"),))))
    assert {(item.name, item.path) for item in found} == {
        ("a.h", str(tmp_path / "a.h")),
        ("b.h", str(tmp_path / "b.h")),
        ("c.h", None),
    }


def test_every_place_counts(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.h").write_text("")
    folders = Folders((str(tmp_path / "one"), str(tmp_path / "two")))
    found = list(reached_from(source("#include <a.h>\n"), folders))
    assert [item.path for item in found] == [str(tmp_path / "one" / "a.h"), str(tmp_path / "two" / "a.h")]


def test_folders_of_a_build_the_user_and_the_environment() -> None:
    arguments = ("-I", "/a", "-Dx", "-include", "/b.h", "-isystem", "/c")
    found = folders_of(arguments, ("d",), {"CPATH": "/e:/f", "HOME": "/"})
    assert found == Folders(("/a", "/c", "d", "/e", "/f"), ("/b.h",))


def test_the_root_of_the_file_system_is_no_project():
    assert nearby("random", "/tmp") is None  # not /dev/random
