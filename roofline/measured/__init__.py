"""Measured data: one reader for each format, text in, :class:`~roofline.measured.results.Sample` values out.

A reader never guesses: what a file does not say is None, what looks odd is a :class:`~roofline.measured.results.Remark`
with its line, and what cannot be read raises :class:`~roofline.measured.errors.MeasurementError`.
"""
