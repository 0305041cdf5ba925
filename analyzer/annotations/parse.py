r"""Comments of the form ``ai-estimate: ...`` to annotations: what authors tell the analysis in the source.

::

    // ai-estimate: hot, min-ai=0.4, bound=memory      demands on the loop on this line, else on the next line of code
    // ai-estimate: assume N=4096, M=2*N, trip(i)=N/2  facts: of the function in or above which they stand
    x[i] = y[i] / z;    // ai-estimate: ignore[AI112]  findings on this line (on the next, where it stands alone)
    // ai-estimate: ignore-next-line[AI112], ignore-begin[AI112], ignore-end[AI112], ignore-file[AI112]

``/* ... */`` and ``#pragma ai-estimate ...`` do as well.  What follows `` -- `` is a reason for people.  An item that
is not understood is a diagnostic, and the others of the comment hold.  A fact outside of functions is one of the file.

>>> found = read_annotations("for (;;) // ai-estimate: hot, trip(i)=n/2", "a.c")
>>> [(str(annotation), annotation.target) for annotation in found.annotations]
[('hot', 1), ('trip(i)=n/2', 1)]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct

from ..data_files.numbers import rational
from ..diagnostics import Diagnostic, Field, Phrase, catalog
from ..frontend.text.lexical import comments_of, without_comments
from ..given_values import number_of
from ..ir.written.expression import parse_index
from ..near_names import near_names
from ..python.regex import regex
from ..source import Span
from .model import SUPPRESSIONS, Annotation, Role

_MARK = "ai-estimate"
_IN_COMMENT = regex(rf"(?:^|//|\s#)[\s/*!<]*{_MARK}\s*:(?P<text>.*)")
_PRAGMA = regex(rf"[ \t]*#[ \t]*pragma[ \t]+{_MARK}\b[ \t]*:?(?P<text>.*)")
_ITEM = regex(
    r"(?P<word>[A-Za-z][\w-]*)\s*"
    r"(?:\[(?P<codes>[^\]]*)\]|\((?P<inner>[^()]*)\)\s*=\s*(?P<count>.+)|=\s*(?P<value>.*)|\s(?P<rest>.+))?",
    re.DOTALL,
)
_ASSIGNED = regex(r"(?P<name>[A-Za-z_](?:[\w.]|->|::|\[[^\[\]=]*\])*)\s*=\s*(?P<value>[^=].*)", re.DOTALL)
_WORDS = tuple(role.value for role in Role)


class Annotations(Struct, frozen=True):
    """The annotations of a source in order, and what of its comments was not understood."""

    annotations: tuple[Annotation, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def read_annotations(text: str, path: str, first_line: int = 1) -> Annotations:
    """Return the annotations of a source text that starts at ``first_line`` of its document."""
    if _MARK not in text:
        return Annotations()
    reader = _Reader(text, path, first_line)
    return Annotations(tuple(reader.annotations()), tuple(reader.diagnostics))


class _Misread(Exception):
    """An item that is not understood: one of the sentences of AI005."""

    def __init__(self, form: str, **fields: Field) -> None:
        super().__init__(form)
        self.form, self.fields = form, fields


class _Reader:
    def __init__(self, text: str, path: str, first_line: int) -> None:
        self._text = text
        self._path = path
        self._first_line = first_line
        self._code = [_without_annotation(line) for line in without_comments(text).split("\n")]
        self.diagnostics: list[Diagnostic] = []

    def annotations(self) -> Iterator[Annotation]:
        for index, text in sorted(self._marked()):
            span = Span(self._path, self._first_line + index, self._first_line + index)
            previous: Role | None = None
            for item in _items(text.split(" -- ", 1)[0]):
                try:
                    found = _annotation(item, previous, span)
                except _Misread as error:
                    self.diagnostics.append(Diagnostic.of("AI005", span, error.form, **error.fields))
                    continue
                previous = found.role
                target = self._target(index, found.role)
                yield Annotation(found.role, span, target, found.name, found.value, found.codes)

    def _marked(self) -> Iterator[tuple[int, str]]:
        """Yield lines (from 0) with what follows the mark in comments and pragmas there."""
        for offset, comment in comments_of(self._text):
            start = self._text.count("\n", 0, offset)
            body = comment[2:-2] if comment.startswith("/*") and comment.endswith("*/") else comment[2:]
            for number, line in enumerate(body.split("\n"), start):
                found = _IN_COMMENT.search(line)
                if found is not None:
                    yield number, found["text"]
        for number, line in enumerate(without_comments(self._text).split("\n")):
            pragma = _PRAGMA.fullmatch(line)
            if pragma is not None:
                yield number, pragma["text"]

    def _target(self, index: int, role: Role) -> int:
        """Return the line of code that an annotation on a line (from 0) applies to."""
        start = index + 1 if role is Role.IGNORE_NEXT_LINE or not self._code[index].strip() else index
        for number in range(start, len(self._code)):
            line = self._code[number].strip()
            if line and not line.startswith("#"):
                return self._first_line + number
        return 0


def _without_annotation(line: str) -> str:
    return "" if _PRAGMA.fullmatch(line) else line


def _items(text: str) -> Iterator[str]:
    """Yield the parts between commas outside of brackets."""
    depth, start = 0, 0
    for position, character in enumerate(f"{text},"):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth <= 0:
            if text[start:position].strip():
                yield text[start:position].strip()
            start = position + 1


def _annotation(item: str, previous: Role | None, span: Span) -> Annotation:
    """Return one item; ``M=8`` after an ``assume`` goes on with it."""
    continued = _ASSIGNED.fullmatch(item) if previous is Role.ASSUME else None
    if continued is not None and continued["name"] not in (Role.MIN_AI.value, Role.BOUND.value):
        return _assumed(continued["name"], continued["value"], span)
    found = _ITEM.fullmatch(item)
    word = "" if found is None else found["word"]
    if found is None or word not in _WORDS:
        close = near_names(word.lower() or item, _WORDS)
        if close:
            raise _Misread("unknown-near", item=item, near=close[0])
        raise _Misread("unknown", item=item, words=_WORDS)
    role = Role(word)
    if role in SUPPRESSIONS:
        return Annotation(role, span, 0, codes=_codes(found, item))
    if role is Role.HOT:
        if found.end("word") != len(item):
            raise _Misread("hot-value", item=item)
        return Annotation(role, span, 0)
    return _valued(role, found, item, span)


def _valued(role: Role, found: re.Match[str], item: str, span: Span) -> Annotation:
    wrong = _Misread("misread", item=item, example=Phrase.of("AI005", role.value))
    value = (found["value"] or "").strip()
    match role:
        case Role.MIN_AI:
            return Annotation(role, span, 0, value=str(_positive(value, wrong)))
        case Role.BOUND if re.fullmatch(r"[A-Za-z]\w*", value):
            return Annotation(role, span, 0, value=value)
        case Role.ASSUME:
            assigned = _ASSIGNED.fullmatch((found["rest"] or "").strip())
            if assigned is not None:
                return _assumed(assigned["name"], assigned["value"], span)
        case Role.TRIP:
            name, count = (found["inner"] or "").strip(), (found["count"] or "").strip()
            if re.fullmatch(r"[A-Za-z_]\w*", name) and count:
                return Annotation(role, span, 0, name, _checked(count))
        case _:
            pass
    raise wrong


def _assumed(name: str, value: str, span: Span) -> Annotation:
    text = value.strip()
    return Annotation(Role.ASSUME, span, 0, name, text if number_of(text) is not None else _checked(text))


def _checked(text: str) -> str:
    try:
        parse_index(text)
    except ValueError as error:
        raise _Misread("no-expression", text=text, problem=str(error)) from None
    return text


def _positive(text: str, wrong: _Misread) -> Fraction:
    try:
        value = rational("".join(text.split()))
    except ValueError:
        raise wrong from None
    if value <= 0:
        raise wrong
    return value


def _codes(found: re.Match[str], item: str) -> tuple[str, ...]:
    if found["codes"] is None:
        if found.end("word") != len(item):
            raise _Misread("misread", item=item, example=f"{found['word']}[AI101]")
        return ()
    codes = tuple(code.strip().upper() for code in found["codes"].split(",") if code.strip())
    known = catalog()
    for code in codes:
        if code not in known:
            close = near_names(code, known)
            if close:
                raise _Misread("no-rule-near", given=code, near=close[0])
            raise _Misread("no-rule", given=code)
    if not codes:
        raise _Misread("no-code", item=item, example=f"{found['word']}[AI101]")
    return codes
