"""What runs by night alone (``HYPOTHESIS_PROFILE=nightly``), as the check by day has 20 minutes of two cores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")

BY_NIGHT = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


def of_day(cases: Sequence[Case], every: int) -> Sequence[Case]:
    """Return all cases by night, and by day one of so many."""
    return cases if BY_NIGHT else cases[::every]
