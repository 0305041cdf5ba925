"""The first screen of a report: the nests that cost most, why they are bound as they are, and what would help."""
