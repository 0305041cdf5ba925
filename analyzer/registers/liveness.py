"""The registers that live values take, at the most, anywhere in code.

A value is live from the instruction that computes it to the last one that needs it; one that is needed in a later
iteration is live through the whole loop (Aho, Lam, Sethi, Ullman, *Compilers*, 9.2.5).  What nothing needs is not
computed.  An address of 64 bits does not reuse the registers of what it is made of.
"""

from __future__ import annotations

from collections.abc import Sequence

from .code import Code, Either, Instruction, Kind, Repeated

_KEPT = (Kind.LOAD, Kind.CALL)


def most_live(code: Sequence[Code]) -> int:
    """Return the most registers of 32 bits that values take at the same time."""
    liveness = _Liveness()
    liveness.measure(code)
    liveness.before(code, frozenset())
    return liveness.most


class _Liveness:
    """Walks code backwards."""

    def __init__(self) -> None:
        self.most = 0
        self._widths: dict[int, int] = {}

    def measure(self, code: Sequence[Code]) -> None:
        """Note the width of every value."""
        for item in code:
            match item:
                case Instruction(result=int(result)):
                    self._widths[result] = max(item.width, self._widths.get(result, 0))
                case Repeated():
                    self.measure(item.body)
                case Either():
                    self.measure(item.first)
                    self.measure(item.second)
                case _:
                    pass

    def before(self, code: Sequence[Code], after: frozenset[int]) -> frozenset[int]:
        """Return the values that are live before code, of those that are live after it."""
        live = set(after)
        held = self._size(live)
        for item in reversed(code):
            if isinstance(item, Instruction):
                held = self._step(item, live, held)
                continue
            if isinstance(item, Repeated):
                live = set(self._through(item, frozenset(live)))
            else:
                live = {*self.before(item.first, frozenset(live)), *self.before(item.second, frozenset(live))}
                live.update(item.needed)
            held = self._size(live)
            self.most = max(self.most, held)
        return frozenset(live)

    def _step(self, item: Instruction, live: set[int], held: int) -> int:
        """Move ``live`` to before an instruction, and return the registers of it."""
        result = item.result
        width = 0 if result is None else self._widths[result]
        if result is not None and result not in live and item.kind not in _KEPT:
            return held
        self.most = max(self.most, held + (width if result not in live else 0))
        if result in live:
            live.discard(result)
            held -= width
        for operand in item.operands:
            if operand not in live:
                live.add(operand)
                held += self._widths.get(operand, 0)
        own = width if item.kind is Kind.ADDRESS else 0
        self.most = max(self.most, held + item.extra, held + own)
        return held

    def _through(self, loop: Repeated, after: frozenset[int]) -> frozenset[int]:
        """Return what is live before a loop: what one of its iterations needs of the one before, too."""
        live = after.union(loop.needed)
        while True:
            found = self.before(loop.body, live) | live
            if found == live:
                return live
            live = found

    def _size(self, live: set[int]) -> int:
        return sum(self._widths.get(value, 0) for value in live)
