"""Lines that changed since a commit, by asking git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from analyzer.errors import OptionError
from roofline.rules.changes import WHOLE, ChangedLines, changed_lines

_WITHIN_S = 60
_NOTHING_OF_THE_REPOSITORY = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager")


def changes_since(ref: str, paths: Iterable[str]) -> dict[str, ChangedLines]:
    """The lines of each file that differ from where this branch left ``ref``; raises ``OptionError``.

    All lines of a file that git does not know yet.
    """
    found: dict[str, ChangedLines] = {}
    bases: dict[str, str] = {}
    for path in paths:
        folder = os.path.dirname(os.path.abspath(path))
        if folder not in bases:
            bases[folder] = _base(ref, folder)
        name = os.path.basename(path)
        if not _git(folder, "ls-files", "--", name).stdout.strip():
            found[path] = WHOLE
            continue
        diff = _git(folder, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "-U0", bases[folder], "--", name)
        if diff.returncode:
            raise OptionError(f"git cannot compare it with {ref}: {diff.stderr.strip()}", path=path)
        found[path] = changed_lines(diff.stdout)
    return found


def _base(ref: str, folder: str) -> str:
    """The commit to compare with: where the branch left ``ref``, else ``ref`` itself."""
    if ref.startswith("-"):
        raise OptionError(f"--diff-base {ref} is not a commit")
    commit = _git(folder, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if commit.returncode:
        inside = _git(folder, "rev-parse", "--is-inside-work-tree")
        if inside.returncode:
            raise OptionError(f"--diff-base needs a git repository, and {Path(folder)} is in none")
        raise OptionError(f"--diff-base {ref}: no such commit", hint="fetch it first: git fetch origin")
    common = _git(folder, "merge-base", ref, "HEAD")
    return (common if common.returncode == 0 else commit).stdout.strip()


def _git(folder: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["git", "-C", folder, *_NOTHING_OF_THE_REPOSITORY, *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_WITHIN_S,
            check=False,
        )
    except FileNotFoundError:
        raise OptionError("--diff-base needs git, which is not installed") from None
    except subprocess.TimeoutExpired:
        raise OptionError(f"git did not answer within {_WITHIN_S} s") from None
