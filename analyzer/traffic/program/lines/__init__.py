"""Distinct cache lines of references: counted exactly, enumerated, or counted for a sample."""
