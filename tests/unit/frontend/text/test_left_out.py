"""Loops behind macros that are not defined: libraries of one header, conditions with several names, dead code."""

import pytest

from analyzer.frontend.text.left_out import loops_left_out
from roofline import estimate, source_text

LOOP = "void f(float *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }"


@pytest.mark.parametrize(
    ("text", "macro"),
    [
        (f"#ifdef LIBRARY\n{LOOP}\n#endif", "LIBRARY"),
        (f"#if defined(LIBRARY) || defined(LIBRARY2)\n{LOOP}\n#endif", "LIBRARY"),
        (f"#define A\n#if defined(A) && defined LIBRARY\n{LOOP}\n#endif", "LIBRARY"),
        (f"#ifndef GUARD\n#define GUARD\n#ifdef LIBRARY\n#ifdef FAST\n#endif\n{LOOP}\n#endif\n#endif", "LIBRARY"),
        (f"#if 0\n#define LIBRARY\n#endif\n#ifdef LIBRARY\n{LOOP}\n#endif", "LIBRARY"),
        (f"#ifdef LIBRARY\nint x;\n#else\n{LOOP}\n#endif", None),
        (f"#if 0\n{LOOP}\n#endif", None),
        (f"#ifdef _WIN32\n{LOOP}\n#endif", None),
        (f"/*\n#ifdef LIBRARY\n{LOOP}\n#endif\n*/", None),
    ],
)
def test_the_macro_that_loops_wait_for(text, macro):
    found = loops_left_out(text, ())
    assert found == (None if macro is None else (macro, 1))


def test_a_file_without_active_loops_names_the_macro():
    text = f"#ifdef LIBRARY\n{LOOP}\n#endif\n"
    (file,) = estimate(source_text(text)).files
    (found,) = file.profile.diagnostics
    assert (found.code, found.hint) == ("AI004", "define it with -D LIBRARY")
    assert estimate(source_text(text), defines={"LIBRARY": ""}).regions
