"""Worked examples in docstrings, of all modules: what they print is what they say."""

import doctest
import importlib
import re

import pytest

from .test_docstrings import MODULES

WITH_EXAMPLES = [
    name
    for name, path in MODULES.items()
    if not name.startswith("tests") and re.search(r"^ *>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted
    assert not found.failed
