"""Parts of a region that are modelled apart: what is certain, what is known, and loops that only repeat."""
