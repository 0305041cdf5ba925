"""The report as a table for a terminal."""
