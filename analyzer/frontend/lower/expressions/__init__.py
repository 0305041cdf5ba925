"""Expressions, references, conditions, assignments and calls: from the surface tree to values of the IR."""
