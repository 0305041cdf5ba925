"""Texts that a call spells out decide the comparisons of the body with others."""

import pytest

from tests.rows import file_report

TEXT = """
#include <string.h>
static double sum(const char *name, const double *a, int n) {
  double s = 0;
  BODY
  return s;
}
double triad(const double *a, int n) { return sum(GIVEN, a, n); }
"""
ONE = "for (int i = 0; i < n; i++) s += a[i];"
TWO = "for (int i = 0; i < n; i++) s += a[i] * a[i];"


def flops(body: str, given: str) -> tuple[int, bool]:
    text = TEXT.replace("BODY", body).replace("GIVEN", given)
    found = next(each for each in file_report(text, "x.c").regions if each.profile.function == "triad")
    count = found.profile.work.flops
    return count.estimate.evaluate({"n": 10}), count.is_exact


@pytest.mark.parametrize(
    ("condition", "given", "expected"),
    [
        ('!strcmp(name, "copy")', '"copy"', 10),
        ('!strcmp(name, "copy")', '"copies"', 20),
        ('strcmp("triad", name) == 0', "__func__", 10),
        ('strcmp(name, "b") < 0', '"a"', 10),
        ('strcmp(name, "b") < 0', '"c"', 20),
        ('strncmp(name, "copy", 3) == 0', '"copies"', 10),
        ("strlen(name) > 4", '"copy"', 20),
    ],
)
def test_a_literal_decides(condition: str, given: str, expected: int):
    """Of ten elements, the first branch adds each (10), the second one adds squares (20)."""
    assert flops(f"if ({condition}) {{ {ONE} }} else {{ {TWO} }}", given) == (expected, True)


@pytest.mark.parametrize("changed", ["name++;", "if (n > 3) name = 0;", "const char **p = &name; *p = a;"])
def test_a_parameter_that_changes_is_not_known(changed: str):
    _, is_exact = flops(f'{changed} if (!strcmp(name, "copy")) {{ {ONE} }} else {{ {TWO} }}', '"copy"')
    assert not is_exact


@pytest.mark.parametrize(("other", "expected"), [("\\101", (10, True)), ("A\\n", (15, False))])
def test_escapes_are_compared_where_the_reader_knows_them(other: str, expected: tuple[int, bool]):
    assert flops(f'if (!strcmp(name, "{other}")) {{ {ONE} }} else {{ {TWO} }}', '"A"') == expected
