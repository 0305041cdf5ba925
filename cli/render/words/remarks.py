"""A sentence with the code that explains it: advice, findings and assumptions, before a renderer lays them out."""

from __future__ import annotations

from msgspec import Struct

from analyzer.diagnostics import Diagnostic


class Remark(Struct, frozen=True):
    """A sentence and its code; ``hint`` is what to do, empty where there is nothing to do.

    >>> str(Remark("the rows share sets", "AI404", "pad them"))
    'the rows share sets (pad them) [AI404]'
    """

    text: str
    code: str
    hint: str = ""

    def __str__(self) -> str:
        """Return the sentence with what to do and its code."""
        return f"{self.text} ({self.hint}) [{self.code}]" if self.hint else f"{self.text} [{self.code}]"


def message_line(found: Diagnostic) -> str:
    """Return what is to be said about a source on one line: where, how grave, what, what to do, and the code."""
    remark = Remark(found.message, found.code, found.hint)
    return " ".join(f"{found.span}: {found.severity.value}: {remark}".splitlines())
