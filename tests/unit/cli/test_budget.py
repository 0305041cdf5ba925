"""What ``--budget`` says."""

from __future__ import annotations

import pytest

from analyzer.errors import OptionError
from cli.budget import Budget, parse_budget


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("30s,4GiB,20Mop", Budget(30, 4096, 20_000_000)),
        ("10", Budget(10, 4096, 20_000_000)),
        ("500ms", Budget(0.5, 4096, 1_000_000)),
        ("2min, 512MiB", Budget(120, 512, 240_000_000)),
        ("1GB,5Mop", Budget(30, 953, 5_000_000)),
        ("0", Budget(0, 4096, 0)),
    ],
)
def test_limits(text, budget):
    assert parse_budget(text) == budget


@pytest.mark.parametrize("text", ["", "soon", "-1", "1s,1s", "10 apples", "1s;2GiB", "nan", "inf", "1MiB", "1e3"])
def test_what_cannot_be_read(text):
    with pytest.raises(OptionError, match="--budget"):
        parse_budget(text)
