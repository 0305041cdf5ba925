"""Limits on what an analysis costs: CPU time of a file and of its parts, and depth of recursion."""
