"""The symbols of one lowering: integers that the counts depend on, and the names of iterators and symbols.

A symbol that a variable gives has a placeholder for its name until the region is done (a name with an ``@``); so have
the variables that a loop changes until its body is known.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

from msgspec import Struct

from ....given_values import trip_of_line
from ....ir.index import Poly, var
from ....ir.nodes import Condition, Symbol, SymbolOrigin
from ....python.regex import regex
from ....source import Span

THREAD, THREADS = "omp_get_thread_num", "omp_get_num_threads"
"""The symbols for the number of the thread that runs, and for how many run."""
SET_THREADS = "omp_set_num_threads"
"""The function that says how many threads the loops after it have."""
_NUMBER = regex(r"\.[0-9]+$")


def wanted_name(name: str) -> str:
    """Return the name without the number that distinguishes several symbols of one name.

    >>> wanted_name("g.n.2")
    'g.n'
    """
    return _NUMBER.sub("", name)


def unused_name(wanted: str, taken: Collection[str]) -> str:
    """Return a name, with a number behind it where it is taken.

    >>> unused_name("a", {"a", "a.2"})
    'a.3'
    """
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}.{number}"
    return name


class LeftBy(Struct, frozen=True):
    """A value that a loop leaves: that before it, to which each iteration adds ``least`` to ``most`` (None: any)."""

    iterator: str
    entry: Poly
    least: int | None
    most: int | None


class Distance(Struct, frozen=True):
    """What is left when a loop starts, of which each iteration takes 1 at least: ``n - i`` of ``while (i < n) i++;``.

    Not the last one where that is ``left`` in the middle.
    """

    length: Poly
    left: bool = False


class Falling(Struct, frozen=True):
    """An array of positions that are assumed to be at most their own and ``more``: the failure function of a text.

    A loop goes along it, and names an ``element``.
    """

    iterator: str
    more: int
    element: str


class Symbols:
    """The symbols by name, the ``taken`` names, and the names that placeholders stand for (``wanted``, then ``final``).

    ``registers`` are those of the variables that placeholders stand for, where these are numbers; ``chosen_by_data``
    are both ways of unknown values that conditions on data choose, by their labels, ``branches`` the names of
    these conditions, and whether they are negated, ``conditions`` what they are; ``sizes`` are the names of those
    that a library of benchmarks hands over, by their number.  ``reals`` are known real numbers by their register.
    ``moved`` are values that loops leave of integers that only rise (1) or fall (-1) in them, by their labels or names:
    what the integer was before, and in which direction.  ``left_by`` are such values with what each iteration of the
    loop adds, and ``distances`` what the tests of a loop inside of another say is left when it starts, by its iterator.
    ``sums`` are unknown values that are others and a number, by their labels; ``falling`` are arrays of positions.
    ``lengths`` are trip counts that are symbols as expressions of values that are not known.
    """

    def __init__(
        self, defines: Mapping[str, int], averages: Mapping[str, Fraction], after: Mapping[tuple[str, Span], int]
    ) -> None:
        """Start without symbols; the user gives ``defines``, and for trip counts ``averages``.

        ``after`` are values that the program itself gives variables, by name and the statement (of a parameter: the
        declaration) that they follow.
        """
        self.known: dict[str, Symbol] = {}
        self.taken: set[str] = set()
        self.wanted: dict[str, str] = {}
        self.final: dict[str, str] = {}
        self.registers: dict[str, str] = {}
        self.asked: set[str] = set()
        self.chosen_by_data: dict[str, tuple[Poly, Poly]] = {}
        self.branches: dict[str, tuple[str, bool]] = {}
        self.conditions: dict[str, Condition] = {}
        self.averages: dict[str, Fraction] = {}
        self.sizes: dict[int, str] = {}
        self.reals: dict[str, float] = {}
        self.moved: dict[str, tuple[Poly, int]] = {}
        self.left_by: dict[str, LeftBy] = {}
        self.distances: dict[str, list[Distance]] = {}
        self.sums: dict[str, Poly] = {}
        self.lengths: dict[str, Poly] = {}
        self.falling: dict[str, Falling] = {}
        self._defines = defines
        self._averages = averages
        self._after = after
        self._numbered = frozenset(wanted_name(name) for name in (*defines, *averages) if _NUMBER.search(name))
        self._reserved: set[str] = set()
        self._means: dict[Span, str] = {}
        self._labels = 0

    def unique(self, wanted: str) -> str:
        """Take a name for an iterator or a symbol that nothing else in the region has."""
        name = unused_name(wanted, self.taken)
        self.taken.add(name)
        return name

    def reserve(self, name: str) -> None:
        """Take a name for the symbol of a variable whose value at entry a loop starts from."""
        if name not in self.taken:
            self.taken.add(name)
            self._reserved.add(name)

    def final_name(self, placeholder: str) -> str:
        """Take the name that a symbol has in the finished region."""
        wanted = self.wanted[placeholder]
        if wanted in self._reserved:
            self._reserved.discard(wanted)
            return wanted
        return self.unique(wanted)

    def placeholder(self, wanted: str) -> str:
        """Return a name that is replaced before the region is done."""
        name = f"{wanted}@{self._next_label()}"
        self.wanted[name] = wanted
        return name

    def register_of(self, placeholder: str) -> str | None:
        """Return the register that holds what a placeholder stands for; None for other names."""
        return self.registers.get(placeholder, self.wanted.get(placeholder))

    def label(self, wanted: str) -> str:
        """Return the label of an unknown value that no other unknown value has."""
        return f"{wanted}#{self._next_label()}"

    def new(self, wanted: str, origin: SymbolOrigin, made: Span | None = None) -> Poly:
        """Return a new symbol, ``made`` by a statement; it gets its final name when the region is done."""
        name = self.placeholder(wanted)
        value = None if self._is_parameter(wanted) else self.given(wanted)
        if value is None and made is not None:
            value = self._after.get((wanted, made))
        self.known[name] = Symbol(name, value, origin, made)
        return var(name)

    def named(self, name: str, origin: SymbolOrigin, value: int | None = None, declared: Span | None = None) -> Poly:
        """Return the symbol of exactly this name, made on first use, of the variable that is ``declared`` there."""
        if name not in self.known:
            self.taken.add(name)
            self.asked.add(name)
            if declared is not None:
                value = self._after.get((name, declared), value)
            self.known[name] = Symbol(name, self._defines.get(name, value), origin, declared)
        return var(name)

    def given(self, wanted: str) -> int | None:
        """Return the value that the user gives for a name; None also where it gives one for ``name.2``, say."""
        self.asked.add(wanted)
        return None if wanted in self._numbered else self._defines.get(wanted)

    def given_at_last(self, wanted: str, name: str) -> int | None:
        """Return the value that the user gives for a symbol with its final name, else for the ``wanted`` one.

        That of a parameter is the one at entry: what is stored in it later has its final name alone.
        """
        self.asked.add(name)
        return self._defines.get(name, None if self._is_parameter(wanted) else self._defines.get(wanted))

    def _is_parameter(self, name: str) -> bool:
        """Return whether a parameter has a symbol of this name, which stands for its value at entry."""
        known = self.known.get(name)
        return known is not None and known.origin is SymbolOrigin.PARAMETER

    def trip_count(self, line: int, value: int | None = None) -> str:
        """Return the name of a new symbol for the trip count of the loop on a line."""
        wanted = trip_of_line(line)
        name = self.unique(wanted)
        self.asked |= {wanted, name}
        given = self._defines.get(name)
        average = self._averages.get(name)
        if given is None and average is None:
            given, average = self._defines.get(wanted), self._averages.get(wanted)
        if average is not None and given is None:
            self.averages[name] = average
            value = None
        self.known[name] = Symbol(name, value if given is None else given, SymbolOrigin.TRIP_COUNT)
        return name

    def mean_trip_count(self, loop: Span, line: int) -> str:
        """Return the name of the symbol for the mean trip count of a loop in all calls that are summarized."""
        if loop not in self._means:
            self._means[loop] = self.trip_count(line)
        return self._means[loop]

    def is_trip_count_given(self, line: int) -> bool:
        """Return whether the user or a run gives the trip count of the loop on a line that is lowered next."""
        wanted = trip_of_line(line)
        name = self.unique(wanted)
        self.taken.discard(name)
        return any(key in given for key in (wanted, name) for given in (self._defines, self._averages))

    def has_value(self, name: str) -> bool:
        """Return whether a symbol has a value that is given."""
        symbol = self.known.get(name)
        return symbol is not None and symbol.value is not None

    def value_of(self, poly: Poly) -> int | None:
        """Return the whole number that a polynomial is where the values of all its symbols are given, else None.

        None also where it divides by zero.
        """
        if poly.unknowns():
            return None
        values = {
            name: item.value for name in poly.names() if (item := self.known.get(name)) and item.value is not None
        }
        try:
            number = poly.evaluate(values) if len(values) == len(poly.names()) else None
        except ZeroDivisionError:
            return None
        return number if isinstance(number, int) else None

    def _next_label(self) -> int:
        self._labels += 1
        return self._labels
