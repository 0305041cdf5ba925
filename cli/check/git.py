"""Answers of git about a repository that nobody trusts: commits, and contents of files at a commit.

The repository cannot name a program that runs.  Git is asked for objects alone (``rev-parse``, ``merge-base``,
``ls-tree``, ``cat-file``), never to look at the working tree, at the index or at attributes: filters, conversions, file
monitors and hooks belong to those.  Objects that are not there are not fetched, and no protocol is allowed (a remote
may be ``ext::sh -c ...``).  Nothing of the caller's ``GIT_*`` reaches it, and no other variable that names a program.
The configuration of the user and of the system is read, for ``safe.directory`` is there: git refuses repositories of
other users.  Two texts are compared outside of any repository, and without any configuration.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from analyzer.child_processes import Finished, TooLate, run_to_end
from analyzer.errors import OptionError
from analyzer.python.regex import regex
from roofline.rules.changes import ChangedLines, changed_lines

_WITHIN_S = 60
_CEILING = "GIT_CEILING_DIRECTORIES"
_OF_THE_CALLER = ("HOME", "LD_LIBRARY_PATH", "SUDO_UID", "SYSTEMROOT", "TMPDIR", "USERPROFILE", "XDG_CONFIG_HOME")
_FORBIDDING = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",  # versions before 2.39.4 do not know it, and fail for want of a protocol
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_WITHOUT_CONFIGURATION = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1"}
_SETTINGS: tuple[str, ...] = ("-c", "safe.bareRepository=explicit")
_SETTINGS += ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")  # not needed: a second line
_DIFF = ("diff", "--no-index", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--no-prefix", "--text")
_OF_A_FILE = regex(r"^diff --git old/(\d+) new/\d+$", re.MULTILINE)
_NAMES_AT_ONCE = 200
LARGEST_BYTES = 64 << 20
_BYTES_AT_ONCE = 64 << 20
_FILES = (b"100644", b"100755")
_FETCH = "in a partial clone, let git fetch it first: git fetch --refetch --no-filter origin"


class Base(Struct, frozen=True):
    """A commit to compare with, and the top of the working tree that it is compared with."""

    top: str
    commit: str
    is_common: bool


def repository_of(folder: str) -> str | None:
    """Return the nearest folder upward that has a ``.git``, None where there is none; git looks no further either."""
    ceilings = {os.path.realpath(path) for path in os.environ.get(_CEILING, "").split(os.pathsep) if path}
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder or above in ceilings:
            return None
        folder = above
    return folder


def base_of(folder: str, ref: str) -> Base:
    """Return where the branch in this repository left ``ref``, else ``ref`` itself; raises ``OptionError``."""
    if ref.startswith("-"):
        raise OptionError(f"--diff-base {ref} is not a commit", hint="name a branch, a tag or a commit")
    found = _git(folder, "rev-parse", "--show-toplevel")
    if found.code:
        raise _refused(found, folder)
    commit = _git(folder, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if commit.code:
        hint = "fetch it first: git fetch origin"
        raise OptionError(f"--diff-base {ref}: no such commit in {folder}", hint=hint)
    named = commit.output.decode("ascii").strip()
    common = _git(folder, "merge-base", named, "HEAD")
    base = common.output.decode("ascii").strip() if common.code == 0 else named
    return Base(os.fsdecode(found.output.removesuffix(b"\n")), base, common.code == 0)


def contents_at(base: Base, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the plain files among the names (relative to the top) that the commit has, with their contents.

    Files of more than 64 MiB are left out.  Raises ``OptionError`` where objects are not there.
    """
    for start in range(0, len(names), _NAMES_AT_ONCE):
        waiting: list[tuple[str, bytes]] = []
        size = 0
        for name, blob, length in _files(base, names[start : start + _NAMES_AT_ONCE]):
            if length > LARGEST_BYTES:
                continue
            if waiting and size + length > _BYTES_AT_ONCE:
                yield from _contents(base, waiting)
                waiting, size = [], 0
            waiting.append((name, blob))
            size += length
        yield from _contents(base, waiting)


