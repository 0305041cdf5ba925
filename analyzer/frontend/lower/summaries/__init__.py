"""Functions that are analyzed once, apart from their calls: what a call of one takes, in terms of its parameters."""
