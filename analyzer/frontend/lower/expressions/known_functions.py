"""What the lowering knows about functions by name: a table beside this file, and nothing else.

>>> canonical_name("std::fabsf"), canonical_name("__builtin_sqrt"), canonical_name("expl")
('fabs', 'sqrt', 'exp')
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from types import MappingProxyType

from msgspec import Struct

from ....ir.values import Operation


class FunctionTable(Struct, frozen=True):
    """Known names: ``operations`` and ``atomics`` to one operation, ``mathematics`` to calls, the rest to nothing."""

    operations: MappingProxyType[str, Operation]
    mathematics: frozenset[str]
    silent: frozenset[str]
    silent_prefixes: tuple[str, ...]
    ends: frozenset[str]
    allocation: frozenset[str]
    allocation_by_address: frozenset[str]
    atomics: MappingProxyType[str, Operation | None]
    accessors: frozenset[str]
    data: frozenset[str]
    data_prefixes: tuple[str, ...]
    texture_prefixes: tuple[str, ...]

    def is_silent(self, name: str) -> bool:
        """Whether a call does nothing that is counted."""
        return name in self.silent or self.is_end(name) or name.startswith(self.silent_prefixes)

    def is_end(self, name: str) -> bool:
        """Whether a call ends the program."""
        return name.rsplit("::", 1)[-1] in self.ends

    def is_data(self, name: str) -> bool:
        """Whether a call only gives data that nothing is known about."""
        return name in self.data or name.startswith(self.data_prefixes) or self.is_texture(name)

    def is_texture(self, name: str) -> bool:
        """Whether a call reads memory through a texture or surface."""
        return name.startswith(self.texture_prefixes)


@cache
def table() -> FunctionTable:
    """The shipped table."""
    data = tomllib.loads(resources.files(__package__).joinpath("known_functions.toml").read_text("utf-8"))
    atomics = {name: Operation(kind) if kind else None for name, kind in data["atomics"].items()}
    return FunctionTable(
        MappingProxyType({name: Operation(kind) for name, kind in data["operations"].items()}),
        frozenset(data["mathematics"]["names"]),
        frozenset(data["silent"]["names"]),
        tuple(data["silent"]["prefixes"]),
        frozenset(data["ends"]["names"]),
        frozenset(data["allocation"]["names"]),
        frozenset(data["allocation_by_address"]["names"]),
        MappingProxyType(atomics),
        frozenset(data["accessors"]["names"]),
        frozenset(data["data"]["names"]),
        tuple(data["data"]["prefixes"]),
        tuple(data["textures"]["prefixes"]),
    )


def canonical_name(name: str) -> str:
    """The name without namespace, ``__builtin_`` and the f or l suffix, where the rest is a known function."""
    bare = name.rsplit("::", 1)[-1]
    known = table().mathematics | table().operations.keys()
    if bare in known:
        return bare
    stripped = bare.removeprefix("__builtin_")
    if stripped in known or stripped == "abs":
        return stripped
    if stripped[-1:] in ("f", "l") and stripped[:-1] in known:
        return stripped[:-1]
    return "abs" if stripped in ("labs", "llabs") else bare
