"""The report as one JSON document (``roofline/report.schema.json``)."""

from __future__ import annotations

import json
from dataclasses import replace

from roofline.report import Report, to_primitive
from roofline.sweep import Sweep


def render_json(report: Report, sweep: Sweep | None = None) -> str:
    """Render as indented JSON in a stable order.

    A range adds ``sweep``: the name, the values at which caches stop to keep something, and for each value the
    ``files`` as in the report.
    """
    document = to_primitive(report)
    if sweep is not None:
        document["sweep"] = {
            "parameter": sweep.parameter,
            "breakpoints": [
                {
                    "value": found.value,
                    "level": found.level,
                    "text": found.text,
                    "file": found.path,
                    "region": found.region,
                    "line": found.line,
                }
                for found in sweep.breakpoints
            ],
            "points": [
                {"value": point.value, "files": to_primitive(replace(report, files=point.files))["files"]}
                for point in sweep.points
            ],
        }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
