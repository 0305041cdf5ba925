"""The data flow of one iteration as a graph of values: operations folded, branches decided, uses followed."""
