"""Fair shares of the budget of a file: small parts come first, and none takes what all others need.

The budget is CPU time, or a number of operations.  A part has an eighth of what is left, or an equal share where that
is more.  For what it takes longer, or answers more weakly, it is put off; what is left in the end is shared equally
among those, where that is more than they have had.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from .ending import Ending
from .hard_limit import GIVEN_UP, Overrun, cause_of, hard_limit

Answer = TypeVar("Answer")

_MOST_OF_WHAT_IS_LEFT = 1 / 8
_WORTH_ANOTHER_TRY = 1.5


class Part(Struct, Generic[Answer], frozen=True):
    """A part by its name, its size in any unit, and how to do it within a share.

    ``run`` gives an answer, and whether that would be better with more.
    """

    name: str
    size: float
    run: Callable[[float], tuple[Answer, bool]]


class GivenUp(Struct, frozen=True):
    """Why a part has no answer."""

    cause: Ending


class _Try(Struct, Generic[Answer], frozen=True):
    """The best outcome of a part so far, and the share that it has had."""

    outcome: Answer | GivenUp
    share: float = 0.0
    is_final: bool = False


def in_shares(
    parts: Sequence[Part[Answer]], left: Callable[[], float], seconds: Callable[[float], float] = lambda share: share
) -> list[Answer | GivenUp]:
    """Return for each part its answer, or why it was given up; ``left()`` is what remains for all.

    ``seconds`` of a share is the CPU time after which a part is given up: the share itself where that is CPU time.
    """
    tries: list[_Try[Answer]] = [_Try(GivenUp(Ending.USED_UP)) for _ in parts]
    waiting = sorted(range(len(parts)), key=lambda number: parts[number].size)
    for least in (_MOST_OF_WHAT_IS_LEFT, 0.0):
        for position, number in enumerate(waiting):
            remaining = left()
            share = max(remaining / (len(waiting) - position), remaining * least)
            if remaining > 0 and share > _WORTH_ANOTHER_TRY * tries[number].share:
                tries[number] = _tried(parts[number], share, seconds(share), tries[number])
        waiting = [number for number in waiting if not tries[number].is_final]
    return [found.outcome for found in tries]


def _tried(part: Part[Answer], share: float, seconds: float, before: _Try[Answer]) -> _Try[Answer]:
    try:
        with hard_limit(seconds, part.name):
            answer, could_be_better = part.run(share)
    except GIVEN_UP as error:
        is_final = not isinstance(error, Overrun) or error.cause is not None  # a crash: it would come again
        outcome = GivenUp(cause_of(error)) if isinstance(before.outcome, GivenUp) else before.outcome
        return _Try(outcome, share, is_final)
    return _Try(answer, share, is_final=not could_be_better or share == math.inf)
