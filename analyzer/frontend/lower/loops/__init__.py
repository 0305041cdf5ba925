"""Loops: iterators, bounds, closed forms of the variables that a loop changes, and pragmas."""
