"""A check as JSON, in one document or with one finding on each line."""

from __future__ import annotations

from roofline.rules.findings import Outcome
from roofline.rules.forms import finding_form, outcome_form

from ...visible import json_text


def render_jsonl(outcome: Outcome) -> str:
    """Return one object on each line, new findings only; nothing where there are none."""
    return "".join(f"{json_text(finding_form(found), indent=None)}\n" for found in outcome.findings)


def render_check_json(outcome: Outcome) -> str:
    """Return one document, with what was passed over and the bound of every loop."""
    return json_text(outcome_form(outcome)) + "\n"
