"""Results that are kept, and what they depend on."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.source import SourceFile, read_source
from cli.cache.fingerprint import fingerprint
from cli.cache.folder import folder_of
from cli.cache.store import Store

TEXT = '#include "size.h"\nvoid f(double *a) { for (int i = 0; i < N; i++) a[i] = 0; }\n'


@pytest.fixture
def source(tmp_path: Path) -> SourceFile:
    (tmp_path / "f.c").write_text(TEXT)
    (tmp_path / "size.h").write_text('#include "number.h"\n')
    (tmp_path / "number.h").write_text("#define N 10\n")
    return read_source(str(tmp_path / "f.c"))


def test_the_same_input_has_the_same_digest(source: SourceFile) -> None:
    assert fingerprint(source, AnalysisOptions()) == fingerprint(source, AnalysisOptions()) is not None


@pytest.mark.parametrize(
    "options",
    [
        AnalysisOptions(defines={"N": "3"}),
        AnalysisOptions(policy="nvidia-sass"),
        AnalysisOptions(fma=False),
        AnalysisOptions(std="c99"),
        AnalysisOptions(functions=("f",)),
    ],
)
def test_options_matter(source: SourceFile, options: AnalysisOptions) -> None:
    assert fingerprint(source, options) != fingerprint(source, AnalysisOptions())


def test_the_cost_of_the_report_does_not_matter(source: SourceFile) -> None:
    assert fingerprint(source, AnalysisOptions(reported_s=1)) == fingerprint(source, AnalysisOptions())


def test_text_and_path_matter(source: SourceFile) -> None:
    known = fingerprint(source, AnalysisOptions())
    assert fingerprint(replace(source, text=source.text + " "), AnalysisOptions()) != known
    assert fingerprint(replace(source, path=source.path + "pp"), AnalysisOptions()) != known


def test_headers_of_headers_matter(source: SourceFile, tmp_path: Path) -> None:
    known = fingerprint(source, AnalysisOptions())
    (tmp_path / "number.h").write_text("#define N 2000\n")
    assert fingerprint(source, AnalysisOptions()) != known


def test_a_header_that_appears_before_another_matters(source: SourceFile, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(TEXT.replace('"size.h"', "<size.h>"))
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (two / "size.h").write_text("#define N 3\n")
    options = AnalysisOptions(include_dirs=(str(one), str(two)))
    angled = read_source(source.path)
    known = fingerprint(angled, options)
    (one / "size.h").write_text("#define N 3\n")
    assert fingerprint(angled, options) != known


def test_other_files_of_the_program_matter(tmp_path: Path) -> None:
    kernel = SourceFile("k.cu", "__global__ void k(int n) { }\nvoid run(int n) { k<<<n, 32>>>(n); }\n", "cuda")
    main = SourceFile("m.cu", "void run(int); int main() { run(4); }\n", "cuda")
    first = fingerprint(kernel, AnalysisOptions(companions=(main,)))
    assert first != fingerprint(kernel, AnalysisOptions(companions=(replace(main, text=main.text.replace("4", "5")),)))
    assert first != fingerprint(kernel, AnalysisOptions())


def test_what_cannot_be_followed_is_not_kept(source: SourceFile) -> None:
    computed = replace(source, text="#define H <a.h>\n#include H\n" + source.text)
    assert fingerprint(computed, AnalysisOptions()) is None
    assert fingerprint(source, AnalysisOptions(system_headers=True)) is None


def test_results_are_kept(source: SourceFile, tmp_path: Path) -> None:
    profiles = analyze(source)
    Store(tmp_path / "kept").put("ab12", profiles)
    assert repr(Store(tmp_path / "kept").get("ab12")) == repr(profiles)
    assert Store(tmp_path / "kept").get("ab13") is None


def test_a_damaged_entry_is_missing(source: SourceFile, tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("ab12", analyze(source))
    (entry,) = (path for path in tmp_path.rglob("*") if path.name == "12")
    data = entry.read_bytes()
    for damaged in (b"", b"x", data[:-9], b"x" + data, data[::-1]):
        entry.write_bytes(damaged)
        assert store.get("ab12") is None


def test_the_oldest_go_first(source: SourceFile, tmp_path: Path) -> None:
    profiles = analyze(source)
    Store(tmp_path).put("ab00", profiles)
    size = next(path for path in tmp_path.rglob("00")).stat().st_size
    store = Store(tmp_path, most_bytes=256 * 3 * size)
    for name in ("ab01", "ab02", "ab03"):
        store.put(name, profiles)
    assert [store.get(f"ab0{k}") is None for k in range(4)] == [True, False, False, False]


def test_a_folder_that_cannot_be_written_is_no_trouble(source: SourceFile, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    store.put("ab12", analyze(source))
    assert store.get("ab12") is None


def test_where() -> None:
    assert folder_of({"AI_ESTIMATE_CACHE_DIR": "/x"}) == Path("/x")
    assert folder_of({"AI_ESTIMATE_CACHE_DIR": "", "HOME": "/h"}) is None
    assert folder_of({"XDG_CACHE_HOME": "/c"}) == Path("/c/ai-estimate")


@pytest.mark.parametrize(
    "ask",
    [
        '#include "late.h"',
        '#if __has_include("late.h")\n#endif',
        "#if __has_include_next( <late.h>)\n#endif",
        '#embed "late.h"',
        '%:import "late.h"',
        '#incl\\\nude "late.h"',
        '/* */ # /* */ include /* */ "late.h"',
        'int x; /*\n*/ #include "late.h"',
    ],
)
def test_a_header_that_appears_matters(source: SourceFile, tmp_path: Path, ask: str) -> None:
    source = replace(source, text=f"{ask}\n{TEXT}")
    options = AnalysisOptions(include_dirs=(str(tmp_path),))
    known = fingerprint(source, options)
    (tmp_path / "late.h").write_text("#define LATE 1\n")
    appeared = fingerprint(source, options)
    (tmp_path / "late.h").write_text("#define LATE 2\n")
    assert len({known, appeared, fingerprint(source, options), None}) == 4


def test_a_computed_name_cannot_be_told(source: SourceFile) -> None:
    assert fingerprint(replace(source, text=f"#include NAME\n{TEXT}"), AnalysisOptions()) is None


def test_folders_of_the_environment_matter(source: SourceFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = replace(source, text=f"#include <late.h>\n{TEXT}")
    known = fingerprint(source, AnalysisOptions())
    (tmp_path / "late.h").write_text("#define LATE 1\n")
    monkeypatch.setenv("CPATH", str(tmp_path))
    assert fingerprint(source, AnalysisOptions()) != known


def test_the_folders_that_may_be_read_matter(source: SourceFile, tmp_path: Path) -> None:
    known = fingerprint(source, AnalysisOptions())
    assert fingerprint(source, AnalysisOptions(confine=(str(tmp_path),))) != known


def test_results_of_another_user_are_not_believed(
    source: SourceFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profiles = analyze(source)
    Store(tmp_path / "kept").put("ab" * 32, profiles)
    assert (tmp_path / "kept").stat().st_mode & 0o077 == 0
    assert Store(tmp_path / "kept").get("ab" * 32) is not None
    monkeypatch.setattr("os.geteuid", lambda: 12345)
    assert Store(tmp_path / "kept").get("ab" * 32) is None
    Store(tmp_path / "kept").put("cd" * 32, profiles)
    assert not list((tmp_path / "kept").glob("v1/cd/*"))
