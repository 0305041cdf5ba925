"""Addresses that are not affine: in pieces, of rows behind pointers or as data say, and how far they reach."""
