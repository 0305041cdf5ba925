"""Conditionals as a compiler has them: branches, selections of what both branches compute, or what is open.

``conditional, where it is -> Conditional``.  The rules are those of :mod:`.speculation` and :mod:`.merging`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import IntEnum

from msgspec import Struct
from msgspec.structs import replace

from ...domains.domain import StatementDomain
from ...ir.values import Access
from ..policy import Compiler
from .branches import Branches
from .merging import Merged, registers_merged, stores_merged
from .reads import is_loaded_in, reads_in
from .speculation import is_jump, is_selection, may_be_selection


class Where(IntEnum):
    """What a list of statements is: a branch of a conditional, one of which it is open whether it is a selection."""

    BLOCK = 0
    BRANCH = 1
    OPEN = 2


class Conditional(Struct, frozen=True):
    """A conditional as a compiler has it, what follows ``behind`` it, and whether both branches are computed.

    Where that ``is_open``, the conditionals inside of it are open too.
    """

    entry: Branches
    is_selection: bool
    behind: StatementDomain | None = None
    is_end_merged: bool = False
    is_open: bool = False


class Compilation(Struct, frozen=True):
    """A compiler, how often registers are read, which are loaded, and whether what is open is a selection."""

    compiler: Compiler
    reads: Mapping[str, int]
    loaded: frozenset[str]
    selects_most: bool

    def conditional(
        self,
        entry: Branches,
        anchor: StatementDomain | None,
        known: Collection[Access],
        where: Where,
        *,
        is_last: bool,
        is_repeated: Callable[[StatementDomain], bool],
        is_unswitched: bool,
    ) -> Conditional:
        """Return a conditional, which ``is_last`` in its list or not; the ``anchor`` is the first statement there.

        Where what one of two branches computes ``is_repeated`` behind it, their ends are not merged.  It is open
        whether one that the loop around does not change becomes a selection, or ``is_unswitched``.
        """
        is_last_in_branch = is_last and where >= Where.BRANCH
        if is_jump(entry, self.compiler, is_last_in_branch=is_last_in_branch):
            return Conditional(entry, is_selection=False)
        is_in_open = where is Where.OPEN or is_unswitched
        if may_be_selection(entry, known, self.compiler, is_last_in_branch=is_last_in_branch, is_in_open=is_in_open):
            return Conditional(entry, self.selects_most, is_open=True)
        if anchor is None or entry.loop is not None or self.compiler is Compiler.CLANG:
            return self._by_registers(entry, anchor, known)
        are_two = not (entry.nested or is_last_in_branch)
        merged = None if are_two and is_repeated(anchor) else stores_merged(entry)
        return self._by_ends(entry, anchor, known, merged)

    def _by_registers(self, entry: Branches, anchor: StatementDomain | None, known: Collection[Access]) -> Conditional:
        is_known = self.compiler is not Compiler.CLANG or not is_loaded_in(entry, self.reads, self.loaded)
        chosen = is_known and is_selection(entry, known, self.compiler)
        ended = registers_merged(entry) if chosen and anchor is not None else None
        if ended is None or anchor is None:
            return Conditional(entry, chosen)
        return Conditional(ended.entry, chosen, replace(anchor, node=ended.behind.node))

    def _by_ends(
        self, entry: Branches, anchor: StatementDomain, known: Collection[Access], merged: Merged | None
    ) -> Conditional:
        is_end_merged = merged is not None
        if merged is not None:
            inside = reads_in(merged.entry.statements).keys() & self.loaded
            waits = any(self.reads.get(name) == 1 for name in inside)
            chosen = not waits and is_selection(merged.entry, known, self.compiler, is_end_merged=True)
        else:
            chosen = is_selection(entry, known, self.compiler)
            merged = registers_merged(entry) if chosen else None
        if merged is None:
            return Conditional(entry, chosen)
        return Conditional(merged.entry, chosen, replace(anchor, node=merged.behind.node), is_end_merged=is_end_merged)
