"""Machines: figures with units and sources, the machine file, and the physics that it has to obey."""
