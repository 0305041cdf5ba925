"""Which expressions of host code are random numbers: those of the library, and those of generators written out.

A generator written out is a variable that is multiplied by a large constant (a linear congruential one), or combined
with its own bits shifted (xorshift), each time.  What is computed from a random number is random too, as is an element
of an array at a random index: that of a shuffled array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ..surface import nodes as sx
from ..surface.designation import without_casts
from ..surface.traverse import mentions, walk

_FUNCTIONS: Final = frozenset({"rand", "random", "drand48", "lrand48", "mrand48", "erand48", "rand_r", "arc4random"})
_ENGINES: Final = ("engine", "_distribution", "random_device", "mt19937")
_LEAST_FACTOR: Final = 1000
"""Factors of generators are odd, and larger (16807, 48271, 1103515245); those that convert units are even (1024)."""


class RandomNumbers:
    """Answers for the functions of one program, each worked out once."""

    def __init__(self, functions: Mapping[str, sx.Function]) -> None:
        """Start with nothing worked out."""
        self._functions = functions
        self._variables: dict[str, frozenset[sx.Variable]] = {}
        self._returning: dict[str, bool] = {}
        self._filled: dict[str, frozenset[str]] = {}

    def holds(self, function: str, value: sx.Expression) -> bool:
        """Return whether an expression of a function is a random number; one beside another number is not."""
        variables = self._of(function)
        value = without_casts(value)
        if isinstance(value, sx.Binary) and value.operator in ("+", "-"):
            return all(isinstance(each, sx.Number) or self.holds(function, each) for each in (value.left, value.right))
        return self._is_random(value, variables)

    def filled(self, function: str) -> frozenset[str]:
        """Return the names of the pointers through which a function stores random numbers."""
        known = self._filled.get(function)
        if known is None:
            self._filled[function] = frozenset()  # of a function that calls itself
            definition = self._functions.get(function)
            nodes = () if definition is None else walk(definition.body)
            known = self._filled[function] = frozenset(
                name for node in nodes for name in self._filled_by(function, node) if name
            )
        return known

    def _filled_by(self, function: str, node: sx.Expression | sx.Statement) -> Iterator[str]:
        """Yield the names of the pointers through which a part of a function stores random numbers."""
        if isinstance(node, sx.Assign):
            if self.holds(function, node.value):
                yield _stored_through(node.target)
        elif isinstance(node, sx.Call) and node.function in self._functions:
            filled = self.filled(node.function)
            for parameter, argument in zip(self._functions[node.function].parameters, node.arguments, strict=False):
                if parameter.name in filled and isinstance(argument, sx.Name):
                    yield argument.variable.name

    def _of(self, function: str) -> frozenset[sx.Variable]:
        """Return the variables of a function that hold random numbers."""
        known = self._variables.get(function)
        if known is None:
            self._variables[function] = frozenset()  # of a function that calls itself
            known = self._variables[function] = self._worked_out(function)
        return known

    def _worked_out(self, function: str) -> frozenset[sx.Variable]:
        definition = self._functions.get(function)
        stores = [] if definition is None else list(_stores(definition.body))
        found = {variable for variable, operator, value in stores if _is_step(variable, operator, value)}
        while True:
            more = {
                variable for variable, _, value in stores if variable not in found and self._is_random(value, found)
            }
            if not more:
                return frozenset(found)
            found |= more

    def _returns(self, function: str) -> bool:
        """Return whether a function returns random numbers."""
        known = self._returning.get(function)
        if known is None:
            self._returning[function] = False  # of a function that calls itself
            definition, variables = self._functions.get(function), self._of(function)
            results = () if definition is None else walk(definition.body)
            known = self._returning[function] = any(
                isinstance(node, sx.Return) and node.value is not None and self._is_random(node.value, variables)
                for node in results
            )
        return known

    def _is_random(self, value: sx.Expression, variables: set[sx.Variable] | frozenset[sx.Variable]) -> bool:
        return any(self._starts(node, variables) for node in walk(value))

    def _starts(self, node: sx.Expression | sx.Statement, variables: set[sx.Variable] | frozenset[sx.Variable]) -> bool:
        """Return whether a part of an expression makes all of it random."""
        match node:
            case sx.Name(variable=variable):
                return variable in variables
            case sx.Call(function=function, name=name):
                return name.rsplit("::", 1)[-1] in _FUNCTIONS or bool(function and self._returns(function))
            case sx.OpaqueExpression(operands=(sx.Name(variable=called), *_)):
                kind = called.type
                return isinstance(kind, sx.StructT) and any(part in kind.name for part in _ENGINES)
            case _:
                return False


def _stores(body: sx.Statement) -> Iterator[tuple[sx.Variable, str, sx.Expression]]:
    """Yield what variables are given: the variable, the operator of ``v op= value``, the value."""
    for node in walk(body):
        if isinstance(node, sx.Declare) and node.initial is not None:
            yield node.variable, "", node.initial
        elif isinstance(node, sx.Assign):
            target = node.target.operand if isinstance(node.target, sx.Unary) else node.target
            if isinstance(target, sx.Name):
                yield target.variable, node.operator, node.value


def _stored_through(target: sx.Expression) -> str:
    """Return the name of the pointer that a store to an element goes through, "" for other targets."""
    while isinstance(target, sx.Member):
        target = target.base
    if isinstance(target, sx.Index) and isinstance(target.base, sx.Name):
        return target.base.variable.name
    return ""


def _is_step(variable: sx.Variable, operator: str, value: sx.Expression) -> bool:
    """Return whether an assignment is a step of a generator whose state is the variable."""
    if operator == "^":
        return any(isinstance(node, sx.Binary) and node.operator in ("<<", ">>") for node in walk(value))
    if operator == "*":
        return _has_factor(value)
    products = (node for node in walk(value) if not operator and isinstance(node, sx.Binary) and node.operator == "*")
    return any(
        mentions(one, variable) and _has_factor(other)
        for node in products
        for one, other in ((node.left, node.right), (node.right, node.left))
    )


def _has_factor(tree: sx.Expression) -> bool:
    numbers = (node.value for node in walk(tree) if isinstance(node, sx.Number))
    return any(isinstance(value, int) and value % 2 == 1 and value >= _LEAST_FACTOR for value in numbers)
