"""Index arrays that are drawn: ``random:uniform,n=1e6,max=1000,seed=1``.

==============  ====================================================================================
``uniform``      each element equally likely to be any of 0 to max - 1
``clustered``    runs of ``run`` elements (16), each within ``width`` (64) of a place drawn for the run
``sequential``   0, 1, 2, ... modulo max
``permutation``  0 to n - 1 in a drawn order
==============  ====================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..given_values import number_of
from .texts import PREFIX

KINDS = ("uniform", "clustered", "sequential", "permutation")
_KEYS = ("n", "max", "seed", "run", "width")
_MOST = 1 << 26
_RUN, _WIDTH = 16, 64
_EXAMPLE = "write random:uniform,n=1000000,max=1000,seed=1"


def drawn(text: str, option: str) -> NDArray[np.int64]:
    """Return the array that a text such as ``random:uniform,n=10,max=4`` asks for; raises ``OptionError``."""
    kind, *settings = text.removeprefix(PREFIX).split(",")
    if kind not in KINDS:
        raise OptionError(f"{option}: no array is drawn {kind!r}", hint=f"possible: {', '.join(KINDS)}")
    numbers = _numbers(settings, option)
    count = numbers.get("n")
    if count is None:
        raise OptionError(f"{option}: how many elements to draw is not given", hint=_EXAMPLE)
    most = numbers.get("max", count)
    if not 1 <= count <= _MOST or most < 1:
        raise OptionError(f"{option}: n is 1 to {_MOST}, and max at least 1", hint=_EXAMPLE)
    random = np.random.default_rng(numbers.get("seed", 0))
    match kind:
        case "uniform":
            return random.integers(0, most, count)
        case "clustered":
            run, width = max(1, numbers.get("run", _RUN)), max(1, min(numbers.get("width", _WIDTH), most))
            starts = np.repeat(random.integers(0, most - width + 1, -(-count // run)), run)[:count]
            return np.asarray(starts + random.integers(0, width, count), dtype=np.int64)
        case "sequential":
            return np.arange(count, dtype=np.int64) % most
        case _:
            return random.permutation(count).astype(np.int64)


def _numbers(settings: list[str], option: str) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        number = number_of(value)
        if name not in _KEYS or not isinstance(number, int) or not 0 <= number < 1 << 62:
            hint = f"settings are {', '.join(_KEYS)}, each a whole number"
            raise OptionError(f"{option}: {setting!r} is not a setting of an array that is drawn", hint=hint)
        found[name] = number
    return found
