"""The report in notebooks: the first screen as a table and a list of sentences, without a style sheet."""

from __future__ import annotations

from html import escape

from analyzer.diagnostics import Severity
from roofline.report.report import Report

from ...visible import visible
from ..words.remarks import message_line
from .first import First, FirstRow, first_of

_MOST_MESSAGES = 6


def notebook_table(report: Report) -> str:
    """Return the first screen as a fragment of HTML; every text of the source is escaped."""
    first = first_of(report, {})
    messages = _messages(report)
    if first.nothing:
        return f"<p>{escape(first.nothing)}</p>{messages}"
    head = "".join(_cell("th", first, position, text) for position, text in enumerate(first.headings))
    body = "".join(f"<tr>{_cells(first, row)}</tr>" for row in first.rows)
    notes = "".join(f"<li><b>{escape(label)}</b>: {escape(text)}</li>" for label, text in first.notes)
    title = f'<caption style="text-align: left">{escape(first.title)}</caption>'
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><ul>{notes}</ul>{messages}"


def _messages(report: Report) -> str:
    """Return errors and warnings about the sources, which the command line writes to standard error."""
    texts = [message_line(found) for found in report.diagnostics if found.severity is not Severity.NOTE]
    more = len(texts) - _MOST_MESSAGES
    shown = texts[:_MOST_MESSAGES] + ([f"{more} more: report.diagnostics has all"] if more > 0 else [])
    return f"<ul>{''.join(f'<li>{escape(visible(text))}</li>' for text in shown)}</ul>" if shown else ""


def _cells(first: First, row: FirstRow) -> str:
    return "".join(
        _cell("td", first, position, text, is_inside=row.is_inside and not position)
        for position, text in enumerate(row.cells)
    )


def _cell(tag: str, first: First, position: int, text: str, *, is_inside: bool = False) -> str:
    style = f"text-align: {'right' if position in first.numeric else 'left'}"
    return f'<{tag} style="{style}{"; padding-left: 2em" if is_inside else ""}">{escape(text)}</{tag}>'
