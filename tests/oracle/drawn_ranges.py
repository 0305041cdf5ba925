"""Drawn C functions whose indices have a range, and the memory references that they make.

A seed -> one nest over arrays of doubles: indices that wrap around or are held at a rim, products modulo a size, bits
that are flipped, rows behind pointers, buffers that an index toggles, and elements that data choose.  The data are
drawn too, and only the oracle knows them.  Rows behind pointers are blocks of an allocator: multiples of 16 bytes, with
a header of 8.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

_PAGE, _DOUBLE, _INT, _POINTER = 4096, 8, 4, 8

Values = Mapping[str, int]
Index = Callable[[Values], int]


class Subscript(Struct, frozen=True):
    """An index in C, and its value for counters; ``source`` is the element of integer data that it takes, if any."""

    text: str
    value: Index
    source: Index | None = None


class Use(Struct, frozen=True):
    """A reference to an array of so many rows and columns (rows 0: a vector)."""

    array: str
    subscripts: tuple[Subscript, ...]
    write: bool

    @property
    def text(self) -> str:
        """Return the reference in C."""
        return self.array + "".join(f"[{subscript.text}]" for subscript in self.subscripts)


class Ranged(Struct, frozen=True):
    """A function: its declarations, loops (name and trips, from the outside), one statement, and what ends a step."""

    declared: tuple[str, ...]
    loops: tuple[tuple[str, int], ...]
    uses: tuple[Use, ...]
    starts: Mapping[str, int]
    strides: Mapping[str, int]
    toggles: str
    is_data: bool
    is_exact: bool

    def text(self) -> str:
        """Return the source."""
        *sources, target = self.uses
        value = " + ".join(use.text for use in sources) or "1.0"
        (step, times), *inner = self.loops
        heads = " ".join(f"for (int {name} = 0; {name} < {trips}; {name}++)" for name, trips in inner)
        lines = [*self.declared, "void drawn(void) {", *(["int cur = 0;"] if self.toggles else [])]
        lines += [f"for (int {step} = 0; {step} < {times}; {step}++) {{", f"{heads} {target.text} = {value};"]
        return "\n".join([*lines, self.toggles, "}", "}", ""])

    def references(self) -> Iterator[tuple[int, bool]]:
        """Yield address and kind of each reference."""
        for values in _values(self.loops, {}):
            for use in self.uses:
                yield from self._of(use, {**values, "cur": values["t"] % 2})

    def _of(self, use: Use, values: Values) -> Iterator[tuple[int, bool]]:
        for subscript in use.subscripts:
            if subscript.source is not None:
                yield self.starts["idx"] + _INT * subscript.source(values), False
        places = [subscript.value(values) for subscript in use.subscripts]
        if use.array == "r":  # the pointer to the row comes first
            yield self.starts["r"] + _POINTER * places[0], False
            yield self.starts["r[]"] + self.strides["r"] * places[0] + _DOUBLE * places[1], use.write
            return
        offset = sum(self.strides[f"{use.array}{rank}"] * place for rank, place in enumerate(places))
        yield self.starts[use.array] + offset, use.write


def drawn(seed: int, *, data: bool = True) -> Ranged:
    """Return the function of a seed; without ``data`` none of its elements is chosen by data."""
    return _Draw(seed, data).function()


class _Draw:
    def __init__(self, seed: int, data: bool) -> None:
        self.chance = random.Random(seed)
        self.data = data
        self.rows, self.columns = self.chance.randint(3, 40), self.chance.randint(8, 120)
        self.length = self.chance.choice((64, 128, 256, 512, 1000))
        self.trips = self.chance.randint(16, 600)
        self.index = [self.chance.randrange(1 << 20) for _ in range(2048)]
        self.is_data = False
        self.is_exact = True

    def function(self) -> Ranged:
        chance = self.chance
        is_flat, is_toggled = chance.random() < 0.5, chance.random() < 0.3
        times = chance.randint(1, 4)
        loops = (("t", times), ("i", self.trips)) if is_flat else (("t", times), ("i", self.rows), ("j", self.columns))
        uses = [self._use(is_flat, is_toggled, write=write) for write in (*[False] * chance.randint(1, 3), True)]
        sizes = {"v": self.length * _DOUBLE, "w": self.length * _DOUBLE, "m": self.rows * self.columns * _DOUBLE}
        sizes |= {"b": 2 * self.length * _DOUBLE, "idx": 2048 * _INT, "r": self.rows * _POINTER}
        block = -(-(self.columns * _DOUBLE + 8) // 16) * 16
        sizes["r[]"] = self.rows * block
        starts, at = {}, _PAGE
        for name, size in sizes.items():
            starts[name], at = at, at + -(-size // _PAGE) * _PAGE + _PAGE
        declared = (
            f"static double v[{self.length}], w[{self.length}], m[{self.rows}][{self.columns}], b[2][{self.length}];",
            "static int idx[2048];",
            "static double **r;",
        )
        row = self.columns * _DOUBLE
        strides = {"v0": _DOUBLE, "w0": _DOUBLE, "m0": row, "m1": _DOUBLE, "b0": self.length * _DOUBLE, "b1": _DOUBLE}
        toggles = "cur = 1 - cur;" if is_toggled else ""
        return Ranged(
            declared, loops, tuple(uses), starts, {**strides, "r": block}, toggles, self.is_data, self.is_exact
        )

    def _use(self, is_flat: bool, is_toggled: bool, *, write: bool) -> Use:
        chance = self.chance
        counters = ("i",) if is_flat else ("i", "j")
        if is_toggled and chance.random() < 0.5:
            buffer = _sub("1 - cur", lambda v: 1 - v["cur"]) if write else _sub("cur", lambda v: v["cur"])
            return Use("b", (buffer, self._index(chance.choice(counters), self.length)), write)
        if is_flat or chance.random() < 0.3:
            return Use(chance.choice("vw"), (self._index(chance.choice(counters), self.length),), write)
        return Use(chance.choice("mr"), (self._index("i", self.rows), self._index("j", self.columns)), write)

    def _index(self, name: str, size: int) -> Subscript:
        """Return an index into so many elements that moves with a counter."""
        chance = self.chance
        trips = {"i": self.rows, "j": self.columns} if size in (self.rows, self.columns) else {}
        most = trips.get(name, max(self.trips, self.rows, self.columns))
        shift, factor = chance.randint(0, size), chance.randint(1, 5)
        kinds = ["wrapped", "before", "clamped", "floor", "strided", "flipped", "product"]
        kind = chance.choice([*kinds, *(["data", "data"] if self.data else [])])
        if most <= size and chance.random() < 0.3:
            return _sub(name, lambda v: v[name])
        match kind:
            case "wrapped":
                return _sub(f"({name} + {shift}) % {size}", lambda v: (v[name] + shift) % size)
            case "before":
                down = chance.randint(1, size)
                return _sub(f"({name} - {down} + {size}) % {size}", lambda v: _remainder(v[name] - down + size, size))
            case "clamped":
                last = size - 1
                return _sub(
                    f"({name} + {factor} < {last} ? {name} + {factor} : {last})", lambda v: min(v[name] + factor, last)
                )
            case "floor":
                return _sub(f"({name} / {factor}) % {size}", lambda v: v[name] // factor % size)
            case "strided":
                return _sub(f"({factor} * {name} + {shift}) % {size}", lambda v: (factor * v[name] + shift) % size)
            case "flipped" if size & (size - 1) == 0:
                mask = 1 << chance.randrange(size.bit_length() - 1)
                return _sub(f"({name} ^ {mask}) % {size}", lambda v: (v[name] ^ mask) % size)
            case "data":
                self.is_data = True
                self.is_exact = False
                return Subscript(f"idx[{name}] % {size}", lambda v: self.index[v[name]] % size, lambda v: v[name])
            case _:
                self.is_exact = False
                return _sub(f"({name} * {name} + {shift}) % {size}", lambda v: (v[name] * v[name] + shift) % size)


def _sub(text: str, value: Index) -> Subscript:
    return Subscript(text, value)


def _remainder(number: int, size: int) -> int:
    """Return ``number % size`` as C has it, of a number that is not negative."""
    assert number >= 0
    return number % size


def _values(loops: Sequence[tuple[str, int]], values: Values) -> Iterator[Values]:
    if not loops:
        yield values
        return
    (name, trips), *inner = loops
    for value in range(trips):
        yield from _values(inner, {**values, name: value})
