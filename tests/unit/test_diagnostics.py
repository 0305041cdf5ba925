"""The catalog of messages: every assumption that the analysis makes has its sentence there, with its fields."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import analyzer
from analyzer.diagnostics import Diagnostic, catalog, sentence_of
from analyzer.ir.nodes import Assumption
from analyzer.source import Span

SENTENCES = {(code, form): text for code, info in catalog().items() for form, text in info.sentences}
HERE = Span("a.c", 1, 1)


def constructed() -> Iterator[tuple[str, str, frozenset[str] | None]]:
    """Yield code, form and fields (None where some come from a table)."""
    for path in Path(analyzer.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr not in ("of", "assume_that") or not isinstance(node.args[0], ast.Constant):
                continue
            names = [keyword.arg for keyword in node.keywords]
            fields = None if None in names else frozenset(name for name in names if name is not None)
            if isinstance(node.args[2], ast.Constant):
                yield node.args[0].value, node.args[2].value, fields


def fields_of(text: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)


@pytest.mark.parametrize(("code", "form", "fields"), sorted(constructed(), key=str))
def test_every_assumption_has_its_sentence(code: str, form: str, fields: frozenset[str] | None) -> None:
    assert fields is None or fields_of(SENTENCES[code, form]) == fields


def test_every_sentence_is_used() -> None:
    source = "".join(path.read_text("utf-8") for path in Path(analyzer.__file__).parent.rglob("*.py"))
    assert [key for key in SENTENCES if f'"{key[0]}"' not in source or f'"{key[1]}"' not in source] == []


def test_an_unknown_sentence_is_an_error() -> None:
    with pytest.raises(KeyError):
        sentence_of("AI312", "null", {})


def test_names_are_a_list_and_numbers_have_their_form() -> None:
    found = Assumption.of("AI209", HERE, "near-capacity", level="L2", share=0.254)
    assert found.text == "reuses are about as long as L2 is large: up to 25% of its misses are undecided"
    assert Assumption.of("AI302", HERE, "overlap", arrays=("x", "y")).text == "x, y are taken not to overlap"


def test_a_subject_stands_before_its_predicate() -> None:
    found = Assumption.of("AI314", HERE, "keeps", "n@3", value="1000")
    assert (found.predicate, found.text) == ("keeps its initial value 1000", "n@3 keeps its initial value 1000")
    assert found.with_names(lambda text: text.removesuffix("@3")).subject == "n"


def test_a_diagnostic_has_message_and_hint_from_the_catalog() -> None:
    found = Diagnostic.of("AI005", HERE, "value-unknown", name="n", value="2*m")
    assert (found.message, found.hint) == ("the value of n is not known: 2*m", "state the sizes in it first")
    assert (found.form, found.fields) == ("value-unknown", (("name", "n"), ("value", "2*m")))


def test_every_hint_is_of_a_sentence() -> None:
    hints = {(code, form) for code, info in catalog().items() for form, _ in info.hints}
    assert hints <= SENTENCES.keys()
