"""What the nests of a program are for: those that it repeats or runs once, those that call them, and set-up.

Input: the :mod:`analyzer.usage` of all files.  Output: the :class:`Role` of each location in the source.

A location is *set-up* where it leaves more memory allocated than it frees, makes the elements of a container, reads or
writes text, or fills memory with random numbers, each without a condition; so is every nest of a function that leaves
memory allocated or opens a file, but for those that compute with what memory holds (``operator*`` of a matrix).  It is
*repeated* where loops are around it or around the calls that lead there; a loop that leaves memory allocated each time
cannot run often, and is none of these.  It is *moving* where it is repeated without FLOPs, and *driving* where its work
is that of other nests, in functions that it calls.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum

from analyzer.python.cached_property import cached_property
from analyzer.usage import CallSite, Clue, FunctionUsage, Lines, Occurrence

Location = tuple[str, int, int]
_MOST_LOOPS = 3
_ENTRY = "main"
_MAKES = frozenset({Clue.GROWS, Clue.TRANSFERS})


class Role(IntEnum):
    """The role of a nest, in the order of a report."""

    REPEATED = 0
    MOVING = 1
    ONCE = 2
    DRIVING = 3
    SET_UP = 4


class Program:
    """The functions of all files, with who calls them."""

    def __init__(self, usages: Iterable[FunctionUsage]) -> None:
        self._functions: dict[str, FunctionUsage] = {}
        self._by_path: dict[str, list[FunctionUsage]] = {}
        self._left: dict[tuple[str, Lines], int] = {}
        self._made: dict[tuple[str, Lines], bool] = {}
        for usage in usages:
            identity = _identity(usage)
            if identity not in self._functions:
                self._functions[identity] = usage
                self._by_path.setdefault(usage.path, []).append(usage)

    def loops_around(self, location: Location) -> int:
        """Return how many loops repeat the function of a location, over the calls that lead there; 3 at most."""
        return max((self._depths[_identity(usage)] for usage in self._around(location)), default=0)

    def function_at(self, location: Location) -> str:
        """Return the name of the innermost function around a location, empty where none is known."""
        around = sorted(self._around(location), key=lambda usage: usage.lines[1] - usage.lines[0])
        return around[0].name if around else ""

    def parts_of(self, others: Sequence[Location], locations: Iterable[Location]) -> frozenset[Location]:
        """Return which locations are in functions that are called only from other locations or functions like these."""
        called: set[str] = set()
        waiting = set(self._callers)
        while waiting:
            found = {identity for identity in waiting if self._is_called_in(identity, others, called)}
            called |= found
            waiting = waiting - found if found else set()
        return frozenset(
            location for location in locations if any(_identity(usage) in called for usage in self._around(location))
        )

    def _is_called_in(self, identity: str, others: Sequence[Location], known: Container[str]) -> bool:
        return all(
            _identity(usage) in known
            or any(path == usage.path and first <= site.line <= last for path, first, last in others)
            for usage, site in self._callers[identity]
        )

    @cached_property
    def _callers(self) -> Mapping[str, Sequence[tuple[FunctionUsage, CallSite]]]:
        """Return who calls each function, and where."""
        callers: dict[str, list[tuple[FunctionUsage, CallSite]]] = {}
        for usage in self._functions.values():
            for site in usage.calls:
                called = self._called(usage, site)
                if called not in (None, _identity(usage)):
                    callers.setdefault(called, []).append((usage, site))
        return callers

    def is_set_up(self, location: Location, *, only_fills: bool, computes: bool) -> bool:
        """Return whether a nest sets up or reports.

        ``only_fills``: it writes memory and reads none, ``computes``: it has FLOPs, or more operations on integers than
        accesses, and reads at least as much memory as it writes.
        """
        path, *lines = location
        within = (lines[0], lines[1])
        return any(
            self._leaves(usage, within) > 0
            or self._makes(usage, within)
            or (only_fills and any(found.clue is Clue.DRAWS for found in _clues(usage, within)))
            or (usage.name != _ENTRY and not computes and self._is_constructor(usage))
            for usage in self._around((path, *within))
        )

    def _around(self, location: Location) -> Iterator[FunctionUsage]:
        path, first, last = location
        for usage in self._by_path.get(path, ()):
            if usage.lines[0] <= first and last <= usage.lines[1]:
                yield usage

    def _is_constructor(self, usage: FunctionUsage) -> bool:
        opens = any(found.clue is Clue.OPENS for found in _clues(usage, usage.lines))
        return opens or self._leaves(usage, usage.lines) > 0

    def _called(self, usage: FunctionUsage, site: CallSite) -> str | None:
        """Return the identity of what is called; None where no file defines it."""
        own = f"{site.function} {usage.path}"
        if own in self._functions:
            return own
        return site.function if site.function in self._functions else None

    @cached_property
    def _depths(self) -> Mapping[str, int]:
        """Return for each function the most loops around the calls that lead to it."""
        edges: dict[str, dict[str, int]] = {}
        for identity, usage in self._functions.items():
            for site in usage.calls:
                called = self._called(usage, site)
                if called is not None and called != identity:
                    loops = sum(1 for lines in site.loops if self._leaves(usage, lines) <= 0)
                    known = edges.setdefault(identity, {})
                    known[called] = max(known.get(called, 0), loops)
        depths = dict.fromkeys(self._functions, 0)
        waiting = list(self._functions)
        while waiting:
            identity = waiting.pop()
            for called, loops in edges.get(identity, {}).items():
                depth = min(_MOST_LOOPS, depths[identity] + loops)
                if depth > depths[called]:
                    depths[called] = depth
                    waiting.append(called)
        return depths

    def _leaves(self, usage: FunctionUsage, within: Lines) -> int:
        """Return how many more allocations than releases some lines make, with those of the functions called."""
        key = (_identity(usage), within)
        if key not in self._left:
            self._left[key] = 0  # of a function that calls itself
            own = sum(1 for found in _clues(usage, within) if found.clue is Clue.ALLOCATES)
            own -= sum(1 for found in usage.clues if found.clue is Clue.FREES and _is_within(found.line, within))
            self._left[key] = own + sum(self._leaves(called, called.lines) for called in self._calls(usage, within))
        return self._left[key]

    def _makes(self, usage: FunctionUsage, within: Lines) -> bool:
        """Return whether some lines make elements of containers, or read or write text, or functions called there."""
        key = (_identity(usage), within)
        if key not in self._made:
            self._made[key] = False
            self._made[key] = any(found.clue in _MAKES for found in _clues(usage, within)) or any(
                self._makes(called, called.lines) for called in self._calls(usage, within)
            )
        return self._made[key]

    def _calls(self, usage: FunctionUsage, within: Lines) -> Iterator[FunctionUsage]:
        """Yield the functions that some lines call without a condition there."""
        for site in usage.calls:
            if _is_within(site.line, within) and not _is_conditional(site, usage, within):
                called = self._called(usage, site)
                if called is not None:
                    yield self._functions[called]


def _identity(usage: FunctionUsage) -> str:
    return f"{usage.key} {usage.path}" if usage.is_static else usage.key


def _clues(usage: FunctionUsage, within: Lines) -> Iterator[Occurrence]:
    """Yield the clues in some lines that depend on no condition there."""
    for found in usage.clues:
        if _is_within(found.line, within) and not _is_conditional(found, usage, within):
            yield found


def _is_within(line: int, within: Lines) -> bool:
    return within[0] <= line <= within[1]


def _is_conditional(found: Occurrence | CallSite, usage: FunctionUsage, within: Lines) -> bool:
    """Return whether what is in some lines depends on a condition in them."""
    return found.condition > 0 and (within == usage.lines or found.condition >= within[0])
