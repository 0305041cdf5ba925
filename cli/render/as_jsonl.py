"""A check as JSON, in one document or with one finding on each line."""

from __future__ import annotations

import json

from roofline.rules.findings import Outcome
from roofline.rules.forms import finding_form, outcome_form


def render_jsonl(outcome: Outcome) -> str:
    """One object on each line, new findings only; nothing where there are none."""
    return "".join(f"{json.dumps(finding_form(found), ensure_ascii=False)}\n" for found in outcome.findings)


def render_check_json(outcome: Outcome) -> str:
    """One document, with what was passed over and the bound of every loop."""
    return json.dumps(outcome_form(outcome), indent=2, ensure_ascii=False) + "\n"
