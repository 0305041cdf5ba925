"""Arguments to files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.errors import OptionError
from cli.files.selection import select


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.c", "b.h", "sub/k.cu", "sub/main.cpp", "build/gen.c", ".hidden/x.c", "sub/old/o.cc", "notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("int x;\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("/build/\nold/\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def paths(*arguments: str, exclude: tuple[str, ...] = ()) -> list[str]:
    return [file.path for file in select(arguments, exclude).files]


@pytest.mark.usefixtures("tree")
def test_a_folder_stands_for_its_sources() -> None:
    assert paths(".") == ["./a.c", "./sub/k.cu", "./sub/main.cpp"]


@pytest.mark.usefixtures("tree")
def test_rules_of_the_repository_hold_in_its_folders() -> None:
    assert paths("sub") == ["sub/k.cu", "sub/main.cpp"]


def test_a_nearer_rule_wins(tree: Path) -> None:
    (tree / "sub" / ".gitignore").write_text("!old/\n*.cpp\n")
    assert paths("sub") == ["sub/k.cu", "sub/old/o.cc"]


@pytest.mark.usefixtures("tree")
def test_excluded() -> None:
    assert paths(".", exclude=("sub/*.cu",)) == ["./a.c", "./sub/main.cpp"]


@pytest.mark.usefixtures("tree")
def test_named_files_are_taken_as_they_are() -> None:
    assert paths("build/gen.c", "b.h", "build/gen.c", exclude=("build",)) == ["build/gen.c", "b.h"]


@pytest.mark.usefixtures("tree")
def test_patterns() -> None:
    assert paths("**/*.cu", "*.c") == ["sub/k.cu", "a.c"]


@pytest.mark.usefixtures("tree")
def test_what_stands_for_nothing_is_told_and_the_rest_is_found() -> None:
    found = select(["sub/old", "*.f90", "a.c"])
    assert [file.path for file in found.files] == ["a.c"]
    assert [str(error) for error in found.errors] == [
        "sub/old: holds no C, C++ or CUDA source (name other folders; files of .gitignore and --exclude do not count)",
        "*.f90: matches no file (** stands for any folders)",
    ]


@pytest.mark.usefixtures("tree")
def test_parts_are_folders_and_what_is_named_together() -> None:
    found = select(["sub", "a.c", "build/gen.c"])
    assert found.parts() == [["sub/k.cu", "sub/main.cpp"], ["a.c", "build/gen.c"]]


def test_each_folder_below_one_is_a_part(tmp_path: Path) -> None:
    for folder in ("src", "src/deep"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f.c").write_text("int x;")
    assert len(select([str(tmp_path)]).parts()) == 2


def test_the_files_of_a_database(tree: Path) -> None:
    entries = [{"directory": str(tree / "sub"), "file": name, "command": "cc"} for name in ("main.cpp", "../a.c")]
    (tree / "compile_commands.json").write_text(json.dumps(entries))
    assert [file.path for file in select((), compile_commands=".").files] == ["sub/main.cpp", "a.c"]


def test_no_database(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be read: No such file"):
        select((), compile_commands=str(tmp_path))


def test_links_to_folders_are_not_followed(tree: Path) -> None:
    (tree / "sub" / "loop").symlink_to(tree)
    assert paths("sub") == ["sub/k.cu", "sub/main.cpp"]


def test_links_that_lead_back_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").touch()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "b.c").touch()
    for name in ("back", "again", "once"):
        (tmp_path / "src" / name).symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    for argument in (".", "**/*.c", "**", "*/**/*.c"):
        assert [Path(file.path) for file in select([argument]).files] == [Path("src/a.c")]
