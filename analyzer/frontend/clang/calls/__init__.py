"""Calls, constructions and ``new``: by key where the body is known, by name where it is not."""
