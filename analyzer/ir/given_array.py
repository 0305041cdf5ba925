"""Arrays of integers whose elements the user gives: indices that are data to the source, and known to the analysis.

The elements are held as the bytes of 64-bit integers, so that nothing here needs numpy; equal arrays have the same
name, length and digest.

>>> rows = GivenArray.of("rowptr", [0, 2, 5], source="rowptr.npy")
>>> len(rows), rows[2], rows.least, rows.most
(3, 5, 0, 5)
>>> rows
GivenArray('rowptr', 3 elements of rowptr.npy, digest f62528b597c4e650)
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import ClassVar

from ..python.equality import PartlyCompared

_SHOWN = 16


class GivenArray(PartlyCompared, frozen=True, eq=False, kw_only=True):
    """The ``count`` elements of one array, in the order of memory; ``data`` are 64-bit integers of this machine.

    Of an array of other numbers (``is_integer`` is False) only the length is held.  ``row`` is the length of each row
    of a table, 0 where it is none: rows behind pointers are found by it.  ``source`` says where the elements are from,
    for messages.
    """

    not_compared: ClassVar[frozenset[str]] = frozenset(["data", "source"])

    name: str
    count: int
    data: bytes
    is_integer: bool
    least: int
    most: int
    digest: str
    source: str
    row: int = 0

    @classmethod
    def of(cls, name: str, elements: Iterable[int], *, source: str) -> GivenArray:
        """Return an array of integers; raises ``OverflowError`` beyond 64 bits."""
        return cls.of_bytes(name, array("q", elements).tobytes(), source=source)

    @classmethod
    def of_bytes(cls, name: str, data: bytes, *, source: str, row: int = 0) -> GivenArray:
        """Return the array with these 64-bit integers."""
        numbers = memoryview(data).cast("q")
        return cls(
            name=name,
            count=len(numbers),
            data=data,
            is_integer=True,
            least=min(numbers, default=0),
            most=max(numbers, default=0),
            digest=_digest(data),
            source=source,
            row=row,
        )

    @classmethod
    def of_length(cls, name: str, count: int, *, source: str) -> GivenArray:
        """Return an array of which nothing but its length is known."""
        digest = _digest(str(count).encode())
        return cls(name=name, count=count, data=b"", is_integer=False, least=0, most=0, digest=digest, source=source)

    def __len__(self) -> int:
        """Return the number of elements."""
        return self.count

    def __getitem__(self, position: int) -> int:
        """Return one element, counted from 0."""
        return memoryview(self.data).cast("q")[position]

    def __repr__(self) -> str:
        """Say what decides a result: the name, the length, the contents, and where they are from."""
        rows = f" in rows of {self.row}" if self.row else ""
        return f"GivenArray({self.name!r}, {self.count} elements{rows} of {self.source}, digest {self.digest[:_SHOWN]})"


def _digest(data: bytes) -> str:
    import hashlib  # here, as arrays are seldom given

    return hashlib.sha256(data).hexdigest()
