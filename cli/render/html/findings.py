"""The details and findings of the HTML report: the block of each nest, advice, diagnostics, assumptions, codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from analyzer.diagnostics import CodeInfo, catalog
from roofline.report.advice_sentences import advice_text
from roofline.report.report import Report

from ..words.assumptions import assumptions_of
from ..words.numbers import NO_BYTES
from ..words.remarks import Remark
from ..words.summary import Entry, Verdict
from .anchors import Anchor, has_line, line_id

Text = str | Remark


class Details(Struct, frozen=True):
    """The block of one nest: terms with their texts, of which some have codes."""

    id: str
    title: str
    source: str
    position: str
    fields: tuple[tuple[str, tuple[Text, ...]], ...]


class Finding(Struct, frozen=True):
    """A sentence with its code and location; ``kind`` is a severity, ``assumed`` or ``advice``."""

    kind: str
    code: str
    text: str
    hint: str
    location: str
    link: str
    gain: float | None = None


def details_of(anchors: Iterable[Anchor]) -> tuple[Details, ...]:
    """Return the blocks in the order of the source."""
    return tuple(_details(anchor) for anchor in anchors)


def _details(anchor: Anchor) -> Details:
    entry = Entry(anchor.region, anchor.whole)
    fields = [(term, tuple(text for text in texts if text)) for term, texts in _fields(entry)]
    return Details(
        anchor.details, entry.title, anchor.source, anchor.position, tuple(field for field in fields if field[1])
    )


def _fields(entry: Entry) -> Iterator[tuple[str, Sequence[Text]]]:
    moves = entry.moves
    directions = f" = {moves.directions}" if " + " in moves.directions else ""
    of_first = f", {entry.verdicts[0].machine_id}" if len(entry.verdicts) > 1 else ""
    yield "Loops", (entry.loops,)
    yield "FLOPs", (entry.flops + (f" ({entry.operations})" if entry.operations else ""),)
    yield f"Bytes{of_first}", (f"{moves.bytes}{directions} ({moves.convention}: {moves.meaning})",)
    yield f"Intensity{of_first}", (moves.intensity + ("" if moves.intensity == NO_BYTES else " FLOP/byte"),)
    yield "Per iteration", (entry.per_iteration,)
    yield "Else", (entry.alternatives,)
    yield (
        "Otherwise",
        [f"{each.convention}: {each.bytes} bytes, {each.intensity} FLOP/byte" for each in entry.others],
    )
    yield f"Caches hold{of_first}", (entry.kept,)
    if not entry.verdicts:
        yield "Levels", (entry.levels, entry.check, *entry.findings)
    for verdict in entry.verdicts:
        yield verdict.machine, tuple(_verdict(verdict))
    yield f"Advice{of_first}", entry.advice


def _verdict(verdict: Verdict) -> Iterator[Text]:
    at_least = f", at least {verdict.time}" if verdict.time else ""
    call = ", too close to call" if verdict.close else ""
    pace = f" = {verdict.pace}" if verdict.pace else ""
    yield f"{verdict.bound}{call}: at most {verdict.rate}{verdict.sizes}{pace}{at_least}"
    yield f"because {verdict.reason}"
    yield f"levels: {verdict.levels}" if verdict.levels else ""
    yield f"verified: {verdict.check}" if verdict.check else ""
    yield from (Remark(f"caches: {found.text}", found.code, found.hint) for found in verdict.findings)
    yield f"ECM: {'; '.join(verdict.ecm)}" if verdict.ecm else ""
    yield f"cores: {verdict.cores}" if verdict.cores else ""
    yield f"over cores: {verdict.scaling}" if verdict.scaling else ""


def findings_of(report: Report, anchors: Sequence[Anchor]) -> tuple[Finding, ...]:
    """Return advice first, the largest gain on top; then diagnostics, then assumptions, file by file."""
    advice = dict.fromkeys(
        Finding("advice", found.code, advice_text(found), "", anchor.label, anchor.details, found.gain)
        for anchor in anchors
        for found in anchor.region.advice
    )
    found = sorted(advice, key=lambda each: -(each.gain or 0.0))
    for position, file in enumerate(report.files):
        name = file.profile.path.rpartition("/")[2]
        for each in dict.fromkeys(file.profile.diagnostics):
            link = line_id(position, each.span.line) if has_line(file, each.span.line) else ""
            location = f"{each.span.path.rpartition('/')[2]}:{each.span.line}"
            found.append(Finding(each.severity.value, each.code, each.message, each.hint, location, link))
        for assumed in assumptions_of(file):
            line, remark = assumed.line, assumed.remark
            link = line_id(position, line) if has_line(file, line) else ""
            found.append(Finding("assumed", remark.code, remark.text, remark.hint, f"{name}:{line}", link))
    return tuple(found)


def codes_in(findings: Iterable[Finding], details: Iterable[Details]) -> tuple[CodeInfo, ...]:
    """Return the documentation of every code that the report names, in the order of the codes."""
    named = {found.code for found in findings}
    texts = (text for each in details for _, shown in each.fields for text in shown)
    named |= {text.code for text in texts if isinstance(text, Remark)}
    return tuple(info for code, info in catalog().items() if code in named)
