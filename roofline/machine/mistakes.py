"""All mistakes of a machine file: each is mended as in the example file, and the rest is read again.

Input: the first mistake, the document, and the function that reads it.  Output: one error with all of them, in the
order of the lines.  What lacks a key takes the value of the small complete file that ships with the package, and so
does what is wrong; a key that no table has is taken out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from analyzer.data_files.toml_lines import KeyPath
from analyzer.errors import MachineError

from .toml import Document, Mistake, table_name

_MOST_MISTAKES = 24
_EXAMPLE = "ai-estimate machines example prints a small complete file"


def all_mistakes(first: Mistake, document: Document, read: Callable[[Document], object]) -> MachineError:
    """Return the error of a document with everything that is wrong with its shape."""
    data = deepcopy(dict(document.data))
    found, unknown = [first], dict[KeyPath, str]()
    mistake = first
    for _ in range(_MOST_MISTAKES):
        if not _mended(data, mistake, unknown):
            break
        try:
            read(Document(data, document.origin))
        except Mistake as other:
            mistake = other
            if not _follows(other, unknown):
                found.append(other)
        else:
            break
    mistakes = sorted(_joined(found), key=lambda each: each.line or 0)
    last = mistakes[-1]
    hint = "; ".join(text for text in (last.hint, _EXAMPLE) if text)
    mistakes[-1] = MachineError(last.message, path=last.path, line=last.line, hint=hint)
    one, *others = mistakes
    return MachineError(one.message, path=one.path, line=one.line, hint=one.hint, others=others)


def _follows(mistake: Mistake, unknown: Mapping[KeyPath, str]) -> bool:
    """Return whether a table lacks what a key that was taken out of it is likely to mean."""
    hints = unknown.get(mistake.position)
    return hints is not None and (not mistake.missing or f"`{mistake.missing}`" in hints)


def _joined(found: Sequence[Mistake]) -> list[MachineError]:
    """Return mistakes, those of several keys that one table lacks as one."""
    missing: dict[KeyPath, list[Mistake]] = {}
    for mistake in found:
        if mistake.missing:
            missing.setdefault(mistake.position, []).append(mistake)
    joined: list[MachineError] = [mistake for mistake in found if not mistake.missing]
    for position, several in missing.items():
        keys = ", ".join(f"`{each.missing}`" for each in several)
        hint = several[0].hint if len(several) == 1 else "add these keys"
        text = f"{table_name(position)} lacks {keys}"
        joined.append(MachineError(text, path=several[0].path, line=several[0].line, hint=hint))
    return joined


def _mended(data: dict[str, Any], mistake: Mistake, unknown: dict[KeyPath, str]) -> bool:
    """Correct a mistake in a document and return whether that was possible; note the hint where a key was taken out."""
    position = (*mistake.position, mistake.missing) if mistake.missing else mistake.position
    if not position:
        return False
    *above, last = position
    inside: Any = data
    for part in above:
        inside = inside[part]
    wrong = inside.get(last) if isinstance(inside, dict) else inside[last]
    known = _example_at(position)
    if known is not None and known != wrong:
        inside[last] = deepcopy(known)
        return True
    if not isinstance(inside, dict) or last not in inside:
        return False
    del inside[last]
    unknown[tuple(above)] = f"{unknown.get(tuple(above), '')} {mistake.hint}"
    return True


def _example_at(position: KeyPath) -> Any:
    """Return what the example has at a position, of arrays in their first entry; None where it has nothing there."""
    found: Any = _example()
    for part in position:
        if isinstance(found, list):
            found = found[0]
        if isinstance(part, int):
            continue
        if isinstance(found, Mapping) and part in found:
            found = found[part]
        else:
            return None
    return found


@cache
def _example() -> Any:
    text = Path(__file__).with_name("example.toml").read_text(encoding="utf-8")
    return _without_sources(tomllib.loads(text))


def _without_sources(value: Any) -> Any:
    """Return a value of the example without the sources of its figures, which another file does not declare."""
    if isinstance(value, list):
        return [_without_sources(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: _without_sources(each) for key, each in value.items() if key not in ("source", "sources")}
