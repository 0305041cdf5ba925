"""The language of a file by its words."""

import pytest

from analyzer.frontend.text.dialect import dialect_of, dialect_of_file
from analyzer.source import Language, SourceFile

FUNCTION = "int f(int n) { return n; }\n"
KERNEL = "__global__ void k(float *x) { }\n"


@pytest.mark.parametrize(
    ("text", "given", "language"),
    [
        (KERNEL, (), Language.CUDA),
        (f"#ifdef USE_GPU\n{KERNEL}#endif\n{FUNCTION}", (), Language.C),
        (f"#ifdef USE_GPU\n{KERNEL}#endif\n{FUNCTION}", ("USE_GPU",), Language.CUDA),
        (f"#if defined(A) || defined(B)\n{FUNCTION}#else\n{KERNEL}#endif\n", (), Language.CUDA),
        (f"#if defined(A)\n{KERNEL}#elif defined(B)\n{KERNEL}#else\n{FUNCTION}#endif\n", (), Language.C),
        (f"#if !defined(A)\n{KERNEL}#endif\n", (), Language.CUDA),
        (f"#ifndef A_H\n{KERNEL}#endif\n", (), Language.CUDA),
        (f"#if 1\n{KERNEL}#endif\n", (), Language.CUDA),
    ],
)
def test_what_a_build_must_choose_is_not_the_language_of_a_file_of_c(text, given, language):
    assert dialect_of_file(SourceFile("a.c", text, Language.C), text, given) is language


def test_of_other_files_everything_counts():
    text = f"#ifdef USE_GPU\n{KERNEL}#endif\n{FUNCTION}"
    assert dialect_of_file(SourceFile("a.cpp", text, Language.CXX), text) is Language.CUDA
    assert dialect_of_file(SourceFile("<stdin>", text, Language.C), text) is Language.CUDA


def test_words_in_texts_do_not_count():
    assert dialect_of('void f() { say("Gauss::Seidel, \\"new way"); }') is Language.C
