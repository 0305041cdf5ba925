"""Counts of nests beyond affine ones: iterators as numbers in isl's sets, and sums over their values."""
