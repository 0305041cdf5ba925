"""Rules on operations: AI111 a double constant in float code, AI112 division by what does not change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.frontend.text.lexical import without_comments
from analyzer.python.regex import regex

from ..report.locations import spelled_divisor
from .findings import Finding
from .subject import Rule, Subject

_DOUBLE = regex(r"(?<![\w.])(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])|(?<![\w.])\d+[eE][+-]?\d+(?![\w.])")


def double_constant(subject: Subject) -> Iterator[Finding]:
    """Find AI111: a constant without suffix makes arithmetic on floats one on doubles."""
    profile = subject.file.profile
    if not subject.profile.access_patterns.promotions:
        return
    lines = without_comments(profile.source_text).split("\n")
    for promotion in subject.profile.access_patterns.promotions:
        first = promotion.line - profile.first_line
        literal = _DOUBLE.search("\n".join(lines[max(0, first) : promotion.end_line - profile.first_line + 1]))
        if literal is not None:
            yield subject.finding("AI111", "double", {"literal": literal[0]}, at=(promotion.line, promotion.end_line))


def invariant_division(subject: Subject) -> Iterator[Finding]:
    """Find AI112: a division in an inner loop by something that stays the same in it."""
    for division in subject.profile.access_patterns.divisions:
        line = next(iter(subject.lines_from(division.line)), "")
        yield subject.finding(
            "AI112",
            "invariant",
            {"divisor": spelled_divisor(division.divisor, line), "iterator": division.iterator},
            at=(division.line, division.line),
        )


RULES: Mapping[str, Rule] = {"AI111": double_constant, "AI112": invariant_division}
