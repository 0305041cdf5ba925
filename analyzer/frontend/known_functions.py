"""The functions that are known by name: what they compute, read and write, from the table of this name in TOML.

What the program defines wins over the table: callers ask it for a name only where no body of the program has it.

>>> canonical_name("std::fabsf"), canonical_name("__builtin_sqrt"), canonical_name("expl"), canonical_name("MIN")
('fabs', 'sqrt', 'exp', 'min')
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from ..ir.nodes import Barrier
from ..ir.values import Operation
from ..python.regex import regex

_LANEWISE = regex(r"__ai_([a-z]+)_")
"""Names in our headers of what is done to all lanes of a vector; the type of the result follows."""
_OF_AN_END = regex(r"(?:.*_)?(?:abort|die|fatal|panic)|(?:.*_)?(?:ABORT|DIE|FATAL|PANIC)|.*(?:Abort|Die|Fatal|Panic)")
_SIZED = regex(r"^(__sync_\w+)_\d+$")
"""How compilers name an atomic update of so many bytes."""


class MemoryFunction(Struct, frozen=True, kw_only=True):
    """Positions of the arguments of a function that copies or fills memory; -1 where it has none."""

    target: int
    size: int
    source: int = -1
    value: int = -1


class FunctionTable(Struct, frozen=True, kw_only=True):
    """Known names: ``operations`` and ``atomics`` to one operation, ``mathematics`` to calls, ``aliases`` to names.

    ``threads`` are what starts one, to the name of its library, and what waits for one, to ""; ``parallel`` is what has
    the loops of its caller run on several cores.
    """

    operations: Mapping[str, Operation]
    aliases: Mapping[str, str]
    integers: frozenset[str]
    mathematics: frozenset[str]
    reals: frozenset[str]
    characters: frozenset[str]
    outputs: Mapping[str, Sequence[int]]
    silent: frozenset[str]
    silent_prefixes: tuple[str, ...]
    barriers: Mapping[str, Barrier]
    threads: Mapping[str, str]
    parallel: Mapping[str, str]
    input: frozenset[str]
    message_prefixes: tuple[str, ...]
    reductions: Mapping[str, int]
    reading: frozenset[str]
    forwarding: frozenset[str]
    ends: frozenset[str]
    allocation: frozenset[str]
    allocation_by_address: frozenset[str]
    pinned: frozenset[str]
    managed: frozenset[str]
    allocation_sizes: Mapping[str, tuple[int, ...]]
    identity: frozenset[str]
    atomics: Mapping[str, Operation | None]
    memory: Mapping[str, MemoryFunction]
    resizing: frozenset[str]
    reserving: frozenset[str]
    accessors: frozenset[str]
    data: frozenset[str]
    data_writing: frozenset[str]
    string_functions: frozenset[str]
    lengths: frozenset[str]
    data_prefixes: tuple[str, ...]
    texture_prefixes: tuple[str, ...]
    surface_writes: frozenset[str]
    device_prefixes: tuple[str, ...]
    management: tuple[str, ...]
    algorithms: frozenset[str]
    bookkeeping: frozenset[str]
    releasing: frozenset[str]
    opening: frozenset[str]
    transferring: frozenset[str]
    checking: frozenset[str]
    timed: frozenset[str]

    def is_computed(self, name: str) -> bool:
        """Return whether a call is arithmetic: an operation, a function of mathematics, or one of integers."""
        return name in self.operations or name in self.mathematics or name in self.integers

    def is_silent(self, name: str) -> bool:
        """Return whether a call does nothing that is counted."""
        named = name in self.silent or name in self.input
        return named or self.is_end(name) or name.startswith(self.silent_prefixes)

    def is_message(self, name: str) -> bool:
        """Return whether a call sends data to other processes, receives data from them, or sets that up."""
        return name.startswith(self.message_prefixes) and not self.is_silent(name) and not self.is_data(name)

    def is_end(self, name: str) -> bool:
        """Return whether a call ends the program."""
        return name.rsplit("::", 1)[-1] in self.ends

    def may_be_end(self, name: str) -> bool:
        """Return whether the last word of a name is one for the end of a program: ``comm_abort``, ``LibraryAbort``."""
        return _OF_AN_END.fullmatch(name) is not None

    def is_data(self, name: str) -> bool:
        """Return whether a call only gives data that nothing is known about."""
        named = name in self.data or name in self.data_writing
        return named or name.startswith(self.data_prefixes) or self.is_texture(name)

    def is_texture(self, name: str) -> bool:
        """Return whether a call reads memory through a texture or surface."""
        return name.startswith(self.texture_prefixes)

    def launches(self, name: str) -> bool:
        """Return whether a call of a library runs kernels of its own on the GPU."""
        return name.startswith(self.device_prefixes) and not any(word in name for word in self.management)

    def takes_time(self, name: str) -> bool:
        """Return whether a call does nothing that is counted, and takes so long that it is known to the core model."""
        return name in self.timed or name in self.transferring

    def only_reads(self, name: str) -> bool:
        """Return whether a call is known to write nothing through the pointers that it is given."""
        return name in self.silent or name in self.reading or name in self.data


@cache
def table() -> FunctionTable:
    """Return the shipped table."""
    data = tomllib.loads(Path(__file__).with_name("known_functions.toml").read_text("utf-8"))
    atomics = {name: Operation(kind) if kind else None for name, kind in data["atomics"].items()}
    names = {section: frozenset(entry["names"]) for section, entry in data.items() if "names" in entry}
    barriers = {name: kind for kind in Barrier for name in data["barriers"][kind.value]}
    names["mathematics"] |= data["outputs"].keys()
    names["silent"] |= barriers.keys() - names["data"]
    threads = {**data["threads"]["starts"], **dict.fromkeys(data["threads"]["joins"], "")}
    names["silent"] |= threads.keys() | data["threads"]["runs"].keys()
    names["string_functions"] |= (lengths := frozenset(data["string_functions"]["lengths"]))
    characters = frozenset(data["data"]["characters"])
    names["data"] |= names["string_functions"] | characters
    names["allocation_by_address"] |= names["pinned"] | names["managed"]
    sizes = {**data["allocation"]["sizes"], **data["allocation_by_address"]["sizes"]}
    return FunctionTable(
        operations=MappingProxyType({name: Operation(kind) for name, kind in data["operations"].items()}),
        aliases=MappingProxyType(data["aliases"]),
        outputs=MappingProxyType(data["outputs"]),
        silent_prefixes=tuple(data["silent"]["prefixes"]),
        barriers=MappingProxyType(barriers),
        threads=MappingProxyType(threads),
        parallel=MappingProxyType(data["threads"]["runs"]),
        message_prefixes=tuple(data["messages"]["prefixes"]),
        reductions=MappingProxyType(data["messages"]["reductions"]),
        atomics=MappingProxyType(atomics),
        memory=MappingProxyType({name: MemoryFunction(**entry) for name, entry in data["memory"].items()}),
        allocation_sizes=MappingProxyType({name: tuple(positions) for name, positions in sizes.items()}),
        data_writing=frozenset(data["data"]["writing"]),
        characters=characters,
        data_prefixes=tuple(data["data"]["prefixes"]),
        lengths=lengths,
        texture_prefixes=tuple(data["textures"]["prefixes"]),
        surface_writes=frozenset(data["textures"]["writes"]),
        device_prefixes=tuple(data["device_libraries"]["prefixes"]),
        management=tuple(data["device_libraries"]["management"]),
        algorithms=frozenset(data["device_libraries"]["algorithms"]),
        bookkeeping=frozenset(data["bookkeeping"]["classes"]),
        **names,
    )


def canonical_name(name: str) -> str:
    """Return a name without namespace, ``__builtin_`` and the f or l suffix, where the rest is a known function."""
    bare = name.rsplit("::", 1)[-1]
    lanewise = _LANEWISE.match(bare)
    if lanewise:
        return lanewise[1] if table().is_computed(lanewise[1]) else f"__ai_{lanewise[1]}"
    if table().is_computed(bare):
        return bare
    stripped = _SIZED.sub(r"\1", bare.removeprefix("__builtin_"))
    if table().is_computed(stripped):
        return stripped
    if stripped[-1:] in ("f", "l") and table().is_computed(stripped[:-1]):
        return stripped[:-1]
    if stripped in table().memory:
        return stripped
    return table().aliases.get(stripped, bare)
