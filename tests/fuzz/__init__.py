"""Fuzzing of everything that reads input: ``python -m tests.fuzz TARGET [SECONDS]``."""
