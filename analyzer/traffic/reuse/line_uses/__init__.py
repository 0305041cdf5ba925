"""The uses of a cache line: which references touch it, when, and in which pairs."""
