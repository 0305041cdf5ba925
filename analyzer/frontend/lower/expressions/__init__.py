"""Expressions, references, conditions, assignments and calls: surface tree to values of the IR."""
