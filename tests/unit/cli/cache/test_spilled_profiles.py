"""Many profiles in little memory."""

from __future__ import annotations

import os

import pytest
from msgspec.structs import replace

from analyzer.pipeline import analyze
from analyzer.profile import AnalyzedFile
from analyzer.source import Language, SourceFile
from cli.cache.spilled_profiles import Shelf
from roofline.catalog import find_machine
from roofline.model.level_bytes import ProjectionOptions
from tests.projected import make_report

TEXT = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] += 1; }\n"


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    (file,) = analyze(SourceFile("f.c", TEXT, Language.C))
    found = Shelf()
    found.extend(named(file, f"f{number}.c") for number in range(100))
    return found


def named(file: AnalyzedFile, path: str) -> AnalyzedFile:
    return replace(file, profile=replace(file.profile, path=path))


def test_the_file_has_no_name(shelf: Shelf) -> None:
    assert shelf._file is not None
    state = os.fstat(shelf._file.fileno())
    assert (state.st_nlink, state.st_mode & 0o777) == (0, 0o600)
    assert state.st_size > 0


def test_profiles_come_back_in_order(shelf: Shelf) -> None:
    assert shelf.is_packed
    assert [profile.path for profile in shelf] == [f"f{number}.c" for number in range(100)]
    assert [profile.path for profile in shelf[98:]] == ["f98.c", "f99.c"]
    assert repr(named(shelf[99], "f0.c")) == repr(shelf[0])


def test_reports_are_made_one_by_one(shelf: Shelf) -> None:
    report = make_report(shelf, [find_machine("v100")], ProjectionOptions(), version="0", options={})
    assert len(report.files) == 100
    assert [file.regions[0].projections[0].machine.id for file in report.files] == ["v100"] * 100
    assert [file.profile.path for file in report.files[97:]] == ["f97.c", "f98.c", "f99.c"]


def test_without_room_for_a_file_they_stay_in_memory(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    other = Shelf()
    other.extend(shelf)
    assert [profile.path for profile in other[62:66]] == ["f62.c", "f63.c", "f64.c", "f65.c"]
