"""Counting one region: its profile, those of its nests, and one iteration of their innermost loops."""
