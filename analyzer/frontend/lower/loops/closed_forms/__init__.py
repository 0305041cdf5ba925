"""Closed forms of the variables that a loop changes."""
