"""The catalog of messages: every assumption that the analysis makes has its sentence there, with its fields."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest
from msgspec import Struct

import analyzer
import cli
import roofline
from analyzer.diagnostics import Diagnostic, Phrase, catalog, sentence_of, why_given_up
from analyzer.ir.nodes import Assumption
from analyzer.limits.ending import Ending
from analyzer.source import Span

SENTENCES = {(code, form): text for code, info in catalog().items() for form, text in info.sentences.items()}
HINTS = {(code, form): text for code, info in catalog().items() for form, text in info.hints.items()}
PACKAGES = (analyzer, roofline, cli)
HERE = Span("a.c", 1, 1)
MAKERS = ("of", "report", "assume", "finding", "Finding", "_remark")
REPORTERS = ("of", "report", "finding")
CODE = re.compile(r"AI\d{3}")
IMPLIED = {"NotNumeric": ("AI210", 0), "_Misread": ("AI005", 0)}
"""Calls that make a sentence of one code, with the position of its form."""


class Made(Struct, frozen=True):
    """A call that makes a sentence, its fields (None: some come from a table), and whether a user reads it alone."""

    code: str
    form: str
    fields: frozenset[str] | None
    alone: bool


@cache
def constructed() -> tuple[Made, ...]:
    """Return all such calls of the product, which is parsed once for all tests, and not to collect them."""
    paths = (path for package in PACKAGES for path in Path(package.__file__ or "").parent.rglob("*.py"))
    return tuple(made for path in paths for made in constructed_in(path.read_text("utf-8")))


def constructed_in(text: str) -> Iterator[Made]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            code, form = code_and_form(node)
            if code and form:
                yield Made(code, form, named_in(node), is_read_alone(node))


def is_read_alone(node: ast.Call) -> bool:
    """Return whether a call reports a sentence, and no part of one."""
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr not in REPORTERS:
        return False
    return getattr(function.value, "id", "") != "Phrase"


def named_in(node: ast.Call) -> frozenset[str] | None:
    """Return the fields that a call gives as keywords, or as a display of a dictionary."""
    tables = [item for item in node.args if isinstance(item, ast.Dict)]
    names: list[object] = [keyword.arg for keyword in node.keywords]
    if isinstance(node.func, ast.Attribute) and node.func.attr == "finding":
        names = [key.value if isinstance(key, ast.Constant) else None for table in tables for key in table.keys]
        return frozenset(map(str, names)) if tables and None not in names else None
    if None in names or getattr(node.func, "id", "") in ("Finding", "_remark"):
        return None
    return frozenset(map(str, names))


def code_and_form(node: ast.Call) -> tuple[str, str]:
    """Return the code and the form that a call names as literals; empty where it does not."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    texts = [item.value if isinstance(item, ast.Constant) else None for item in node.args]
    if name == "construct" and texts and isinstance(texts[0], str):
        return "AI206", texts[0]
    if name in IMPLIED and texts and isinstance(texts[IMPLIED[name][1]], str):
        return IMPLIED[name][0], str(texts[IMPLIED[name][1]])
    if name not in MAKERS or not texts or not CODE.fullmatch(str(texts[0])):
        return "", ""
    position = 1 if isinstance(texts[1] if len(texts) > 1 else None, str) else 2
    return str(texts[0]), str(texts[position] or "") if len(texts) > position else ""


def fields_of(text: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)


def test_every_assumption_has_its_sentence() -> None:
    assert constructed()
    for made in constructed():
        key = (made.code, made.form)
        named = fields_of(SENTENCES[key]) | fields_of(HINTS.get(key, ""))
        assert made.fields is None or named == made.fields, key


def test_every_sentence_is_used() -> None:
    folders = [Path(package.__file__ or "").parent for package in PACKAGES]
    source = "".join(path.read_text("utf-8") for folder in folders for path in folder.rglob("*.py"))
    assert [key for key in SENTENCES if f'"{key[0]}"' not in source or f'"{key[1]}"' not in source] == []


