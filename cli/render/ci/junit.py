"""A check as JUnit XML: a suite for each file, a failed case for each finding, a passed one for a file without."""

from __future__ import annotations

from xml.etree import ElementTree

from analyzer.diagnostics import catalog
from roofline.rules.findings import Finding, Outcome

from ...visible import visible


def render_junit(outcome: Outcome) -> str:
    """Return the document."""
    count = str(len(outcome.findings))
    root = ElementTree.Element("testsuites", name="ai-estimate", failures=count, errors="0")
    total = 0
    for path in outcome.files:
        found = [one for one in outcome.findings if one.span.path == path]
        cases = max(1, len(found))
        total += cases
        numbers = {"tests": str(cases), "failures": str(len(found)), "errors": "0", "skipped": "0"}
        suite = ElementTree.SubElement(root, "testsuite", {"name": visible(path), **numbers})
        if not found:
            ElementTree.SubElement(suite, "testcase", name="ai-estimate", classname=visible(path))
        for one in found:
            _case(suite, one)
    root.set("tests", str(total))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _case(suite: ElementTree.Element, found: Finding) -> None:
    name = f"{found.code} {found.loop}".strip()
    path = visible(found.span.path)
    location = {"name": visible(name), "classname": path, "file": path, "line": str(found.span.line)}
    case = ElementTree.SubElement(suite, "testcase", location)
    kind = f"{found.code} {catalog()[found.code].title}"
    failure = ElementTree.SubElement(case, "failure", message=visible(found.message), type=kind)
    failure.text = visible(f"{found.span}: {found.message}" + (f"\n{found.hint}" if found.hint else ""))
