"""The commands: one module each, from checked options to an exit code."""
