r"""Pragmas by the line that they apply to: text to a mapping, shared by both parsers.

A ``#pragma`` line, or several in a row with blank lines between, applies to the next line that holds code.  Continued
lines are joined; ``_Pragma("...")`` counts as a pragma too, also in a macro (:mod:`.pragma_macros`).  A loop inside a
block that a pragma makes parallel has the ``num_threads`` of that one, and in it macros that stand for numbers are
these.  Below the pragmas of a loop stand those of a block around it that runs on a GPU (``omp target``, ``acc
kernels``).  Of pragmas in several arms of one ``#if`` those of the arm that is taken count.  ``Pragmas``
gives the texts to the *first* loop that starts on that line (the outermost one of ``for (...) for (...)``), and the
tasks in its body to the outermost loop that does not wait for them.

>>> collect_pragmas("#pragma omp parallel for \\\n  collapse(2)\nfor (;;) ;")
{3: ('omp parallel for collapse(2)',)}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ...python.regex import regex
from .arms import Arms, Position
from .pragma_macros import with_expanded_pragmas

_PRAGMA = regex(r"\s*#\s*pragma\b(?P<text>.*)")
_OPERATOR = regex(r"""\s*\b(?:_Pragma|__pragma)\s*\(\s*(?:"(?P<text>(?:\\.|[^"\\])*)"|(?P<bare>[^()]*))\s*\)\s*;?""")


_THREADS = regex(r"\bnum_threads\s*\((?P<number>[^()]*)\)")
_COUNTS = regex(
    r"\b(?P<clause>num_threads|num_teams|thread_limit|num_gangs|num_workers|vector_length)\s*\((?P<number>[^()]*)\)"
)
_ON_DEVICE = regex(r"omp\s+target\b(?!\s+(?:enter|exit|update|data)\b)|acc\s+(?:parallel|kernels|serial)\b")
_LOOP = regex(r"\s*for\b")
_ANY_LOOP = regex(r"\b(?:for|while|do)\b")
_TASK = regex(r"omp\s+task\b")
_WAIT = regex(r"omp\s+(?:taskwait|taskgroup|barrier)\b")
_ITERATIONS_ARE_TASKS = "omp taskloop"
_NAME = regex(r"\b[A-Za-z_]\w*\b")
_MACRO = regex(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?[ \t]*(\d+)[ \t]*\)?[ \t]*$", re.MULTILINE)


def collect_pragmas(
    text: str, *, first_line: int = 1, macros: Mapping[str, str] | None = None, headers: Sequence[str] = ()
) -> Mapping[int, tuple[str, ...]]:
    """Return pragma texts without ``#pragma``, by the line of the code below them; the text starts at ``first_line``.

    ``macros`` are those defined outside of the text; ``headers`` are the texts of files that may define others.
    """
    found: dict[int, tuple[str, ...]] = {}
    joined = with_expanded_pragmas(text, headers, macros or {})
    if "ragma" not in joined:  # large texts are mostly data
        return found
    has_blocks = _COUNTS.search(joined) is not None or _ON_DEVICE.search(joined) is not None
    blocks = _Blocks(dict(_MACRO.findall(joined)) if has_blocks else None)
    arms = Arms(macros or {})
    waiting: list[tuple[str, Position]] = []
    for number, line in enumerate(joined.split("\n"), first_line):
        pragma = _PRAGMA.match(line)
        if pragma is not None:
            waiting.append((blocks.with_threads(" ".join(pragma["text"].split())), arms.position))
            continue
        if line.lstrip().startswith("#"):
            arms.follow(line)
            continue
        is_behind_loop = False
        for operators, code in _parts(line):
            waiting += [(blocks.with_threads(each), arms.position) for each in operators]
            if not code.strip():
                continue
            own = arms.taken(waiting)
            texts = (*own, *blocks.around(code, has_own=bool(own)))
            if texts and not is_behind_loop:
                found[number] = texts
            is_behind_loop |= _ANY_LOOP.search(code) is not None
            blocks.pass_over(code, own)
            waiting = []
    return found


