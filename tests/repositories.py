"""Git repositories for tests, made without the configuration of the user."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_WHO = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
_OPEN = ("-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", "-c", "core.autocrlf=false")


def git(folder: Path | str, *arguments: str | bytes) -> str:
    """Run git in a folder and return what it wrote."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    alone = {**plain, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(folder), *_WHO, *_OPEN, *arguments]
    return subprocess.run(command, check=True, capture_output=True, env=alone).stdout.decode("utf-8", "replace")


def committed(folder: Path, **options: str) -> Path:
    """Make a repository of what is in a folder, with one commit."""
    git(folder, "init", "-q", *(f"--{name.replace('_', '-')}={value}" for name, value in options.items()))
    git(folder, "add", "-f", ".")
    git(folder, "commit", "-qm", "first", "--no-verify")
    return folder
