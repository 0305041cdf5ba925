"""Transformations of nests: each with a proof from dependences that it is legal, and the nest that it makes."""
