"""The simulated cache model: the stream of cache lines through least-recently-used caches."""
