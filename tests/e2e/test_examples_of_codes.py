"""``explain CODE``: every code has a meaning, an example and what to do, and examples that are whole have the code."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.diagnostics import catalog
from tests.conftest import Outcome
from tests.night import of_day

Run = Callable[..., Outcome]

NOT_RUN = {
    "AI208": "it takes a limit of time, which the tests of limits reach",
    "AI213": "it takes a limit of time or memory, which the tests of limits reach",
    "AI216": "it is a defect of the program itself",
}
_BEFORE = ("float *a, float *b", "double *a, double *b")
CODES = [code for code in catalog() if code not in NOT_RUN]
RULES = [code for code, info in catalog().items() if info.passes]


def test_every_code_says_what_it_is_and_what_to_do() -> None:
    for info in catalog().values():
        assert info.title, info.code
        assert info.meaning.strip().endswith("."), info.code
        assert info.example.strip(), info.code
        assert info.instead.strip(), info.code


def test_only_codes_that_no_source_shows_are_not_run() -> None:
    assert NOT_RUN.keys() < catalog().keys()


@pytest.fixture
def names_code(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], bool]:
    """Return whether the command of a code names it for a source."""
    folder = tmp_path / "in"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (tmp_path / "outside.h").touch()

    def named(code: str, text: str) -> bool:
        info = catalog()[code]
        program, *arguments = shlex.split(info.command)
        assert program == "ai-estimate"
        (name,) = (argument for argument in arguments if argument in ("x.c", "x.cpp", "x.cu"))
        for beside, content in info.files.items():
            Path(beside).write_text(content)
        Path(name).write_text(text)
        if code == "AI103":
            assert run(*arguments[:-2], "--write-baseline", arguments[-1]).code == 0
            Path(name).write_text(text.replace(*_BEFORE))
        found = run(*arguments)
        assert found.stdout
        return f"[{code}]" in found.stdout + found.stderr or bool(re.search(rf"\b{code}\b", found.stdout))

    return named


@pytest.mark.parametrize("code", of_day(CODES, 3))
def test_the_command_names_the_code(code: str, names_code: Callable[[str, str], bool]) -> None:
    assert names_code(code, f"{catalog()[code].example}\n")


_GIVEN = re.compile(r"-D ([a-z]\w*)=([\d.]+\d|\d)")
GIVING = [code for code in CODES if _GIVEN.search(catalog()[code].instead)]


@pytest.mark.parametrize("code", GIVING)
def test_values_that_the_advice_names_are_those_of_the_example(
    code: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = catalog()[code]
    monkeypatch.chdir(tmp_path)
    arguments = shlex.split(info.command)[1:]
    (name,) = (argument for argument in arguments if argument in ("x.c", "x.cpp", "x.cu"))
    Path(name).write_text(f"{info.example}\n")
    for symbol, value in _GIVEN.findall(info.instead):
        done = run(*arguments, "-D", f"{symbol}={value}")
        assert done.code in (0, 1), done.stderr


@pytest.mark.parametrize("code", RULES)
def test_the_nearest_code_passes(code: str, names_code: Callable[[str, str], bool]) -> None:
    assert not names_code(code, f"{catalog()[code].passes}\n")
