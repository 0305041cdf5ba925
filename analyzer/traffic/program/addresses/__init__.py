"""Where arrays are in memory, and the addresses of references: affine, in pieces, of rows behind pointers or as data say."""
