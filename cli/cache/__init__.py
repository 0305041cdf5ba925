"""Results of earlier runs, kept on disk: see :mod:`.store`."""
