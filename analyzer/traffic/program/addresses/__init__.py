"""Where arrays are in memory, and addresses of references: affine, in pieces, behind pointers, or from data."""
