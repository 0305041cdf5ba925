"""Scopes of the code that is made: blocks, the values that each of them has computed, and numbers of new values.

A scope is a loop or a branch of a conditional; what does not vary in it is computed in the scope around it.
"""

from __future__ import annotations

from collections.abc import Hashable

from msgspec import Struct, field

from ..ir.nodes import MemorySpace
from .code import Code, Instruction, Kind

_MOST = 4000  # instructions, some 0.1 s


_PURE = ("index", "form", "address", "size")


class TooLargeError(Exception):
    """A kernel has more instructions than are followed."""


class Scope(Struct):
    """A block of code, its values by what they are, and the counter of the loop that it is the body of."""

    code: list[Code]
    values: dict[Hashable, int] = field(default_factory=dict)
    counter: str = ""


class Scopes:
    """The scopes around the code that is made, outermost first."""

    def __init__(self) -> None:
        self.stack = [Scope([])]
        self._numbers = 0
        self._instructions = 0

    @property
    def innermost(self) -> int:
        """Return the position of the scope that code goes to."""
        return len(self.stack) - 1

    def varying_with(self, names: frozenset[str]) -> int:
        """Return the position of the innermost loop whose counter is among names; 0 where there is none."""
        return next((at for at in range(self.innermost, 0, -1) if self.stack[at].counter in names), 0)

    def outside_of_loops(self, varying: int) -> int:
        """Return the scope around the outermost loop in the one at ``varying``: what no loop changes moves there.

        Nothing moves out of a branch but by a loop in it.
        """
        return next((at - 1 for at in range(varying + 1, len(self.stack)) if self.stack[at].counter), self.innermost)

    def known(self, key: Hashable) -> int | None:
        """Return the value of this meaning that was computed in a scope around."""
        return next((scope.values[key] for scope in reversed(self.stack) if key in scope.values), None)

    def emit(self, item: Instruction, at: int | None = None) -> None:
        """Append an instruction to the innermost scope, or to another one."""
        self._instructions += 1
        if self._instructions > _MOST:
            raise TooLargeError
        self.stack[self.innermost if at is None else at].code.append(item)

    def new(self) -> int:
        """Return the number of a new value."""
        self._numbers += 1
        return self._numbers

    def computed(
        self,
        operands: tuple[int, ...],
        *,
        key: Hashable = None,
        at: int | None = None,
        kind: Kind = Kind.COMPUTED,
        width: int = 1,
        extra: int = 0,
        array: str = "",
        space: MemorySpace = MemorySpace.GLOBAL,
        unaliased: bool = False,
    ) -> int:
        """Return the value of a new instruction, to be found again by its key."""
        number = self.new()
        self.emit(
            Instruction(
                kind=kind,
                result=number,
                width=width,
                operands=operands,
                extra=extra,
                array=array,
                space=space,
                unaliased=unaliased,
            ),
            at,
        )
        if key is not None:
            self.remember(key, number, at)
        return number

    def remember(self, key: Hashable, number: int, at: int | None = None) -> None:
        """Note the value of a meaning in a scope."""
        self.stack[self.innermost if at is None else at].values[key] = number

    def adopt(self, branch: Scope) -> None:
        """Know the indices and addresses of a branch that became part of the innermost scope."""
        known = self.stack[-1].values
        known |= {key: value for key, value in branch.values.items() if isinstance(key, tuple) and key[0] in _PURE}

    def forget_loads(self, array: str | None = None) -> None:
        """Forget the elements of an array that are in registers, or of all."""
        for scope in self.stack:
            for key in [key for key in scope.values if _is_load(key, array)]:
                del scope.values[key]


def _is_load(key: Hashable, array: str | None) -> bool:
    return isinstance(key, tuple) and key[0] == "load" and (array is None or key[1] == array)
