"""The memory of one lowering: arrays, and the names of the storage and of the registers that variables have."""

from __future__ import annotations

from ....ir.index import Poly
from ....ir.nodes import Array
from ...surface import nodes as sx
from .bindings import Slot
from .symbols import unused_name


class Memory:
    """The arrays of a region by name.

    ``storage`` names the array that a variable owns or first points at; nothing else in the source points at the
    ``unaliased`` ones, and the ``allocated`` ones come from an allocation.  ``extents`` are those of array types, by
    the identity of the type; ``counts`` are the elements that containers were made with (None: not always the same).
    """

    def __init__(self) -> None:
        """Start without arrays."""
        self.arrays: dict[str, Array] = {}
        self.storage: dict[sx.Variable, str] = {}
        self.unaliased: set[str] = set()
        self.allocated: set[str] = set()
        self.extents: dict[int, tuple[sx.ArrayT, Poly | None]] = {}
        self.counts: dict[tuple[str, int], Poly | None] = {}
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

    def slot_name(self, slot: Slot) -> str:
        """Return the register or array name of a variable or of a field of one."""
        is_address = isinstance(slot.type, sx.PointerT | sx.ArrayT)
        name = self.array_name(slot.variable) if is_address else self.register_name(slot.variable)
        return name + slot.path
