"""Counts as values: quasi-polynomials in the symbols, each with what is known about its truth; isl is not needed."""