NO_REMEDY = {
    ("AI100", "bounds"): "information for code scanning, never a finding",
    ("AI408", "few-blocks"): "says it itself",
    ("AI408", "part"): "says it itself",
    ("AI407", "padding"): "says it itself, with the conflicts that are left",
}


def says_what_to_do(code: str, form: str) -> bool:
    """Return whether a message has a hint; of what is left out for a reason, the reason has it."""
    reasons = [text for (other, _), text in HINTS.items() if other == code]
    return bool(HINTS.get((code, form)) or ("{why" in SENTENCES[code, form] and reasons))


def test_every_message_says_what_to_do() -> None:
    """Of messages that a user reads alone, but for what is assumed (AI3xx)."""
    alone = {(made.code, made.form) for made in constructed() if made.alone and not made.code.startswith("AI3")}
    assert NO_REMEDY.keys() <= alone
    assert sorted(key for key in alone - NO_REMEDY.keys() if not says_what_to_do(*key)) == []
    assert not says_what_to_do("AI408", "part")


def test_the_remedy_of_a_reason_is_that_of_its_message() -> None:
    found = Diagnostic.of("AI213", HERE, "left-out", name="f", why=why_given_up(Ending.MEMORY))
    assert found.hint == "raise --budget, as in --budget 30s,16GiB"


def test_an_unknown_sentence_is_an_error() -> None:
    with pytest.raises(KeyError):
        sentence_of("AI312", "null", {})


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_has_its_sentence(ending: Ending) -> None:
    assert str(why_given_up(ending))


def test_names_are_a_list_and_numbers_have_their_form() -> None:
    found = Assumption.of("AI209", HERE, "near-capacity", level="L2", share=0.254)
    assert found.text == "reuse distances are close to the size of L2: up to 25 % of its misses may be hits"
    assert Assumption.of("AI302", HERE, "overlap", arrays=("x", "y")).text == "x, y do not alias"


def test_a_subject_stands_before_its_predicate() -> None:
    found = Assumption.of("AI314", HERE, "keeps", "n@3", value="1000")
    assert (found.predicate, found.text) == ("keeps its initial value 1000", "n@3 keeps its initial value 1000")
    assert found.with_names(lambda text: text.removesuffix("@3")).subject == "n"


def test_a_diagnostic_has_message_and_hint_from_the_catalog() -> None:
    found = Diagnostic.of("AI005", HERE, "value-unknown", name="n", value="2*m")
    assert (found.message, found.hint) == ("the value of n is not known: 2*m", "state the sizes in it first")
    assert (found.form, found.fields) == ("value-unknown", (("name", "n"), ("value", "2*m")))


def test_every_hint_is_of_a_sentence() -> None:
    assert HINTS.keys() <= SENTENCES.keys()


def test_a_phrase_in_a_sentence() -> None:
    why = Phrase.of("AI210", "names", names=("n@1", "m"))
    found = Assumption.of("AI210", HERE, "nest", line=3, why=why)
    assert found.with_names(lambda text: text.removesuffix("@1")).text == (
        "the nest in line 3 is not modelled with caches: n, m not known"
    )


def test_an_entry_read_alone_is_that_of_the_whole_file() -> None:
    whole = tomllib.loads((Path(analyzer.__file__ or "").parent / "codes.toml").read_text("utf-8"))
    assert list(whole) == list(catalog())
    for code, entry in whole.items():
        info = catalog()[code]
        assert (info.title, info.severity.value, info.instead) == (entry["title"], entry["severity"], entry["instead"])
        assert (info.sentences, info.hints) == (entry.get("sentences", {}), entry.get("hints", {}))


def test_a_long_list_of_names_is_cut():
    """What a tired reader needs is which kind of names they are; JSON has all of them in ``fields``."""
    names = (*(f"a{number}" for number in range(30)), "b")
    assert "a0, a1, a2, a3, a4, a5, 25 more depend" in str(Phrase.of("AI211", "equally-likely", arrays=names))
    long = "|".join(f"tree.child[{number}][].body" for number in range(20))
    text = str(Phrase.of("AI211", "equally-likely", arrays=(long,)))
    assert text.startswith("subscripts of tree.child[0][].body|tree.ch ... ")
    assert len(text) < 160
