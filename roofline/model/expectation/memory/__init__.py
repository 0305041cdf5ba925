"""How long data take to arrive, and the translations of their addresses."""
