"""The machines that ship with the package, found by id, alias or path.

Nothing is read at import. A look-up reads the files, but parses only heads (the keys above the first table) that hold
the name, and the machine itself; a list of all machines parses all heads.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from analyzer.errors import MachineError
from analyzer.near_names import near_names
from analyzer.python.regex import regex

from .machine.hardware import MachineKind
from .machine.machine import Machine
from .machine.schema import load_machine, parse_machine

_TABLE = regex(r"^\[", re.MULTILINE)
_MACHINES = Path(__file__).with_name("machines")
_ROOFS = (".json", ".csv", ".txt")


class CatalogEntry(Struct, frozen=True, kw_only=True):
    """The head of a machine file."""

    id: str
    name: str
    vendor: str
    kind: MachineKind
    aliases: tuple[str, ...]
    file: Path


class Catalog(Struct, frozen=True):
    """The shipped machines, sorted by id."""

    entries: tuple[CatalogEntry, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the id of every shipped machine."""
        return tuple(entry.id for entry in self.entries)

    def find(self, name: str) -> CatalogEntry | None:
        """Return the entry with this id or alias; case, blanks, ``-``, ``_`` and ``/`` do not matter."""
        wanted = _plain(name)
        return next((entry for entry in self.entries if wanted in _names(entry)), None)

    def machine(self, name: str) -> Machine:
        """Parse and check one shipped machine; an unknown name raises MachineError with suggestions."""
        entry = self.find(name)
        if entry is None:
            own = Path(f"{name}.toml")
            hint = f"your file is --machine ./{own}" if own.is_file() else self._suggest(name)
            raise MachineError(f"no machine is called {name!r}", hint=hint)
        return _machine_of(entry.file)

    def _suggest(self, name: str) -> str:
        spelled = {_plain(text): text for entry in self.entries for text in (*entry.aliases, entry.id)}
        close = [*near_names(_plain(name), spelled, most=3, least_alike=0.5)]
        close += [plain for plain in spelled if _plain(name) and _plain(name) in plain and plain not in close]
        if close:
            return f"did you mean {', '.join(spelled[plain] for plain in close[:4])}?"
        return "a path to a machine file must end in .toml"


@cache
def load_catalog() -> Catalog:
    """Read the heads of the shipped files once and return the catalog."""
    return _catalog_of(_heads())


def find_machine(name_or_path: str) -> Machine:
    """Return a machine by id, alias, or path (ends in ``.toml`` or contains a slash); raises MachineError.

    ``roofline.json@v100`` is the machine ``v100`` with the roofs measured by a tool
    (:mod:`.machine_from_measurements`).
    """
    if name_or_path.lower().endswith(".toml"):
        return load_machine(name_or_path)
    file, at, base = name_or_path.rpartition("@")
    if at and file.lower().endswith(_ROOFS):
        from .machine_from_measurements import import_machine

        return import_machine(file, find_machine(base)).machine
    if name_or_path.lower().endswith(_ROOFS):
        raise MachineError(
            "measured roofs state neither cores nor caches",
            path=name_or_path,
            hint=f"write {name_or_path}@NAME, NAME being the machine that was measured",
        )
    wanted = _plain(name_or_path)
    catalog = _catalog_of({file: head for file, head in _heads().items() if wanted in _plain(head)})
    if catalog.find(name_or_path) is None:
        catalog = load_catalog()
    if "/" in name_or_path or "\\" in name_or_path:
        spelled = any(name_or_path.lower() == alias.lower() for entry in catalog.entries for alias in entry.aliases)
        return catalog.machine(name_or_path) if spelled else load_machine(name_or_path)
    return catalog.machine(name_or_path)


def example_machine() -> str:
    """Return the text of a small complete machine file."""
    return (_MACHINES.parent / "machine" / "example.toml").read_text(encoding="utf-8")


@cache
def _machine_of(file: Path) -> Machine:
    return parse_machine(file.read_text(encoding="utf-8"), f"machines/{file.name}")


@cache
def _heads() -> Mapping[Path, str]:
    """Return the text above the first table of each shipped file."""
    return {file: _TABLE.split(file.read_text(encoding="utf-8"), 1)[0] for file in _MACHINES.glob("*.toml")}


def _catalog_of(heads: Mapping[Path, str]) -> Catalog:
    entries = (_entry(file, tomllib.loads(head)) for file, head in heads.items())
    return Catalog(tuple(sorted(entries, key=lambda entry: entry.id)))


def _entry(file: Path, head: Mapping[str, Any]) -> CatalogEntry:
    return CatalogEntry(
        id=head["id"],
        name=head["name"],
        vendor=head["vendor"],
        kind=MachineKind(head["kind"]),
        aliases=tuple(head.get("aliases", ())),
        file=file,
    )


def _names(entry: CatalogEntry | Machine) -> frozenset[str]:
    return frozenset(_plain(name) for name in (entry.id, *entry.aliases))


def is_called(machine: Machine, name: str) -> bool:
    """Return whether a machine has this id or alias, as :meth:`Catalog.find` compares them."""
    return _plain(name) in _names(machine)


def _plain(name: str) -> str:
    """Return a name without the characters that a comparison ignores."""
    return re.sub(r"[^a-z0-9+]", "", name.lower())
