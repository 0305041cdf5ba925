"""``explain CODE``: every code has a meaning, an example and what to do, and examples that are whole have the code."""

from __future__ import annotations

import pytest

from analyzer.diagnostics import catalog
from roofline.estimation import estimate, source_text

SHOWN = {
    "x.c": "AI001 AI002 AI004 AI005 AI007 AI201 AI202 AI203 AI204 AI206 AI207 AI214 AI301 AI302 AI303 AI304 AI309 "
    "AI311 AI312 AI314 AI316 AI401 AI403",
    "x.cpp": "AI315 AI317",
    "x.cu": "AI212 AI308 AI313",
}
CASES = [(code, name) for name, codes in SHOWN.items() for code in codes.split()]


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
