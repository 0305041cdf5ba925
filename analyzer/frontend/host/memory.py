"""Memory of host code: what is known of every variable and of every block of the heap, by path within it.

A path is ``.member`` and ``[index]`` repeated.  ``path.#`` is the number of elements of the container at ``path``,
``path[*]`` what its elements hold that have no entry of their own, ``path*`` the same for everything below ``path``
(memory set to zero).  A block all of whose elements are whole numbers by a closed form has its first one and the step
beside its elements, until anything is stored there.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ..surface import nodes as sx
from .values import Fields, Reference, Unknown, Value, array_of, depending, derived, element_of, flattened

_ELEMENTS = 20_000
COUNT = ".#"
_EACH, _REST = "[*]", "*"
Location = tuple[sx.Variable, str]
Parts = dict[str, Value]
Form = tuple[int, int]
"""Of a block: its first element, and by how much each is larger than the one before it."""
_FIRST, _STEP = ".=first", ".=step"

_MOST_COMPARED = 1 << 20
"""Elements set one by one, times the parts each is compared with, which bounds time."""


class Run(Struct, frozen=True):
    """Elements of an array from ``first`` on, ``count`` of them (None: all); the object ``array`` itself without one.

    ``is_plain`` ones are numbers or addresses; ``is_whole`` says that the array has no others.
    """

    variable: sx.Variable
    array: str
    first: int | None
    count: int | None = None
    is_whole: bool = False
    is_plain: bool = False

    def has(self, index: int) -> bool:
        """Return whether an element is one of the run."""
        return self.count is None or 0 <= index - (self.first or 0) < self.count

    def paths(self) -> Iterator[str]:
        """Yield the path of each element of a run that has an end."""
        if self.first is None:
            yield self.array
            return
        for index in range(self.first, self.first + (self.count or 0)):
            yield f"{self.array}[{index}]"


class Memory:
    """Values by variable and path."""

    def __init__(self, parts: dict[sx.Variable, Parts] | None = None) -> None:
        """Start empty, or with what another one holds."""
        self._parts: dict[sx.Variable, Parts] = parts or {}
        self._own: set[sx.Variable] = set()  # those whose parts no other memory shares
        self.size = 0  # of all parts, which bounds what following a program costs
        self._nested: set[sx.Variable] = set()  # arrays whose elements have parts
        self.formed: set[sx.Variable] = set()  # blocks that may have a closed form
        self._doubted: set[sx.Variable] = set()  # those where an element was stored that is not kept

    def copy(self) -> Memory:
        """Return an independent copy; parts that neither changes are shared."""
        copied = Memory(dict(self._parts))
        copied.size = self.size
        copied._nested |= self._nested
        copied.formed |= self.formed
        copied._doubted |= self._doubted
        self._own.clear()
        return copied

    def _mutable(self, variable: sx.Variable) -> Parts:
        if variable not in self._own:
            self._parts[variable] = dict(self._parts.get(variable, {}))
            self._own.add(variable)
        return self._parts[variable]

    def form_of(self, variable: sx.Variable) -> Form | None:
        """Return the closed form of a block; None where it has none that is known."""
        if variable not in self.formed:
            return None
        first, step = (self.exact((variable, path)) for path in (_FIRST, _STEP))
        return (first, step) if isinstance(first, int) and isinstance(step, int) else None

    def set_form(self, variable: sx.Variable, form: Form | None) -> None:
        """Set, or forget, the closed form of a block."""
        if form is None:
            self._forget_form(variable, self._mutable(variable))
            return
        parts = self._mutable(variable)
        self.size += 2 * (_FIRST not in parts)
        parts[_FIRST], parts[_STEP] = form
        self.formed.add(variable)

    def _forget_form(self, variable: sx.Variable, parts: Parts) -> None:
        if variable in self.formed:
            self.size -= 2 * (parts.pop(_FIRST, None) is not None)
            parts.pop(_STEP, None)
            self.formed.discard(variable)

    def variables(self) -> Iterator[sx.Variable]:
        """Yield every variable with a known part."""
        return iter(self._parts)

    def of(self, variable: sx.Variable) -> Parts | None:
        """Return the known parts of one variable."""
        return self._parts.get(variable)

    def put(self, variable: sx.Variable, parts: Parts | None) -> None:
        """Set all that is known of one variable."""
        self._own.discard(variable)
        self._doubted.discard(variable)
        self.size += len(parts or ()) - len(self._parts.get(variable, ()))
        if parts is None:
            self._parts.pop(variable, None)
        else:
            self._parts[variable] = parts

    def exact(self, location: Location) -> Value | None:
        """Return the value that was stored at exactly this location."""
        parts = self._parts.get(location[0])
        return None if parts is None else parts.get(location[1])

    def read(self, location: Location) -> Value | None:
        """Return what a location holds, as ``Fields`` where it has parts; None where nothing was stored."""
        variable, path = location
        parts = self._parts.get(variable)
        if parts is None:
            return None
        found = parts.get(path)
        if found is not None:
            return found
        is_nested = variable in self._nested
        below = (path + ".", path + "[")
        inner: dict[str, Value] = {}
        if is_nested or not path.endswith("]"):
            inner = {inner[len(path) :]: value for inner, value in parts.items() if inner.startswith(below)}
        default = _default(parts, path, is_nested)
        if default is not None and not inner:
            return default
        if default is not None:
            inner[_REST] = default
        return Fields(inner) if inner else None

    def store(self, location: Location, value: Value, is_plain: bool = False) -> None:
        """Set a location; earlier parts of a struct or array there are gone; an ``is_plain`` location never has any."""
        variable, path = location
        parts = self._mutable(variable)
        self._forget_form(variable, parts)
        is_plain = is_plain or (path.endswith("]") and variable not in self._nested)
        if isinstance(value, Fields) or (isinstance(value, Unknown) and path not in parts and not is_plain):
            self._clear(parts, path)
        for inner, known in flattened(path, value):
            if "]" in inner[:-1]:
                self._nested.add(variable)
            if inner not in parts:
                if self.size >= _ELEMENTS:
                    self._doubt_defaults(variable, parts)
                    continue
                self.size += 1
            parts[inner] = known

    def _doubt_defaults(self, variable: sx.Variable, parts: Parts) -> None:
        """Forget what fills arrays of a variable, one element of which cannot be kept."""
        if variable not in self._doubted:
            parts.update(
                (inner, derived(value)) for inner, value in parts.items() if _EACH in inner or inner.endswith(_REST)
            )
            self._doubted.add(variable)

    def fill(self, location: Location, value: Value) -> None:
        """Set everything at and below a location."""
        variable, path = location
        array = array_of(path)
        parts = self._mutable(variable)
        self._forget_form(variable, parts)
        self._clear(parts, array)
        parts[array + _REST] = value
        self._doubted.discard(variable)
        self.size += 1

    def fill_elements(self, variable: sx.Variable, array: str, value: Value) -> None:
        """Set every element of an array."""
        parts = self._mutable(variable)
        self._forget_form(variable, parts)
        count = parts.get(array + COUNT)
        self._clear(parts, array)
        self._doubted.discard(variable)
        before = len(parts)
        if count is not None:
            parts[array + COUNT] = count
        for inner, known in flattened(array + _EACH, value):
            parts[inner] = known
            if "]" in inner[:-1]:
                self._nested.add(variable)
        self.size += len(parts) - before

    def _clear(self, parts: Parts, path: str) -> None:
        if not path:
            self.size -= len(parts)
            parts.clear()
            return
        below = (path + ".", path + "[", path + "*")
        for inner in [inner for inner in parts if inner == path or inner.startswith(below)]:
            del parts[inner]
            self.size -= 1

    def moved(self, source: Reference, target: Reference) -> None:
        """Copy all that lies behind one address to another one, element by element."""
        first, second = element_of(source.path), element_of(target.path)
        if first is None or second is None or first[1] or second[1]:
            found = self.read((source.variable, source.path))
            if found is not None:
                self.store((target.variable, target.path), found)
            return
        self._replace(Run(source.variable, first[0], 0), Run(target.variable, second[0], 0), is_whole=True)

    def copy_run(self, source: Run, target: Run, missing: Value) -> bool:
        """Copy a run of elements to one of the same length, where nothing is known ``missing``; return False where
        what is known of the arrays cannot say it: the target is then as it was.
        """
        parts = [self._parts.get(run.variable, {}) for run in (target, source)]
        is_defaulted = any(
            "*" in inner and not isinstance(value, Unknown) for known in parts for inner, value in known.items()
        )
        if (not is_defaulted or (target.is_whole and not target.array)) and None not in (source.first, target.first):
            self._replace(source, target, is_whole=target.is_whole)
            return True
        if not self._is_settable(sum(map(len, parts)), target):
            return False
        if source.is_plain and target.is_plain and self._is_flat(source):
            self._copy_plain(source, target, missing)
            return True
        found = [self.read((source.variable, path)) for path in source.paths()]
        for path, value in zip(target.paths(), found, strict=True):
            self.store((target.variable, path), missing if value is None else value, target.is_plain)
            known = value.parts if isinstance(value, Fields) else {}
            if is_defaulted and not target.is_plain and _REST not in known:
                self._set(target.variable, path + _REST, missing)
        return True

    def _is_flat(self, run: Run) -> bool:
        """Return whether no element of a run's array has parts, nor is filled apart from the others."""
        below = run.array + "["
        parts = self._parts.get(run.variable, {})
        filled = any(inner.startswith(below) and inner.endswith("]" + _REST) for inner in parts)
        return run.variable not in self._nested and not filled

    def _copy_plain(self, source: Run, target: Run, missing: Value) -> None:
        """Copy numbers or addresses of an array without arrays in it: its elements without a value are all alike."""
        given = self._parts.get(source.variable, {})
        alike = _default(given, f"{source.array}[{source.first}]", is_nested=False)
        values = [given.get(path, alike) for path in source.paths()]
        into = self._mutable(target.variable)
        self._forget_form(target.variable, into)
        before = len(into)
        into.update(zip(target.paths(), (missing if value is None else value for value in values), strict=True))
        self.size += len(into) - before
        if "]" in target.array:
            self._nested.add(target.variable)

    def fill_run(self, run: Run, value: Value) -> bool:
        """Set a run of elements and all that they hold; return False where what is known of the array cannot say it."""
        if run.is_whole:
            self.fill((run.variable, next(run.paths())), value)
            return True
        parts = self._mutable(run.variable)
        if not self._is_settable(len(parts), run):
            return False
        self._forget_form(run.variable, parts)
        for path in run.paths():
            self._clear(parts, path)
            self._set(run.variable, path if run.is_plain else path + _REST, value)
        return True

    def _is_settable(self, compared: int, run: Run) -> bool:
        """Return whether elements can be set one by one: few, and before what is known of all elements."""
        count = run.count or 0
        if count * compared > _MOST_COMPARED or self.size + count > _ELEMENTS:
            return False
        return (run.is_plain and not run.array) or not any(
            _EACH in inner for inner in self._parts.get(run.variable, ())
        )

    def _set(self, variable: sx.Variable, path: str, value: Value) -> None:
        parts = self._mutable(variable)
        self._doubted.discard(variable)
        self.size += path not in parts
        parts[path] = value

    def _replace(self, source: Run, target: Run, *, is_whole: bool) -> None:
        """Replace a run, or a whole array, by what is known of another run and by what fills all of its array."""
        copied: Parts = {}
        begin = source.array + "["
        shift = (target.first or 0) - (source.first or 0)
        for inner, value in self._parts.get(source.variable, {}).items():
            if inner.startswith(begin):
                index, _, rest = inner[len(begin) :].partition("]")
                number = _number(index)
                if number is None:
                    copied[f"{target.array}[{index}]{rest}"] = value
                elif source.has(number):
                    copied[f"{target.array}[{number + shift}]{rest}"] = value
            elif inner == source.array + _REST:
                copied[target.array + _REST] = value
        into = self._mutable(target.variable)
        self._forget_form(target.variable, into)
        self._doubted.discard(target.variable)
        before = len(into)
        below = target.array + "["
        for inner in [inner for inner in into if inner.startswith((below, target.array + _REST))]:
            number = _number(inner[len(below) :].partition("]")[0]) if inner.startswith(below) else None
            if is_whole or (number is not None and target.has(number)):
                del into[inner]
        into.update(copied)
        self.size += len(into) - before
        if source.variable in self._nested or any("]" in inner[:-1] for inner in copied):
            self._nested.add(target.variable)

    def agree(self, other: Memory, given: Value) -> None:
        """Keep what another memory has the same value for; the rest is mine where ``given`` holds, else theirs."""
        missing = depending("?", (given,))
        self.formed |= other.formed
        for variable, mine in list(self._parts.items()):
            theirs = other._parts.get(variable, {})
            if mine is not theirs and mine != theirs:
                parts = self._mutable(variable)
                before = len(parts)
                for path, value in parts.items():
                    other_value = theirs.get(path, missing)
                    if other_value != value:
                        parts[path] = depending("?:", (given, value, other_value))
                for path in theirs.keys() - parts.keys():
                    parts[path] = missing
                self.size += len(parts) - before
        for variable, theirs in other._parts.items():
            if variable not in self._parts:
                self._parts[variable] = dict.fromkeys(theirs, missing)
                self.size += len(theirs)


def _default(parts: Parts, path: str, is_nested: bool) -> Value | None:
    """Return the value that fills the elements around a path."""
    base = element_of(path)
    if base is not None:
        each = parts.get(base[0] + _EACH)
        if each is not None:
            return each
        below = base[0] + _EACH
        if is_nested:
            inner = {name[len(below) :]: value for name, value in parts.items() if name.startswith(below)}
            if inner:
                return Fields(inner)
    start = path.rfind("[")
    while start >= 0:
        alike = parts.get(path[:start] + _EACH + path[path.index("]", start) + 1 :])
        if alike is not None:
            return alike
        start = path.rfind("[", 0, start)
    end = len(path)
    while end >= 0:
        found = parts.get(path[:end] + _REST)
        if found is not None:
            return found
        end = max(path.rfind(".", 0, end), path.rfind("[", 0, end)) if end else -1
    return None


def _number(index: str) -> int | None:
    """Return an index; None for the key of a map, and for all elements."""
    return int(index) if index.removeprefix("-").isdecimal() else None
