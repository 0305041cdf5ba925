"""Directives that pass over findings: which findings they cover, and AI114 for those that cover none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from analyzer.annotations.model import SUPPRESSIONS, Annotation, Role
from analyzer.source import Span

from .findings import Finding, State
from .sentences import Shown


class _Suppression(Struct):
    """A directive with the lines that it speaks of (first and last, inclusive) and the codes that it has covered."""

    directive: Annotation
    first: int
    last: int | None
    used: set[str] = field(default_factory=set)

    def covers(self, found: Finding) -> bool:
        inside = self.first <= found.span.line and (self.last is None or found.span.line <= self.last)
        return inside and self.directive.covers(found.code)


class Sorted(Struct, frozen=True):
    """Findings with their states, and what is to be said of the directives."""

    findings: tuple[Finding, ...]
    remarks: tuple[Finding, ...]


def suppress(
    findings: Sequence[Finding], path: str, directives: Sequence[Annotation], selected: frozenset[str] | None
) -> Sorted:
    """Mark the findings of one file that its directives cover.

    Directives that cover nothing are remarks, as far as their codes are ``selected`` (None: say nothing of them).
    """
    remarks: list[Finding] = []
    active = list(_suppressions(path, directives, remarks))
    done = []
    for found in findings:
        covering = [one for one in active if one.covers(found)] if found.span.path == path else []
        for one in covering:
            one.used.add(found.code)
        done.append(replace(found, state=State.SUPPRESSED) if covering else found)
    if selected is not None:
        remarks += _unused(path, active, selected)
    silenced = [one.directive for one in active if one.directive.role is Role.IGNORE_FILE]
    reported = [r for r in remarks if not any(r.code in directive.codes for directive in silenced)]
    return Sorted(tuple(done), tuple(reported))


def _suppressions(path: str, directives: Sequence[Annotation], remarks: list[Finding]) -> Iterator[_Suppression]:
    open_: list[_Suppression] = []
    for directive in directives:
        line = directive.span.line
        match directive.role:
            case Role.IGNORE | Role.IGNORE_NEXT_LINE:
                yield _Suppression(directive, directive.target, directive.target)
            case Role.IGNORE_FILE:
                yield _Suppression(directive, 0, None)
            case Role.IGNORE_BEGIN:
                open_.append(_Suppression(directive, line, None))
            case Role.IGNORE_END:
                begun = next((one for one in reversed(open_) if one.directive.codes == directive.codes), None)
                if begun is None:
                    begin = str(replace(directive, role=Role.IGNORE_BEGIN))
                    remarks.append(_remark("AI005", "no-begin", path, directive, begin=begin))
                    continue
                open_.remove(begun)
                begun.last = line
                yield begun
            case _:
                pass
    for begun in open_:
        remarks.append(_remark("AI005", "no-end", path, begun.directive))
        yield begun


def _unused(path: str, active: Sequence[_Suppression], selected: frozenset[str]) -> Iterator[Finding]:
    for one in active:
        unused = [code for code in one.directive.codes if code not in one.used and code in selected - {"AI114"}]
        if unused:
            yield _remark("AI114", "unused", path, one.directive, codes=tuple(unused))
        elif not one.directive.codes and not one.used:
            yield _remark("AI114", "nothing", path, one.directive)


def _remark(code: str, form: str, path: str, directive: Annotation, **fields: Shown) -> Finding:
    assert directive.role in SUPPRESSIONS
    span = Span(path, directive.span.line, directive.span.line)
    return Finding(code, span, form, {"directive": str(directive), **fields})
