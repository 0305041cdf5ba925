"""Names, paths and formulas that are cut to fit a column, such that what is left still says what it is."""

from __future__ import annotations

from pathlib import PurePath

ELLIPSIS = "…"
_LEAST_NAME = 4


def cut_text(text: str, longest: int) -> str:
    """Return the beginning of a text.

    >>> cut_text("particles", 5), cut_text("grid", 5)
    ('part…', 'grid')
    """
    return text if len(text) <= longest else text[: longest - 1] + ELLIPSIS


def cut_label(label: str, longest: int) -> str:
    """Shorten the name, never the lines; what stands behind them goes first.

    >>> cut_label("kernel_particles_aos:11-15", 14), cut_label("relax:11-15 if check = 1", 14)
    ('kernel_…:11-15', 'relax:11-15 i…')
    """
    name, colon, lines = label.rpartition(":")
    room = longest - 1 - len(lines)
    if len(label) <= longest or not colon or room < min(len(name), _LEAST_NAME):
        return cut_text(label, longest)
    return f"{cut_text(name, room)}{colon}{lines}"


def cut_formula(text: str, longest: int) -> str:
    """Shorten a formula after a whole term, for a part of a number is another number.

    >>> cut_formula("4*n^2 - 16*n + 16", 12), cut_formula("4*n^2 - 16*n", 12), cut_formula("floor(n/3)*m", 9)
    ('4*n^2 - …', '4*n^2 - 16*n', 'floor(n/…')
    """
    if len(text) <= longest:
        return text
    kept = text[: longest - 1]
    whole, blank, _ = kept.rpartition(" ")
    return f"{whole}{blank}{ELLIPSIS}" if whole.strip("~<>= ") else cut_text(text, longest)


def tail_of(path: str, longest: int) -> str:
    """Return the end of a path, from a folder on where that fits.

    >>> tail_of("src/solver/relax.c", 12), tail_of("relax.c", 12)
    ('…/relax.c', 'relax.c')
    """
    path = path.removeprefix("./")
    if len(path) <= longest:
        return path
    parts = PurePath(path).parts
    for start in range(1, len(parts)):
        text = "…/" + "/".join(parts[start:])
        if len(text) <= longest:
            return text
    return ELLIPSIS + parts[-1][-(longest - 1) :]
