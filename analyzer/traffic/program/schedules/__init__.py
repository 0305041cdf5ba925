"""The order in which threads execute a region: a GPU's in lockstep, those of a CPU by static schedules."""
