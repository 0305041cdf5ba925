"""The memory of one lowering: arrays, and the names of the storage and of the registers that variables have."""

from __future__ import annotations

from collections.abc import Set

from ....ir.index import Poly
from ....ir.nodes import Array
from ....source import Span
from ...surface import nodes as sx
from ...surface.unions import Part
from .bindings import Either, Key, Slot
from .row_counts import RowCounts, RowKey
from .symbols import unused_name


class Memory:
    """The arrays of a region by name.

    ``storage`` names the array that a variable owns or first points at; nothing else in the source points at the
    ``unaliased`` ones, and the ``allocated`` ones come from an allocation, as do the ``objects``, which are variables.
    ``extents`` are those of array types, by the identity of the type. ``sizes`` are the variables that hold the
    numbers of elements of containers, by array; ``unsettled`` are those that change where no loop follows them.
    ``counts`` are the numbers of elements of rows by array and dimension, and ``rows_read`` those asked for.
    Containers of ``roomy`` arrays reserved memory. ``rooms`` are the numbers of elements for which containers were
    made, with the iterators of the loops around: these have room for no more.
    ``tables`` are the arrays that a pointer to one of several may point at, by a name for all; the number of the array
    in ``numbers`` is its first subscript.  ``chosen`` are the pointers to one of two of them, by their location there,
    and those to one of two functions, by a variable of their own; ``undecided`` where a variable may be bound to one.
    ``held`` are the pointers at fixed locations in memory, bound as variables are, by the array they start at;
    ``behind`` is the array that the pointers to an array are in.  ``escaped`` are variables and parts of them whose
    addresses are in memory, where not every pointer is followed.  ``followed`` are short arrays whose integers are
    followed as variables are.  ``constants`` are the elements of arrays of constant
    integers, row by row; ``lists`` are the addresses in local arrays that keep them, ``entries`` the
    list and the position in it (None: not known) that a variable was declared with; ``texts`` are the literals some of
    whose characters are taken, ``given_texts`` those that a call gives a parameter; ``filled`` are the outermost loops
    so far that store to an array whose form is known; ``host_forms`` are the first elements of arrays that the host
    code fills, by how much each is larger than the one before it, and where the kernel is; ``shared`` are the numbers
    that share bytes in objects of types, by the identity of the type.
    """

    def __init__(self, followed: Set[str] = frozenset()) -> None:
        """Start without arrays; some are ``followed`` from the start."""
        self.arrays: dict[str, Array] = {}
        self.storage: dict[sx.Variable, str] = {}
        self.unaliased: set[str] = set()
        self.objects: set[sx.Variable] = set()
        self.allocated: set[str] = set()
        self.given: set[str] = set()  # that a launch gives an address
        self.measured: set[str] = set()  # whose extent follows from given values
        self.sized_by: set[str] = set()  # names by which the size of allocated memory is given
        self.lengths: dict[str, Poly | None] = {}  # of memory allocated once, outside of loops; None: more than once
        self.extents: dict[int, tuple[sx.ArrayT, Poly | None]] = {}
        self.followed = set(followed)
        self.constants: dict[str, tuple[int, ...]] = {}
        self.lists: dict[sx.Variable, sx.InitializerList] = {}
        self.entries: dict[sx.Variable, tuple[sx.InitializerList, Poly | None]] = {}
        self.texts: dict[str, sx.Variable] = {}
        self.given_texts: dict[sx.Variable, str] = {}
        self.filled: dict[str, int] = {}
        self.host_forms: dict[str, tuple[int, int, Span]] = {}
        self.counts: dict[RowKey, RowCounts] = {}
        self.rows_read: set[RowKey] = set()
        self.tables: dict[str, frozenset[str]] = {}
        self.numbers: dict[str, int] = {}
        self.undecided = False
        self.held: dict[str, Slot] = {}
        self.behind: dict[str, str] = {}
        self.escaped: dict[Key, Slot] = {}
        self.chosen: dict[tuple[str, tuple[Poly, ...]] | sx.Variable, Either] = {}
        self.sizes: dict[str, sx.Variable] = {}
        self.unsettled: set[sx.Variable] = set()
        self.roomy: set[str] = set()
        self.rooms: dict[str, tuple[tuple[str, ...], Poly]] = {}
        self.shared: dict[int, tuple[sx.CType, tuple[Part, ...]]] = {}
        self._registers: dict[sx.Variable, str] = {}
        self._taken: dict[str, int] = {}

    def register_name(self, variable: sx.Variable) -> str:
        """Return the register of a scalar variable; variables that share a name get numbers."""
        known = self._registers.get(variable)
        if known is None:
            self._taken[variable.name] = number = self._taken.get(variable.name, 0) + 1
            self._registers[variable] = known = variable.name if number == 1 else f"{variable.name}.{number}"
        return known

    def array_name(self, variable: sx.Variable) -> str:
        """Return the storage that a variable owns or first points at."""
        if variable not in self.storage:
            self.storage[variable] = unused_name(variable.name, set(self.storage.values()) | self.arrays.keys())
        return self.storage[variable]

    def held_pointer(self, name: str, kind: sx.PointerT, span: Span, *, is_set: bool = True) -> Slot:
        """Return the variable that stands for a pointer in memory, which at first points at the array of this name.

        One that is not yet ``is_set`` points nowhere before something is stored to it.
        """
        if name not in self.held:
            storage = sx.Storage.PARAMETER if is_set else sx.Storage.LOCAL
            variable = sx.Variable(name, kind, storage, span)
            self.held[name] = Slot(variable, kind)
            self.storage[variable] = name
        return self.held[name]

    def number(self, array: str) -> int:
        """Return the number of an array among those of tables."""
        return self.numbers.setdefault(array, len(self.numbers))

    def is_behind(self, array: str, others: frozenset[str]) -> bool:
        """Return whether pointers lead from one of some arrays to an array, as along a list."""
        found: str | None = array
        while found is not None and found not in others:
            found = self.behind.get(found)
        return found is not None

    def is_of_unknown_pointers(self, array: str) -> bool:
        """Return whether pointers in memory that are not followed lead to an array, or to one of a table."""
        return any(name in self.held or name in self.behind for name in self.members(array))

    def members(self, array: str) -> frozenset[str]:
        """Return the arrays of a table, or the array itself."""
        return self.tables.get(array, frozenset((array,)))

    def slot_name(self, slot: Slot) -> str:
        """Return the register or array name of a variable or of a field of one."""
        is_address = isinstance(slot.type, sx.PointerT | sx.ArrayT)
        name = self.array_name(slot.variable) if is_address else self.register_name(slot.variable)
        return name + slot.path
