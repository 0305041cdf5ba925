"""What is known of registers and memory at a place of a program, and which stores may change it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ...ir.values import Access, Register
from .folding import Node


class State(Struct):
    """The value of each register, and of each element of memory, at a place of the program."""

    registers: dict[str, Node]
    memory: dict[Access, Node]

    def copy(self) -> State:
        """Return the same values, for what one branch changes."""
        return State(dict(self.registers), dict(self.memory))

    def define(self, name: str, node: Node) -> None:
        """Note the value of a register; a vector's lanes are its own (``a.x``), and one of them changes the vector."""
        for lane in [known for known in self.registers if known.startswith(f"{name}.")]:
            del self.registers[lane]
        whole = name.rpartition(".")[0]
        if whole in self.registers:
            vector = self.registers[whole]
            both = Register(whole, vector.value.type)
            self.registers[whole] = Node(both, (vector, node), node.statement, max(vector.depth, node.depth))
        self.registers[name] = node

    def forget(self, stored: Sequence[Access]) -> None:
        """Drop what stores somewhere in these arrays may have changed."""
        self.memory = {location: node for location, node in self.memory.items() if not may_change(stored, location)}

    def store(self, access: Access, node: Node) -> None:
        """Drop what may be the same location, and keep the value.

        Not in shared memory: threads wait for each other before they read it.
        """
        self.memory = {
            location: known
            for location, known in self.memory.items()
            if not may_change((access,), location) or is_elsewhere(location, access)
        }
        if not (access.atomic or access.shared):
            self.memory[access] = node


def may_change(stored: Sequence[Access], location: Access) -> bool:
    """Return whether stores may change a location: one of its type, in its array or in one that may overlap.

    Nor those to another type, but for members of a union.
    """
    return any(
        (access.array == location.array or not (access.unaliased or location.unaliased))
        if access.type.scalar is location.type.scalar
        else _are_of_union(access, location)
        for access in stored
    )


def _are_of_union(access: Access, other: Access) -> bool:
    """Return whether two accesses of different types are to members that overlap, of elements of one array.

    How long an array is that is a member is not known here: it may reach to the end of the element.
    """
    if access.array != other.array or not (access.member and other.member):
        return False
    if access.strides_bytes[:1] != other.strides_bytes[:1]:
        return False
    first, second = sorted((access, other), key=lambda each: each.offset_bytes)
    return len(first.strides_bytes) > 1 or first.offset_bytes + first.type.size_bytes > second.offset_bytes


def is_elsewhere(location: Access, other: Access) -> bool:
    """Return whether two accesses of the same scalar type are to different locations for certain.

    They are elements of one array.
    """
    if location.array != other.array or location.strides_bytes != other.strides_bytes or location.type != other.type:
        return False
    distances = [(a - b).constant for a, b in zip(location.subscripts, other.subscripts, strict=True)]
    if location.offset_bytes != other.offset_bytes and all(distance == 0 for distance in distances):
        return True
    return location.offset_bytes == other.offset_bytes and any(distance not in (None, 0) for distance in distances)
