"""Loops over ranges: ``for (auto &x : v)`` as loops over counters, iterators or nodes."""
