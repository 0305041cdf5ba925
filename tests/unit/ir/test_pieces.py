"""Sums piece by piece against sums term by term."""

import random

from analyzer.ir.index import Poly, const, maximum, minimum, var
from analyzer.ir.index.pieces import summed_in_pieces
from analyzer.ir.index.sums import sum_of

INDEX = "u"


def drawn(chance: random.Random, depth: int) -> Poly:
    """Return a drawn expression of minima, maxima, sums and products of lines."""
    if depth == 0:
        return var(INDEX) * chance.randint(-5, 5) + chance.randint(-300, 300)
    parts = [drawn(chance, depth - 1), drawn(chance, depth - 1)]
    match chance.choice(["least", "most", "least of three", "sum", "product"]):
        case "least":
            return minimum(parts)
        case "most":
            return maximum(parts)
        case "least of three":
            return minimum([*parts, drawn(chance, 0)])
        case "sum":
            return parts[0] + parts[1]
        case _:
            return parts[0] * parts[1]


def test_sums_of_pieces_are_those_of_their_terms():
    chance = random.Random(3)
    known = 0
    for _ in range(200):
        body, number = drawn(chance, chance.randint(0, 3)), chance.randint(1, 200)
        found = summed_in_pieces(body, INDEX, number)
        known += found is not None
        assert found in (None, sum(body.evaluate({INDEX: term}) for term in range(number)))
    assert known > 150


def test_more_terms_than_are_worked_out_one_by_one():
    """Of 2^40 runs of 2 elements the last half is cut: min(2, max(0, 2^40 - 2 u)) is 2 for the first 2^39, then 0."""
    left = minimum([const(2), maximum([const(0), const(1 << 40) - 2 * var(INDEX)])])
    assert sum_of(INDEX, const(1 << 40), left).constant == 1 << 40
