"""The cache line of a machine that is not known."""

DEFAULT_LINE_BYTES = 64
"""Bytes of a cache line where no machine states another: that of x86 CPUs and most Arm ones."""
