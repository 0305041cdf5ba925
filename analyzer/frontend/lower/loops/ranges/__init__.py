"""Ranges of iterators: the comparisons that end loops, solved."""
