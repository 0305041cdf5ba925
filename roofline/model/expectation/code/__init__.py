"""The cycles of a core in the code that a compiler is likely to make of an innermost loop."""
