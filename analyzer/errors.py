"""Errors that are worded for the user.

Three kinds of trouble are never mixed (see also :mod:`analyzer.diagnostics`):

* a *finding about the user's code* is a ``Diagnostic`` value and travels in the report;
* *unusable input or configuration* raises a subclass of :class:`AnalyzerError`;
* *our bugs* crash.

::

    AnalyzerError            anything the user can mend; has path, line, hint
    |-- SourceError          a source file that cannot be read or parsed at all
    |-- OptionError          a command-line option or configuration value that makes no sense
    |-- MachineError         a machine file or a machine name
    |-- PolicyError          a FLOP-policy file
    `-- BudgetError          a limit on time or operations was hit and no weaker answer exists
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .python.regex import regex


class AnalyzerError(Exception):
    """Unusable input or configuration, with its location and what to do about it."""

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        hint: str | None = None,
        others: Sequence[AnalyzerError] = (),
    ) -> None:
        """Store the parts; ``str()`` joins them as ``path:line: message (hint)``, the ``others`` behind it."""
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.hint = hint
        self.others = tuple(others)

    def __str__(self) -> str:
        """Render on one line, with the other mistakes of the same input."""
        return "; ".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Yield a line for each mistake, the way compilers do; line ends in names are shown as ``\\n`` and the like."""
        yield self._line
        for other in self.others:
            yield from other.lines()

    @property
    def _line(self) -> str:
        location = "" if self.path is None else f"{self.path}:" if self.line is None else f"{self.path}:{self.line}:"
        text = f"{location} {self.message}".lstrip()
        return _LINE_END.sub(_escaped, f"{text} ({self.hint})" if self.hint else text)


_LINE_END = regex("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


class SourceError(AnalyzerError):
    """A source file that cannot be read, decoded or parsed at all."""


class OptionError(AnalyzerError):
    """A command-line option or a configuration value that makes no sense."""


class MachineError(AnalyzerError):
    """An unknown machine, or a machine file with a wrong key, unit or impossible number."""


class PolicyError(AnalyzerError):
    """A FLOP-policy file that cannot be used."""


class BudgetError(AnalyzerError):
    """A limit on operations or time was hit and no weaker answer exists."""
