"""Counting: operations of one statement, times how often it runs, under a named FLOP policy."""
