"""Kernels: one thread inside loops over blocks and threads, series of launches, and what libraries run."""
