"""Stack distances: the distinct lines between two uses of one."""
