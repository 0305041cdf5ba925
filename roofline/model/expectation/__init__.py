"""The expected time: the code of a compiler, its cycles, and the bytes that move meanwhile."""
