"""The first screen of a report as a value: the nests that cost most, why they are bound so, and what would help."""
