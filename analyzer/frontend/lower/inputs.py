"""The inputs of one lowering: the source, the values that the user gives, and the effects of the whole function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import inf

from msgspec import Struct, field

from ...ir.given_array import GivenArray
from ...ir.types import ScalarType
from ...limits.meter import Meter
from ...source import Span
from ..surface import nodes as sx
from .functions.effects import EffectTable
from .functions.recursion import Repeated
from .functions.short_tables import Tables
from .functions.stored_values import StoredElements, StoredForm
from .names.bindings import variables_of
from .summaries.summary import Summary


class Limits(Struct, frozen=True):
    """Bounds on the work of one lowering, so that weird input ends; calls are followed ``until`` so many operations.

    A body of another file within which a function has more than ``counted_nodes`` is too long to be followed
    (:class:`TooLong`), and a function of so many has no summary.  Beyond ``linked_nodes`` no more bodies of other files
    are followed: their loops are rows of those files.  Those of ``medium_lines`` with all that they call are followed
    up to ``medium_nodes``, short ones without a loop, of ``short_lines``, up to ``short_nodes``.  Beyond ``own_nodes``
    only such short ones of the same file are followed.
    There, a call is the summary of its function (:mod:`.summaries`), where that has at most ``summary_nodes``, up to
    ``summarized_nodes`` in all.
    """

    nodes: int = 50_000
    counted_nodes: int = 2_000
    linked_nodes: int = 300
    medium_nodes: int = 1_000
    medium_lines: int = 150
    short_nodes: int = 3_000
    short_lines: int = 40
    own_nodes: int = 1_000
    summary_nodes: int = 500
    summarized_nodes: int = 1_000
    inline_depth: int = 40
    inlined_calls: int = 4_000
    until: float = inf


class TooLong(Exception):
    """The body of a function of another file, by its key, is too long to be put in place of a call."""

    def __init__(self, function: str) -> None:
        """Take the key of the function."""
        super().__init__(function)
        self.function = function


class NoTable(Exception):
    """An array, by its name, is followed like a table of sizes and is none: data decide what it holds."""

    def __init__(self, array: str) -> None:
        """Take the name of the array."""
        super().__init__(array)
        self.array = array


def _without_summary(_function: sx.Function, _follow: float) -> Summary | None:
    return None


class Inputs(Struct, frozen=True, kw_only=True):
    """The values that do not change while a function is lowered.

    ``defines`` are values of parameters and variables by name, ``averages`` those of trip counts that are not whole,
    ``arguments`` those that a launch gives, ``after`` those that the program gives variables, by name and the statement
    that they follow, ``sizes`` those of its largest registered benchmark; ``written`` are the names of variables that
    the function may store through, ``written_members`` the members that it may write;
    it ``resizes`` where a container may get another number of elements.  ``repeated`` are recursive functions as loops.
    ``forms`` are those of integer arrays that the function itself stores, ``given_arrays`` those whose elements the
    user gives, by the name of the array; ``only_read`` are those of them that nothing stores, though it could.
    ``short`` are short arrays of the function, ``elements`` the integers and pointers that it stores there, once each;
    ``followed`` are those on the stack whose integers are followed as variables are; a lowering that ``follows_tables``
    follows all of integers, of the file too, from its start, but ``no_tables``.
    ``summary`` returns the summary of a function, whose own calls are followed for so many operations, None where it
    has none.  ``meter`` counts the operations of all
    lowerings of a file, and ``apart`` holds the functions whose bodies were not put in place of a call; those
    ``too_long`` never are, nor are the ``costly`` ones, which leave no operations for others.
    """

    unit: sx.Unit
    effects: EffectTable
    defines: Mapping[str, int]
    averages: Mapping[str, Fraction]
    arguments: Mapping[str, int]
    after: Mapping[tuple[str, Span], int]
    sizes: tuple[int, ...]
    element_type: ScalarType
    written: frozenset[str]
    written_members: frozenset[str]
    resizes: bool
    repeated: Mapping[str, Repeated]
    limits: Limits
    forms: Mapping[str, StoredForm | StoredElements] = field(default_factory=dict)
    given_arrays: Mapping[str, GivenArray] = field(default_factory=dict)
    only_read: frozenset[str] = frozenset()
    short: frozenset[str] = frozenset()
    elements: Tables = field(default_factory=dict)
    followed: frozenset[str] = frozenset()
    follows_tables: bool = False
    no_tables: frozenset[str] = frozenset()
    meter: Meter = field(default_factory=Meter)
    apart: set[str] = field(default_factory=set)
    too_long: frozenset[str] = frozenset()
    costly: frozenset[str] = frozenset()
    summary: Callable[[sx.Function, float], Summary | None] = _without_summary

    def is_written(self, array: str) -> bool:
        """Return whether any statement of the region may store into an array, by the name of its variable."""
        return not self.written.isdisjoint(variables_of(array))

    def is_written_member(self, member: str) -> bool:
        """Return whether any statement of the region may store into a member, given by its path."""
        return member.rsplit(".", 1)[-1] in self.written_members
