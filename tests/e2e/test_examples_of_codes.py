"""``explain CODE``: every code has a meaning, an example and what to do, and examples that are whole have the code."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from analyzer.diagnostics import catalog
from roofline.estimation import estimate, source_text
from tests.conftest import Outcome

Run = Callable[..., Outcome]

SHOWN = {
    "x.c": "AI001 AI002 AI004 AI005 AI007 AI201 AI202 AI203 AI204 AI206 AI207 AI214 AI301 AI302 AI303 AI304 AI309 "
    "AI311 AI312 AI314 AI316 AI401 AI403",
    "x.cpp": "AI315 AI317",
    "x.cu": "AI212 AI308 AI313",
}
_CHECKED, _SIZED = ("check", "--machine", "haswell"), ("-v", "--machine", "haswell", "-D", "n=2000")
_CORE = ("-v", "--machine", "haswell", "--cores", "1")
_KERNEL = ("-v", "--machine", "v100")
_TRANSPOSE = ("--launch", "transpose:grid=100,block=32x32")
ASKED: dict[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(("AI003", "AI410"), ("x.cpp", ("-v", "--machine", "haswell"))),
    **dict.fromkeys(
        ["AI101", "AI102", "AI104", "AI108", "AI109", "AI110", "AI111", "AI112", "AI114"],
        ("x.c", _CHECKED),
    ),
    "AI106": ("x.cu", ("check", "--machine", "v100")),
    "AI107": ("x.cu", ("check", "--machine", "v100", *_TRANSPOSE)),
    **dict.fromkeys(("AI215", "AI321", "AI324", "AI408", "AI409"), ("x.cu", _KERNEL)),
    **dict.fromkeys(("AI406", "AI407"), ("x.cu", (*_KERNEL, *_TRANSPOSE))),
    **dict.fromkeys(("AI305", "AI306", "AI307", "AI402"), ("x.c", _SIZED)),
    "AI404": ("x.c", ("-v", "--machine", "haswell")),
    "AI411": ("x.c", (*_SIZED, "--advise")),
    "AI310": ("x.cu", (*_KERNEL, "--launch", "k:grid=4096,block=256")),
    "AI318": ("x.cpp", ("-v", "--machine", "haswell")),
    "AI006": ("x.c", ("-v", "--confine", ".")),
    "AI008": ("x.c", ("-v", "--profile", "several.csv")),
    "AI009": ("x.c", ("-v", "--array", "key=random:uniform,n=100,max=64,seed=1")),
    "AI100": ("x.c", (*_CHECKED, "--format", "sarif")),
    "AI103": ("x.c", (*_CHECKED, "--baseline", "before.json")),
    "AI105": ("x.c", _CHECKED),
    "AI113": ("x.c", (*_CHECKED, "-D", "n=2250", "--cores", "1")),
    "AI115": ("x.c", (*_CHECKED, "-D", "n=4000", "--cores", "1")),
    "AI209": ("x.c", _SIZED),
    "AI210": ("x.c", ("-v", "--machine", "haswell")),
    "AI211": ("x.c", _SIZED),
    "AI217": ("x.c", ("-v", "-D", "n=200")),
    "AI319": ("x.c", ("-v", "--profile", "run.csv")),
    "AI320": ("x.c", ("-v", "--array", "col=random:uniform,n=100,max=64,seed=1")),
    **dict.fromkeys(("AI322", "AI323"), ("x.c", ("-v", "--machine", "a100", "-D", "n=1000000"))),
    "AI405": ("x.c", (*_CORE, "-D", "n=8000", "--advise")),
    "AI412": ("x.c", (*_CORE, "-D", "n=300", "--advise")),
}
BESIDE = {
    "AI008": {"several.csv": "file,line,count\nx.c,2,100\n"},
    "AI115": {".ai-estimate.toml": '[[budget]]\nfunction = "f"\nmax-distance = 4\n'},
    "AI319": {"run.csv": "file,line,count\nx.c,2,101\nx.c,3,100\n"},
}
NOT_RUN = {
    "AI208": "it takes a limit of time, which the tests of limits reach",
    "AI213": "it takes a limit of time or memory, which the tests of limits reach",
    "AI216": "it is a defect of the program itself",
}
_BEFORE = ("float *a, float *b", "double *a, double *b")
CASES = [(code, name) for name, codes in SHOWN.items() for code in codes.split()]


def test_the_example_of_each_code_is_run() -> None:
    shown = {code for codes in SHOWN.values() for code in codes.split()}
    assert shown | ASKED.keys() | NOT_RUN.keys() == catalog().keys()


def test_every_code_says_what_it_is_and_what_to_do() -> None:
    for info in catalog().values():
        assert info.title, info.code
        assert info.meaning.strip().endswith("."), info.code
        assert info.example.strip(), info.code
        assert info.instead.strip(), info.code


@pytest.mark.parametrize(("code", "name"), CASES)
def test_the_example_has_the_code(code: str, name: str) -> None:
    report = estimate(source_text(f"{catalog()[code].example}\n", name), machines="haswell")
    found = {item.code for file in report.files for item in file.profile.diagnostics}
    for region in report.regions:
        found |= {item.code for item in region.profile.assumptions}
        found |= {advice.code for part in (region, *region.all_nests) for advice in part.advice}
    assert code in found


@pytest.mark.parametrize("code", ASKED)
def test_the_command_names_the_code(code: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, arguments = ASKED[code]
    folder = tmp_path / "in"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (tmp_path / "outside.h").touch()
    for beside, content in BESIDE.get(code, {}).items():
        (folder / beside).write_text(content)
    text = f"{catalog()[code].example}\n"
    if code == "AI103":
        (folder / name).write_text(text)
        assert run(*arguments[:-2], name, "--write-baseline", arguments[-1]).code == 0
        text = text.replace(*_BEFORE)
    (folder / name).write_text(text)
    command = arguments[:1] if arguments[0] == "check" else ()
    found = run(*command, name, *arguments[len(command) :])
    assert f"[{code}]" in found.stdout + found.stderr or re.search(rf"\b{code}\b", found.stdout)
