"""Calls: a body in place of the call, an operation, a loop over memory, or what nothing is known of."""
