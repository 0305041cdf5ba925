"""Index expressions and conditions of the IR as Python functions of a state: iterators and symbols with their values.

This shares no code with the analyzer: each expression becomes Python text, after C's rules, and is compiled once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import assert_never

from analyzer.ir.index import Atom, Extremum, FloorDiv, Poly, TruncDiv, Unknown
from analyzer.ir.nodes import And, Compare, Condition, DataDependent, Not, Or, Truth

State = dict[str, int]
IndexFunction = Callable[[State], int]
ConditionFunction = Callable[[State], bool]
Choose = Callable[[str, Mapping[str, int]], bool]
Guess = Callable[[str, Mapping[str, int]], int]


def refuse(label: str, where: Mapping[str, int]) -> int:
    """The policy for values that the source does not tell, where none is expected."""
    raise ValueError(f"the value of {label} at {dict(where)} is not known")


class Evaluator:
    """Compiles expressions; ``choose`` decides data-dependent conditions and ``guess`` unknown values."""

    def __init__(self, choose: Choose, guess: Guess) -> None:
        self._names = {"truncate": truncate, "choose": choose, "guess": guess, "Fraction": Fraction}

    def index(self, poly: Poly) -> IndexFunction:
        return eval(f"lambda v: {_index(poly)}", self._names)

    def trip(self, name: str) -> IndexFunction:
        return eval(f"lambda v: v[{name!r}] if {name!r} in v else guess({name!r}, v)", self._names)

    def condition(self, condition: Condition) -> ConditionFunction:
        return eval(f"lambda v: {_condition(condition)}", self._names)


def truncate(numerator: int, denominator: int) -> int:
    """C's integer division."""
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def _index(poly: Poly) -> str:
    terms = ["*".join([f"({number!r})", *map(_atom, monomial)]) for monomial, number in poly.terms.items()]
    return " + ".join(terms) or "0"


def _atom(atom: Atom) -> str:
    match atom:
        case str():
            return f"v[{atom!r}]"
        case FloorDiv(numerator, denominator):
            return f"(({_index(numerator)}) // ({_index(denominator)}))"
        case TruncDiv(numerator, denominator):
            return f"truncate({_index(numerator)}, {_index(denominator)})"
        case Extremum(largest, operands):
            return f"{'max' if largest else 'min'}([{', '.join(map(_index, operands))}])"
        case Unknown(label, depends):
            return f"guess({label!r}, {{k: v[k] for k in {sorted(depends)!r} if k in v}})"
        case _:
            assert_never(atom)


def _condition(condition: Condition) -> str:
    match condition:
        case Compare(comparison, left, right):
            return f"({_index(left)} {comparison.value} {_index(right)})"
        case And(operands):
            return f"all([{', '.join(map(_condition, operands))}])"
        case Or(operands):
            return f"any([{', '.join(map(_condition, operands))}])"
        case Not(operand):
            return f"(not {_condition(operand)})"
        case DataDependent(name):
            return f"choose({name!r}, v)"
        case Truth(holds):
            return repr(holds)
        case _:
            assert_never(condition)
