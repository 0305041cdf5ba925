"""Results of earlier runs, stored on disk: see :mod:`.store`."""
