from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("arguments", "missing", "ours"),
    [(["lsp"], "pygls", "cli.lsp.server"), (["completion", "bash"], "argcomplete", None)],
)
def test_a_missing_extra_is_named(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, arguments: list[str], missing: str, ours: str | None
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, name)
    if ours is not None:
        monkeypatch.delitem(sys.modules, ours, raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
    found = run(*arguments)
    assert (found.code, found.stdout) == (2, "")
    assert f"needs {missing}" in found.stderr
    assert f"pip install 'ai-estimate[{arguments[0]}]'" in found.stderr
