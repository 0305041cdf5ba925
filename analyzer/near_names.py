"""The nearest of some known names to one that is not known, for hints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

_LEAST_ALIKE = 0.6
_LONGEST = 60
_SHORTEST_PREFIX = 3


def near_names(word: str, known: Iterable[str], *, most: int = 1, least_alike: float = _LEAST_ALIKE) -> Sequence[str]:
    """Return up to ``most`` known names: the ones that begin with the word, then similar ones.

    >>> near_names("chek", ("check", "machines")), near_names("AI10", ("AI101", "AI201"), most=3)
    (['check'], ['AI101', 'AI201'])
    >>> near_names("nvidia", ("source", "nvidia-sass")), near_names("gemm.c", ("check", "machines"))
    (['nvidia-sass'], [])
    """
    import difflib  # here, as it takes longer to import than most runs need

    word, names = word[:_LONGEST], list(dict.fromkeys(known))
    starting = [name for name in names if len(word) >= _SHORTEST_PREFIX and name.startswith(word)]
    close = difflib.get_close_matches(word, names, n=most, cutoff=least_alike)
    return list(dict.fromkeys([*starting, *close]))[:most]


def did_you_mean(word: str, known: Iterable[str], *, most: int = 1, least_alike: float = _LEAST_ALIKE) -> str:
    """Return ``did you mean ...?`` with the nearest known names; empty where none is near.

    >>> did_you_mean("chek", ("check", "machines")), did_you_mean("gemm.c", ("check", "machines"))
    ('did you mean check?', '')
    """
    close = near_names(word, known, most=most, least_alike=least_alike)
    return f"did you mean {' or '.join(close)}?" if close else ""


def near_path(path: str) -> str:
    """Return a hint for a path that is not there: ``did you mean ...?`` with a near name in its folder.

    The suffix alone makes no name near: neither ``y.c`` nor ``.ci`` is meant by ``x.c``.
    """
    folder, name = os.path.split(path)
    try:
        others = [other for other in os.listdir(folder or ".") if other != name]  # a link to nothing
    except (OSError, ValueError):
        others = []
    stem = os.path.splitext(name)[0]
    near = near_names(name, (other for other in others if near_names(stem, (os.path.splitext(other)[0],))))
    return f"did you mean {os.path.join(folder, near[0])}?" if near else "check the path"
