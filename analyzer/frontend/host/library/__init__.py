"""Functions without a body that host code calls."""
