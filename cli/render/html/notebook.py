"""The report as a small HTML table for notebooks: one row for each region and machine."""

from __future__ import annotations

from html import escape
from typing import Any

from roofline.machine.units import format_rate, format_time
from roofline.report.report import Report

from ...visible import visible

_HEADINGS = ("region", "FLOPs", "bytes", "FLOP/byte", "machine", "bound", "attainable", "time at least")


def notebook_table(report: Report) -> str:
    """Return the table; every text of the source is escaped."""
    head = "".join(f"<th>{heading}</th>" for heading in _HEADINGS)
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(row))}</tr>" for row in report.rows())
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cells(row: dict[str, Any]) -> list[str]:
    flops, size, rate, seconds = (row.get(name) for name in ("flops", "bytes", "flop_per_s", "time_s"))
    bound = f"{row.get('bound', '')} {row.get('level') or ''}".strip()
    texts = [
        f"{row['file']}:{row['line']} {row['name']}",
        row["flops_formula"] if flops is None else f"{flops:,}",
        "" if size is None else format_rate(float(size), "B"),
        "" if row["intensity"] is None else f"{row['intensity']:.4g}",
        row.get("machine", ""),
        bound,
        "" if rate is None else format_rate(rate),
        "" if seconds is None else format_time(seconds),
    ]
    return [escape(visible(str(text))) for text in texts]
