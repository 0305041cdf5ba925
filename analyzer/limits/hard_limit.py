"""The CPU time that a file may take, and the last limit of each part of its analysis: beyond it the part is given up.

One account holds the time of a file (:class:`Account`): whatever is done for it, child processes and attempts that
ended with a crash included, is in it, and each part asks it for a share.  Before the limit of a part, what can take
long asks for the time itself and answers more weakly (:mod:`..domains.limits`); the limit ends whatever does not.  It
costs nothing until then: a timer of CPU time raises :class:`Overrun` in Python code.  What is inside a library at that
time is not interrupted; an isolated worker ends instead, a little later.
"""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType, MappingProxyType

from msgspec import Struct, field

from .cpu_timers import CpuTimer
from .ending import Ending

try:
    from resource import RUSAGE_CHILDREN, getrusage
except ImportError:
    getrusage = None  # type: ignore[assignment]  # not on Windows, where nothing is done in children either

_AGAIN_S = 0.05  # a signal during an import is passed over; the next one comes so much later
_IMPORTER = "<frozen importlib._bootstrap>"
_LEAST_S = 0.001  # a timer set to 0 would never go off
_GRACE, _LEAST_GRACE_S = 0.1, 0.2  # what a part holds is given back before the process ends
_START_AND_REPORT_S = 0.7  # of twice a budget, at least
_LEAST_BUDGET_S = 0.25  # in less nothing is read; smaller budgets only make answers weaker


def _unreported(_part: str) -> None:
    """Do nothing: the default observer."""


class Overrun(BaseException):
    """A part of the analysis took longer than allowed.

    It is no ``Exception``, like ``KeyboardInterrupt``: it can be raised at any instruction, also inside of a ``try``
    whose ``except Exception`` treats failures of a library, and such a handler must not take it for one of these.
    Its ``cause``, where it has one, says why the part is given up for good.
    """

    def __init__(self, cause: Ending | None = None) -> None:
        """Take the cause where it is another one than the time of the part."""
        super().__init__()
        self.cause = cause


class _ProcessLimits:
    """All state of the limits.  There is one for the process, because timers and handlers of signals belong to it.

    ``end`` is that of the limit in force, by the clock of :func:`cpu_seconds`, and ``part`` the part under way.  The
    others are set once, at the start of a process that takes over from another or may be ended.
    """

    def __init__(self) -> None:
        self.end = math.inf
        self.part = ""
        self.is_isolated_worker = False
        self.given_up: Mapping[str, Ending] = MappingProxyType({})
        self.spent_before_s = 0.0
        self.earlier_s = 0.0
        self.begins: Callable[[str], None] = _unreported
        self.returns_to: Callable[[str], None] = _unreported
        self._interrupts = CpuTimer("SIGVTALRM", "ITIMER_VIRTUAL")
        self._ends = CpuTimer("SIGPROF", "ITIMER_PROF")

    def set_timers(self, end: float) -> None:
        """Let the timers go off at this CPU time, that which ends the process a little later; never where infinite."""
        left = 0.0 if end == math.inf else max(end - cpu_seconds(), _LEAST_S)
        self._interrupts.set(left, left and _AGAIN_S)
        if self.is_isolated_worker:
            self._ends.set(left and left + max(_GRACE * left, _LEAST_GRACE_S))

    def renew_timers(self) -> None:
        """Set the timers of the limit in force again, after time that they did not count."""
        if self.end < math.inf:
            self.set_timers(self.end)


_process = _ProcessLimits()


GIVEN_UP = (Overrun, MemoryError, RecursionError)
"""The end of a part of the analysis that asks for too much; :func:`cause_of` says why."""

READ, LOWERED, COUNTED, REUSED, ENDED = 0.75, 0.95, 1.5, 1.6, 1.8
"""By how many budgets a file is read, lowered and counted, its reuses are known, and all of it ends.

All of it holds the report (:mod:`..stages.report_time`); the rest of twice the budget is left to the start of the
program.
"""


def cause_of(error: BaseException) -> Ending:
    """Return why a part was given up."""
    match error:
        case MemoryError():
            return Ending.MEMORY
        case RecursionError():
            return Ending.DEPTH
        case Overrun(cause=cause) if cause is not None:
            return cause
        case _:
            return Ending.TIME


