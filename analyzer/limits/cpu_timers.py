"""Timers of the CPU time of this process, user and system time together: a signal when so much of it is used.

Of the timers of ``setitimer`` that which Python code may answer counts user time alone, and a process that makes many
pages spends half of its time in the system.  Only Linux has timers of both; elsewhere those two have to do.  No timer
is inherited by a forked process, nor does it count the time of one.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from ctypes import CDLL, Structure, byref, c_char, c_int, c_long, c_void_p, sizeof
from functools import cache

_NANOSECONDS = 1_000_000_000
_SIGEVENT_BYTES = 64


class _Event(Structure):
    """``struct sigevent`` of Linux; a notification of 0 is that by a signal."""

    _fields_ = (
        ("value", c_void_p),
        ("signal", c_int),
        ("notification", c_int),
        ("rest", c_char * (_SIGEVENT_BYTES - sizeof(c_void_p) - 2 * sizeof(c_int))),
    )


class _Times(Structure):
    """``struct itimerspec``."""

    _fields_ = (
        ("interval_s", c_long),
        ("interval_ns", c_long),
        ("value_s", c_long),
        ("value_ns", c_long),
    )


class CpuTimer:
    """A timer that sends one signal, made in each process as it is first set there."""

    def __init__(self, name: str, fallback: str) -> None:
        """Make no timer yet: ``name`` is a signal, ``fallback`` the timer of ``setitimer`` that sends it, too."""
        self._name = name
        self._fallback = fallback
        self._process = 0
        self._timer: c_void_p | None = None

    def set(self, seconds: float, again_s: float = 0.0) -> None:
        """Send the signal after this time, and then at this interval; 0: never."""
        if self._process != os.getpid():
            self._process, self._timer = os.getpid(), _made(self._name)
        if self._timer is None:
            signal.setitimer(getattr(signal, self._fallback), seconds, again_s)
            return
        times = _Times(*_parts(again_s), *_parts(seconds))
        _library().timer_settime(self._timer, 0, byref(times), None)


@cache
def _library() -> CDLL:
    return CDLL(None)


def _parts(seconds: float) -> tuple[int, int]:
    return divmod(int(seconds * _NANOSECONDS), _NANOSECONDS)


def _made(name: str) -> c_void_p | None:
    """Return a timer of the system, None where it has no such timers."""
    if sys.platform != "linux":
        return None
    event, timer = _Event(None, getattr(signal, name), 0), c_void_p()
    try:
        failed = _library().timer_create(time.CLOCK_PROCESS_CPUTIME_ID, byref(event), byref(timer))
    except AttributeError:  # a C library with such timers in a library of their own
        return None
    return None if failed else timer
