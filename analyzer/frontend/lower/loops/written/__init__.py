"""A loop as it is written: its parts, its pragmas, and what they map it to."""
