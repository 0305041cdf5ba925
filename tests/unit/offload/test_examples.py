"""Worked examples in the docstrings of directives that put loops on a GPU."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["offload.runtime", "offload.data", "frontend.lower.loops.pragmas"])
def test_examples_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"analyzer.{name}"))
    assert found.attempted > 0 == found.failed
