"""A sentence with the code that explains it: advice, findings and assumptions, before a renderer lays them out."""

from __future__ import annotations

from msgspec import Struct


class Remark(Struct, frozen=True):
    """A sentence and its code.

    >>> str(Remark("the rows share sets", "AI404"))
    'the rows share sets [AI404]'
    """

    text: str
    code: str

    def __str__(self) -> str:
        """Return the sentence with its code."""
        return f"{self.text} [{self.code}]"
