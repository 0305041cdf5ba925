"""The core: ceilings, the throughput of a loop, integer instructions, and the fewest cycles."""
