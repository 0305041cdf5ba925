"""Constant propagation through host code: which kernels are launched, with which arguments and how often."""
