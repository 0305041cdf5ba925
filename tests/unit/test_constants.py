"""Every number that a model has at the top of a module says what it is and where it comes from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_MODELS = ("analyzer/bounds", "analyzer/counts", "analyzer/traffic", "roofline/model", "roofline/probe")
_PLAIN = (0, 1)


def unexplained(source: str) -> Iterator[int]:
    """Yield the lines of assignments of numbers without a comment in, above or a text below them."""
    lines, body = source.splitlines(), ast.parse(source).body
    for number, node in enumerate(body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and _has_number(node.value):
            above = lines[node.lineno - 2] if node.lineno > 1 else ""
            within = any("#" in line for line in lines[node.lineno - 1 : node.end_lineno])
            following = body[number + 1] if number + 1 < len(body) else None
            if not within and not above.startswith("#") and not _is_text(following):
                yield node.lineno


def _has_number(value: ast.expr) -> bool:
    constants = (each.value for each in ast.walk(value) if isinstance(each, ast.Constant))
    return any(type(each) in (int, float) and each not in _PLAIN for each in constants)


def _is_text(node: ast.stmt | None) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@pytest.mark.parametrize("package", _MODELS)
def test_numbers_of_models_are_explained(package: str) -> None:
    """A comment cannot be checked for truth, but one that is missing can be seen."""
    modules = sorted((_ROOT / package).rglob("*.py"))
    assert modules
    found = [f"{path.relative_to(_ROOT)}:{line}" for path in modules for line in unexplained(path.read_text())]
    assert found == []


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("_HALF = 0.5\n", [1]),
        ("_HALF = 0.5  # of a turn\n", []),
        ("# Of a turn.\n_HALF = 0.5\n", []),
        ('HALF = 0.5\n"""Of a turn."""\n', []),
        ("A = 2  # of one\nB = 3\n", [2]),
        ("FIRST = 0\n", []),
    ],
)
def test_a_number_without_a_word_is_found(source: str, lines: list[int]) -> None:
    """As the rule for the models has it."""
    assert list(unexplained(source)) == lines
