"""Maps and sets of the C++ library in host code, as far as their keys are known.

An entry is at ``path[k...]`` (a text as hexadecimal digits) or ``path[=3]`` of its container, with ``.first`` and, in a
map, ``.second``.  An iterator has the address of its entry as ``.item``; that of the end is ``path[end]``.  A key that
is not known makes everything in the container unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....python.regex import regex
from ...surface import nodes as sx
from ..state import HostState
from ..values import UNKNOWN, Fields, Reference, Unknown, Value, flattened

_TREE = regex(r"std::(?:unordered_)?(?P<multi>multi)?(?P<kind>map|set)<")
_ITERATOR = "std::ai_node<"
_ENTRY = regex(r"\[(?:k(?P<text>(?:[0-9a-f]{2})*)|=(?P<number>-?\d+))\]\.first")
_FIRST, _SECOND, _ITEM, _END = ".first", ".second", ".item", "[end]"
_KeyValue = int | str


def is_tree(kind: sx.CType) -> bool:
    """Return whether a type is a map, a set, or an iterator of one."""
    return isinstance(kind, sx.StructT) and (_TREE.match(kind.name) is not None or kind.name.startswith(_ITERATOR))


def made_tree(kind: sx.StructT, values: Sequence[Value]) -> Fields | None:
    """Return a map or set with the entries of an initializer list; None where one of their keys is not known."""
    parts: dict[str, Value] = {}
    for value in values:
        for key, given in _pairs(value, kind):
            if not isinstance(key, int | str):
                return None
            parts.setdefault(_name_of(key) + _FIRST, key)
            if given is not None:
                parts.update(flattened(_name_of(key) + _SECOND, given))
    return Fields(parts)


def tree_method(state: HostState, call: sx.Call, kind: sx.CType, values: Sequence[Value]) -> Value:
    """Run a method of a map, a set, or of an iterator; ``values`` begin with the object: its address, or a value."""
    name = call.name.rsplit("::", 1)[-1]
    if isinstance(kind, sx.StructT) and kind.name.startswith(_ITERATOR):
        return _iterator_method(state, name, values)
    this = values[0]
    if not isinstance(this, Reference) or not isinstance(kind, sx.StructT):
        return UNKNOWN
    handler = _METHODS.get(name)
    if handler is not None and not (name in _WRITERS and state.summarized is not None):
        return handler(state, call, kind, this, values[1:])
    if name not in _READERS:
        _spoil(state, call, this)
    return UNKNOWN


# --- iterators ---------------------------------------------------------------------------------------------------


def _iterator_method(state: HostState, name: str, values: Sequence[Value]) -> Value:
    item = _item(state, values[0])
    match name:
        case "operator*" | "operator->":
            return UNKNOWN if item is None else item
        case "operator==" | "operator!=" if len(values) == 2:
            other = _item(state, values[1])
            if item is None or other is None:
                return UNKNOWN
            return int((item == other) == (name == "operator=="))
        case "operator++" if isinstance(values[0], Reference):
            following = None if item is None or state.summarized is not None else _next(state, item)
            state.store((values[0].variable, values[0].path + _ITEM), following or UNKNOWN)
            return values[0] if len(values) == 1 else Fields({_ITEM: item or UNKNOWN})
    return UNKNOWN


def _item(state: HostState, value: Value) -> Reference | None:
    """Return where the entry of an iterator is."""
    if isinstance(value, Reference):
        value = state.memory.exact((value.variable, value.path + _ITEM)) or UNKNOWN
    if isinstance(value, Fields):
        value = value.parts.get(_ITEM, UNKNOWN)
    return value if isinstance(value, Reference) else None


def _next(state: HostState, item: Reference) -> Reference | None:
    entry = item.path.removesuffix(_FIRST)
    start = entry.rpartition("[")[0]
    keys = _keys(state, Reference(item.variable, start))
    names = [start + _name_of(key) for key in keys or ()]
    if entry not in names:
        return None
    position = names.index(entry) + 1
    following = names[position] + item.path[len(entry) :] if position < len(names) else start + _END
    return Reference(item.variable, following)


def _at(kind: sx.StructT, this: Reference, key: Value) -> Fields:
    """Return an iterator at a key; None is the end."""
    if not isinstance(key, int | str):
        return Fields({_ITEM: UNKNOWN})
    return Fields({_ITEM: Reference(this.variable, this.path + _name_of(key) + (_FIRST if _is_set(kind) else ""))})


def _end(_state: HostState, _call: sx.Call, _kind: sx.StructT, this: Reference, _values: Sequence[Value]) -> Value:
    return Fields({_ITEM: Reference(this.variable, this.path + _END)})


def _begin(state: HostState, call: sx.Call, kind: sx.StructT, this: Reference, values: Sequence[Value]) -> Value:
    keys = _keys(state, this)
    if keys is None:
        return UNKNOWN
    return _at(kind, this, keys[0]) if keys else _end(state, call, kind, this, values)


def _find(state: HostState, call: sx.Call, kind: sx.StructT, this: Reference, values: Sequence[Value]) -> Value:
    keys = _keys(state, this)
    if keys is None or not values or not isinstance(values[0], int | str):
        return UNKNOWN
    return _at(kind, this, values[0]) if values[0] in keys else _end(state, call, kind, this, values)


def entries_of(state: HostState, tree: Value) -> list[Reference] | None:
    """Return where the entries of a container are, in order; None where they are not known."""
    keys = _keys(state, tree) if isinstance(tree, Reference) else None
    if keys is None or not isinstance(tree, Reference):
        return None
    return [Reference(tree.variable, tree.path + _name_of(key)) for key in keys]


# --- entries -----------------------------------------------------------------------------------------------------


def _keys(state: HostState, this: Reference) -> list[_KeyValue] | None:
    """Return the keys of a container in order; None where they are not known."""
    parts = state.memory.of(this.variable) or {}
    if isinstance(parts.get(this.path), Unknown):
        return None
    found: list[_KeyValue] = []
    for path, value in parts.items():
        if not path.startswith(this.path):
            continue
        inner = path[len(this.path) :]
        entry = _ENTRY.fullmatch(inner)
        if inner.startswith(("[*]", "*")) or (entry is not None and isinstance(value, Unknown)):
            return None
        if entry is not None:
            text = entry["text"]
            found.append(int(entry["number"]) if text is None else bytes.fromhex(text).decode())
    return sorted(found, key=lambda key: (isinstance(key, str), key))


def _name_of(key: _KeyValue) -> str:
    return f"[k{key.encode().hex()}]" if isinstance(key, str) else f"[={int(key)}]"


def _is_set(kind: sx.StructT) -> bool:
    found = _TREE.match(kind.name)
    return found is not None and found["kind"] == "set"


def _pairs(value: Value, kind: sx.StructT) -> list[tuple[Value, Value | None]]:
    """Return the key and the mapped value of what is inserted, alone or as a list; a set has keys alone."""
    if not isinstance(value, Fields):
        return [(value if _is_set(kind) else UNKNOWN, None)]
    if _is_set(kind):
        return [(part, None) for part in value.parts.values()]
    outer = _FIRST if _FIRST * 2 in value.parts else ""
    parts = {path[len(outer) :]: part for path, part in value.parts.items() if path.startswith(outer)}
    if _FIRST in parts:
        second = {path[len(_SECOND) :]: part for path, part in parts.items() if path.startswith(_SECOND)}
        return [(parts[_FIRST], second[""] if list(second) == [""] else Fields(second))]
    groups: dict[str, dict[str, Value]] = {}
    for path, part in parts.items():
        entry, _, member = path.partition("]")
        groups.setdefault(entry, {})[member] = part
    return [pair for group in groups.values() if _FIRST in group for pair in _pairs(Fields(group), kind)]


def _spoil(state: HostState, call: sx.Call, this: Reference) -> Value:
    """Make all entries unknown."""
    changed = state.unknown(this.variable.name + this.path, "set-by-other", call)
    state.memory.fill_elements(this.variable, this.path, changed)
    return UNKNOWN


def _put(state: HostState, this: Reference, key: _KeyValue, given: Value | None) -> None:
    path = this.path + _name_of(key)
    state.store((this.variable, path + _FIRST), key)
    if given is not None:
        state.store((this.variable, path + _SECOND), given)


def _element(state: HostState, call: sx.Call, kind: sx.StructT, this: Reference, values: Sequence[Value]) -> Value:
    """Run ``operator[]``, which makes an entry where there is none, or ``at``."""
    keys = _keys(state, this)
    key = values[0] if values else UNKNOWN
    if keys is None:
        return UNKNOWN
    if not isinstance(key, int | str) or (state.summarized is not None and key not in keys):
        return _spoil(state, call, this)
    if key not in keys:
        _put(state, this, key, _first_value(call.type))
    return Reference(this.variable, this.path + _name_of(key) + _SECOND)


def _first_value(kind: sx.CType) -> Value | None:
    """Return what a new entry holds: zero or an empty text."""
    if isinstance(kind, sx.PointerT):
        inner = kind.target
        if isinstance(inner, sx.PointerT) and inner.owns:
            return ""
        kind = inner
    return 0 if isinstance(kind, sx.ScalarT) else None


def _insert(state: HostState, call: sx.Call, kind: sx.StructT, this: Reference, values: Sequence[Value]) -> Value:
    """Run ``insert``, ``emplace``, ``try_emplace`` or ``insert_or_assign``."""
    keys = _keys(state, this)
    found = _TREE.match(kind.name)
    if keys is None or not values or (found is not None and found["multi"]):
        return _spoil(state, call, this)
    pairs = [(values[0], values[1])] if len(values) == 2 and not _is_set(kind) else _pairs(values[0], kind)
    for key, given in pairs:
        if not isinstance(key, int | str):
            return _spoil(state, call, this)
        if key not in keys or call.name == "insert_or_assign":
            _put(state, this, key, given)
    return UNKNOWN


def _count(state: HostState, _call: sx.Call, _kind: sx.StructT, this: Reference, values: Sequence[Value]) -> Value:
    keys = _keys(state, this)
    if keys is None or not values or not isinstance(values[0], int | str):
        return UNKNOWN
    return int(values[0] in keys)


def _size(state: HostState, call: sx.Call, _kind: sx.StructT, this: Reference, _values: Sequence[Value]) -> Value:
    keys = _keys(state, this)
    if keys is None:
        return UNKNOWN
    return int(not keys) if call.name == "empty" else len(keys)


def _erase(state: HostState, call: sx.Call, _kind: sx.StructT, this: Reference, values: Sequence[Value]) -> Value:
    """Run ``erase`` of a key or of an iterator, or ``clear``."""
    if call.name == "clear":
        state.memory.store((this.variable, this.path), Fields({}))
        return UNKNOWN
    key = values[0] if values else UNKNOWN
    if isinstance(key, int | str):
        path = this.path + _name_of(key)
    else:
        item = _item(state, key)
        if item is None:
            return _spoil(state, call, this)
        path = item.path.removesuffix(_FIRST)
    state.memory.store((this.variable, path), Fields({}))
    return UNKNOWN


_Method = Callable[[HostState, sx.Call, sx.StructT, Reference, Sequence[Value]], Value]
_WRITERS = frozenset({"insert", "emplace", "try_emplace", "insert_or_assign", "erase", "clear"})
_READERS = frozenset({"rbegin", "rend", "crbegin", "crend", "lower_bound", "upper_bound", "equal_range"})
_METHODS: dict[str, _Method] = {
    **dict.fromkeys(("begin", "cbegin"), _begin),
    **dict.fromkeys(("end", "cend"), _end),
    "find": _find,
    **dict.fromkeys(("operator[]", "at"), _element),
    **dict.fromkeys(("insert", "emplace", "try_emplace", "insert_or_assign"), _insert),
    **dict.fromkeys(("count", "contains"), _count),
    **dict.fromkeys(("size", "empty"), _size),
    **dict.fromkeys(("erase", "clear"), _erase),
}
