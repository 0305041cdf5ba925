"""Loops that directives of OpenMP and OpenACC put on a GPU: regions of functions to kernels."""
