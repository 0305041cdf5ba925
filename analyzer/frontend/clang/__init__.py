"""Whole C, C++ and CUDA translation units by libclang: cursors to the surface tree."""
