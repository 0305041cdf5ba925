import pytest

from roofline.rules.checking import CheckSettings
from roofline.rules.findings import State
from tests.checked import checked

DIVIDE = "void f(int n, double s, double *a) {\n%s\n  for (int i = 0; i < n; i++)\n    a[i] /= s;%s\n%s}\n"


def outcome(above="", beside="", below="", **options):
    text = DIVIDE % (above, beside, f"{below}\n" if below else "")
    return checked(text, settings=CheckSettings(**options)).outcome


def codes(findings):
    return [finding.code for finding in findings]


def test_without_a_directive_it_is_found():
    assert codes(outcome().findings) == ["AI112"]


@pytest.mark.parametrize(
    ("above", "beside", "below"),
    [
        ("", " // ai-estimate: ignore", ""),
        ("", " /* ai-estimate: ignore[AI112] */", ""),
        ("// ai-estimate: ignore-file[AI112]", "", ""),
        ("// ai-estimate: ignore-begin[AI112]", "", "// ai-estimate: ignore-end[AI112]"),
    ],
)
def test_a_directive_passes_over_it(above, beside, below):
    found = outcome(above, beside, below)
    assert codes(found.findings) == []
    assert [(one.code, one.state) for one in found.passed_over] == [("AI112", State.SUPPRESSED)]


def test_a_directive_on_the_line_before():
    text = DIVIDE.replace("    a[i]", "    // ai-estimate: ignore-next-line[AI112]\n    a[i]") % ("", "", "")
    assert codes(checked(text).outcome.findings) == []


@pytest.mark.parametrize(
    ("above", "beside", "found"),
    [
        ("// ai-estimate: ignore[AI112]", "", ["AI112", "AI114"]),  # on the loop, but the division is below
        ("", " // ai-estimate: ignore[AI112, AI105]", ["AI114"]),
        ("// ai-estimate: ignore-file[AI114]", " // ai-estimate: ignore[AI112, AI105]", []),
        ("// ai-estimate: ignore-begin[AI112]", "", ["AI005"]),
        ("// ai-estimate: ignore-end[AI112]", "", ["AI005", "AI112"]),
    ],
)
def test_what_is_wrong_with_directives_is_found(above, beside, found):
    assert sorted(codes(outcome(above, beside).findings)) == found


def test_nothing_is_said_of_directives_for_rules_that_were_not_asked_for():
    beside = " // ai-estimate: ignore[AI105]"
    assert codes(outcome("", beside, selected=frozenset({"AI114"})).findings) == []
    assert codes(outcome("", beside, whole=False).findings) == ["AI112"]
