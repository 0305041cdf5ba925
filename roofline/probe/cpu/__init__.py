"""The CPU of this machine: its topology, what is measured on it, and a machine of the results."""
