"""Code blocks of Markdown documents."""

import pytest

from analyzer.frontend.text.markdown import code_blocks, is_markdown
from analyzer.source import Language, SourceFile

LOOP = "for (i = 0; i < n; i++) a[i] = 0;"


def blocks(text: str) -> list[tuple[str, Language, int]]:
    found = code_blocks(SourceFile("doc.md", text, Language.C))
    return [(block.text, block.language, block.first_line) for block in found]


@pytest.mark.parametrize(
    ("info", "language"),
    [
        ("c", Language.C),
        ("C", Language.C),
        (" cpp", Language.CXX),
        ("cuda", Language.CUDA),
        ('c title="x"', Language.C),
        ("{.c .numberLines}", Language.C),
        ("", Language.C),
    ],
)
def test_a_block_of_c_keeps_its_place(info: str, language: Language) -> None:
    assert blocks(f"# Title\n\n```{info}\n{LOOP}\n```\n") == [(LOOP + "\n", language, 4)]


@pytest.mark.parametrize("info", ["python", "bash", "mermaid", "text", "fortran"])
def test_other_languages_are_passed_over(info: str) -> None:
    assert blocks(f"```{info}\n{LOOP}\n```\n") == []


@pytest.mark.parametrize("text", ["$ make", "hello", "x = 1", ">>> for x in y: pass", "int x;"])
def test_a_block_without_language_must_look_like_c(text: str) -> None:
    assert blocks(f"```\n{text}\n```\n") == []


def test_fences_may_be_indented() -> None:
    assert blocks(f"1. item\n   ```c\n   {LOOP}\n     x;\n   ```\n") == [(f"{LOOP}\n  x;\n", Language.C, 3)]


def test_longer_fences_hold_shorter_ones() -> None:
    assert blocks(f"````c\n{LOOP}\n```\n````\nfor (;;)\n") == [(f"{LOOP}\n```\n", Language.C, 2)]


def test_tildes_and_unclosed_fences() -> None:
    assert blocks(f"~~~c\n{LOOP}\n~~~\n```c\n{LOOP}") == [(LOOP + "\n", Language.C, 2), (LOOP + "\n", Language.C, 5)]


def test_cuda_in_a_block_of_cpp_is_cuda() -> None:
    assert blocks("```cpp\n__global__ void f() {}\n```")[0][1] is Language.CUDA


def test_suffixes() -> None:
    assert is_markdown("a/README.md")
    assert not is_markdown("md.c")
