"""Loops over all pairs of two ranges, ``for (k = 0; k < n*m; k++)`` with ``k / m`` and ``k % m``, as two loops.

Only where conditions or inner loops may test the quotient or the remainder: as subscripts these are exact as they are.
"""

from __future__ import annotations

from msgspec.structs import replace

from ....surface import nodes as sx
from ....surface.traverse import Tree, is_variable, map_children, walk
from ...state import State

_STEPS = frozenset({"++x", "x++"})
_LEAVES = (sx.Break, sx.Return, sx.Goto, sx.Label, sx.OpaqueStatement)
_TESTS = (sx.If, sx.Conditional, sx.For, sx.While, sx.Switch)


def as_pairs(state: State, loop: sx.For) -> sx.For | None:
    """Return a loop over quotients around one over remainders; None of a loop that is not over all of both."""
    first, test = loop.initial, loop.condition
    if not isinstance(first, sx.Declare) or not _is_number(first.initial, 0) or not isinstance(test, sx.Binary):
        return None
    counter, product = first.variable, test.right
    is_counted = test.operator == "<" and is_variable(test.left, counter) and _steps(loop.advance, counter)
    if not is_counted or not isinstance(product, sx.Binary) or product.operator != "*":
        return None
    if not any(isinstance(node, _TESTS) for node in walk(loop.body)) or any(
        isinstance(node, _LEAVES) for node in walk(loop.body)
    ):
        return None
    changed = state.effects(loop.body).variables
    left, right = product.left, product.right
    if not isinstance(left, sx.Name) or not isinstance(right, sx.Name) or counter in changed:
        return None
    if any(size.variable.reference or size.variable in changed for size in (left, right)):
        return None
    for rows, row in ((left, right), (right, left)):
        if any(_division(node, counter, row) for node in walk(loop.body)):
            return _pairs(loop, counter, rows, row)
    return None


def _pairs(loop: sx.For, counter: sx.Variable, rows: sx.Name, row: sx.Name) -> sx.For:
    span = loop.span
    quotient, remainder = (
        sx.Variable(f"{counter.name}.{part}", counter.type, sx.Storage.LOCAL, span) for part in ("row", "column")
    )

    def renamed(part: Tree) -> Tree:
        operator = _division(part, counter, row)
        if operator:
            return sx.Name(quotient if operator == "/" else remainder, part.span)
        return map_children(part, renamed)

    here = sx.Binary("+", sx.Binary("*", sx.Name(quotient, span), row, span), sx.Name(remainder, span), span)
    body = sx.Block((sx.Declare(counter, here, span), map_children(sx.Block((loop.body,), span), renamed)), span)
    inner = replace(_over(remainder, row, loop), body=body)
    return replace(_over(quotient, rows, loop), body=inner, pragmas=loop.pragmas)


def _over(counter: sx.Variable, size: sx.Expression, loop: sx.For) -> sx.For:
    span = loop.span
    return sx.For(
        initial=sx.Declare(counter, sx.Number(0, sx.INT, span), span),
        condition=sx.Binary("<", sx.Name(counter, span), size, span),
        advance=sx.Unary("x++", sx.Name(counter, span), span),
        body=loop.body,
        span=span,
    )


def _division(node: Tree, counter: sx.Variable, row: sx.Name) -> str:
    """Return the operator of the counter divided by the length of a row, or its remainder; "" for other nodes."""
    if not isinstance(node, sx.Binary) or node.operator not in ("/", "%"):
        return ""
    return node.operator if is_variable(node.left, counter) and is_variable(node.right, row.variable) else ""


def _is_number(expression: sx.Expression | None, number: int) -> bool:
    return isinstance(expression, sx.Number) and expression.value == number


def _steps(expression: sx.Expression | None, counter: sx.Variable) -> bool:
    if not isinstance(expression, sx.Unary) or expression.operator not in _STEPS:
        return False
    return is_variable(expression.operand, counter)
