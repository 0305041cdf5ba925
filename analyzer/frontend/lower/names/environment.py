"""The environment of one lowering: the values of variables.

A variable is bound to a *value*, not to a cell: integers to polynomials, pointers to locations.  Inside a loop the
variables that it changes are bound to placeholders, which are replaced once the body is known.
"""

from __future__ import annotations

from collections.abc import Set

from ....ir.values import Constant
from ...surface import nodes as sx
from .bindings import Binding, Bindings, Either, Integer, Key, Location, Pointer, Slot, Undefined, fold, variables_of


class Environment:
    """``bindings`` are copied where control flow splits and joined where it meets; the rest holds at every point.

    ``defaults`` are the values at entry of integers that are bound to nothing, ``constants`` those of ``const``
    floating-point variables (None: not a number).
    """

    def __init__(self) -> None:
        """Start with nothing bound."""
        self.bindings: Bindings = {}
        self.defaults: dict[Key, Integer] = {}
        self.constants: dict[sx.Variable, Constant | None] = {}
        self._ever_open: dict[Key, None] = {}
        self._assigned: dict[sx.Variable, set[str]] = {}

    def get(self, slot: Slot) -> Binding | None:
        """Return the binding of a variable."""
        return self.bindings.get(slot.key)

    def bind(self, slot: Slot, binding: Binding) -> None:
        """Give a variable a new value."""
        self.bindings[slot.key] = binding
        self.note(slot.key, binding)
        if not isinstance(binding, Undefined):
            self.note_assigned(slot)

    def note_assigned(self, slot: Slot) -> None:
        """Take note that something gives a variable, or a field of it, a value wherever its object is."""
        self._assigned.setdefault(slot.variable, set()).add(slot.path)

    def is_never_assigned(self, slot: Slot) -> bool:
        """Return whether nothing so far has given a field of a variable a value, nor a part of it or what it is in."""
        inside, path = f"{slot.path}.", slot.path
        paths = self._assigned.get(slot.variable, ())
        return not any(each == path or each.startswith(inside) or path.startswith(f"{each}.") for each in paths)

    def arrays_behind(self, names: Set[str]) -> frozenset[str]:
        """Return names of written storage with those of the arrays that variables of these names point into."""
        found = set(names)
        for (variable, _), binding in self.bindings.items():
            if variable.name in names and isinstance(binding, Pointer | Either):
                found |= fold(binding, _variables_behind, lambda _, first, second: first | second)
        return frozenset(found)

    def note(self, key: Key, binding: Binding) -> None:
        """Take note of a binding that is part of new ``bindings``."""
        if isinstance(binding, Either):
            self._ever_open[key] = None

    def undecided(self) -> dict[Key, Either]:
        """Return what is bound to one of two pointers, without looking at all that is bound."""
        bound = ((key, self.bindings.get(key)) for key in self._ever_open)
        return {key: binding for key, binding in bound if isinstance(binding, Either)}

    def keys_of(self, variable: sx.Variable) -> list[Key]:
        """Return the keys of a variable and of its fields that are bound."""
        return [key for key in self.bindings if key[0] is variable]

    def forget(self, variable: sx.Variable) -> None:
        """Unbind a variable and its fields: it is a new object."""
        self._assigned.pop(variable, None)
        for key in self.keys_of(variable):
            del self.bindings[key]

    def copied(self) -> Bindings:
        """Return the bindings as they are now."""
        return dict(self.bindings)


def _variables_behind(pointer: Pointer) -> frozenset[str]:
    return variables_of(pointer.target.array) if isinstance(pointer.target, Location) else frozenset()