def compared(pairs: Sequence[tuple[bytes, bytes]]) -> list[ChangedLines]:
    """Return the lines of the second text of each pair that are not in the first."""
    with tempfile.TemporaryDirectory(prefix="ai-estimate-") as folder:
        for side in (0, 1):
            side_folder = Path(folder, ("old", "new")[side])
            side_folder.mkdir()
            for number, pair in enumerate(pairs):
                (side_folder / str(number)).write_bytes(pair[side])
        alone = {**_WITHOUT_CONFIGURATION, "HOME": folder, "XDG_CONFIG_HOME": folder}
        alone[_CEILING] = os.path.dirname(os.path.realpath(folder))
        done = _git(folder, *_DIFF, "-U0", "old", "new", more=alone)
    if done.code > 1:
        raise _refused(done, folder)
    _, *parts = _OF_A_FILE.split(done.output.decode("latin-1"))
    changes = {int(number): changed_lines(text) for number, text in zip(parts[::2], parts[1::2], strict=True)}
    return [changes.get(number, ChangedLines(())) for number in range(len(pairs))]


def _files(base: Base, names: Sequence[str]) -> Iterator[tuple[str, bytes, int]]:
    """Yield name, object and size in bytes of the plain files among the names."""
    done = _git(base.top, "ls-tree", "-z", "-l", "--full-tree", base.commit, "--", *names)
    if done.code:
        raise _refused(done, base.top)
    for entry in done.output.split(b"\0")[:-1]:
        attributes, _, name = entry.partition(b"\t")
        mode, _, blob, size = attributes.split()
        if mode in _FILES:
            yield os.fsdecode(name), blob, int(size)


def _contents(base: Base, files: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    if not files:
        return
    done = _git(base.top, "cat-file", "--batch", given=b"".join(blob + b"\n" for _, blob in files))
    if done.code:
        raise _refused(done, base.top)
    left = memoryview(done.output)
    for name, blob in files:
        head, _, _ = bytes(left[:200]).partition(b"\n")
        words = head.split()
        if len(words) != 3 or words[0] != blob or words[1] != b"blob":
            raise OptionError(f"git cannot read the base of {name}", path=base.top, hint=_FETCH)
        start, size = len(head) + 1, int(words[2])
        yield name, bytes(left[start : start + size])
        left = left[start + size + 1 :]


def _refused(done: Finished, folder: str) -> OptionError:
    """Return the error that says in git's words why it did not answer."""
    lines = [line for line in done.complaint.decode("utf-8", "surrogateescape").splitlines() if line.strip()]
    text = next((line for line in lines if line.startswith("fatal:")), lines[-1] if lines else f"exit code {done.code}")
    text = text.removeprefix("fatal:").strip()
    if "dubious ownership" in text or "unsafe repository" in text:
        hint = f"if you trust it: git config --global --add safe.directory {folder}"
        return OptionError("--diff-base: git reads no repository of another user", path=folder, hint=hint)
    if "not a git repository" in text:
        return OptionError(f"--diff-base needs a git repository, and {folder} is in none")
    is_missing = any(word in text for word in ("object", "promisor", "transport"))
    return OptionError(f"--diff-base: git cannot answer: {text}", path=folder, hint=_FETCH if is_missing else None)


def _git(folder: str, *arguments: str, given: bytes = b"", more: Mapping[str, str] | None = None) -> Finished:
    """Ask git in a folder; raises ``OptionError`` where it is not there, or takes too long."""
    named = [path for path in os.environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(path)]
    searched = os.pathsep.join(named)  # nothing that lies in the current folder
    program = shutil.which("git", path=searched)
    if program is None:
        raise OptionError("--diff-base needs git, which is not installed", hint="install git, or leave --diff-base out")
    inherited = {name: os.environ[name] for name in (*_OF_THE_CALLER, _CEILING) if name in os.environ}
    environment = {**inherited, "PATH": searched, **_FORBIDDING, **(more or {})}
    try:
        command = [program, *_SETTINGS, *arguments]
        return run_to_end(command, within_s=_WITHIN_S, given=given, folder=folder, environment=environment)
    except TooLate:
        raise OptionError(f"git did not answer within {_WITHIN_S} s", path=folder) from None
    except OSError as error:
        raise OptionError(f"--diff-base: git cannot be run: {error.strerror}", path=folder) from error
