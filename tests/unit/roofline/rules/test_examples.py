"""Worked examples in the docstrings of the rules and their neighbours."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "analyzer.diagnostics",
        "analyzer.annotations.parse",
        "analyzer.ir.expression",
        "cli.render.ci.github",
        "roofline.rules.changes",
    ],
)
def test_examples_hold(name):
    found = doctest.testmod(importlib.import_module(name))
    assert (found.failed, found.attempted > 0) == (0, True)
