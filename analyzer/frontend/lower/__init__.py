"""The shared lowering: surface tree to IR.  ``lower_unit`` is the whole interface."""

from .unit import Lowered, LowerOptions, lower_unit

__all__ = ["LowerOptions", "Lowered", "lower_unit"]
