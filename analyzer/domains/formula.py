"""Index expressions and conditions as isl text.

A product of symbols or of their quotients, or a quotient of symbols, becomes one parameter of its own (``n*m`` is
``s3``): the counts come back as polynomials in it, and :attr:`Names.meaning` puts the product back in.  What is not
affine in the iterators raises :class:`NotAffine`; the caller then weakens the answer instead of guessing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from ..ir.index import (
    Atom,
    BitAnd,
    Extremum,
    FloorDiv,
    Log,
    Poly,
    Power,
    Root,
    Sum,
    Tree,
    TruncDiv,
    Unknown,
    const,
    indicated,
)
from ..ir.nodes import And, Compare, Comparison, Condition, DataDependent, Not, Or, Truth
from ..python.regex import regex

_SPELLING = {Comparison.EQ: "=", Comparison.NE: "!="}
TRUE, FALSE = "0 = 0", "1 = 0"
DIGIT = "#"
"""Begins the names of variables of isl among iterators: digits of one of these (:mod:`.counter_digits`)."""
_PARAMETER = regex(r"\bs\d+\b")


class NotAffine(Exception):
    """An expression is not affine in the iterators, or its value is not known."""


class Names(Struct):
    """Short isl names of the symbols and iterators of one region: symbols as they are met, iterators by their depth.

    Sibling loops share a name, so that equal nests give equal text wherever they stand.  ``launches`` are the values of
    the symbols in all the launches that the region stands for, where it is one for many.
    """

    iterators: dict[str, str] = field(default_factory=dict)
    parameters: dict[Poly, str] = field(default_factory=dict)
    meaning: dict[str, Poly] = field(default_factory=dict)
    launches: Sequence[Mapping[str, int]] = ()

    def parameter(self, value: Poly) -> str:
        """Return the parameter that stands for a symbol or for a product of symbols."""
        if value not in self.parameters:
            name = f"s{len(self.parameters)}"
            self.parameters[value] = name
            self.meaning[name] = value
        return self.parameters[value]

    def numbers(self, values: Mapping[str, int]) -> dict[str, int] | None:
        """Return what the parameters are for these values of the symbols; None where one of them has no value."""
        try:
            found = {name: poly.evaluate(values) for name, poly in self.meaning.items()}
        except (KeyError, ZeroDivisionError):
            return None
        whole = {name: number for name, number in found.items() if isinstance(number, int)}
        return whole if len(whole) == len(found) else None

    def known_numbers(self, values: Mapping[str, int]) -> dict[str, int]:
        """Return what the parameters are for these values of some symbols, as far as known."""
        known = {name: value.substitute(values).constant for value, name in self.parameters.items()}
        return {name: number for name, number in known.items() if isinstance(number, int)}

    def parameters_in(self, text: str) -> str:
        """Return the parameters that occur in isl's text, as its list of parameters.

        What does not matter costs isl time.
        """
        used = self.meaning.keys() & _PARAMETER.findall(text)
        return f"[{', '.join(sorted(used, key=_number))}]"

    def enter(self, name: str, depth: int) -> None:
        """Name the iterator of a loop inside ``depth`` others."""
        self.iterators[name] = f"i{depth}"

    def iterator(self, name: str) -> str:
        """Return the isl name of an iterator."""
        return self.iterators[name]


def _number(parameter: str) -> int:
    return int(parameter[1:])


class Formula(Struct):
    """Renders expressions over ``scope`` (the iterators in scope) and collects auxiliary variables on the way.

    ``nonnegative`` are iterators known to be at least 0: division of them needs no case distinction.
    ``uncountable`` are iterators whose values are not integers in arithmetic progression.
    ``values`` are all values of iterators that take few, each a number.
    ``auxiliaries`` are integer variables that the expressions determine, with their definitions: quotients (``known``
    by numerator and divisor), and what is ``added`` where a condition holds.
    """

    names: Names
    scope: frozenset[str]
    nonnegative: frozenset[str] = frozenset()
    uncountable: frozenset[str] = frozenset()
    values: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    auxiliaries: dict[str, str] = field(default_factory=dict)
    known: dict[tuple[Poly, int], str] = field(default_factory=dict)
    added: dict[Poly, str] = field(default_factory=dict)

    def renewed(self) -> Formula:
        """Return the same scope without the auxiliaries of other expressions."""
        return Formula(self.names, self.scope, self.nonnegative, self.uncountable, self.values)

    def affine(self, poly: Poly) -> str:
        """Return isl text of an expression; raises :class:`NotAffine`."""
        parts = [f"{number}*{self._factor(atoms)}" if atoms else str(number) for atoms, number in poly.terms.items()]
        return " + ".join(parts) if parts else "0"

    def limits(self, poly: Poly, *, largest: bool) -> list[str]:
        """Return isl texts of the operands of a maximum (``largest``) or minimum plus a constant, else the expression.

        A bound of a loop that is a minimum is a conjunction of constraints, which keeps a set in one piece.
        """
        for monomial, number in poly.terms.items():
            match monomial:
                case (Extremum(operands=operands, largest=kind),) if kind is largest and number == 1:
                    rest = poly - Poly({monomial: 1})
                    return [text for operand in operands for text in self.limits(operand + rest, largest=largest)]
        return [self.affine(poly)]

    def condition(self, condition: Condition, *, optimistic: bool) -> str:
        """Return isl text that holds at most (pessimistic) or at least (optimistic) where the condition does."""
        return self._condition(condition, True, optimistic)

    def _condition(self, condition: Condition, positive: bool, optimistic: bool) -> str:
        match condition:
            case Truth(holds):
                return TRUE if holds is positive else FALSE
            case DataDependent():
                return TRUE if optimistic else FALSE
            case Not(operand):
                return self._condition(operand, not positive, optimistic)
            case And(operands) | Or(operands):
                texts = [self._condition(operand, positive, optimistic) for operand in operands]
                return _all_of(texts) if isinstance(condition, And) is positive else _one_of(texts)
            case Compare(comparison, left, right):
                kind = comparison if positive else comparison.opposite
                try:
                    return self._compared(Compare(kind, left, right))
                except NotAffine:
                    cases = self._by_value(Compare(kind, left, right))
                    return cases or (TRUE if optimistic else FALSE)

    def _by_value(self, comparison: Compare) -> str:
        """Return isl text of a comparison that is affine for each of the few values of one iterator, "" for others.

        ``2*k*t < 256`` with ``k`` from 1, 2, 4 is ``k = 1 and 2*t < 256 or k = 2 and 4*t < 256 or ...``.
        """
        sides = (comparison.left, comparison.right)
        used = sorted((sides[0].names() | sides[1].names()) & self.values.keys())
        for name in used:
            given = [{name: const(value)} for value in self.values[name]]
            fixed = [Compare(comparison.comparison, *(side.substitute(each) for side in sides)) for each in given]
            try:
                texts = [self._compared(each) for each in fixed]
            except NotAffine:
                continue
            iterator = self.names.iterator(name)
            pairs = zip(self.values[name], texts, strict=True)
            return _one_of([f"({iterator} = {value} and {text})" for value, text in pairs])
        return ""

    def _compared(self, comparison: Compare) -> str:
        kind, left, right = comparison.comparison, comparison.left, comparison.right
        return f"({self.affine(left)} {_SPELLING.get(kind, kind.value)} {self.affine(right)})"

    def close(self, constraints: list[str]) -> str:
        """Return the conjunction of the constraints under the auxiliaries' quantifier."""
        body = _conjunction(constraints)
        if not self.auxiliaries:
            return body
        return f"exists {', '.join(self.auxiliaries)} : {' and '.join(self.auxiliaries.values())} and {body}"

    def _factor(self, monomial: tuple[Atom, ...]) -> str:
        inside = [atom for atom in monomial if not self._is_symbolic(atom)]
        if not inside:
            return self.names.parameter(Poly({monomial: 1}))
        if len(monomial) == 1:
            return self._atom(monomial[0])
        if not all(self._is_of_symbols(atom) for atom in monomial):
            return self._added(monomial, inside)
        return self.names.parameter(Poly({monomial: 1}))

    def _added(self, monomial: tuple[Atom, ...], inside: list[Atom]) -> str:
        """Return what is added where a condition holds: an auxiliary that is 0 elsewhere.

        Raises :class:`NotAffine` where that is no product of symbols.
        """
        found = indicated(inside[0]) if len(inside) == 1 else None
        if found is None:
            raise NotAffine(str(Poly({monomial: 1})))
        key = Poly({monomial: 1})
        if key not in self.added:
            relation, sign = self.affine(found[0]), found[1]
            symbols = self.affine(Poly({tuple(atom for atom in monomial if atom is not inside[0]): 1}))
            name = f"q{len(self.auxiliaries)}"
            opposite = {">": "<=", "=": "!=", "!=": "="}[sign]
            self.added[key] = name
            self.auxiliaries[name] = (
                f"(({relation} {sign} 0 and {name} = {symbols}) or ({relation} {opposite} 0 and {name} = 0))"
            )
        return self.added[key]

    def _is_symbolic(self, atom: Atom) -> bool:
        """Return whether an atom is a parameter of the analysis: a symbol, or a function of symbols alone."""
        if isinstance(atom, str):
            return atom not in self.scope
        is_parameter = not isinstance(atom, FloorDiv | TruncDiv) or atom.denominator.constant is None
        return is_parameter and self._is_of_symbols(atom)

    def _is_of_symbols(self, atom: Atom) -> bool:
        """Return whether an atom is a symbol or a quotient, without an iterator or a value that is not known."""
        if isinstance(atom, str):
            return atom not in self.scope
        value = Poly({(atom,): 1})
        return (
            isinstance(atom, FloorDiv | TruncDiv | BitAnd | Power | Log | Root | Sum | Tree)
            and not value.unknowns()
            and value.names().isdisjoint(self.scope)
        )

    def _atom(self, atom: Atom) -> str:
        match atom:
            case str():
                if atom in self.uncountable:
                    raise NotAffine(atom)
                return atom.removeprefix(DIGIT) if atom.startswith(DIGIT) else self.names.iterator(atom)
            case Extremum():
                operands = ", ".join(self.affine(operand) for operand in atom.operands)
                return f"{'max' if atom.largest else 'min'}({operands})" if len(atom.operands) > 1 else operands
            case FloorDiv():
                return f"floor(({self.affine(atom.numerator)})/{self._divisor(atom)})"
            case TruncDiv():
                return self._truncated(atom)
            case Unknown():
                raise NotAffine(atom.label)
            case _:
                raise NotAffine(str(atom))

    def _divisor(self, atom: FloorDiv | TruncDiv) -> int:
        divisor = atom.denominator.constant
        if divisor is None or divisor <= 0:
            raise NotAffine(str(atom))
        return divisor

    def _truncated(self, atom: TruncDiv) -> str:
        """Return division that rounds towards zero: floor where the numerator cannot be negative, else by cases."""
        divisor = self._divisor(atom)
        text = self.affine(atom.numerator)
        if self.cannot_be_negative(atom.numerator):
            return f"floor(({text})/{divisor})"
        key = (atom.numerator, divisor)
        if key not in self.known:
            name = f"q{len(self.auxiliaries)}"
            self.known[key] = name
            self.auxiliaries[name] = (
                f"(({text} >= 0 and {name} = floor(({text})/{divisor})) or "
                f"({text} < 0 and {name} = -floor((-({text}))/{divisor})))"
            )
        return self.known[key]

    def cannot_be_negative(self, poly: Poly) -> bool:
        """Return whether it is a sum of iterators that are known to be at least 0."""
        return all(
            number >= 0 and all(isinstance(atom, str) and atom in self.nonnegative for atom in monomial)
            for monomial, number in poly.terms.items()
        )


def _conjunction(texts: Sequence[str]) -> str:
    return FALSE if FALSE in texts else " and ".join(text for text in texts if text != TRUE) or TRUE


def _all_of(texts: Sequence[str]) -> str:
    found = _conjunction(texts)
    return found if found in (TRUE, FALSE) else f"({found})"


def _one_of(texts: Sequence[str]) -> str:
    found = TRUE if TRUE in texts else " or ".join(text for text in texts if text != FALSE) or FALSE
    return found if found in (TRUE, FALSE) else f"({found})"