def cpu_seconds() -> float:
    """Return the CPU time of this thread and of the children that have ended, with what was spent before."""
    children = 0.0
    if getrusage is not None:
        usage = getrusage(RUSAGE_CHILDREN)
        children = usage.ru_utime + usage.ru_stime
    return time.thread_time() + children + _process.spent_before_s


def continue_at(seconds: float) -> None:
    """Let :func:`cpu_seconds` continue from this time (CPU seconds) in a child that continues its parent's work."""
    _process.spent_before_s += seconds - cpu_seconds()
    _process.renew_timers()  # a child has none of the timers of its parent


def count_children() -> None:
    """Let the limits in force count the children that have ended: the timers know only of this process."""
    _process.renew_timers()


class Account(Struct, frozen=True):
    """The CPU time of one file: its budget (0: no limit), and when it was opened.

    Where an earlier process spent some of it, the shares are those of what that left.
    """

    budget_s: float
    opened: float = field(default_factory=cpu_seconds)
    earlier_s: float = field(default_factory=lambda: _process.earlier_s)

    def left(self, budgets: float) -> float:
        """Return the seconds that are left until so many budgets are spent, infinitely many where there is no limit."""
        if not self.budget_s:
            return math.inf
        budget_s = max(self.budget_s, _LEAST_BUDGET_S)
        most_s = max(2 * budget_s - _START_AND_REPORT_S, budget_s)
        each_s = min(budget_s, most_s / REUSED) - self.earlier_s / ENDED
        return self.opened + budgets * each_s - cpu_seconds()


def be_isolated_worker() -> None:
    """Declare that this process may end where a part takes far too long inside a library."""
    _process.is_isolated_worker = hasattr(signal, "setitimer")


def watch_parts(begins: Callable[[str], None], returns_to: Callable[[str], None] = _unreported) -> None:
    """Report every part with a name as it begins, and as it ends that around it, or "".

    So it is known in which a process ended.
    """
    _process.begins, _process.returns_to = begins, returns_to


def give_up(parts: Mapping[str, Ending], earlier_s: float = 0.0) -> None:
    """Give these parts up as soon as they begin, for the reasons given: a process ended in them before.

    ``earlier_s`` is the CPU time that went into the same file there.
    """
    _process.given_up, _process.earlier_s = parts, earlier_s


def earlier_s() -> float:
    """Return the CPU time that :func:`give_up` names."""
    return _process.earlier_s


def given_up() -> Mapping[str, Ending]:
    """Return the parts that :func:`give_up` names."""
    return _process.given_up


def remaining() -> float:
    """Return the CPU time that is left of the limit in force, infinite where there is none."""
    return _process.end - cpu_seconds()


@contextmanager
def hard_limit(seconds: float, part: str = "") -> Iterator[None]:
    """Raise :class:`Overrun` after this CPU time in the ``with`` block; 0 or infinite: only that around it.

    Only in the main thread, and on systems that have such timers.  ``part`` names what is done there, alike whenever
    it is done.
    """
    around = _process.part
    if part:
        _process.part = part
        _process.begins(part)
    try:
        if part in _process.given_up:
            raise Overrun(_process.given_up[part])
        if seconds < 0:
            raise Overrun
        with _timed(seconds):
            yield
    finally:
        if part:
            _process.part = around
            _process.returns_to(around)


def _imports(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == _IMPORTER:
            return True
        frame = frame.f_back
    return False


def _has_timers() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def _timed(seconds: float) -> Iterator[None]:
    if seconds in (0, math.inf) or not _has_timers():
        yield
        return
    over = False

    def interrupt(_signal: int, frame: FrameType | None) -> None:
        nonlocal over
        if _imports(frame):  # a module that is loaded by half would stay so; the timer goes off again
            return
        over = True
        raise Overrun

    before, report = signal.signal(signal.SIGVTALRM, interrupt), sys.unraisablehook
    sys.unraisablehook = lambda found: None if found.exc_type is Overrun else report(found)
    around = _process.end
    _process.end = min(around, cpu_seconds() + seconds)
    _process.renew_timers()
    try:
        yield
    except Exception:
        if over:  # a callback has swallowed it, and what goes on without the rest fails
            raise Overrun from None
        raise
    finally:
        try:
            _process.set_timers(math.inf)
        finally:  # also where it goes off once more just now
            signal.signal(signal.SIGVTALRM, before)
            sys.unraisablehook = report
            _process.end = around
            _process.set_timers(around)
    if over:  # a callback or a destructor has swallowed it: what came of that is not whole
        raise Overrun
