"""The state of host code that runs: memory, sources of what is unknown, the budget, and loops that are not followed.

While ``apart`` is set, a loop is not run but its effects are gone through once: every branch is taken and whatever is
assigned becomes unknown.  An assignment through a pointer that is itself unknown is taken not to change a size.
"""

from __future__ import annotations

from ..surface import nodes as sx
from .memory import COUNT, Memory, Place
from .tally import Tally
from .values import UNKNOWN, Reference, Source, Unknown, Value, element_of

HEAP = "heap"
STEPS = 150_000
SOFT_STEPS = 60_000


class Leave(Exception):
    """``exit()`` was called, or the budget is spent."""


class Spent(Exception):
    """A call that launches nothing takes too long."""


class Machine:
    """What is known at this point of a run; ``shared`` are globals that stand for one another."""

    def __init__(self, shared: dict[sx.Variable, sx.Variable]) -> None:
        """Nothing is known."""
        self._shared = shared
        self._memory = Memory()
        self._static: set[sx.Variable] = set()
        self._apart: sx.Statement | None = None
        self._tally = Tally.empty()
        self._doubts = 0  # conditions around that are not known
        self._steps = 0
        self._sources = 0
        self._limit = STEPS
        self._soft_limit = SOFT_STEPS

    @property
    def _is_spent(self) -> bool:
        return self._steps > STEPS

    @property
    def _is_short(self) -> bool:
        """Whether loops that launch nothing are no longer run."""
        return self._steps > self._soft_limit

    def _step(self) -> None:
        self._steps += 1
        if self._steps > self._limit:
            raise Leave if self._steps > STEPS else Spent

    def _unknown(self, name: str, reason: str, tree: sx.Statement | sx.Expression | sx.Variable) -> Unknown:
        """A new source."""
        self._sources += 1
        return Unknown((Source(name, reason, tree.span, self._sources),), "")

    # --- memory ----------------------------------------------------------------------------------------------------

    def _load(self, place: Place, otherwise: str, tree: sx.Expression) -> Value:
        """What a place holds; where nothing is known it becomes a source, so that it equals itself."""
        found = self._memory.read(place)
        if found is None:
            variable, path = place
            found = self._unknown(_name(place), otherwise, tree)
            parts = self._memory.of(variable)
            self._steps += len(parts) // 16 if parts else 0
            if not isinstance(variable.type, sx.StructT) or path:
                self._memory.store(place, found)
        return found

    def _store(self, place: Place, value: Value, is_plain: bool = False) -> None:
        """An assignment."""
        variable, path = place
        if variable.storage is not sx.Storage.LOCAL:
            self._static.add(variable)
        if self._apart is None:
            self._memory.store(place, value, is_plain)
            return
        changed = self._unknown(_name(place), "changes in a loop", self._apart)
        array, _, _ = path.partition("[")
        if "[" in path:
            self._memory.fill_elements(variable, array, changed)
        else:
            self._memory.store(place, changed)

    def _set_by(self, name: str, address: Value, call: sx.Expression) -> None:
        """A function without a body may have written behind an address."""
        if not isinstance(address, Reference):
            return
        place = (address.variable, address.path)
        base = element_of(address.path)
        reason = (
            "is read from a file or a stream" if name in _READERS else f"is set by {name}{'' if ' ' in name else '()'}"
        )
        changed = self._unknown(_name(place), reason, call)
        if base is None:
            self._store(place, changed)
            return
        self._memory.fill_elements(address.variable, base[0], changed)
        if self._memory.read((address.variable, base[0] + COUNT)) is not None and name in _READERS:
            self._memory.store((address.variable, base[0] + COUNT), changed)

    def _count(self, container: Value, call: sx.Expression) -> Value:
        """How many elements a container holds."""
        if not isinstance(container, Reference):
            return Unknown(container.sources) if isinstance(container, Unknown) else UNKNOWN
        base = element_of(container.path)
        path = container.path if base is None else base[0]
        return self._load((container.variable, path + COUNT), "is not known", call)

    def _set_count(self, container: Value, count: Value) -> None:
        if isinstance(container, Reference):
            base = element_of(container.path)
            path = container.path if base is None else base[0]
            self._store((container.variable, path + COUNT), count)

    def _allocated(self, call: sx.Expression, what: str = HEAP, kind: sx.CType | None = None) -> Reference:
        """The first element of a new block; ``kind`` is the class of what was constructed there."""
        return Reference(sx.Variable(what, kind or sx.UnknownT(HEAP), sx.Storage.LOCAL, call.span), "[0]")

    def _parts(self, address: Value) -> Value | None:
        """What lies at an address."""
        return self._memory.read((address.variable, address.path)) if isinstance(address, Reference) else None

    def _put(self, address: Value, value: Value) -> None:
        """Store at an address, as a library function does."""
        if isinstance(address, Reference):
            self._store((address.variable, address.path), value)


_READERS = frozenset(
    {"operator>>", "scanf", "fscanf", "fread", "fgets", "getline", "read", "get", "getc", "fgetc", "ifstream"}
)


def _name(place: Place) -> str:
    variable, path = place
    name = variable.name
    if name == HEAP:  # named by where it is made
        where = f"of what line {variable.span.line} makes"
        if path.endswith(COUNT):
            return f"the number of elements {where}"
        return f"{path.removeprefix('[0].')} {where}"
    return f"{name}{path.removesuffix(COUNT)}.size()" if path.endswith(COUNT) else name + path
