"""The sentences of findings: the catalog's templates with the values of the model in them.

Input: a code, the name of one of its sentences, and fields.  Output: text.  Reasons and advice are shown as in a
report, ``{rate:FLOP/s}`` and ``{size:B}`` with a decimal prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analyzer.diagnostics import Field, Phrase, SentenceFormatter, hint_of, sentence_of

from ..machine.units import format_rate
from ..model.advice.kinds import Advice
from ..model.verdicts.reasons import Reason
from ..report.advice_sentences import advice_text
from ..report.sentences import reason_text

Shown = Field | Reason | Advice
"""A value that the sentence of a finding names."""

_DIGITS = {"B": 3, "FLOP/s": 4}


class _FindingFormatter(SentenceFormatter):
    """The formatter of findings: also shows reasons, advice and rates."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value as text."""
        if format_spec in _DIGITS:
            return format_rate(value, format_spec, digits=_DIGITS[format_spec])
        if isinstance(value, Reason):
            return reason_text(value)
        if isinstance(value, Advice):
            return advice_text(value)
        return super().format_field(value, format_spec)


_FORMATTER = _FindingFormatter()


def message_of(code: str, form: str, fields: Mapping[str, Shown]) -> str:
    """Return the sentence of a finding."""
    return sentence_of(code, form, fields, _FORMATTER)


def phrase_text(phrase: Phrase) -> str:
    """Return a part of the sentence of a finding."""
    return message_of(phrase.code, phrase.form, dict(phrase.fields))


def what_to_do(code: str, form: str, fields: Mapping[str, Shown]) -> str:
    """Return the hint of a finding; empty where there is none."""
    return hint_of(code, form, fields, _FORMATTER)
