"""Findings of a check in the formats of continuous integration."""
