"""Functions that are predicates: what they return is the truth of a condition, behind statements without a branch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from ....surface import nodes as sx
from ..values.truth import is_truth
from .inlining import BOOL

_MOST_TESTS = 6  # of a function that is one condition


def is_test(function: sx.Function) -> bool:
    """Return whether a function returns whether something holds, behind statements without a branch."""
    if not isinstance(function.body, sx.Block):
        return False
    straight = takewhile(lambda each: isinstance(each, sx.Declare | sx.Evaluate), function.body.statements)
    match function.body.statements[len(list(straight)) :]:
        case (sx.Return(value=sx.Binary() | sx.Unary() as value),):
            return is_truth(value)
        case (sx.Return(value=sx.Call() | sx.Name()),):
            return function.result == BOOL
        case tests:
            return _decides(tests, returns_bool=function.result == BOOL)


def _decides(statements: Sequence[sx.Statement], *, returns_bool: bool) -> bool:
    """Return whether tests that return are all that stands before a last return: ``if (i < 0) return false; ...``."""
    if not 1 < len(statements) <= _MOST_TESTS:
        return False
    *tests, last = statements
    returns = [test.then if isinstance(test, sx.If) and test.orelse is None else None for test in tests]
    return all(_returns_truth(_only(each), returns_bool=returns_bool) for each in (*returns, last))


def _returns_truth(statement: sx.Statement | None, *, returns_bool: bool) -> bool:
    match statement:
        case sx.Return(value=sx.Binary() | sx.Unary() as value) if is_truth(value):
            return True
        case sx.Return(value=sx.Number(value=0 | 1)):
            return True
        case sx.Return(value=value):
            return returns_bool and value is not None
        case _:
            return False


def _only(statement: sx.Statement | None) -> sx.Statement | None:
    """Return the statement that a block of one is."""
    match statement:
        case sx.Block(statements=(inner,)):
            return inner
        case _:
            return statement
