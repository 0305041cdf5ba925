"""The polyhedral stage: iteration domains, access relations, exact counting; ``backend`` is the only door to isl."""
