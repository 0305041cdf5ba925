"""Limits on the operations of isl, and the memory of its answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

import islpy as isl

from ..limits import OverBudget, operations, operations_over

_MEMORY = 1024  # results that are memoised

remembered = lru_cache(maxsize=_MEMORY)

_Answer = TypeVar("_Answer")
_Request = ParamSpec("_Request")


class Budget:
    """Limits isl's operations while in the ``with`` block and makes exceeding them into :class:`OverBudget`.

    So it does with what isl cannot do: ``lexmin`` of some relations with divisions ends in an internal error.
    For isl's own operations only, never for counting: barvinok does not survive isl's giving up.
    """

    def __init__(self, operations: int) -> None:
        """Limit ``operations``, in isl's own unit, some 2e6 per second; 0 means no limit."""
        self._operations = operations
        self._context = isl.DEFAULT_CONTEXT
        self._around = 0

    def __enter__(self) -> None:
        """Start counting; a budget inside another starts anew."""
        self._around = self._context.get_max_operations()
        self._context.reset_operations()
        self._context.set_max_operations(self._operations)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        """Stop counting; isl reports an exceeded quota in many words, even as a syntax error."""
        self._context.set_max_operations(self._around)
        self._context.reset_operations()
        if kind is isl.Error:
            raise OverBudget from error


def limited(request: Callable[_Request, _Answer]) -> Callable[_Request, _Answer]:
    """Return the request to isl within the operations of the limit in force, or a smaller budget around it.

    Raises ``OverBudget``.
    """

    @wraps(request)
    def within(*arguments: _Request.args, **named: _Request.kwargs) -> _Answer:
        if isl.DEFAULT_CONTEXT.get_max_operations():
            return request(*arguments, **named)
        try:
            with Budget(operations()):
                return request(*arguments, **named)
        except OverBudget:
            operations_over()
            raise

    return within
