"""A template of a loop that is timed: the body of a C function, its arrays, and how large they are.

The arrays of a template have ``factor * n^power`` elements.  Data are such that values stay normal numbers however
often a body runs: reals in [1, 2), ``p`` a permutation of one cycle, ``q`` bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from msgspec import Struct
from msgspec.structs import replace

PARAMETERS = (
    "long n, double *restrict a, double *restrict b, double *restrict c, double *restrict d,"
    " float *restrict f, float *restrict g, int *restrict p, int *restrict q, double s"
)
MAY_OVERLAP = PARAMETERS.replace("restrict ", "")
ELEMENT_BYTES = {"a": 8, "b": 8, "c": 8, "d": 8, "f": 4, "g": 4, "p": 4, "q": 4}


class Template(Struct, frozen=True):
    """A loop before its size is chosen; ``arrays`` as ``"a n n, p n"`` (factors and powers of n), ``work`` likewise.

    ``before`` stands in front of the function; ``parameters`` may give the pointers other types.
    """

    group: str
    name: str
    arrays: str
    body: str
    work: int = 1
    parameters: str = PARAMETERS
    before: str = ""

    @property
    def function(self) -> str:
        """Return the function alone."""
        return f"double {self.name}({self.parameters}) {{\n{self.body}\n  return s;\n}}\n"

    @property
    def source(self) -> str:
        """Return the function behind what it needs."""
        return self.before + self.function

    def elements(self, n: int) -> dict[str, int]:
        """Return the length of each array."""
        found = {}
        for part in self.arrays.split(","):
            name, *factors = part.split()
            size = 1
            for factor in factors:
                size *= n if factor == "n" else int(factor)
            found[name] = size
        return found

    def bytes(self, n: int) -> int:
        """Return the bytes of all arrays."""
        return sum(ELEMENT_BYTES[name] * count for name, count in self.elements(n).items())

    def size_within(self, most: int) -> int:
        """Return the largest n, a multiple of 8 plus 2, whose arrays have at most so many bytes."""
        low, high = 1, 1 << 28
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.bytes(middle) <= most else (low, middle - 1)
        return max(10, (low - 2) // 8 * 8 + 2)


def each(body: str, start: str = "0", stop: str = "n") -> str:
    """Return a loop over i."""
    return f"  for (long i = {start}; i < {stop}; i++) {body}"


def rows(body: str, *, start: str = "0", stop: str = "n", before: str = "", after: str = "") -> str:
    """Return a loop over i around one over j."""
    inner = f"for (long j = {start}; j < {stop}; j++) {body}"
    return f"  for (long i = 0; i < n; i++) {{ {before} {inner} {after} }}"


def matrix(first: str, second: str, third: str, body: str) -> str:
    """Return three loops over n around a statement."""
    heads = "\n".join(f"  for (long {name} = 0; {name} < n; {name}++)" for name in (first, second, third))
    return f"{heads}\n    {body}"


def drawn(kinds: Sequence[Callable[[Random], Template]], seed: int, each: int) -> tuple[Template, ...]:
    """Return so many templates of each kind, no two with the same body."""
    draw = Random(seed)
    found: list[Template] = []
    seen: set[str] = set()
    for kind in kinds:
        number = 0
        while number < each:
            made = kind(draw)
            if made.body in seen:
                continue
            seen.add(made.body)
            found.append(replace(made, name=f"{made.group.replace(' ', '_')}_{number}"))
            number += 1
    return tuple(found)
