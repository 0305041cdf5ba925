"""The lowering of a translation unit, function by function, and the regions that its functions become."""
