"""Loops inside of another that move one counter: together they run as often as that can move."""
