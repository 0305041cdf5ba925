"""Why a part of the analysis has no answer."""

from __future__ import annotations

from enum import Enum


class Ending(Enum):
    """Why a part was given up; the values are names of sentences of AI213 in the catalog of messages."""

    TIME = "time"
    MEMORY = "memory"
    DEPTH = "depth"
    USED_UP = "used-up"
    REPORT_TIME = "report-time"
    PROCESS_TIME = "process-time"
    PROCESS_MEMORY = "process-memory"
    CRASH = "crash"
    LOST = "lost"
    LOST_SOMEHOW = "lost-somehow"
    NOT_PARSED = "not-parsed"
