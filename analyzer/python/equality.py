"""Values with fields that take no part in equality, such as where in the source something was found."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar

from msgspec import Struct

from .cached_property import cached_property


class PartlyCompared(Struct, frozen=True, eq=False, dict=True):
    """Base of values that are equal where all fields but those in ``not_compared`` are.

    >>> class Named(PartlyCompared, frozen=True, eq=False):
    ...     not_compared: ClassVar[frozenset[str]] = frozenset(["line"])
    ...     name: str
    ...     line: int
    >>> Named("a", 1) == Named("a", 2), Named("a", 1) == Named("b", 1), len({Named("a", 1), Named("a", 2)})
    (True, False, 1)
    """

    not_compared: ClassVar[frozenset[str]] = frozenset(["span"])

    def __eq__(self, other: object) -> bool:
        """Compare the fields that count, of values of the same class."""
        if self is other:
            return True
        kind = type(self)
        if type(other) is not kind:
            return NotImplemented
        key = _key_of(kind)
        return bool(key(self) == key(other))

    def __ne__(self, other: object) -> bool:
        """Compare as :meth:`__eq__`; that of ``Struct`` would compare identity."""
        return not self == other

    def __hash__(self) -> int:
        """Hash the fields that count, once: trees of such values are looked up again and again."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        kind = type(self)
        return hash((kind, _key_of(kind)(self)))


@cache
def _key_of(kind: type[PartlyCompared]) -> Callable[[PartlyCompared], Any]:
    return attrgetter(*(name for name in kind.__struct_fields__ if name not in kind.not_compared))
