"""What the user gives: arrays by name, and matrices whose arrays are bound to those of the source."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ..ir.given_array import GivenArray


class Matrix(Struct, frozen=True, kw_only=True):
    """The pattern of a sparse matrix: ``row_of`` and ``column_of`` each stored element, sorted by row, then column.

    ``binding`` are the format and the arrays of the source that it is bound to, ``""`` where these follow from their
    use; ``name`` is that of the user, or the file's.
    """

    name: str
    rows: int
    columns: int
    row_of: GivenArray
    column_of: GivenArray
    format: str = ""
    arrays: tuple[str, ...] = ()

    @property
    def stored(self) -> int:
        """Return the number of stored elements."""
        return self.row_of.count


class GivenData(Struct, frozen=True):
    """Arrays and matrices; ``arrays`` of one name are one, those of the ``named`` matrices are among them."""

    arrays: tuple[GivenArray, ...] = ()
    matrices: tuple[Matrix, ...] = ()
    named: tuple[Matrix, ...] = ()

    @property
    def by_name(self) -> Mapping[str, GivenArray]:
        """Return the arrays by their names."""
        return {array.name: array for array in self.arrays}
