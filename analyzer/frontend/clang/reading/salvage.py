"""A file that clang cannot parse as a whole, without the bodies of those functions that are to blame.

Macros that expand to gigabytes, templates that instantiate for ever, expressions nested so deeply that clang crashes:
one such function would cost all others.  Where a parse ends that way, bodies are emptied by halves, and what is left is
parsed in a child process, until those are found with which it ends; the others are then parsed.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from msgspec import Struct

from ....child_processes import fork
from ....diagnostics import Diagnostic, unreadable, why_given_up
from ....errors import SourceError
from ....limits.cpu_timers import CpuTimer
from ....limits.ending import Ending
from ....limits.hard_limit import GIVEN_UP, Overrun, cause_of, count_children, cpu_seconds, hard_limit, remaining
from ....python.regex import regex
from ....source import SourceFile, Span
from ...text.lexical import COMMENT, QUOTED
from ..unit import TranslationUnit

_WHOLE = 0.55  # of the time for reading: the rest is for the children, and for the surface tree
_CHILDREN = 0.5  # of what is then left
_FEWEST_PROBES = 12
_TIMES_EMPTY = 4
_PARSED = 0
_NAME = regex(rb"([\w~]+)\s*(?:<[^<>()]*>)?\s*\([^(){}]*(?:\([^(){}]*\)[^(){}]*)*\)[^(){};]*\Z")
_INITIALISED = regex(rb"(\w+)\s*(?:\[[^\[\]{};]*\]\s*)*(=)\s*\Z")
_LEAST_INITIALISER_BYTES = 100_000
_MARKS = regex(
    rf"{COMMENT}|{QUOTED}|^[ \t]*\#(?:\\\n|[^\n])*|[{{}}();]".encode(),
    re.DOTALL | re.MULTILINE,
)
_BEFORE_NAME_BYTES = 500

Parse = Callable[[bytes], TranslationUnit]


class _Body(Struct, frozen=True):
    """The body of a function: offsets behind its opening and before its closing brace.

    Or an initialiser: from its ``=`` to behind that brace, so that without it nothing is said of the size of an array.
    """

    start: int
    end: int


def whole_or_salvaged(source: SourceFile, text: bytes, parse: Parse) -> tuple[TranslationUnit, list[Diagnostic]]:
    """Parse the text, or what can be parsed of it, and report what was left out; raises ``SourceError``."""
    try:
        with hard_limit(_WHOLE * remaining(), f"parsing {source.path}"):
            return parse(text), []
    except SourceError as error:
        why, failure = Ending.NOT_PARSED, error
    except GIVEN_UP as error:
        why, failure = cause_of(error), unreadable(source.path, cause_of(error))
    bodies = list(_bodies(text)) if hasattr(os, "fork") else []
    if not bodies:
        raise failure
    kept = _Probing(text, bodies, parse).kept()
    if not kept:
        raise failure
    lost = [body for body in bodies if body not in kept]
    return parse(_without(text, lost)), [_left_out(source, text, body, why) for body in lost]


def _left_out(source: SourceFile, text: bytes, body: _Body, cause: Ending) -> Diagnostic:
    line = source.first_line + text.count(b"\n", 0, body.start)
    before = text[max(0, body.start - _BEFORE_NAME_BYTES) : body.start + 1]
    match = _INITIALISED.search(before) or _NAME.search(before[:-2])
    span, why = Span(source.path, line, line), why_given_up(cause)
    if match is None:
        return Diagnostic.of("AI213", span, "body-left-out", why=why)
    return Diagnostic.of("AI213", span, "left-out", name=match[1].decode("utf-8", "replace"), why=why)


class _Probing:
    """The search for the bodies that can be parsed."""

    def __init__(self, text: bytes, bodies: Sequence[_Body], parse: Parse) -> None:
        self._text, self._bodies, self._parse = text, bodies, parse
        left = remaining()
        self._until = cpu_seconds() + _CHILDREN * left
        self._each_s = _CHILDREN * left / 2
        self._least_s = _CHILDREN * left / _FEWEST_PROBES

    def kept(self) -> set[_Body]:
        """Return the bodies with which the text can be parsed, none where it cannot be parsed without any."""
        began = cpu_seconds()
        if not self._succeeds(()):
            return set()
        self._each_s = max(self._least_s, _TIMES_EMPTY * (cpu_seconds() - began))
        found: set[_Body] = set()
        waiting = [tuple(self._bodies)]
        while waiting and cpu_seconds() < self._until:
            group = waiting.pop()
            if len(group) < len(self._bodies) and self._succeeds(group):
                found.update(group)
            elif len(group) > 1:
                middle = len(group) // 2
                waiting += [group[middle:], group[:middle]]
        return found

    def _succeeds(self, kept: Sequence[_Body]) -> bool:
        """Return whether a child process parses the text with these bodies alone."""
        chosen = frozenset(kept)
        text = _without(self._text, [body for body in self._bodies if body not in chosen])
        seconds = self._each_s if self._each_s < float("inf") else 0
        child, pipe = fork(lambda _pipe: _parsed(text, self._parse, seconds))
        os.close(pipe)
        try:
            _, status = os.waitpid(child, 0)
        except Overrun:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise
        count_children()
        return status == _PARSED


def _parsed(text: bytes, parse: Parse, seconds: float) -> int:
    """Parse without a word, and return the exit code of success."""
    with open(os.devnull, "w") as silent:
        os.dup2(silent.fileno(), 2)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    CpuTimer("SIGPROF", "ITIMER_PROF").set(seconds)
    parse(text)
    return _PARSED


def _without(text: bytes, bodies: Sequence[_Body]) -> bytes:
    """Return the text with these bodies empty; lines stay where they are."""
    parts: list[bytes] = []
    position = 0
    for body in sorted(bodies, key=lambda each: each.start):
        parts += [text[position : body.start], b"\n" * text.count(b"\n", body.start, body.end)]
        position = body.end
    return b"".join([*parts, text[position:]])


def _bodies(text: bytes) -> Iterator[_Body]:
    """Yield the outermost blocks behind a closing parenthesis, and large ones behind ``=``; none where braces do
    not match.

    >>> [(body.start, body.end) for body in _bodies(b"namespace a { int f(int n) { if (n) { } } }")]
    [(28, 40)]
    """
    found: list[_Body] = []
    data: re.Match[bytes] | None = None
    depth, inside, start = 0, 0, 0
    before = b""
    for mark in _MARKS.finditer(text):
        character = mark[0]
        if character not in (b"{", b"}", b"(", b")", b";"):
            continue
        if character == b"{":
            depth += 1
            if not inside:
                before_it = max(0, mark.start() - _BEFORE_NAME_BYTES)
                data = _INITIALISED.search(text[before_it : mark.start()])
                if data or before == b")":
                    inside, start = depth, before_it + data.start(2) if data else mark.end()
        elif character == b"}":
            if inside == depth:
                inside = 0
                end = mark.end() if data else mark.start()
                if not data or end - start > _LEAST_INITIALISER_BYTES:
                    found.append(_Body(start, end))
            depth -= 1
            if depth < 0:
                return
        before = character
    if depth == 0:
        yield from found
