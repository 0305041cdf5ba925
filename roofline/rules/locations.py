"""Where a finding points: references as the source spells them, and columns.

Input: lines of a source and what a rule found.  Output: text and columns from 1 (0: not known).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analyzer.access_patterns import Reference

_LOOP = re.compile(r"\b(?:for|while|do)\b")
_NAMED = re.compile(r"(?:\(\s*\*\s*)?\b([A-Za-z_]\w*)(?:\s*\))?(?=\s*\[)")
_LEADING = re.compile(r"^(\w+)\[0\](?=\[)")
_LONGEST_STATEMENT = 12  # lines
_UNKNOWN = 0


def column_of_loop(line: str) -> int:
    """Return the column of the first loop in a line, else that of its first character; 0 for a blank one.

    >>> column_of_loop("  if (a) for (;;)"), column_of_loop("  x = 1;"), column_of_loop("")
    (10, 3, 0)
    """
    found = _LOOP.search(line)
    return found.start() + 1 if found else first_column(line)


def first_column(line: str) -> int:
    """Return the column of the first character of a line; 0 for a blank one."""
    return len(line) - len(line.lstrip()) + 1 if line.strip() else _UNKNOWN


def spelled_reference(reference: Reference, lines: Sequence[str]) -> tuple[str, int]:
    """Return a reference as its statement, which begins in the first of some lines, spells it, and its column.

    The column is that of the statement where the reference is in a later line, or is not found.
    """
    subscripts = _subscripts(reference.text)
    named: tuple[str, int] | None = None
    for number, line in enumerate(lines[:_LONGEST_STATEMENT]):
        for name, text, column in _references(line):
            own = _subscripts(text)
            if not own or own != subscripts[len(subscripts) - len(own) :]:
                continue
            found = text, column if not number else first_column(lines[0])
            if name == reference.array.rpartition(".")[2].rpartition(">")[2]:
                return found
            named = named or found
        if ";" in line:
            break
    text = _LEADING.sub(r"\1", reference.text)
    return named or (text, first_column(lines[0]) if lines else _UNKNOWN)


def spelled_divisor(text: str, line: str) -> str:
    """Return a divisor as its line spells it, without the leading index of an array that is passed on as a whole.

    >>> spelled_divisor("R[0][k][k]", "Q[i][k] = A[i][k] / R[k][k];"), spelled_divisor("d[0][1]", "x / d[0][1]")
    ('R[k][k]', 'd[0][1]')
    """
    short = _LEADING.sub(r"\1", text)
    plain = "".join(line.split())
    return short if "".join(text.split()) not in plain and "".join(short.split()) in plain else text


def _references(line: str) -> Iterator[tuple[str, str, int]]:
    """Yield the array, the text and the column of every subscripted reference in a line."""
    for found in _NAMED.finditer(line):
        end = _end_of_subscripts(line, found.end())
        yield found[1], line[found.start() : end].strip(), found.start() + 1


def _end_of_subscripts(text: str, start: int) -> int:
    """Return the position behind all subscripts that follow a name."""
    end, depth = start, 0
    for position in range(start, len(text)):
        character = text[position]
        depth += (character == "[") - (character == "]")
        if character == "]" and not depth:
            end = position + 1
        elif not depth and not character.isspace():
            break
    return end


def _subscripts(text: str) -> tuple[str, ...]:
    """Return the subscripts of a reference without blanks, from the first one.

    >>> _subscripts("(*a)[b[i]][j + 1]")
    ('b[i]', 'j+1')
    """
    found, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character == "[":
            depth += 1
            start = position + 1 if depth == 1 else start
        elif character == "]":
            depth -= 1
            if not depth:
                found.append("".join(text[start:position].split()))
    return tuple(found)
