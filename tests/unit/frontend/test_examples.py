"""Worked examples in the docstrings of the readers and of the arithmetic that they share."""

import doctest
import importlib
import pkgutil

import pytest

from analyzer import frontend

PACKAGES = ("clang", "fragment", "host", "launches", "text")
MODULES = [
    item.name
    for item in pkgutil.walk_packages(frontend.__path__, "analyzer.frontend.")
    if not item.ispkg and item.name.split(".")[2] in PACKAGES
]


@pytest.mark.parametrize("name", [*MODULES, "analyzer.ir.arithmetic"])
def test_examples_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    examples = [test.examples for name in MODULES for test in finder.find(importlib.import_module(name))]
    assert sum(map(bool, examples)) > 8
