"""Properties that are worked out at the first access: those of Python 3.12, without the lock of Python 3.11.

Before 3.12 ``functools.cached_property`` takes a lock at each first access.  No value of ours is shared between
threads, and there are millions of first accesses: the lock took a tenth of the time of large files.
"""

from __future__ import annotations

import sys

if sys.version_info >= (3, 12):
    from functools import cached_property
else:
    from collections.abc import Callable
    from typing import Any, Generic, TypeVar, overload

    Value = TypeVar("Value")

    class cached_property(Generic[Value]):
        """A method that is called at the first access, and whose value is an attribute from then on.

        >>> class Square:
        ...     @cached_property
        ...     def area(self) -> int:
        ...         return 9
        >>> square = Square()
        >>> square.area, vars(square)
        (9, {'area': 9})
        """

        def __init__(self, function: Callable[[Any], Value]) -> None:
            """Keep the method, and its docstring for the property."""
            self.function = function
            self.name = function.__name__
            self.__doc__ = function.__doc__

        @overload
        def __get__(self, instance: None, owner: type) -> cached_property[Value]: ...

        @overload
        def __get__(self, instance: object, owner: type) -> Value: ...

        def __get__(self, instance: object | None, owner: type) -> cached_property[Value] | Value:
            """Return the value of an instance, and set its attribute; the property itself where a class is asked."""
            if instance is None:
                return self
            value = self.function(instance)
            instance.__dict__[self.name] = value
            return value


__all__ = ["cached_property"]
