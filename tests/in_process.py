"""The command in this process, its analysis included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch


@contextmanager
def analyzing_here() -> Iterator[None]:
    """Let the command analyze in this process, and read files anew.

    To start a copy of a process with thousands of tests takes as long as a small analysis, and what it loads and keeps
    ends with it.
    """
    import cli.run.jobs
    from analyzer.stages.reading import read_once

    cli.run.jobs.read_companion.cache_clear()
    read_once.cache_clear()
    with patch.object(cli.run.jobs, "can_fork", lambda: False):
        yield
