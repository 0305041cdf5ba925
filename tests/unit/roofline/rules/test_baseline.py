import json

import pytest

from analyzer.data_files.values import Origin, Value
from analyzer.errors import OptionError
from roofline.rules.checking import CheckSettings
from roofline.rules.forms import baseline_form, baseline_from
from tests.checked import checked, found

FIRST = "void g(int n, double s, double *a) {\n  for (int i = 0; i < n; i++)\n    a[i] /= s;\n}\n"
SECOND = "void f(int n, double *a, double *b) {\n  for (int i = 0; i < n; i++)\n    a[i] = 2 * b[i] + 1;\n}\n"
TEXT = FIRST + SECOND


def after(text, before=TEXT):
    """New findings of a text, by what was known of the text before."""
    form = json.loads(json.dumps(baseline_form(checked(before).baseline, "0")))
    return found(text, settings=CheckSettings(baseline=baseline_from(Value(form, (), Origin("b.json", OptionError)))))


def test_what_is_known_is_passed_over():
    assert found(TEXT) == [("AI112", 3)]
    assert after(TEXT) == []


@pytest.mark.parametrize(
    "text",
    [
        "\n\n// more\n" + TEXT,
        TEXT.replace("void f", "void other"),
        "int unrelated(int k, int *p) {\n  for (int i = 0; i < k; i++) p[i] += i;\n  return 0;\n}\n" + TEXT,
        TEXT.replace("int i = 0; i < n; i++", "int k = 0; k < n; k++").replace("[i]", "[k]"),
        TEXT.replace("  for", "  for (int i = 0; i < 3; i++) a[i] = 0;\n  for"),
    ],
    ids=["lines move", "another function is renamed", "a function comes", "iterators are renamed", "a loop comes"],
)
def test_what_does_not_concern_the_loop_leaves_it_known(text):
    assert after(text) == []


def test_a_second_division_is_new():
    assert after(TEXT.replace("a[i] /= s;", "{ a[i] /= s;\n a[i] /= s + 1; }")) == [("AI112", 4)]


def test_what_was_known_of_a_loop_stays_known_when_it_is_edited():
    text = TEXT.replace("a[i] /= s;", "a[i] = a[i] / s + a[i] * s;")
    assert after(text) == []
    assert checked(text, settings=CheckSettings(baseline=checked(TEXT).baseline)).gone == 0


def test_one_more_of_the_same_in_an_equal_loop_is_new():
    again = FIRST.replace("}\n", "  for (int i = 0; i < n; i++)\n    a[i] /= s;\n}\n")
    assert [code for code, _ in after(again, FIRST) if code == "AI112"] == ["AI112"]


@pytest.mark.parametrize(
    ("edited", "codes"),
    [
        ("a[i] = 2 * b[i];", ["AI103"]),
        ("a[i] = 2 * b[i] + a[i + 1];", ["AI103"]),
        ("a[i] = 3 * b[i] + 2;", []),
        ("a[i] = 2 * b[i] * b[i] + 1;", []),
    ],
)
def test_an_intensity_that_fell_is_found_in_a_loop_that_was_edited(edited, codes):
    text = TEXT.replace("a[i] = 2 * b[i] + 1;", edited)
    assert [code for code, _ in after(text)] == codes


def test_a_loop_that_was_edited_among_others_is_compared_with_itself():
    three = SECOND.replace("}\n", "  for (int i = 0; i < n; i++)\n    b[i] = b[i] * b[i] * b[i] + a[i] * a[i];\n}\n")
    edited = three.replace("2 * b[i] + 1", "b[i] + 1")
    assert after(edited, three) == [("AI103", 2)]


def test_known_findings_that_are_gone_are_counted():
    baseline = checked(TEXT).baseline
    assert checked(SECOND, settings=CheckSettings(baseline=baseline)).gone == 1


@pytest.mark.parametrize(
    "form", [[], {}, {"findings": [], "loops": []}, {"schema_version": 1, "findings": [{"code": 1}], "loops": []}]
)
def test_a_damaged_baseline_is_told(form):
    with pytest.raises(OptionError, match=r"b\.json"):
        baseline_from(Value(form, (), Origin("b.json", OptionError)))
