"""The polyhedral stage: iteration domains, access relations, exact counting; :mod:`.isl` is the only door to isl."""
