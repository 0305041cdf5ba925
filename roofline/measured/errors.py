"""The error of the readers of measured data."""

from __future__ import annotations

from analyzer.errors import AnalyzerError


class MeasurementError(AnalyzerError):
    """A file of measured data that cannot be read, or is of another format than was asked for."""
