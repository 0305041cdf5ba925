"""The region laid out in memory, with numbers for all sizes: what the cache models walk over."""
