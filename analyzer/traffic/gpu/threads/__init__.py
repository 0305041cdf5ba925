"""Threads of a kernel: their axes, phases and samples."""
