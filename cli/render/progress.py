"""A progress bar on standard error, which appears only when the work takes longer than a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer

from ..visible import visible

_PATIENCE_S = 1.0


@contextmanager
def progress(total: int, *, color: bool) -> Iterator[Callable[[str], None]]:
    """Give a function to be called with the name of each file when it is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, no_color=not color)
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task("files", total=total)
    lock = Lock()
    ended = False

    def show() -> None:
        with lock:
            if not ended:
                bar.start()

    timer = Timer(_PATIENCE_S, show)
    timer.daemon = True
    timer.start()
    try:
        yield lambda name: bar.update(task, advance=1, description=visible(name))
    finally:
        timer.cancel()
        with lock:
            ended = True
            if bar.live.is_started:
                bar.stop()
