"""Passes over the tree: a region to another one, or what its loops and flags are."""
