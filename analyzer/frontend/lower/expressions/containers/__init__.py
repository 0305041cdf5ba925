"""Containers: their numbers of elements, the methods that change them, and copies."""
