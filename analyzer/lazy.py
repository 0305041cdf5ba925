"""Attributes that are worked out when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

_Owner = TypeVar("_Owner")
_Value = TypeVar("_Value")


class lazy(Generic[_Owner, _Value]):  # a decorator, as functools.cached_property is
    """``functools.cached_property`` as it is from Python 3.12 on: without a lock, which costs more than most values.

    >>> class Square:
    ...     side = 3
    ...
    ...     @lazy
    ...     def area(self) -> int:
    ...         return self.side**2
    >>> square = Square()
    >>> square.area, vars(square)
    (9, {'area': 9})
    """

    def __init__(self, make: Callable[[_Owner], _Value]) -> None:
        """``make`` is the method."""
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> lazy[_Owner, _Value]: ...

    @overload
    def __get__(self, instance: _Owner, owner: type[Any]) -> _Value: ...

    def __get__(self, instance: _Owner | None, owner: type[Any]) -> lazy[_Owner, _Value] | _Value:
        """Work the value out, and put it where the next look finds it."""
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._make(instance)
        return value
