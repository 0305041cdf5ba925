"""Predicted against measured: join, compare quantity by quantity, and say why they may differ.

Input: a :class:`~roofline.report.report.Report` and the readings of :mod:`roofline.measured`.  Output: a
:class:`~roofline.comparison.compare.Comparison`.
"""
