"""Lengths of texts in the test of a loop: read before each iteration, reported, and figures are lower bounds."""

import pytest

from roofline import estimate

FUNCTION = "#include <string.h>\nint f(const char *s, int n) {{ int k = 0; size_t i = 0; {0} return k; }}"


def codes_and_lower_bound(tmp_path, body, before="", name="x.c"):
    path = tmp_path / name
    path.write_text(before + FUNCTION.format(body))
    report = estimate(str(path))
    region = next(region for region in report.regions if region.profile.function == "f")
    found = [one.code for file in report.files for one in file.profile.diagnostics if one.code == "AI219"]
    return found, bool(region.profile.work.not_counted), {one.code for one in region.profile.assumptions}


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("for (i = 0; i < strlen(s); i++) k += s[i] == 'a';", "x.c"),
        ("while (i < strlen(s)) k += s[i++] == 'a';", "x.c"),
        ("do k += s[i++] == 'a'; while (i < strlen(s));", "x.c"),
        ("for (i = 0; i < strnlen(s, n) && s[i] != ' '; i++) k++;", "x.c"),
        ("for (i = 0; i + 1 < std::strlen(s); i++) k += s[i] == 'a';", "x.cpp"),
    ],
)
def test_a_length_in_the_test(tmp_path, body, name):
    found, is_lower_bound, assumed = codes_and_lower_bound(
        tmp_path, body, "#include <cstring>\n" if name == "x.cpp" else "", name
    )
    assert (found, is_lower_bound) == (["AI219"], True)
    assert {"AI214", "AI318"} <= assumed


@pytest.mark.parametrize(
    "body",
    [
        "size_t m = strlen(s); for (i = 0; i < m; i++) k += s[i] == 'a';",
        "for (i = 0, n = strlen(s); i < n; i++) k += s[i] == 'a';",
        'for (i = 0; i < strlen("four"); i++) k += s[i] == 97;',
    ],
)
def test_a_length_before_the_loop(tmp_path, body):
    found, is_lower_bound, assumed = codes_and_lower_bound(tmp_path, body)
    assert (found, is_lower_bound) == ([], False)
    assert ("AI318" in assumed) == ("strlen(s)" in body)


def test_a_function_of_the_program_counts(tmp_path):
    own = "static size_t length(const char *s) { size_t n = 0; while (s[n]) n++; return n; }\n#define strlen length\n"
    body = "for (i = 0; i < strlen(s); i++) k += s[i] == 97;"
    assert codes_and_lower_bound(tmp_path, body, "#include <stddef.h>\n" + own)[:2] == ([], False)
