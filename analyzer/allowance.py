"""The last limit on what a part of the analysis may cost: beyond it the part is given up, and that is told.

Before it, what can take long asks for the time itself and answers more weakly (:mod:`.poly.limits`); this one ends
whatever does not.  It costs nothing until then: a timer of user CPU time raises :class:`Overrun` in Python code.  What
is inside a library at that time is not interrupted; a process that was declared expendable ends instead, later.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

_AGAIN_S = 0.05
_LEAST_S = 0.05
_PATIENCE, _LEAST_PATIENCE_S = 2, 2
_expendable = False
_given_up: Mapping[str, str] = MappingProxyType({})


def _untold(_part: str) -> None:
    """Nobody wants to know."""


_begins: Callable[[str], None] = _untold


class Overrun(BaseException):
    """A part of the analysis took longer than allowed; like ``KeyboardInterrupt`` it is no ``Exception``.

    Its text, where it has one, says why the part is given up.
    """


GIVEN_UP_AFTER = 4  # times the budget of a part
GIVEN_UP = (Overrun, MemoryError, RecursionError)
"""What ends a part of the analysis that asks for too much; :func:`reason` words it."""


def reason(error: BaseException) -> str:
    """Why a part was given up."""
    match error:
        case MemoryError():
            return "it needs more memory than --budget allows"
        case RecursionError():
            return "it is nested too deeply"
        case _:
            return str(error) or "it takes longer than --budget allows"


def after(seconds: float) -> float:
    """The allowance of the parts that follow one of the same file that has used up its own: half, and never none.

    A file made of such parts then takes about twice as long as one of them.
    """
    return max(seconds / 2, _LEAST_S) if seconds else 0


def be_expendable() -> None:
    """Declare that this process may end where a part takes far too long inside a library."""
    global _expendable
    _expendable = hasattr(signal, "setitimer")


def watch_parts(begins: Callable[[str], None]) -> None:
    """Let every part with a name be told as it begins, and "" as it ends: so it is known in which a process ended."""
    global _begins
    _begins = begins


def give_up(parts: Mapping[str, str]) -> None:
    """Give these parts up as soon as they begin, for the reasons given: a process ended in them before."""
    global _given_up
    _given_up = parts


@contextmanager
def allowance(seconds: float, part: str = "") -> Iterator[None]:
    """Raise :class:`Overrun` after this user CPU time in the ``with`` block; not to be nested; 0 means no limit.

    Only in the main thread, and on systems that have such timers.  ``part`` names what is done there, alike whenever
    it is done.
    """
    if part in _given_up:
        raise Overrun(_given_up[part])
    if not part:
        with _timed(seconds):
            yield
        return
    _begins(part)
    try:
        with _timed(seconds):
            yield
    finally:
        _begins("")


@contextmanager
def _timed(seconds: float) -> Iterator[None]:
    if not seconds or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    over = False

    def interrupt(_signal: int, _frame: object) -> None:
        nonlocal over
        over = True
        raise Overrun

    before, report = signal.signal(signal.SIGVTALRM, interrupt), sys.unraisablehook
    sys.unraisablehook = lambda found: None if found.exc_type is Overrun else report(found)
    if _expendable:
        signal.setitimer(signal.ITIMER_PROF, max(_PATIENCE * seconds, seconds + _LEAST_PATIENCE_S))
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, _AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGVTALRM, before)
        sys.unraisablehook = report
    if over:  # a callback or a destructor has swallowed it: what came of that is not whole
        raise Overrun
