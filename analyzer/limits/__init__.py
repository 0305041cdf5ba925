"""Limits on the cost of an analysis: CPU time of a file and of its parts, and depth of recursion."""
