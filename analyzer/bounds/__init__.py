"""The least traffic of any order of a nest's operations: from dependences to a bound for a cache of S elements."""
