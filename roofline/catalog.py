"""The machines that ship with the package, found by id, alias or path.

Nothing is read at import. The first look-up reads only the head of each file (the keys above the first table); only the
machine that is asked for is parsed and checked.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from msgspec import Struct

from analyzer.errors import MachineError

from .machine.machine import Machine, MachineKind
from .machine.schema import load_machine, parse_machine

_TABLE = re.compile(r"^\[", re.MULTILINE)
_ROOFS = (".json", ".csv", ".txt")


class CatalogEntry(Struct, frozen=True, kw_only=True):
    """The head of a machine file."""

    id: str
    name: str
    vendor: str
    kind: MachineKind
    aliases: tuple[str, ...]
    file: Traversable


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
            raise MachineError(f"no machine is called {name!r}", hint=self._suggest(name))
        return _load_entry(entry.id)

    def _suggest(self, name: str) -> str:
        spelled = {_plain(text): text for entry in self.entries for text in (*entry.aliases, entry.id)}
        close = difflib.get_close_matches(_plain(name), spelled, n=3, cutoff=0.5)
        close += [plain for plain in spelled if _plain(name) and _plain(name) in plain and plain not in close]
        if close:
            return f"did you mean {', '.join(spelled[plain] for plain in close[:4])}?"
        return "a path to a machine file must end in .toml"


@cache
def load_catalog() -> Catalog:
    """Read the heads of the shipped files once and return the catalog."""
    folder = files(__package__) / "machines"
    found = [_read_head(file) for file in folder.iterdir() if file.name.endswith(".toml")]
    return Catalog(tuple(sorted(found, key=lambda entry: entry.id)))


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
    catalog = load_catalog()
    if "/" in name_or_path or "\\" in name_or_path:
        spelled = any(name_or_path.lower() == alias.lower() for entry in catalog.entries for alias in entry.aliases)
        return catalog.machine(name_or_path) if spelled else load_machine(name_or_path)
    return catalog.machine(name_or_path)


@cache
def _load_entry(machine_id: str) -> Machine:
    entry = next(entry for entry in load_catalog().entries if entry.id == machine_id)
    return parse_machine(entry.file.read_text(encoding="utf-8"), f"machines/{entry.file.name}")


def _read_head(file: Traversable) -> CatalogEntry:
    text = file.read_text(encoding="utf-8")
    table = _TABLE.search(text)
    head = tomllib.loads(text[: table.start()] if table else text)
    return CatalogEntry(
        id=head["id"],
        name=head["name"],
        vendor=head["vendor"],
        kind=MachineKind(head["kind"]),
        aliases=tuple(head.get("aliases", ())),
        file=file,
    )


def _names(entry: CatalogEntry) -> frozenset[str]:
    return frozenset(_plain(name) for name in (entry.id, *entry.aliases))


def _plain(name: str) -> str:
    """Return a name without the characters that a comparison ignores."""
    return re.sub(r"[^a-z0-9+]", "", name.lower())
