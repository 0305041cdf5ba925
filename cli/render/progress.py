"""A progress bar on standard error, which appears only when the work takes longer than a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE_S = 1.0


@contextmanager
def progress(total: int, *, color: bool) -> Iterator[Callable[[str], None]]:
    """Give a function to be called with the name of each file when it is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True, no_color=not color)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task("", total=total)
    started = time.monotonic()
    shown = False

    def advance(name: str) -> None:
        nonlocal shown
        bar.update(task, advance=1, description=name)
        if not shown and time.monotonic() - started > _PATIENCE_S:
            shown = True
            bar.start()

    try:
        yield advance
    finally:
        if shown:
            bar.stop()
