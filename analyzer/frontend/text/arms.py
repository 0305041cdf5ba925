"""Which arm of ``#if ... #elif ... #else ... #endif`` is taken, for texts that stand in several arms.

Only macros that are given are known, and the names by which compilers say that they follow directives; conditions that
are more than names, numbers, ``defined`` and logic leave open which arm it is.

>>> arms = Arms({"GPU": "1"})
>>> texts = []
>>> for line in ("#if defined(GPU) && !defined(SLOW)", "a", "#else", "b", "#endif"):
...     arms.follow(line) if line.startswith("#") else texts.append((line, arms.position))
>>> arms.taken(texts)
('a',)
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Mapping, Sequence

from ...python.regex import regex

DIRECTIVE = regex(r"\s*#\s*(?P<kind>ifdef|ifndef|if|elifdef|elifndef|elif|else|endif|define|undef)\b(?P<rest>.*)")
_DEFINED = regex(r"\bdefined\s*(?:\(\s*(?P<inner>\w+)\s*\)|(?P<bare>\w+))")
_DEFINITION = regex(r"\s*(?P<name>\w+)(?P<value>.*)")
_NAME = regex(r"\b[A-Za-z_]\w*\b")
FOLLOWING = {"_OPENMP": "202011", "_OPENACC": "202111"}
"""The names by which compilers say that they follow directives."""
_LONGEST = 400  # characters of a condition
_COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
Position = tuple[tuple[int, int], ...]
"""The chains of conditions around a line, outermost first, each with the number of its arm."""


class Arms:
    """The chains of conditions around the current line, and what each of their arms asks for."""

    def __init__(self, macros: Mapping[str, str]) -> None:
        """Start outside of all conditions, with macros that are defined."""
        self._macros = {**FOLLOWING, **macros}
        self._chains: list[list[bool | None]] = []
        self._open: list[int] = []

    @property
    def position(self) -> Position:
        """Return the position of the current line."""
        return tuple((chain, len(self._chains[chain]) - 1) for chain in self._open)

    def follow(self, line: str) -> None:
        """Follow one directive; others than conditions and macros change nothing."""
        found = DIRECTIVE.match(line)
        if found is None:
            return
        kind, rest = found["kind"], found["rest"]
        match kind:
            case "endif":
                del self._open[-1:]
            case "define" | "undef":
                self._define(kind, rest)
            case "else" if self._open:
                self._chains[self._open[-1]].append(True)
            case "elif" | "elifdef" | "elifndef" if self._open:
                self._chains[self._open[-1]].append(self._holds(kind.removeprefix("el"), rest))
            case "if" | "ifdef" | "ifndef":
                self._open.append(len(self._chains))
                self._chains.append([self._holds(kind, rest)])

    def taken(self, texts: Sequence[tuple[str, Position]]) -> tuple[str, ...]:
        """Return the texts of arms that are taken, of chains of which several arms have some; those of others all."""
        arms: dict[int, set[int]] = {}
        for _, position in texts:
            for chain, arm in position:
                arms.setdefault(chain, set()).add(arm)
        chosen = {chain: self._chosen(chain) for chain, found in arms.items() if len(found) > 1}
        return tuple(
            text for text, position in texts if all(chosen.get(chain) in (None, arm) for chain, arm in position)
        )

    def _chosen(self, chain: int) -> int | None:
        """Return the number of the first arm whose condition holds; None where that is open."""
        for number, holds in enumerate(self._chains[chain]):
            if holds is None:
                return None
            if holds:
                return number
        return None

    def _define(self, kind: str, rest: str) -> None:
        found = _DEFINITION.match(rest)
        is_certain = all(self._chosen(chain) in (None, arm) for chain, arm in self.position)
        if found is None or not is_certain:
            return
        if kind == "define":
            self._macros[found["name"]] = found["value"].strip()
        else:
            self._macros.pop(found["name"], None)

    def _holds(self, kind: str, rest: str) -> bool | None:
        if kind in ("ifdef", "ifndef"):
            names = rest.split()
            return None if not names else (names[0] in self._macros) == (kind == "ifdef")
        if len(rest) > _LONGEST:
            return None
        text = _DEFINED.sub(lambda found: str(int((found["inner"] or found["bare"]) in self._macros)), rest)
        text = _NAME.sub(lambda found: self._macros.get(found[0], "0") or "0", text)
        text = re.sub(r"!(?!=)", " not ", text).replace("&&", " and ").replace("||", " or ").strip()
        try:
            return bool(_value(ast.parse(text, mode="eval").body))
        except (SyntaxError, ValueError, RecursionError):
            return None


def _value(node: ast.expr) -> int:
    """Return the value of an expression of numbers and logic; raises ``ValueError`` for anything else."""
    match node:
        case ast.Constant(value=int() as value):
            return int(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return int(not _value(operand))
        case ast.BoolOp(op=ast.And(), values=values):
            return int(all(_value(each) for each in values))
        case ast.BoolOp(op=ast.Or(), values=values):
            return int(any(_value(each) for each in values))
        case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in _COMPARISONS:
            return int(_COMPARISONS[type(comparison)](_value(left), _value(right)))
    raise ValueError("a condition that is not understood")