def _parts(line: str) -> Iterator[tuple[list[str], str]]:
    """Yield the code of a line in parts, each with the pragmas in front of it."""
    operators: list[str] = []
    start = 0
    for operator in _OPERATOR.finditer(line) if "ragma" in line else ():
        code = line[start : operator.start()]
        if code.strip():
            yield operators, code
            operators = []
        operators.append(_unquoted(operator))
        start = operator.end()
    yield operators, line[start:]


class Pragmas:
    """The pragmas of one text, by the line of the code below them, as its loops take them: each goes to one loop."""

    def __init__(self, lines: Mapping[int, tuple[str, ...]]) -> None:
        """Start before any loop has been read."""
        self._lines = lines
        self._tasks, self._waits = (
            [line for line, texts in lines.items() if any(kind.match(text) for text in texts)]
            for kind in (_TASK, _WAIT)
        )
        self._takers: dict[int, int] = {}

    def of_loop(self, first: int, last: int, offset: int) -> tuple[str, ...]:
        """Return the pragmas of a loop, by its lines and a number of where it starts; outer loops come first.

        The loop takes them again in each instance of a template.  One whose iterations make tasks has ``taskloop``.
        """
        own = self._lines.get(first, ())
        if own and not self._takes(first, offset):
            own = ()
        if any(first < line <= last for line in self._waits):
            return own
        tasks = [line for line in self._tasks if first < line <= last]
        taken = [self._takes(line, offset) for line in tasks]
        return (*own, _ITERATIONS_ARE_TASKS) if any(taken) else own

    def _takes(self, line: int, offset: int) -> bool:
        return self._takers.setdefault(line, offset) == offset


class _Blocks:
    """The blocks around a line that states how many threads run them or puts them on a GPU, by depth of braces."""

    def __init__(self, macros: Mapping[str, str] | None) -> None:
        """Keep the numbers that macros stand for; None where no pragma states such a block or number."""
        self._macros = macros
        self._depth = 0
        self._threads: list[tuple[int, str]] = []
        self._on_device: list[tuple[int, str]] = []

    def with_threads(self, pragma: str) -> str:
        """Return a pragma with the number of threads of the block around it."""
        if self._macros is None:
            return pragma
        pragma = _COUNTS.sub(self._expanded, pragma)
        if self._threads and pragma.startswith("omp") and "num_threads" not in pragma:
            return f"{pragma} {self._threads[-1][1]}"
        return pragma

    def _expanded(self, clause: re.Match[str]) -> str:
        macros = self._macros or {}
        number = _NAME.sub(lambda name: macros.get(name[0], name[0]), clause["number"])
        return f"{clause['clause']}({number.strip()})"

    def around(self, line: str, *, has_own: bool) -> tuple[str, ...]:
        """Return the pragma of the block on a GPU that holds a loop: with pragmas of its own, or directly in it."""
        if not self._on_device or not _LOOP.match(line):
            return ()
        depth, pragma = self._on_device[-1]
        return (pragma,) if has_own or depth + 1 == self._depth else ()

    def pass_over(self, line: str, pragmas: Sequence[str]) -> None:
        """Follow the braces of a line of code below some pragmas."""
        if self._macros is None:
            return
        if line.lstrip().startswith("{"):
            stated = next((found[0] for text in pragmas if (found := _THREADS.search(text)) is not None), None)
            if stated is not None:
                self._threads.append((self._depth, stated))
            if any(_ON_DEVICE.match(text) for text in pragmas):
                self._on_device.append((self._depth, " ".join(pragmas)))
        self._depth += line.count("{") - line.count("}")
        for blocks in (self._threads, self._on_device):
            while blocks and self._depth <= blocks[-1][0]:
                blocks.pop()


def without_pragmas(text: str) -> str:
    """Replace every pragma by nothing, keeping line numbers; the text must have its lines joined already."""
    lines = ("" if _PRAGMA.match(line) else line for line in text.split("\n"))
    return re.sub(r'\b_Pragma\s*\(\s*"(?:\\.|[^"\\\n])*"\s*\)', "", "\n".join(lines))


def _unquoted(operator: re.Match[str]) -> str:
    text = operator["bare"] if operator["text"] is None else operator["text"].replace('\\"', '"')
    return " ".join(text.split())
