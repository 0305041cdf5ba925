"""The command ``ai-estimate``: :func:`cli.main.run`, or a sentence where something else is called ``cli``.

It is a package of its own, with a name that nothing else has: a folder ``cli`` in the current directory comes before
ours where ``PYTHONPATH`` or ``python -m`` put that directory first.  What hides the other two packages, :mod:`cli.main`
finds.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

_UNUSABLE = 2


def run() -> int:
    """Run the command and return the exit code; 2 where another package is called ``cli``."""
    found = find_spec("cli")
    locations = [] if found is None else found.submodule_search_locations or [found.origin or ""]
    first = next(iter(locations), "")
    if not _is_ours(Path(first)):
        sys.stderr.write(
            f"ai-estimate: error: the package 'cli' is not the one of ai-estimate: {first!a} comes first (run the"
            " command in another directory, or take that one out of PYTHONPATH)\n"
        )
        return _UNUSABLE
    from cli.main import run as run_command

    return run_command()


def _is_ours(folder: Path) -> bool:
    return (folder / "main.py").is_file() and (folder.parent / "analyzer" / "codes.toml").is_file()
