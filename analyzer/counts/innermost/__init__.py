"""One iteration of an innermost loop: what it computes and references, how far it moves, and what it waits for."""
