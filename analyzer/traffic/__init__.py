"""Bytes: footprints, references per iteration, and the traffic between levels."""
