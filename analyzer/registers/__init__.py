"""Registers of a thread: the machine code of a kernel, the values that are live in it, and what ptxas makes of them."""
