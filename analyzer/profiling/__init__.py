"""One region to its profile: counts, references, footprints; alternatives, launches and lower bounds of them."""
