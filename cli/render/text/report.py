"""The report as plain text, without colours and the same in every terminal: one block for each nest."""

from __future__ import annotations

from collections.abc import Iterator

from roofline.model.projection import Bound
from roofline.report.report import FileReport, Report

from ..typesetting.wrapping import wrapped
from ..words.assumptions import assumptions_of
from ..words.launches import range_text
from ..words.listing import annotated_source
from ..words.names import heading_of
from ..words.numbers import NO_BYTES
from ..words.summary import Entry, Verdict, entries_of

_LABEL = 15
_WIDTH = 100


def render_text(report: Report, *, by_line: bool = False) -> str:
    """Render every file in order, and with ``by_line`` each file's annotated source after its blocks."""
    parts = [part for file in report.files for part in _file(file, by_line)]
    return "\n".join(parts).rstrip("\n") + "\n"


def _file(file: FileReport, by_line: bool) -> Iterator[str]:
    yield heading_of(file)
    yield ""
    entries = entries_of(file)
    if not entries:
        yield "  no loop found"
        yield ""
    for entry in entries:
        yield from _block(entry)
        yield ""
    assumed = assumptions_of(file)
    if assumed:
        yield "assumed"
        for found in assumed:
            yield from _wrapped(f"  {found}", "    ")
        yield ""
    if by_line and entries:
        yield annotated_source(file)


def _block(entry: Entry) -> Iterator[str]:
    yield entry.title
    yield from _field("launches", range_text(entry.region))
    yield from _field("loops", entry.loops)
    yield from _field("FLOPs", entry.flops + (f" ({entry.operations})" if entry.operations else ""))
    chosen = entry.moves
    directions = f" = {chosen.directions}" if " + " in chosen.directions else ""
    yield from _field("bytes", f"{chosen.bytes}{directions} ({chosen.convention}: {chosen.meaning})")
    yield from _field("intensity", chosen.intensity + ("" if chosen.intensity == NO_BYTES else " FLOP/byte"))
    yield from _field("per iteration", entry.per_iteration)
    yield from _field("else", entry.alternatives)
    for other in entry.others:
        yield from _field("otherwise", f"{other.convention}: {other.bytes} bytes, {other.intensity} FLOP/byte")
    yield from _field("caches hold", entry.kept)
    if not entry.verdicts:
        yield from _field("levels", entry.levels)
        yield from _field("verified", entry.check)
        for found in entry.findings:
            yield from _field("caches", str(found))
    for verdict in entry.verdicts:
        for number, text in enumerate(_verdict(verdict, chosen.bytes)):
            yield from _field("" if number else verdict.machine_id, text)
    for advice in entry.advice:
        yield from _field("advice", str(advice))
    yield from _field("at best", entry.best)


def _verdict(verdict: Verdict, told_bytes: str) -> Iterator[str]:
    if verdict.moves.bytes != told_bytes:
        moves = verdict.moves
        yield f"{moves.bytes} bytes ({moves.convention}), {moves.intensity} FLOP/byte"
    call = ", too close to call" if verdict.close else ""
    time = f", at least {verdict.time}" if verdict.time else ""
    level = f" ({verdict.level})" if verdict.level else ""
    bound = f"{verdict.kind.value}-bound{level}"
    unbound = verdict.kind in (Bound.NOTHING, Bound.UNKNOWN)
    time = f" = {verdict.pace}{time}" if verdict.pace else time
    most = "" if unbound else f", at most {verdict.rate}{verdict.sizes}"
    yield f"{verdict.rate if unbound else bound}{call}{most}{time}"
    yield f"because {verdict.reason}" if not unbound else verdict.reason
    if verdict.levels:
        yield f"levels: {verdict.levels}"
    if verdict.check:
        yield f"verified: {verdict.check}"
    yield from (f"caches: {text}" for text in verdict.findings)
    if verdict.ecm:
        yield f"ECM: {'; '.join(verdict.ecm)}"
    if verdict.cores:
        yield f"cores: {verdict.cores}"
    if verdict.scaling:
        yield f"over cores: {verdict.scaling}"


def _field(label: str, text: str) -> Iterator[str]:
    """Yield a label and its text, wrapped under itself; nothing for an empty text."""
    if not text:
        return
    indent = " " * (_LABEL + 4)
    if len(label) > _LABEL:
        yield f"  {label}:"
        yield from _wrapped(indent + text, indent)
    else:
        named = f"{label}:" if label else ""
        yield from _wrapped(f"  {named:<{_LABEL + 1}} {text}", indent)


def _wrapped(text: str, indent: str) -> list[str]:
    return wrapped(text, _WIDTH, rest=indent, break_words=False)
