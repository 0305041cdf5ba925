"""The polyhedral stage: iteration domains, access relations, and exact counting. ``backend`` is the only door to isl."""
