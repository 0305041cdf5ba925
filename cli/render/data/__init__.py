"""Reports and comparisons as JSON and CSV."""
