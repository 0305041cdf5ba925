"""Kernels whose given arrays choose elements: all threads, one after the other."""
