"""The first screen of a report as text."""
