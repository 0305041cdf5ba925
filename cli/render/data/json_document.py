"""The report as one JSON document (``roofline/report.schema.json``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roofline.report.json.document import file_form
from roofline.report.report import Report
from roofline.report.sentences import condition_text
from roofline.report.sweep import Sweep

from ...visible import json_text

_NO_FILES = '\n  "files": []'


def render_json(report: Report, sweep: Sweep | None = None) -> Iterator[str]:
    """Render as indented JSON in a stable order, file by file: the parts need never be in memory together.

    A range adds ``sweep``: the name, the values after which caches stop holding something, and for each value the
    ``files`` as in the report.
    """
    document = {**report.head(), "files": []}
    if sweep is not None:
        document["sweep"] = {
            "parameter": sweep.parameter,
            "breakpoints": [
                {
                    "value": found.value,
                    "level": found.level,
                    "arrays": list(found.arrays),
                    "loop": found.condition.loop,
                    "carried": found.condition.carried,
                    "text": condition_text(found.condition, found.arrays),
                    "file": found.path,
                    "region": found.region,
                    "line": found.line,
                }
                for found in sweep.breakpoints
            ],
            "points": [
                {"value": point.value, "files": [file_form(file) for file in point.files]} for point in sweep.points
            ],
        }
    before, after = _text(document).split(_NO_FILES)
    yield before
    yield '\n  "files": ['
    for position, file in enumerate(report.files):
        yield ",\n" if position else "\n"
        yield "    " + _text(file_form(file)).replace("\n", "\n    ")
    yield "\n  ]" if report.files else "]"
    yield after + "\n"


def _text(document: dict[str, Any]) -> str:
    return json_text(document, allow_nan=False)
