"""The process that analyzes: one request a line on standard input, one answer a line on standard output, in JSON.

Request: ``{"path", "text", "language", "arguments", "rules", "advise"}``. Answer: an insight as a primitive, or
``{"failure": TEXT}`` where the analysis failed by a fault of ours. :class:`Worker` is the other end: it starts the
process when it is first needed, ends it where it takes too long, and starts a new one where it died.

Each text is analyzed in a child of the process, where the system has such: a crash or a lack of memory costs only the
function or the text in which it happens.  A text of which something had to be given up is remembered with its answer:
it costs that time once.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict

from analyzer.child_processes import start_python
from analyzer.limits.ending import Ending

from ..run.isolated_worker import can_fork, in_children, silence_libraries
from .messages import Insight

if TYPE_CHECKING:
    from analyzer.child_processes import Talking

_HOME = str(Path(__file__).resolve().parent.parent.parent)
_START = "import sys; sys.path.append(sys.argv[1]); from cli.lsp.worker import serve; serve()"
_MOST_BYTES = 1 << 28
_MEMORY_MIB = 4096
_REMEMBERED = 16


class AnalysisFailed(Exception):
    """The worker gave no insight: it crashed, took too long, or met a fault of ours."""


class Request(Struct, frozen=True):
    """A text with the options of the command line that it is analyzed under."""

    path: str
    text: str
    language: str
    arguments: tuple[str, ...]
    rules: bool
    advise: bool = False


class Worker:
    """The editor's side of the process; one request at a time."""

    def __init__(self, folder: str | None = None) -> None:
        """Start no process yet; relative paths in options are taken from ``folder``."""
        self._folder = folder
        self._process: Talking | None = None
        self._lock = asyncio.Lock()
        self._since: float | None = None
        self._is_hurried = False
        self._is_closed = False
        self._expensive: dict[Request, Insight | str] = {}

    async def analyze(self, request: Request, *, limit_s: float, is_wanted: Callable[[], bool]) -> Insight | None:
        """Return the insight into a text; None where nobody wants it any more.  Raises ``AnalysisFailed``."""
        async with self._lock:
            if self._is_closed or not is_wanted():
                return None
            known = self._expensive.get(request)
            if known is None:
                known = await self._answer(request, limit_s)
        if self._is_closed:
            return None
        if isinstance(known, str):
            raise AnalysisFailed(known)
        return known

    async def _answer(self, request: Request, limit_s: float) -> Insight | str:
        """Return the insight, or why there is none; one with something given up is remembered."""
        self._since, self._is_hurried = time.monotonic(), False
        try:
            answer = await asyncio.wait_for(self._ask(asdict(request)), limit_s)
            found = str(answer["failure"]) if "failure" in answer else Insight.of_primitive(answer)
        except TimeoutError:
            await self._end()
            found = f"the analysis of {request.path} took more than {limit_s:g} s and was ended"
        except (OSError, EOFError, ValueError) as error:
            await self._end()
            found = f"the analysis of {request.path} crashed: {error or type(error).__name__}"
        finally:
            self._since = None
        if (isinstance(found, str) or found.is_partial) and not self._is_hurried:
            self._expensive[request] = found
            for oldest in list(self._expensive)[:-_REMEMBERED]:
                del self._expensive[oldest]
        return found

    def hurry(self, grace_s: float) -> None:
        """End an analysis that has run for longer than ``grace_s`` (seconds), because its text is out of date."""
        running = self._process
        if running is not None and self._since is not None and time.monotonic() - self._since > grace_s:
            self._is_hurried = True
            _kill(running)

    def close(self) -> None:
        """End the process at once, for good: nobody waits for an answer any more."""
        self._is_closed = True
        if self._process is not None:
            _kill(self._process)
            _close_pipes(self._process)

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._process
        if process is None or process.returncode is not None:
            process = self._process = await start_python(_START, _HOME, folder=self._folder, most_bytes=_MOST_BYTES)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        await process.stdin.drain()
        line = await process.stdout.readline()
        if not line:
            raise EOFError(f"exit code {await process.wait()}")
        found = json.loads(line)
        assert isinstance(found, dict)
        return found

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            _kill(process)
            await process.wait()
            _close_pipes(process)


def _kill(process: Talking) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()


def _close_pipes(process: Talking) -> None:
    """Close the pipes of a process now: asyncio complains of those that are open when its loop has gone."""
    transport = getattr(process, "_transport", None)  # a process has no public way to it
    if transport is not None:
        transport.close()


def serve() -> None:
    """Answer requests until the input ends; whatever else is printed goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    silence_libraries()
    for line in sys.stdin.buffer:
        answer = _answer(json.loads(line))
        try:
            answers.write(json.dumps(answer).encode() + b"\n")
            answers.flush()
        except BrokenPipeError:  # the editor's side is gone; to close the pipe would fail once more
            os._exit(0)


def _answer(request: dict[str, Any]) -> dict[str, object]:
    from . import editor_analysis as insight

    del insight
    if not can_fork():
        return _analyzed(request)
    (answer,) = in_children([request], _analyzed, _lost, _MEMORY_MIB)
    return answer


def _lost(request: dict[str, Any], cause: Ending) -> dict[str, object]:
    from analyzer.diagnostics import why_given_up

    return {"failure": f"{request['path']}: {why_given_up(cause)}"}


def _analyzed(request: dict[str, Any]) -> dict[str, object]:
    from .editor_analysis import insight_of

    try:
        return insight_of(
            request["path"],
            request["text"],
            request["language"],
            request["arguments"],
            rules=request["rules"],
            advise=request["advise"],
        ).as_primitive()
    except Exception:  # whatever it is, the next text may be fine
        return {"failure": f"the analysis of {request['path']} failed:\n{traceback.format_exc()}"}
