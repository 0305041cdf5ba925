"""Counts of a run, as coverage tools record them, and the trip counts, probabilities and sizes that follow.

``files -> reading -> ExecutionCounts -> measured (ratios by line) -> binding (values of symbols)``
"""
