"""Loops: iterators, bounds, closed forms of what a loop changes, and pragmas."""
