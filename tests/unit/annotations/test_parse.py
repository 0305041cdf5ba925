import pytest

from analyzer.annotations.model import Role
from analyzer.annotations.parse import read_annotations


def read(text, first_line=1):
    return read_annotations(text, "x.c", first_line)


def test_a_comment_beside_code_speaks_of_its_line_and_one_above_of_the_next_line_of_code():
    found = read("// ai-estimate: hot\n\n#pragma omp simd\nfor (;;)\n  x = 1; // ai-estimate: ignore\n").annotations
    assert [(str(item), item.span.line, item.target) for item in found] == [("hot", 1, 4), ("ignore", 5, 5)]


def test_facts_and_demands_in_one_comment():
    found = read(
        "// ai-estimate: hot, min-ai=0.4, bound=memory, assume N=4096, M = 2*N, trip(i)=N/2, ignore[AI201, AI202]"
    )
    assert [str(item) for item in found.annotations] == [
        "hot",
        "min-ai=2/5",
        "bound=memory",
        "assume N=4096",
        "assume M=2*N",
        "trip(i)=N/2",
        "ignore[AI201, AI202]",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "/* ai-estimate: hot */ for (;;);",
        "/* a\n * ai-estimate: hot\n */\nfor (;;);",
        "#pragma ai-estimate hot\nfor (;;);",
        "for (;;); // why // ai-estimate: hot",
        "for (;;); // ai-estimate: hot -- the solver spends its time here, ignore",
    ],
)
def test_other_forms(text):
    found = read(text)
    assert [item.role for item in found.annotations] == [Role.HOT]
    assert found.diagnostics == ()


@pytest.mark.parametrize(
    "text", ['s = "// ai-estimate: hot";', "// see ai-estimate for hot loops", "x = 'a'; // estimate: hot"]
)
def test_what_is_no_directive(text):
    found = read(text)
    assert (found.annotations, found.diagnostics) == ((), ())


@pytest.mark.parametrize(
    ("item", "hint"),
    [
        ("min_ai=0.4", "did you mean min-ai?"),
        ("hott", "did you mean hot?"),
        ("min-ai=low", "write min-ai="),
        ("min-ai=0", "write min-ai="),
        ("bound=", "write bound=memory"),
        ("assume N", "write assume N=4096"),
        ("trip(i)=1/0", "write N=4096"),
        ("assume N=f(x)", "write N=4096"),
        ("ignore[AI20]", "did you mean AI2"),
        ("ignore[]", "write ignore[AI101]"),
        ("ignore AI201", "write ignore[AI101]"),
    ],
)
def test_an_item_that_is_not_understood_is_told_and_the_others_hold(item, hint):
    found = read(f"\n// ai-estimate: {item}, hot\n")
    assert [str(kept) for kept in found.annotations] == ["hot"]
    (diagnostic,) = found.diagnostics
    assert (diagnostic.code, diagnostic.span.line) == ("AI005", 2)
    assert diagnostic.hint.startswith(hint)


def test_ignore_next_line_passes_over_its_own_line():
    (found,) = read("a = 1; // ai-estimate: ignore-next-line[AI201]\n\nb = 2;").annotations
    assert (found.target, found.covers("AI201"), found.covers("AI202")) == (3, True, False)


def test_lines_count_from_the_first_line_of_the_document():
    (found,) = read("x;\n// ai-estimate: hot\nfor (;;);", first_line=10).annotations
    assert (found.span.line, found.target) == (11, 12)
