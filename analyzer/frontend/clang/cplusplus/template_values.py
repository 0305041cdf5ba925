"""Instances of templates in lists of values (``{sum<128>, &sum<256>}``), whose tree has only the name of the template.

libclang visits lists as they are written, before clang chooses an instance.  A plus in front of such a name makes clang
choose at once, so that the next reading has the instance: ``{+sum<128>, +&sum<256>}``.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..binding import Cursor
from ..scope import Scope


def note_template(scope: Scope, name: Cursor) -> None:
    """Note where the main file names a template whose instance is not known."""
    first, last = scope.unit.extent(name)
    if first.path == scope.path and first.offset < last.offset:  # a macro's has no extent
        scope.unchosen.add(first.offset)


def with_choices(text: str, offsets: Iterable[int]) -> str:
    """Return the text with a plus in front of each name, and of the sign of its address; offsets are bytes.

    A name that has a plus already is left: clang has no instance of it with another one either.

    >>> with_choices("{f<1>, & f<2>}", [1, 9])
    '{+f<1>, +& f<2>}'
    >>> with_choices("{+f, 1 + f}", [2, 9])
    '{+f, 1 + f}'
    """
    given = text.encode()
    for offset in sorted(offsets, reverse=True):
        before = given[:offset].rstrip()
        start = len(before) - 1 if before.endswith(b"&") else offset
        if not given[:start].rstrip().endswith(b"+"):
            given = given[:start] + b"+" + given[start:]
    return given.decode()
