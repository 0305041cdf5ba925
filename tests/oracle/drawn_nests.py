"""Drawn C functions of several nests with known sizes, and the memory references that they make, nest by nest.

A seed -> nests over shared and own arrays: streams, rows and columns of matrices, sums, loops that halve or double
their counter, nests under conditions that hold or not, statements between them, some repeated by a loop around them.
The text is written with any names for the counters; the references are those of the drawn value, not of the text.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

ELEMENT_BYTES = 8
PAGE_BYTES = 4096
LENGTH = 512
WIDTH = 24
_MATRICES = ("m", "o")
SIZES = {"n": "5"}
"""The value of the symbol in conditions."""
_VECTORS = ("a", "b", "c", "d", "e", "f", "g", "h")

Reference = tuple[int, bool]
"""Address in bytes, and whether it is written."""


class Range(Struct, frozen=True):
    """Values of a counter: from ``start`` on by ``step``, or times or divided by 2, while below or above ``stop``."""

    start: int
    stop: int
    step: int = 1
    factor: str = ""

    def values(self) -> Iterator[int]:
        """Yield the values."""
        value = self.start
        while value > self.stop if self.factor == "/" else value < self.stop:
            yield value
            value = {"/": value // 2, "*": value * 2, "": value + self.step}[self.factor]

    def head(self, counter: str) -> str:
        """Return the head of the loop in C."""
        below = ">" if self.factor == "/" else "<"
        by = f"{counter} {self.factor}= 2" if self.factor else f"{counter} += {self.step}"
        return f"for (int {counter} = {self.start}; {counter} {below} {self.stop}; {by})"


class Element(Struct, frozen=True):
    """An element of an array, subscripted by counters (their numbers, from the outside) plus constants."""

    array: str
    subscripts: tuple[tuple[int, int], ...]

    def text(self, counters: Sequence[str]) -> str:
        """Return the reference in C."""
        return self.array + "".join(f"[{counters[which]} + {plus}]" for which, plus in self.subscripts)

    def address(self, values: Sequence[int]) -> int:
        """Return where the element lies, arrays being on pages in the order of declaration."""
        places = [values[which] + plus for which, plus in self.subscripts]
        index = places[0] if len(places) == 1 else places[0] * WIDTH + places[1]
        return _starts()[self.array] + ELEMENT_BYTES * index


class Drawn(Struct, frozen=True):
    """One nest: its loops, the element that is written, what is read, and whether the old value is read as well.

    ``runs`` is the value of the condition around it, where there is one; ``before`` is a statement in front of it.
    """

    loops: tuple[Range, ...]
    target: Element
    sources: tuple[Element, ...]
    adds: bool
    runs: bool | None
    before: bool

    @property
    def arrays(self) -> frozenset[str]:
        """The arrays that it touches."""
        return frozenset((self.target.array, *(source.array for source in self.sources)))

    def text(self, name: Callable[[int], str]) -> list[str]:
        """Return its lines; ``name`` gives the name of a counter at a depth, 0 being that of a loop around nests."""
        counters = [name(depth) for depth, _ in enumerate(self.loops, 1)]
        heads = " ".join(loop.head(counter) for loop, counter in zip(self.loops, counters, strict=True))
        value = " + ".join(source.text(counters) for source in self.sources) or "1.0"
        line = f"{heads} {self.target.text(counters)} {'+=' if self.adds else '='} {value};"
        guarded = line if self.runs is None else f"if ({'n > 3' if self.runs else 'n < 3'}) {line}"
        return [*(["z[3] = z[70] + 1.0;"] if self.before else []), guarded]

    def references(self) -> Iterator[Reference]:
        """Yield the references of the nest, loads from left to right before the store of each statement."""
        if self.runs is False:
            return
        for values in _product(self.loops, ()):
            if self.adds:
                yield self.target.address(values), False
            for source in self.sources:
                yield source.address(values), False
            yield self.target.address(values), True

    def statement(self) -> list[Reference]:
        """Return the references of the statement in front of it."""
        start = _starts()["z"]
        return [(start + 70 * ELEMENT_BYTES, False), (start + 3 * ELEMENT_BYTES, True)] if self.before else []


class Program(Struct, frozen=True):
    """Nests one after the other; those from ``first`` to before ``last`` are repeated, where ``times`` is above 1."""

    nests: tuple[Drawn, ...]
    first: int = 0
    last: int = 0
    times: int = 1

    def text(self, name: Callable[[int], str]) -> str:
        """Return the function ``drawn`` with its arrays, one line a nest."""
        vectors = ", ".join(f"{array}[{LENGTH}]" for array in (*_VECTORS, "z"))
        matrices = ", ".join(f"{array}[{WIDTH}][{WIDTH}]" for array in _MATRICES)
        lines = [f"static double {vectors}, {matrices};", "void drawn(int n)", "{"]
        for number, nest in enumerate(self.nests):
            if self.times > 1 and number == self.first:
                lines.append(f"{Range(0, self.times).head(name(0))} {{")
            lines += nest.text(name)
            if self.times > 1 and number + 1 == self.last:
                lines.append("}")
        return "\n".join([*lines, "}", ""])

    def references(self) -> Iterator[tuple[int | None, Sequence[Reference]]]:
        """Yield the references in the order of the program, with the number of their nest (None: outside)."""
        before, repeated, after = self.nests[: self.first], self.nests[self.first : self.last], self.nests[self.last :]
        for nests, times in ((before, 1), (repeated, self.times), (after, 1)):
            for _ in range(times):
                for nest in nests:
                    yield None, nest.statement()
                    yield self.nests.index(nest), list(nest.references())

    def reordered(self, order: Sequence[int]) -> Program:
        """Return the nests in another order, none repeated."""
        return Program(tuple(self.nests[number] for number in order))


def drawn(seed: int, *, apart: bool = False) -> Program:
    """Return the program of a seed; ``apart``: the nests share no array, and none is repeated."""
    chance = random.Random(seed)
    free = [list(_VECTORS), list(_MATRICES)]
    nests: list[Drawn] = []
    for _ in range(chance.randint(2, 4 if apart else 5)):
        nest = _nest(chance, *free)
        if nest in nests:
            continue
        nests.append(replace(nest, before=False) if apart else nest)
        if apart:
            free = [[name for name in names if name not in nest.arrays] for names in free]
            if len(free[0]) < 3:
                break
    if apart or len(nests) < 2 or chance.random() < 0.6:
        return Program(tuple(nests))
    first = chance.randint(0, len(nests) - 2)
    return Program(tuple(nests), first, chance.randint(first + 2, len(nests)), chance.randint(2, 4))


def _nest(chance: random.Random, vectors: Sequence[str], matrices: Sequence[str]) -> Drawn:
    kind = chance.choice(("stream", "stream", "factor", "matrix") if matrices else ("stream", "factor"))
    adds, runs = chance.random() < 0.4, chance.choice((None, None, None, True, False))
    before = chance.random() < 0.3
    if kind == "matrix":
        matrix, vector = chance.choice(list(matrices)), chance.choice(list(vectors))
        loops = (Range(chance.randint(0, 2), chance.randint(8, WIDTH)), Range(0, chance.randint(8, WIDTH)))
        order = ((0, 0), (1, 0)) if chance.random() < 0.5 else ((1, 0), (0, 0))
        element = Element(matrix, order)
        if chance.random() < 0.3:
            return Drawn(loops, Element(vector, ((1, 0),)), (element,), True, runs, before)
        return Drawn(loops, element, (Element(vector, ((chance.randint(0, 1), 0),)),), adds, runs, before)
    target, *sources = chance.sample(list(vectors), min(len(vectors), chance.randint(1, 3)))
    if kind == "factor":
        loop = chance.choice((Range(chance.randint(64, LENGTH - 1), 0, factor="/"), Range(1, LENGTH, factor="*")))
    else:
        loop = Range(chance.randint(0, 9), chance.randint(100, LENGTH - 4), chance.choice((1, 1, 1, 2, 3)))
    elements = tuple(Element(source, ((0, chance.randint(0, 3) if kind == "stream" else 0),)) for source in sources)
    return Drawn((loop,), Element(target, ((0, 0),)), elements, adds, runs, before)


def _product(loops: Sequence[Range], values: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if len(values) == len(loops):
        yield values
        return
    for value in loops[len(values)].values():
        yield from _product(loops, (*values, value))


def _starts() -> dict[str, int]:
    """Return where each array starts."""
    starts, at = {}, PAGE_BYTES
    sizes = [*((name, LENGTH) for name in (*_VECTORS, "z")), *((name, WIDTH * WIDTH) for name in _MATRICES)]
    for name, elements in sizes:
        starts[name] = at
        at += -(-elements * ELEMENT_BYTES // PAGE_BYTES) * PAGE_BYTES
    return starts
