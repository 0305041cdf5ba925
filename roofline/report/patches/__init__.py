"""Advice as changes of the source."""
