"""Objects: the construction of those in arrays and of those in place, and what runs at the end of their life."""
