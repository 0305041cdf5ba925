"""The CPU time that the report of a file takes: it is made after the analysis, and the same account holds it.

A row of the report (a region, a nest of it, one of its launches) takes about the same time, which depends on the form
of the report and on how many machines are in it.
"""

from __future__ import annotations

from ..limits.ending import Ending
from ..limits.hard_limit import ENDED, Account, Overrun
from ..profile import RegionProfile


class ReportTime:
    """The CPU time reserved for the report of the regions that are counted, a part of the account of the file."""

    def __init__(self, each_s: float, account: Account) -> None:
        """Start without any reserved time; ``each_s`` are the CPU seconds of a row."""
        self._each_s = each_s
        self._account = account
        self._seconds: dict[str, float] = {}

    def left(self, budgets: float, rows: int = 0) -> float:
        """Return the seconds left until so many budgets are spent, or there is no time to report so many more rows."""
        held_s = sum(self._seconds.values()) + rows * self._each_s
        return min(self._account.left(budgets), self._account.left(ENDED) - held_s)

    def holds(self, name: str, rows: int) -> None:
        """Reserve the time of so many rows for a region; raises ``Overrun`` where less is left."""
        seconds = self._each_s * rows
        others_s = sum(self._seconds.values()) - self._seconds.get(name, 0.0)
        if seconds > self._account.left(ENDED) - others_s:
            raise Overrun(Ending.REPORT_TIME)
        self._seconds[name] = seconds


def rows_of(profile: RegionProfile) -> int:
    """Return how many rows the report has for a profile, those of its nests and launches among them."""
    launches = () if profile.launches is None else (one for _, one in profile.launches.analyzed)
    return 1 + sum(map(rows_of, (*(profile.parts or profile.nests), *launches)))
